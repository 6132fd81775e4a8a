"""A small table: rows of named values, in SI units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

Row = dict[str, Any]


class Table(Sequence[Row]):
    """Rows that share their columns.

    Args:
        rows: One mapping a row; all with the same keys in the same order.
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
        """Go through the rows."""
        return iter(self._rows)

    def __repr__(self) -> str:
        """Size and columns, for a look at the prompt."""
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

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
