"""What every verb of the bench returns: a table that can be read, printed and written."""

from __future__ import annotations

import html
import importlib
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from plantar._folders import holding, open_output
from plantar._notebook import Shown, rows_html
from plantar.table import Row, Table

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found]


class Result(Shown, Sequence[Row]):
    """A result of the bench; it reads like its main table: `result[0]["load"]`, `result.column("load")`."""

    table: Table
    """The main table."""
    report: ClassVar[str]
    """Module whose `write(folder, result)` writes it; loaded only then, because it draws."""

    @abstractmethod
    def text(self) -> str:
        """The result for people to read."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """The result as plain data."""

    @holding()
    def write(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write tables, figures, config.json and a report.

        Args:
            folder: Output folder; created if missing.
            overwrite: Whether a folder that holds files may be used; files of the same name are replaced.

        Returns:
            The report.

        Raises:
            InvalidInput: If the folder cannot be used.
        """
        return importlib.import_module(self.report).write(open_output(folder, overwrite=overwrite), self)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: int | slice) -> Row | Table:
        """One row of the table, or a table of some rows."""
        return self.table[index]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.table)

    def __iter__(self) -> Iterator[Row]:
        """Iterate over the rows."""
        return iter(self.table)

    def __repr__(self) -> str:
        """Size and columns, for display at the prompt."""
        return f"{type(self).__name__}({self.table!r})"

    def _repr_html_(self) -> str:
        """What `text` says, and the first rows, for notebooks."""
        return f"<b>{type(self).__name__}</b><pre>{html.escape(self.text())}</pre>{rows_html(self.table)}"

    def to_pandas(self) -> pandas.DataFrame:
        """The main table as a data frame of pandas, which must be installed."""
        return self.table.to_pandas()

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self.table.columns

    def column(self, name: str) -> np.ndarray:
        """One column as an array."""
        return self.table.column(name)

    def block(self, names: Sequence[str]) -> np.ndarray:
        """Several numeric columns as an array of shape (rows, names)."""
        return self.table.block(names)

    def where(self, **values: Any) -> Table:
        """The rows whose columns have these values."""
        return self.table.where(**values)
