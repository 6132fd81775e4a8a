"""Set-points from a table."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plantar._read import read_text, reading
from plantar.errors import InvalidInput

TIME = "time"
"""Name of the column that holds times and is never a channel."""
LIKE_TIME = {"t", "times", "timestamp", "seconds", "sec", "s", "ms", "clock", "index", "frame", "step"}
"""Names, letters only, of columns that are probably not channels; `columns` says which are."""
EVEN = 0.01
"""Fraction by which steps of the column `time` may differ and still count as one rate."""


@dataclass(frozen=True)
class SetPoints:
    """A table of set-points."""

    names: tuple[str, ...]
    """Names of the channels, in the order in which they are sent."""
    rows: list[list[float]]
    """One value per channel and row [SI]."""
    rate: float | None
    """Rows per second from the column `time`, or None without one [Hz]."""


def read_setpoints(path: str | Path, columns: Sequence[str] | None = None) -> SetPoints:
    """Channels and rows of values from a CSV file whose first line names every column.

    An ambiguous table is refused: nothing that would move hardware is guessed.

    Args:
        path: A CSV file with commas, in UTF-8, with or without a byte-order mark.
        columns: Columns to take, in this order; all but `time` if not given.

    Raises:
        InvalidInput: If the file cannot be read; a name is missing, empty, duplicate or looks like a time; a row has
            more or fewer cells than there are names; a cell is not a finite number; times do not rise evenly.
    """
    path = Path(path)
    header, *records = _read(path)
    if not records:
        raise InvalidInput(f"{path} holds no rows: give a header and one row per set-point")
    there = [name.strip() for name in header]
    _check_header(path, there)
    names = _channels(path, there, columns)
    for line, record in records:
        if len(record) != len(there):
            raise InvalidInput(f"{path} line {line} has {len(record)} cells, the header {len(there)}")
    places = [there.index(name) for name in names]
    rows = [[_number(record[k], path, line, there[k]) for k in places] for line, record in records]
    rate = None
    if TIME in there:
        k = there.index(TIME)
        rate = _rate(path, [_number(record[k], path, line, TIME) for line, record in records])
    return SetPoints(tuple(names), rows, rate)


def _read(path: Path) -> list:
    """The header, then (line number, cells) of every row that is not empty."""
    with reading(path, "file", "give a CSV in UTF-8"):
        reader = csv.reader(io.StringIO(read_text(path)), strict=True)
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    if not lines:
        raise InvalidInput(f"{path} is empty: give a header and one row per set-point")
    return [lines[0][1], *lines[1:]]


def _check_header(path: Path, there: list[str]) -> None:
    if len(there) == 1 and any(mark in there[0] for mark in ";\t|"):
        raise InvalidInput(f"{path} has no commas in its header {there[0]!r}: give a CSV with commas")
    for k, name in enumerate(there, start=1):
        if not name or not name.isprintable() or _is_number(name):
            raise InvalidInput(f"{path}: column {k} is named {name!r}: give a first line with a name for every column")
    twice = [name for name, count in Counter(name.casefold() for name in there).items() if count > 1]
    if twice:
        raise InvalidInput(f"{path} has the column {twice[0]!r} more than once: it is unclear which one to send")


def _channels(path: Path, there: list[str], columns: Sequence[str] | None) -> list[str]:
    if columns is None:
        names = [name for name in there if name != TIME]
        for name in names:
            letters = "".join(c for c in name.casefold().split("[")[0].split("(")[0] if c.isalpha())
            if letters.startswith(TIME) or letters in LIKE_TIME:
                raise InvalidInput(
                    f"{path}: column {name!r} may be a time or a channel: name it {TIME!r}, or give the columns to send"
                )
        if not names:
            raise InvalidInput(f"{path} has no column but {TIME!r}: give one column per channel")
        return names
    names = [name.strip() for name in columns]
    for name in names:
        if name not in there:
            raise InvalidInput(f"{path} has no column {name!r}: it has {', '.join(there)}")
    if len(set(names)) < len(names):
        raise InvalidInput(f"columns {', '.join(names)} are not allowed: give each once")
    return names


def _rate(path: Path, times: list[float]) -> float | None:
    if len(times) < 2:
        return None
    steps = np.diff(times)
    mean = float(steps.mean())
    if not (mean > 0 and (np.abs(steps - mean) <= EVEN * mean).all()):
        raise InvalidInput(
            f"{path}: the column {TIME!r} does not rise in even steps, and frames are sent at a fixed rate"
        )
    return 1 / mean


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(text: str, path: Path, line: int, name: str) -> float:
    value = float(text) if _is_number(text) else math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"{path} line {line}: {name} = {text!r} is not a finite number: nothing was sent")
    return value
