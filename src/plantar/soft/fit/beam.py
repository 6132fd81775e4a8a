"""A clamped beam that sags under its own weight: its shape by the theory of rods, and the modulus that fits a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_bvp
from scipy.optimize import minimize_scalar

from plantar._config import Checked, Distance, NotNegative, Positive
from plantar._read import read_csv
from plantar.errors import InvalidInput, PlantarError
from plantar.soft.fit.kinds import Floats

GRAVITY = 9.81
SOFTEST, STIFFEST = 1e4, 1e8
"""Young's moduli between which a fit searches [Pa]."""
LONGEST = 100.0
"""Places along a beam, at most [m]: beyond, the numbers are no metres."""
FROM_100_PERCENT = 3 / (2 - 1 / 4)
"""Young's modulus at rest over the nominal stress at 100 % strain, which makers' sheets give, by a Neo-Hookean law."""


@dataclass(frozen=True, kw_only=True)
class Beam(Checked):
    """A shaft of even section, clamped at one end, with a head at the other; as thick out of plane everywhere."""

    density: Positive
    """Density [kg/m^3]."""
    length: Distance = 0.14
    """Length of the shaft [m]."""
    height: Distance = 0.03
    """Height of the shaft in the plane of bending [m]."""
    head_length: NotNegative = 0.03
    """Length of the head [m]; 0: none."""
    head_height: NotNegative = 0.06
    """Height of the head [m]."""


@dataclass(frozen=True, eq=False)
class Line:
    """A measured centre line, from the clamp on."""

    s: Floats
    """Length along the undeformed beam from the clamp (n,) [m]."""
    places: Floats
    """Distance from the clamp, horizontally and up (2, n) [m]."""
    clamp: float
    """Angle of the line at the clamp, below the horizontal [rad]."""


