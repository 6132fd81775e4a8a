"""Tables as lists of mappings: their columns and the kinds of their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def columns_of(rows: Rows) -> list[str]:
    """Names of all columns, in the order in which they first appear."""
    return list(dict.fromkeys(key for row in rows for key in row))


def scalar(value: Any) -> Any:
    """A NumPy scalar as Python's and an array as lists; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def is_numeric(rows: Rows, column: str) -> bool:
    """Whether every cell of the column that is there holds a number."""
    cells = [value for row in rows if (value := scalar(row.get(column))) is not None]
    return bool(cells) and all(isinstance(c, int | float) and not isinstance(c, bool) for c in cells)


def cell_text(value: Any, digits: int = 4) -> str:
    """One value as people read it in a table; numbers have `digits` significant digits."""
    value = scalar(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)
