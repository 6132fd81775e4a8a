"""Tables as lists of mappings: their columns and the kinds of their cells."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping, Sequence
from typing import Any

READ = {"rad": ("deg", 180 / math.pi), "m": ("mm", 1e3), "share": ("%", 1e2)}
"""What people read in place of a unit, and how many of it that is."""
NOTHING = 1e-8
"""Numbers below this are zero but for rounding, in SI."""
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
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value + 0.0:.{digits}g}" if isinstance(value, float) else str(value)  # not -0


def unit_of(column: str, units: Mapping[str, str]) -> str | None:
    """Unit of the first name or pattern that fits a column."""
    return next((unit for pattern, unit in units.items() if fnmatch.fnmatchcase(column, pattern)), None)


def head_text(column: str, units: Mapping[str, str]) -> str:
    """Head of a column with its unit, that of the first name or pattern, as `force_*`, that fits it."""
    unit = unit_of(column, units)
    return column + (f" [{unit}]" if unit else "")


def for_people(rows: Rows, units: Mapping[str, str]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Rows with angles in degrees and lengths in millimetres, without numbers that are zero but for rounding.

    Args:
        rows: One mapping a row, in SI.
        units: Units of columns by name or pattern.

    Returns:
        The rows, and the units of their columns by name.
    """
    given = {c: unit_of(c, units) for c in columns_of(rows)}
    known = {c: READ.get(unit, (unit, 1.0)) for c, unit in given.items() if unit}
    changed = [{c: _scaled(v, known[c][1]) if c in known else v for c, v in row.items()} for row in rows]
    return changed, {c: unit for c, (unit, _) in known.items()}


def readable(rows: Rows) -> list[dict[str, Any]]:
    """Rows of `value` and `unit` with values that people read: degrees and millimetres; unknown ones are left out."""
    known = [row for row in rows if cell_text(row["value"])]
    units = [READ.get(row["unit"], (row["unit"], 1.0)) for row in known]
    return [{**row, "value": _scaled(row["value"], f), "unit": u} for row, (u, f) in zip(known, units, strict=True)]


def _scaled(value: Any, factor: float) -> Any:
    value = scalar(value)
    if not isinstance(value, float):
        return value if factor == 1.0 or not isinstance(value, int) or isinstance(value, bool) else factor * value
    return 0.0 if abs(value) < NOTHING else factor * value


def table_text(
    rows: Rows, columns: Sequence[str] | None = None, digits: int = 4, units: Mapping[str, str] | None = None
) -> str:
    """`rows` as aligned columns for a terminal, without those in which nothing is known.

    Args:
        rows: One mapping a row.
        columns: Columns to show; all by default.
        digits: Significant digits of numbers.
        units: Units of columns, for their heads; angles and lengths are shown as `for_people` has them.
    """
    rows, units = for_people(rows, units or {})
    columns = [c for c in columns or columns_of(rows) if not rows or any(cell_text(row.get(c)) for row in rows)]
    heads = [head_text(c, units) for c in columns]
    cells = [[cell_text(row.get(c), digits) for c in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    right = [is_numeric(rows, c) for c in columns]
    lines = [heads, ["-" * w for w in widths], *cells]
    return "\n".join(
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    )
