"""Measurements of soil: plates pressed into it, wheels driven and plates dragged through it; CSV and NPZ."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plantar._read import read_arrays, read_csv, reading
from plantar.errors import InvalidInput

PRESS = ("depth", "force", "diameter")
WHEEL = ("slip_angle_deg", "speed", "rim_speed", "sinkage", "force_x", "force_y", "force_z")
INTRUSION = ("tilt_deg", "motion_deg", "depth", "area", "force_x", "force_z")
KINDS = {"press": PRESS, "wheel": WHEEL, "intrusion": INTRUSION}
"""Columns that a file of each kind must have; other columns that name conditions are kept as well."""
NAMES = ("run", "box", "wheel", "soil")
"""Columns of words or numbers that distinguish conditions."""
ADVICE = "give a CSV or NPZ file of measurements"
LENGTHS, LONGEST = ("depth", "sinkage", "diameter"), 1.0
"""Columns whose median is no longer than this in metres; in millimetres it is."""
LEAST = 6
"""Fewer rows than this are useless."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SoilData:
    """Rows of measurements; SI units, angles in degrees where the column says so."""

    kind: str
    """press, wheel or intrusion."""
    columns: dict[str, np.ndarray]
    """Numbers of each column (n)."""
    names: dict[str, np.ndarray]
    """Words of the columns that name conditions (n)."""

    def __len__(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> np.ndarray:
        """A column of numbers."""
        return self.columns[name]

    def label(self, *wanted: str) -> np.ndarray:
        """A word for each row that is the same where all of the columns are the same."""
        parts = [self.names[w] if w in self.names else self.columns[w].round(6).astype(str) for w in wanted]
        return np.array([" ".join(row) for row in zip(*parts, strict=True)] if parts else [""] * len(self))


def read_soil(path: str | Path) -> SoilData:
    """Read measurements of soil; the columns determine their kind.

    Args:
        path: A CSV file with a header, lines with `#` are comments; or an NPZ file with one array per column.

    Raises:
        InvalidInput: If it cannot be read, or its columns match no kind; the message lists them.
    """
    path = Path(path)
    table = read_table(path)
    for kind, wanted in KINDS.items():
        if set(wanted) <= set(table):
            return _checked(path, kind, table)
    known = "; ".join(f"{kind}: {', '.join(columns)}" for kind, columns in KINDS.items())
    raise InvalidInput(f"{path.name!r} has the columns {', '.join(table) or 'none'}: give those of one kind ({known})")


def read_table(path: str | Path) -> dict[str, np.ndarray]:
    """Columns of a CSV or NPZ file by their names, as they stand there."""
    path = Path(path)
    return _from_npz(path) if path.suffix == ".npz" else _from_csv(path)


def _from_csv(path: Path) -> dict[str, np.ndarray]:
    rows = read_csv(path, ADVICE)
    if not rows:
        raise InvalidInput(f"{path.name!r} has no rows: give a header and equal rows")
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _from_npz(path: Path) -> dict[str, np.ndarray]:
    with reading(path, "file", ADVICE), read_arrays(path) as file:
        table = {name: np.atleast_1d(file[name]) for name in file.files}
    if len({a.shape for a in table.values()}) != 1 or next(iter(table.values())).ndim != 1:
        raise InvalidInput(
            f"{path.name!r} has arrays of different lengths: give one array per column, all of equal length"
        )
    return table


def _checked(path: Path, kind: str, table: dict[str, np.ndarray]) -> SoilData:
    columns = {}
    for name, values in table.items():
        try:
            columns[name] = values.astype(float)
        except ValueError:
            if name in KINDS[kind]:
                raise InvalidInput(f"{name} of {path.name!r} has entries that are not numbers") from None
    for name in KINDS[kind]:
        if not np.isfinite(columns[name]).all():
            raise InvalidInput(f"{name} of {path.name!r} has entries that are not finite")
    if len(next(iter(columns.values()))) < LEAST:
        raise InvalidInput(f"{path.name!r} has fewer than {LEAST} rows")
    for name in ("diameter", "area", "speed"):
        if name in KINDS[kind] and (columns[name] <= 0).any():
            raise InvalidInput(f"{name} of {path.name!r} must be above 0")
    for name in LENGTHS:
        longest = float(np.median(columns[name])) if name in KINDS[kind] else 0.0
        if longest > LONGEST:
            raise InvalidInput(f"{name} of {path.name!r} has a median of {longest:.3g} m: give metres")
    names = {name: table[name].astype(str) for name in NAMES if name in table}
    return SoilData(kind=kind, columns=columns, names=names)
