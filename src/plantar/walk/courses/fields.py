"""Courses of uneven ground: cobbles, edges of stairs, slopes across the way, rough fields; made of `plantar.ground`."""

from __future__ import annotations

import math

import numpy as np

from plantar.ground import Patch, Patches, Rough, Slope, Stairs
from plantar.walk.courses.course import CourseKind, Layout, Rng, Way, register
from plantar.walk.sim.scene import FLOOR

COBBLE = 0.10
"""Length and width of a cobble [m]."""
HALF_WIDTH = 0.6
"""How far uneven ground goes to either side of the way [m]."""
CELL = 0.03
"""Cells of a rough field: wide enough that MuJoCo keeps all contacts of a flat sole [m]."""


def _cobbles(level: float, rng: Rng, way: Way) -> Layout:
    """Stones side by side, as high as chance has it up to the level."""
    rows, columns = math.ceil((way.end - way.start) / COBBLE), round(2 * HALF_WIDTH / COBBLE)
    shift, heights = rng.uniform(0, COBBLE, 2), rng.uniform(0.05, 1.0, (rows, columns))
    x = way.start + shift[0] + COBBLE * np.arange(rows + 1)
    y = -HALF_WIDTH + shift[1] - COBBLE / 2 + COBBLE * np.arange(columns + 1)
    stones = tuple(
        Patch(x=_pair(x, i), y=_pair(y, j), height=float(level * heights[i, j]), ground=FLOOR)
        for i in range(rows)
        for j in range(columns)
    )
    return Layout(terrain=Patches(patches=stones, ground=FLOOR))


def _pair(values: np.ndarray, i: int) -> tuple[float, float]:
    return float(values[i]), float(values[i + 1])


def _edges(level: float, rng: Rng, way: Way) -> Layout:
    """Three low stairs up and down; their edges lie anywhere under the soles."""
    length = way.end - way.start
    run = length * float(rng.uniform(0.12, 0.2))
    start = way.start + float(rng.uniform(0, 0.1)) * length
    stairs = Stairs(rise=level, run=run, count=2, landing=1.5 * run, width=2 * HALF_WIDTH, start=start, ground=FLOOR)
    return Layout(terrain=stairs)


def _across(level: float, rng: Rng, way: Way) -> Layout:
    """A plane that falls to the left or to the right."""
    return Layout(terrain=Slope(angle=0.0, cross=float(level * rng.choice([-1, 1])), ground=FLOOR))


def _rough(level: float, rng: Rng, way: Way) -> Layout:
    """A rough field of so much height from its lowest to its highest hundredth."""
    length, cell = way.end - way.start + 2.0, CELL
    field = Rough(
        rms=level / 4.65,  # of a Gaussian, between the first and the last hundredth
        correlation=0.10,
        size=(cell * math.ceil(length / cell), 2.4),
        start=-0.8,
        cell=cell,
        flat=max(way.start - 0.05, 0.2),
        border=0.2,
        seed=int(rng.integers(2**31)),
        ground=FLOOR,
    )
    return Layout(terrain=field)


for _name, _summary, _lay, _low, _high, _unit in (
    ("cobbles", "Cobbles of 10 cm, as high as chance has it up to the level.", _cobbles, 0.005, 0.1, "m"),
    ("edges", "Two low stairs up and down again; edges lie anywhere under the soles.", _edges, 0.005, 0.1, "m"),
    ("across", "A slope across the way.", _across, 0.02, 0.5, "rad"),
    ("rough", "A rough field of rising height, hills of 10 cm.", _rough, 0.005, 0.15, "m"),
):
    register(CourseKind(name=_name, summary=_summary, lay=_lay, low=_low, high=_high, unit=_unit))  # type: ignore[arg-type]
