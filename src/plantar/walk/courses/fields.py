"""Courses of uneven ground, all of them terrains of `plantar.ground`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plantar.ground import Ground, Slope, Stairs
from plantar.walk.courses.course import CourseKind, Lay, Layout, Unit, Way, chance, register, terrain_course
from plantar.walk.sim.scene import FLOOR

ROCK = Ground(name="rock", friction=(0.5, 0.005, 0.0001), solref=(0.01, 1.0), cone="elliptic", impratio=10.0)
"""Material of grounds that are crossed by choosing footholds: friction 0.5, the same contact for every foot."""
CELL = 0.03
"""Cells of a rough field: wide enough that MuJoCo keeps all contacts of a flat sole [m]."""
BEHIND = 2.0
"""How far uneven ground extends beyond the path [m]."""
Rng = np.random.Generator


def _cobbles(rng: Rng, way: Way) -> dict[str, Any]:
    return {"length": way.end - way.start, "diameter": 0.12, "scatter": 0.3, "start": way.start}


def _edges(rng: Rng, way: Way) -> dict[str, Any]:
    """Two stairs up and down whose edges lie anywhere under the soles and overhang by a centimetre."""
    length = way.end - way.start
    run, start = length * float(rng.uniform(0.12, 0.2)), way.start + float(rng.uniform(0, 0.1)) * length
    return {"run": run, "start": start, "count": 2, "landing": 1.5 * run, "edge": 0.01}


def _plates(rng: Rng, way: Way) -> dict[str, Any]:
    pitch = 0.20
    return {"rows": max(1, int((way.end - way.start) / pitch)), "columns": 4, "size": [0.15, 0.15], "gap": [0.05, 0.02]}


def _rough(rng: Rng, way: Way) -> dict[str, Any]:
    """Level where the robot stands, rising to its full roughness at the end of the path."""
    length = CELL * math.ceil((way.end - way.start + BEHIND) / CELL)
    size = {"size": [length + 1.0, 2.4], "cell": CELL, "start": way.start - 1.0, "border": 0.2}
    return {**size, "correlation": 0.10, "rising": way.end - way.start + 1.0, "flat": max(way.start - 0.05, 0.2)}


def _stairs(level: float, seed: int, way: Way) -> Layout:
    """Three steps up to a landing, for robots that see them."""
    rng = chance(seed, sum(map(ord, "stairs")))
    rise, run = level * float(rng.uniform(0.13, 0.18)), float(rng.uniform(0.26, 0.34))
    start = way.start + float(rng.uniform(0.0, 0.12))
    steps = Stairs(rise=rise, run=run, count=3, landing=3.0, down=False, width=2.6, start=start, ground=ROCK)
    return Layout(terrain=steps)


def _across(level: float, seed: int, way: Way) -> Layout:
    """A plane that falls to the left or to the right."""
    return Layout(terrain=Slope(angle=0.0, cross=float(level * chance(seed).choice([-1, 1])), ground=FLOOR))


_EDGES = "Two low stairs up and down again, with edges anywhere under the soles."
_ROUGH = "A rough field whose height rises along the path; the level is its rms at the end."
_STAIRS = "Three stairs up to a landing, 13 to 18 cm times the level high."
_TRENCHES = "Blocks of different heights across the path, some behind a trench."
_RUBBLE = "Slabs of all sizes and heights, with crevices between them."
_COURSES: tuple[tuple[str, str, Lay, float, float, Unit], ...] = (
    ("cobbles", "Round stones of 12 cm side by side.", terrain_course("cobbles", FLOOR, _cobbles), 0.003, 0.045, "m"),
    ("edges", _EDGES, terrain_course("stairs", FLOOR, _edges), 0.005, 0.1, "m"),
    ("plates", "Loose plates that rock over a bar.", terrain_course("plates", FLOOR, _plates), 0.005, 0.07, "m"),
    ("rough", _ROUGH, terrain_course("rough", FLOOR, _rough), 0.002, 0.04, "m"),
    ("across", "A slope across the path.", _across, 0.02, 0.5, "rad"),
    ("stairs", _STAIRS, _stairs, 0.2, 3.0, ""),
    ("trenches", _TRENCHES, terrain_course("trenches", ROCK), 0.2, 3.0, ""),
    ("rubble", _RUBBLE, terrain_course("rubble", ROCK), 0.2, 3.0, ""),
    ("potholes", "Bumps, and potholes between them.", terrain_course("potholes", ROCK), 0.2, 3.0, ""),
)
for _name, _summary, _lay, _low, _high, _unit in _COURSES:
    register(CourseKind(name=_name, summary=_summary, lay=_lay, low=_low, high=_high, unit=_unit))
