"""Grounds for walking: stairs, steps, rubble and bumps, drawn by a seed, level where the robot starts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from plantar._checks import require, require_choice
from plantar.ground import Course, ElevationMap, Flat, Ground, HeightField, Patch, Patches, Stairs
from plantar.ground.terrain.terrain import Terrain

ROCK = Ground(name="rock", friction=(0.5, 0.005, 0.0001), solref=(0.01, 1.0), cone="elliptic", impratio=10.0)
"""What they are made of: friction 0.5, the same contact for every foot."""
START = 0.58
"""From here on the ground is not level [m]; the robot's front feet start at about 0.40."""
LENGTH = 0.5
"""Length of what is not level; beyond it is level again, but for stairs [m]."""
AROUND = ((-1.4, 3.6), (-1.2, 1.2))
"""Where the ground is of interest: x from and to, y from and to [m]."""
PIT = 0.40
"""Depth of trenches, crevices and potholes [m]."""
TRENCHES = 0.6
"""Share of blocks that are behind a trench."""
FIELD = ((0.54, 1.34), (-0.84, 0.84))
"""Where a height field is, x and y from and to, on whole cells [m]."""
CELL = 0.02
"""Cells of height fields and of the robot's map [m]."""
Rng = np.random.Generator


def make_terrain(kind: str, seed: int, difficulty: float = 1.0) -> Terrain:
    """The ground that a seed draws.

    Args:
        kind: One of `TERRAINS`.
        seed: Seed of its shape; the same for every foot and every way to choose.
        difficulty: Factor on its heights.
    """
    require_choice("terrain", kind, tuple(TERRAINS))
    require(math.isfinite(difficulty) and 0 < difficulty <= 3, "difficulty", difficulty, "a factor above 0, 3 at most")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(sum(map(ord, kind)),)))
    return TERRAINS[kind](rng, difficulty)


def _flat(rng: Rng, difficulty: float) -> Terrain:
    return Flat(ground=ROCK)


def _stairs(rng: Rng, difficulty: float) -> Terrain:
    """Three steps up to a landing."""
    rise, run = difficulty * rng.uniform(0.13, 0.18), rng.uniform(0.26, 0.34)
    start = START + rng.uniform(0.0, 0.12)
    return Stairs(rise=rise, run=run, count=3, landing=3.0, down=False, width=2.6, start=start, ground=ROCK)


def _steps(rng: Rng, difficulty: float) -> Terrain:
    """Blocks of different heights across the way, some of them behind a trench."""
    patches = []
    place = START + rng.uniform(0.0, 0.10)
    while place < START + LENGTH:
        if rng.random() < TRENCHES:
            wide = rng.uniform(0.05, 0.11)
            patches.append(_patch((place, place + wide), AROUND[1], -difficulty * PIT))
            place += wide
        long = rng.uniform(0.16, 0.28)
        patches.append(_patch((place, place + long), AROUND[1], difficulty * rng.uniform(0.0, 0.14)))
        place += long
    return Patches(patches=tuple(patches), ground=ROCK)


def _rubble(rng: Rng, difficulty: float) -> Terrain:
    """Slabs of all sizes and heights one over the other, with crevices between them."""
    patches = []
    for k in range(60):
        crevice = k >= 42  # noqa: PLR2004  (the last ones lie over the others)
        a, b = _spot(rng)
        long, wide = rng.uniform(0.02, 0.07, 2) if crevice else rng.uniform(0.04, 0.13, 2)
        height = -difficulty * PIT if crevice else difficulty * rng.uniform(0.0, 0.15)
        patches.append(_patch((max(a - long, START), a + long), (b - wide, b + wide), height))
    return Patches(patches=tuple(patches), ground=ROCK)


def _patch(x: tuple[float, float], y: tuple[float, float], height: float) -> Patch:
    """A level patch whose edges are on whole centimetres, so that few slivers are left between patches."""
    (a, b), (c, d) = (np.round(pair, 2).tolist() for pair in (x, y))
    return Patch(x=(a, b), y=(c, d), height=float(height), ground=ROCK)


def _bumps(rng: Rng, difficulty: float) -> Terrain:
    """Bumps, and potholes between them."""
    x, y, h = _plain()
    for _ in range(rng.integers(45, 65)):
        a, b = _spot(rng)
        wide, long = rng.uniform(0.03, 0.10, 2)
        bump = difficulty * rng.uniform(0.03, 0.13) * np.exp(-(((x - a) / wide) ** 2) - ((y - b) / long) ** 2)
        h = np.maximum(h, bump)
    for _ in range(rng.integers(18, 26)):
        a, b = _spot(rng)
        radius = rng.uniform(0.04, 0.07)
        h = np.where(np.hypot(x - a, y - b) < radius, -difficulty * PIT, h)
    return _field(h)


def _spot(rng: Rng) -> tuple[float, float]:
    """A point of what is not level, where feet come."""
    return rng.uniform(START + 0.02, START + LENGTH), rng.uniform(-0.6, 0.6)


def _plain() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A level field where the ground is not: x, y and heights of its points."""
    (x0, x1), (y0, y1) = FIELD
    columns, rows = round((x1 - x0) / CELL) + 1, round((y1 - y0) / CELL) + 1
    x, y = np.meshgrid(x0 + CELL * np.arange(columns), y0 + CELL * np.arange(rows))
    return x, y, np.zeros_like(x)


def _field(heights: np.ndarray) -> Terrain:
    """A height field with level boxes around it, which cost the engine much less than level cells would."""
    heights = np.pad(heights[1:-1, 1:-1], 1)
    grid = ElevationMap(origin=(FIELD[0][0], FIELD[1][0]), cell=CELL, heights=heights)
    hole = Patch(x=FIELD[0], y=FIELD[1], height=-1.0, ground=ROCK)
    return Course(parts=(Patches(patches=(hole,), ground=ROCK), HeightField(grid=grid, ground=ROCK)))


TERRAINS: dict[str, Callable[[Rng, float], Terrain]] = {
    "flat": _flat,
    "stairs": _stairs,
    "steps": _steps,
    "rubble": _rubble,
    "bumps": _bumps,
}
"""Kinds of ground by name."""
