"""Tables as lists of mappings: their columns and the kinds of their cells."""

from __future__ import annotations

import fnmatch
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


def head_text(column: str, units: Mapping[str, str]) -> str:
    """Head of a column with its unit, that of the first name or pattern, as `force_*`, that fits it."""
    unit = next((unit for pattern, unit in units.items() if fnmatch.fnmatchcase(column, pattern)), None)
    return column + (f" [{unit}]" if unit else "")


def table_text(
    rows: Rows, columns: Sequence[str] | None = None, digits: int = 4, units: Mapping[str, str] | None = None
) -> str:
    """`rows` as aligned columns for a terminal; numbers have `digits` significant digits.

    Args:
        rows: One mapping a row.
        columns: Columns to show; all by default.
        digits: Significant digits of numbers.
        units: Units of columns, for their heads; see `head_text`.
    """
    columns = list(columns or columns_of(rows))
    heads = [head_text(c, units or {}) for c in columns]
    cells = [[cell_text(row.get(c), digits) for c in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    right = [is_numeric(rows, c) for c in columns]
    lines = [heads, ["-" * w for w in widths], *cells]
    return "\n".join(
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    )
