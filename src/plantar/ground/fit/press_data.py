"""Measured force against depth and speed: the CSV layout and its reader."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from scipy.stats import spearmanr

from plantar._read import read_text, reading
from plantar.errors import InvalidInput

NAMES = {
    "depth": ("depth", "sinkage", "penetration", "deformation"),
    "force": ("force", "load", "normal_force"),
    "speed": ("speed", "velocity"),
    "acceleration": ("acceleration",),
    "width": ("width", "plate_width"),
    "area": ("area", "plate_area"),
}
"""Columns and their aliases; depth and force are required."""
UNITS = {
    "depth": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6},
    "force": {"N": 1.0, "kN": 1e3, "MN": 1e6, "mN": 1e-3},
    "speed": {"m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3},
    "acceleration": {"m/s2": 1.0, "m/s^2": 1.0},
    "width": {"m": 1.0, "cm": 1e-2, "mm": 1e-3},
    "area": {"m2": 1.0, "m^2": 1.0, "cm2": 1e-4, "cm^2": 1e-4, "mm2": 1e-6, "mm^2": 1e-6},
}
"""Units that a header may name, as in `depth [mm]`; a column without one is in SI units and must look like it."""
LEAST_ROWS = 12
"""Fewer rows than this cannot tell a law from noise."""
SHALLOWEST = 1e-9
"""Depth below which rounding is all that there is [m]."""
DEEPEST, SOFTEST, FASTEST = 0.3, 300.0, 20.0
"""Depth [m], stiffness [N/m] and speed [m/s] beyond which a column without a unit is taken as an error."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PressData:
    """Forces measured on a ground, one entry per sample."""

    depth: np.ndarray
    """How deep, positive into the ground [m]."""
    force: np.ndarray
    """Normal force, positive where the ground pushes [N]."""
    speed: np.ndarray | None = None
    """Speed of sinking, positive into the ground [m/s]; None: slow."""
    acceleration: np.ndarray | None = None
    """Acceleration of sinking [m/s^2]; None: none."""
    width: np.ndarray | None = None
    """Twice the area over the girth of the plate of each sample: the radius of a round one [m]."""
    area: np.ndarray | None = None
    """Area of the plate of each sample [m^2]."""

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.depth)

    @property
    def moving(self) -> bool:
        """Whether speeds were measured."""
        return self.speed is not None and bool(np.ptp(self.speed) > 0)

    @property
    def speeds(self) -> np.ndarray:
        """Speeds, zeros where none were measured [m/s]."""
        return np.zeros(len(self)) if self.speed is None else self.speed

    @property
    def deepest(self) -> float:
        """Largest depth [m]."""
        return float(self.depth.max())

    def pick(self, which: np.ndarray) -> PressData:
        """Some of the samples."""
        columns = {name: getattr(self, name) for name in NAMES}
        return PressData(**{name: None if c is None else c[which] for name, c in columns.items()})  # type: ignore[arg-type]


def read_press(path: str | Path) -> PressData:
    """Read measured forces; docs/ground_fit.md has the layout.

    Args:
        path: CSV file with a header: `depth` and `force`, optionally `speed`, `acceleration`, `width` and `area`.

    Raises:
        InvalidInput: If the file cannot be used; one line says why.
    """
    path = Path(path)
    head, rows = _cells(path)
    columns, trusted = _columns(path, head, rows)
    data = PressData(**columns)  # type: ignore[arg-type]
    _check_size(path, data)
    _check_units(path, data, trusted)
    return data