def sag(beam: Beam, young: float, clamp: float) -> Any:
    """The hanging beam as a function of s: x, z, angle below the horizontal, and moment per metre of width.

    A rod that bends, shears and stretches, with the head's weight at its end. `clamp` is the angle of the centre line
    at its root [rad], which is what a silhouette shows: the section there is turned by less, as the rod also shears.

    Raises:
        PlantarError: If no shape is found, as for a beam far too soft to carry itself.
    """
    line = beam.density * GRAVITY * beam.height
    head = beam.density * GRAVITY * beam.head_length * beam.head_height
    bending, axial = young * beam.height**3 / 12, young * beam.height
    shear = 5 / 6 * young / 3 * beam.height

    def tangent(s: Any, turned: Any) -> tuple[Any, Any]:
        weight = head + line * (beam.length - s)
        stretch, slide = 1 + weight * np.sin(turned) / axial, weight * np.cos(turned) / shear
        return stretch * np.cos(turned) - slide * np.sin(turned), -stretch * np.sin(turned) - slide * np.cos(turned)

    def slopes(s: np.ndarray, y: np.ndarray) -> np.ndarray:
        dx, _ = tangent(s, y[2])
        return np.vstack([*tangent(s, y[2]), y[3] / bending, -(head + line * (beam.length - s)) * dx])

    def ends(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        dx, dz = tangent(0.0, a[2])
        moment = head * beam.head_length / 2 * np.cos(b[2])
        return np.array([a[0], a[1], np.arctan2(-dz, dx) - clamp, b[3] - moment])

    s = np.linspace(0, beam.length, 81)
    start = np.vstack([s, -s * np.sin(clamp), clamp + 0 * s, 1e-4 * (beam.length - s)])
    found = solve_bvp(slopes, ends, s, start, max_nodes=4000, tol=1e-5)
    if not found.success:
        raise PlantarError(f"no shape of a beam with {young:g} Pa: {found.message}")
    return found.sol


def shape(beam: Beam, solution: Any, s: Floats) -> Floats:
    """X and z at places along the beam (2, n); the head is straight."""
    y, beyond = solution(np.minimum(s, beam.length)), np.maximum(s - beam.length, 0)
    return np.stack([y[0] + beyond * np.cos(y[2]), y[1] - beyond * np.sin(y[2])])


def tell(beam: Beam, young: float, line: Line) -> Floats:
    """Places of a line by a modulus (2, n) [m]."""
    return shape(beam, sag(beam, young, line.clamp), line.s)


def fit_young(beam: Beam, line: Line, part: np.ndarray | None = None) -> float:
    """The Young's modulus whose shape is nearest to a line, or to some of its places [Pa].

    Raises:
        InvalidInput: If it is at an end of the range of the search: the line does not sag as any such beam does.
    """
    part = np.ones(len(line.s), dtype=bool) if part is None else part

    def misfit(log_young: float) -> float:
        try:
            told = tell(beam, float(np.exp(log_young)), line)
        except PlantarError:
            return 1e3
        return float(np.sum((told - line.places)[:, part] ** 2))

    grid = np.linspace(np.log(SOFTEST), np.log(STIFFEST), 25)
    near = int(np.argmin([misfit(value) for value in grid]))
    if near in (0, len(grid) - 1):
        way = "more" if near == 0 else "less"
        raise InvalidInput(
            f"the line sags {way} than that of any beam from {SOFTEST:g} to {STIFFEST:g} Pa: check that z is up, in "
            "metres, that the angle at the clamp is below the horizontal, in radians, and the density"
        )
    span = (grid[near - 1], grid[near + 1])
    return float(np.exp(minimize_scalar(misfit, bounds=span, method="bounded", options={"xatol": 1e-3}).x))


def read_line(path: str | Path, name: str | None = None, clamp: float | None = None) -> Line:
    """A centre line from a CSV file with columns s, x, z, angle and optionally beam; other columns are not used.

    Args:
        path: The file; lines that start with # are left out. Metres and radians; the angle is below the horizontal, and
            only that of the first place, at the clamp, is used.
        name: Rows to take where there is a column `beam`.
        clamp: Angle at the clamp, for places of a beam whose clamp is in another file [rad]; they count from there.

    Raises:
        InvalidInput: If the file cannot be read, a column or the beam is missing, or a cell is no number.
    """
    rows = read_csv(path, "give a table of a beam's centre line with columns s, x, z, angle")
    there = list(rows[0]) if rows else []
    needed = ("s", "x", "z", "angle") if clamp is None else ("s", "x", "z")
    missing = [key for key in needed if key not in there]
    if missing:
        raise InvalidInput(f"{path} has no column {missing[0]!r}: it has {', '.join(there) or 'none'}")
    if "beam" in there:
        names = list(dict.fromkeys(row["beam"] for row in rows))
        if name is None and len(names) > 1:
            raise InvalidInput(f"{path} holds several beams: choose one of {', '.join(names)}")
        if name is not None and name not in names:
            raise InvalidInput(f"{path} has no beam {name!r}: it has {', '.join(names)}")
        rows = [row for row in rows if name in (None, row["beam"])]
    elif name is not None:
        raise InvalidInput(f"{path} has no column 'beam': leave out {name!r}")
    s, x, z = (np.array([_number(path, row, key) for row in rows]) for key in ("s", "x", "z"))
    order = np.argsort(s, kind="stable")
    if clamp is None:
        if len(s) < 3 or abs(float(s[order[0]])) > 1e-6:
            raise InvalidInput(
                f"{path}: s = {s.min():g} comes first: give 3 places or more, the first at the clamp, s = 0"
            )
        clamp = _number(path, rows[order[0]], "angle")
        x, z = x - x[order[0]], z - z[order[0]]
    if abs(clamp) > np.pi / 2:
        raise InvalidInput(f"{path}: angle = {clamp:g} at the clamp is not allowed: give radians below the horizontal")
    if s.min() < 0 or s.max() > LONGEST or np.hypot(x, z).max() > 1.5 * s.max():
        raise InvalidInput(
            f"{path}: places lie further from the clamp than the beam is long: give s, x and z in metres"
        )
    return Line(s[order], np.stack([x, z])[:, order], clamp)


def _number(path: str | Path, row: dict[str, str], name: str) -> float:
    try:
        value = float(row[name])
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InvalidInput(f"{path}: {name} = {row[name]!r} is not a finite number")
    return value
