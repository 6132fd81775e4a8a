"""A small table: rows of named values, in SI units."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from plantar._notebook import rows_html
from plantar.errors import MissingExtra

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found]

Row = dict[str, Any]


class Table(Sequence[Row]):
    """Rows that share their columns.

    Args:
        rows: One mapping per row; all with the same keys in the same order.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]):
        self._rows = [dict(row) for row in rows]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: int | slice) -> Row | Table:
        """One row, or a table of some rows."""
        return Table(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        """Iterate over the rows."""
        return iter(self._rows)

    def __repr__(self) -> str:
        """Size and columns, for display at the prompt."""
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        return rows_html(self._rows)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame of pandas, which must be installed.

        Raises:
            MissingExtra: If it is not.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise MissingExtra("to_pandas needs pandas: install with `pip install pandas`") from error
        return pandas.DataFrame(self._rows, columns=self.columns)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._rows[0]) if self._rows else []

    def column(self, name: str) -> np.ndarray:
        """One column as an array."""
        return np.array([row[name] for row in self._rows])

    def block(self, names: Sequence[str]) -> np.ndarray:
        """Several numeric columns as an array of shape (rows, names)."""
        return np.array([[row[name] for name in names] for row in self._rows], dtype=float)

    def where(self, **values: Any) -> Table:
        """The rows whose columns have these values."""
        return Table(row for row in self._rows if all(row[k] == v for k, v in values.items()))