def _cells(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    with reading(path, "file", "give a CSV of one press"):
        text = read_text(path)
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        _bad(path, "is empty: give a header such as depth,force,speed and one row per sample")
    mark = max(",;\t", key=lines[0][1].count)
    cells = [(i, next(csv.reader([line], delimiter=mark))) for i, line in lines]
    return [cell.strip() for cell in cells[0][1]], cells[1:]


def _columns(path: Path, head: list[str], rows: list[tuple[int, list[str]]]) -> tuple[dict[str, np.ndarray], set[str]]:
    """Columns in SI units, and those whose header names a unit."""
    found: dict[str, tuple[int, float]] = {}
    trusted: set[str] = set()
    for place, cell in enumerate(head):
        name, unit = _name_and_unit(path, cell)
        if name is None:
            continue
        if name in found:
            _bad(path, f"has two columns for {name}: leave one out")
        scale = 1.0
        if unit:
            scales = [s for known, s in UNITS[name].items() if known.lower() == unit.lower()]
            if unit not in UNITS[name] and len(scales) != 1:
                _bad(path, f"column {cell!r}: unit {unit!r} is not known, give one of {', '.join(UNITS[name])}")
            scale = UNITS[name].get(unit, scales[0])
            trusted.add(name)
        found[name] = (place, scale)
    for name in ("depth", "force"):
        if name not in found:
            shown = ", ".join(head) or "nothing"
            _bad(path, f"has no column {name!r}: its first row is {shown}; give a header such as depth,force,speed")
    return {name: _numbers(path, rows, place, head[place]) * s for name, (place, s) in found.items()}, trusted


def _name_and_unit(path: Path, cell: str) -> tuple[str | None, str]:
    match = re.fullmatch(r"\s*([A-Za-z_ ]+?)\s*(?:[\[(_]\s*([A-Za-z/^0-9]+)\s*[\])]?)?\s*", cell)
    text = cell.strip().lower().replace(" ", "_")
    for name, names in NAMES.items():
        if text in names:
            return name, ""
        if match and match[1].strip().lower().replace(" ", "_") in names:
            return name, match[2] or ""
    return None, ""


def _numbers(path: Path, rows: list[tuple[int, list[str]]], place: int, head: str) -> np.ndarray:
    values = []
    for line, cells in rows:
        text = cells[place].strip() if place < len(cells) else ""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            _bad(path, f"row {line}, column {head!r}: {text!r} is not a number, use decimal points")
        values.append(value)
    return np.array(values)


def _check_size(path: Path, data: PressData) -> None:
    if len(data) < LEAST_ROWS:
        _bad(path, f"has {len(data)} rows: give at least {LEAST_ROWS}")
    if float(np.median(data.force)) < 0:
        _bad(path, "forces are negative: count them positive where the ground pushes")
    deep = int((data.depth > 0).sum())
    if deep < max(LEAST_ROWS, 0.5 * len(data)):
        _bad(path, f"only {deep} of {len(data)} rows have a depth above 0: depth counts positive into the ground")
    if np.ptp(data.depth) < 0.2 * data.deepest:
        _bad(path, "depths hardly differ: a law needs depths from near 0 to the deepest")


def _check_units(path: Path, data: PressData, trusted: set[str]) -> None:
    """Columns without a unit must look like SI units."""
    depth, force = (float(np.quantile(np.abs(x), 0.9)) for x in (data.depth, data.force))
    if "depth" not in trusted and "force" not in trusted and depth > DEEPEST > force:
        _bad(path, f"depths up to {depth:.3g} and forces up to {force:.3g}: the two columns seem to be swapped")
    if not depth > SHALLOWEST:
        _bad(path, f"depths up to {depth:.3g} m: give metres, or name the column `depth [mm]`")
    if "depth" not in trusted and depth > DEEPEST:
        _bad(path, f"depths up to {depth:.3g} m: are they millimetres? name the column `depth [mm]`, or `depth [m]`")
    if data.speed is not None and "speed" not in trusted and float(np.quantile(abs(data.speed), 0.9)) > FASTEST:
        _bad(path, "speeds above 20 m/s: swapped with another column, or mm/s? name the column `speed [mm/s]`")
    if "force" not in trusted and force < SOFTEST * depth:
        _bad(
            path,
            f"{force:.3g} N at {1e3 * depth:.3g} mm: are forces in kN, or columns swapped? "
            "name the column `force [kN]`, or `force [N]` if it is right",
        )
    rank = float(spearmanr(data.depth, data.force).statistic)  # type: ignore[union-attr]
    if not data.moving and rank < 0.3:
        _bad(path, f"force does not grow with depth (rank correlation {rank:.2f}): is a column wrong?")


def _bad(path: Path, what: str) -> NoReturn:
    raise InvalidInput(f"force data {str(path)!r} {what}")
