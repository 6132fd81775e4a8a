"""Set-points from a table."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from plantar.errors import InvalidInput


def read_setpoints(path: str | Path, columns: Sequence[str] | None = None) -> tuple[list[str], list[list[float]]]:
    """Names of the channels and rows of values from a CSV file.

    Args:
        path: A file with a line of names.
        columns: Columns to take; all but `time` if not given.

    Raises:
        InvalidInput: If the file cannot be read, a column is missing or a cell is not a finite number.
    """
    path = Path(path)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            records = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{path} cannot be read ({getattr(error, 'strerror', None) or 'not text'}): give a CSV"
        ) from error
    if not records:
        raise InvalidInput(f"{path} holds no rows: give a line of names and one row a set-point")
    there = [name for name in records[0] if name]
    names = [name for name in there if name != "time"] if columns is None else [name.strip() for name in columns]
    for name in names:
        if name not in there:
            raise InvalidInput(f"{path} has no column {name!r}: it has {', '.join(there)}")
    return names, [
        [_number(record[name], path, line, name) for name in names] for line, record in enumerate(records, 2)
    ]


def _number(text: str | None, path: Path, line: int, name: str) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"{path} line {line}: {name} = {text!r} is not a finite number: nothing was sent")
    return value
