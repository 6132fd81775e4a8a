"""Tables of stress against stretch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plantar._read import read_csv
from plantar.errors import InvalidInput
from plantar.soft.fit.laws import MODES, Floats

NAMES = {"uniaxial": "uniaxial", "equibiaxial": "equibiaxial", "biaxial": "equibiaxial", "planar": "planar"}
NAMES |= {"pure_shear": "planar", "pure shear": "planar", "shear": "planar"}
"""Names of tests that tables may use."""


@dataclass(frozen=True, eq=False)
class Stretched:
    """Measured nominal stress against stretch."""

    mode: np.ndarray
    """Kind of test of each row: `uniaxial`, `equibiaxial` or `planar` (n,)."""
    stretch: Floats
    """Length over length at rest (n,)."""
    stress: Floats
    """Force over area at rest (n,) [Pa]."""

    def part(self, which: np.ndarray) -> Stretched:
        """Some of its rows."""
        return Stretched(self.mode[which], self.stretch[which], self.stress[which])

    @property
    def modes(self) -> list[str]:
        """Kinds of tests there are."""
        return [mode for mode in MODES if (self.mode == mode).any()]


def read_stretches(path: str | Path, rubber: str | None = None) -> Stretched:
    """Rows of a CSV file with columns `stretch`, `stress` [Pa] and perhaps `mode` and `rubber`.

    Args:
        path: The file; lines that start with # are left out.
        rubber: Rows to take where there is a column `rubber`.

    Raises:
        InvalidInput: If the file cannot be read, a column or the rubber is missing, or a cell makes no sense.
    """
    path = Path(path)
    rows = read_csv(path, "give a table of stretch and stress")
    there = [name for name in (rows[0] if rows else {}) if name]
    for name in ("stretch", "stress"):
        if name not in there:
            raise InvalidInput(f"{path} has no column {name!r}: it has {', '.join(there) or 'none'}")
    if "rubber" in there:
        rubbers = list(dict.fromkeys(row["rubber"] for row in rows))
        if rubber is None and len(rubbers) > 1:
            raise InvalidInput(f"{path} holds several rubbers: choose one of {', '.join(rubbers)}")
        if rubber is not None and rubber not in rubbers:
            raise InvalidInput(f"{path} has no rubber {rubber!r}: it has {', '.join(rubbers)}")
        rows = [row for row in rows if rubber is None or row["rubber"] == rubber]
    elif rubber is not None:
        raise InvalidInput(f"{path} has no column 'rubber': leave {rubber!r} out")
    modes = np.array([_mode(path, row.get("mode") or "uniaxial") for row in rows])
    stretch, stress = (np.array([_number(path, row, name) for row in rows]) for name in ("stretch", "stress"))
    bad = np.flatnonzero((stretch <= 0) | (stretch > 20))
    if len(bad):
        raise InvalidInput(f"{path}: stretch = {stretch[bad[0]]:g} is not allowed: give length over length at rest")
    # at rest every law is right
    keep = np.abs(stretch - 1) > 1e-6
    if keep.sum() < 5:
        raise InvalidInput(f"{path} has {int(keep.sum())} rows away from rest: give 5 or more")
    if np.abs(stress[keep]).max() < 100:
        raise InvalidInput(f"{path}: the largest stress is {np.abs(stress).max():g}: give Pa, not MPa")
    return Stretched(modes[keep], stretch[keep], stress[keep])


def _mode(path: Path, text: str) -> str:
    mode = NAMES.get(text.strip().lower())
    if mode is None:
        raise InvalidInput(f"{path}: mode {text!r} is not allowed: give one of {', '.join(MODES)}")
    return mode


def _number(path: Path, row: dict, name: str) -> float:
    try:
        value = float(row[name])
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"{path}: {name} = {row[name]!r} is not a finite number")
    return value
