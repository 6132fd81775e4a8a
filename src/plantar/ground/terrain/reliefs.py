"""Random reliefs of many kinds as height fields, used to learn and test footholds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from plantar._checks import require, require_choice, require_positive
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.fields import apron, smooth
from plantar.ground.terrain.pieces import Field, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain

Rng = np.random.Generator
Array = np.ndarray
SIDE = 4.0
"""Side of a relief [m]."""


@dataclass(frozen=True, kw_only=True)
class Relief(RigidTerrain, kind="relief"):
    """A square of random relief of one of many patterns, in level ground."""

    pattern: str = "rubble"
    """One of `RELIEFS`: flat, slope, rough, waves, steps, stairs, bumps, hollows, rubble, stones, ridges, planks."""
    side: float = SIDE
    """Length and width [m]; its middle is at 0, 0."""
    cell: float = 0.02
    """Distance between points [m]."""
    flat: float = 0.0
    """Radius around the origin that stays level, for a robot to start on [m]."""
    border: float = 0.2
    """Width along the edges over which it fades into level ground around it [m]."""
    seed: int = 0
    """Seed of the relief."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_choice("pattern", self.pattern, tuple(RELIEFS))
        require_positive(self, "", ("side", "cell", "border"))
        require(self.border < self.side / 2, "border", self.border, f"below half the side, {self.side / 2:g} m")
        require(self.flat >= 0, "flat", self.flat, "a radius that is 0 or above [m]")
        require(self.seed >= 0, "seed", self.seed, "an integer from 0")
        require(self.side / self.cell <= 2000, "cell", self.cell, "a longer one: the side would have over 2000 points")

    def field(self) -> ElevationMap:
        """The heights."""
        found = draw_relief(self.pattern, np.random.default_rng(self.seed), side=self.side, cell=self.cell)
        x, y = np.meshgrid(found.x, found.y)
        edge = found.x[-1] - np.maximum(np.abs(x), np.abs(y))
        level = smooth((np.hypot(x, y) - self.flat) / 0.1) if self.flat else 1.0
        return replace(found, heights=found.heights * level * smooth(edge / self.border), frame="world")

    def pieces(self) -> list[Piece]:
        """The field, and level ground around it."""
        return [Field(name="field", ground=self.ground, grid=self.field()), *apron(self.extent(), self.ground)]

    def extent(self) -> Extent:
        """The field."""
        half = round(self.side / self.cell) * self.cell / 2
        return (-half, half), (-half, half)


def draw_relief(pattern: str, rng: Rng, *, side: float = SIDE, cell: float = 0.02) -> ElevationMap:
    """A random relief, its middle at 0, 0, its slopes, steps and direction drawn from `rng`.

    Args:
        pattern: One of `RELIEFS`.
        rng: Source of all that is random.
        side: Length and width [m].
        cell: Side of a cell [m].
    """
    require_choice("pattern", pattern, tuple(RELIEFS))
    count = round(side / cell) + 1
    axis = (np.arange(count) - (count - 1) / 2) * cell
    turn = rng.uniform(0, 2 * math.pi)
    x, y = np.meshgrid(axis, axis)
    u, v = math.cos(turn) * x + math.sin(turn) * y, math.cos(turn) * y - math.sin(turn) * x
    heights = RELIEFS[pattern](u, v, rng, cell)
    return ElevationMap(heights=heights, cell=cell, origin=(float(axis[0]), float(axis[0])), frame=pattern)


def _reach(u: Array, cell: float) -> float:
    """How far from the middle parts of a relief are placed, along either axis [m]."""
    return max(SIDE, (u.shape[0] - 1) * cell) / 2


def _many(rng: Rng, least: int, most: int, reach: float) -> int:
    """Number of parts, between two on a relief of the usual side and as many per area on a larger one."""
    return round(int(rng.integers(least, most)) * (2 * reach / SIDE) ** 2)


def _flat(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    return _texture(u.shape, rng, cell, rng.uniform(0, 0.004), 0.05)


def _slope(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    return math.tan(rng.uniform(0.05, 0.5)) * u + _texture(u.shape, rng, cell, 0.005, 0.05)


def _rough(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    scales = ((0.04, 0.3), (0.025, 0.12), (0.008, 0.04))
    return np.sum([_texture(u.shape, rng, cell, rng.uniform(0.2, 1) * a, length) for a, length in scales], axis=0)


def _waves(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    first, second = rng.uniform(0.15, 0.6, 2)
    return rng.uniform(0.01, 0.05) * np.sin(2 * math.pi * u / first) * (1 + np.sin(2 * math.pi * v / second)) / 2


def _steps(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    h = np.zeros(u.shape)
    for place in rng.uniform(-1.8, 1.8, rng.integers(2, 6)):
        turn = rng.uniform(-0.5, 0.5)
        h += rng.uniform(-0.2, 0.2) * (u * math.cos(turn) + v * math.sin(turn) > place)
    return h


def _stairs(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    rise, run = rng.uniform(0.05, 0.2), rng.uniform(0.22, 0.4)
    levels = np.clip(np.floor((u + 1.5) / run), 0, rng.integers(4, 11))
    return rise * levels


def _bumps(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    h, reach = np.zeros(u.shape), _reach(u, cell)
    for _ in range(_many(rng, 20, 80, reach)):
        a, b = rng.uniform(-reach, reach, 2)
        wide, long = rng.uniform(0.04, 0.2, 2)
        h += rng.uniform(0.01, 0.08) * np.exp(-(((u - a) / wide) ** 2) - ((v - b) / long) ** 2)
    return h


def _hollows(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    return -_bumps(u, v, rng, cell)


def _rubble(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    h, reach = _texture(u.shape, rng, cell, 0.01, 0.1), _reach(u, cell)
    for _ in range(_many(rng, 60, 220, reach)):
        a, b = rng.uniform(-reach, reach, 2)
        turn, (long, wide) = rng.uniform(0, math.pi), rng.uniform(0.03, 0.2, 2)
        c, s = math.cos(turn), math.sin(turn)
        p, q = c * (u - a) + s * (v - b), c * (v - b) - s * (u - a)
        inside = (np.abs(p) < long) & (np.abs(q) < wide)
        top = rng.uniform(0.02, 0.15) + rng.normal(0, 0.2) * p
        h = np.where(inside, np.maximum(h, top), h)
    return h


def _stones(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    pitch, gap = rng.uniform(0.25, 0.45), rng.uniform(0.04, 0.15)
    row, column = np.floor(u / pitch), np.floor(v / pitch)
    inside = (np.abs(u / pitch - row - 0.5) < 0.5 - gap / 2 / pitch) & (
        np.abs(v / pitch - column - 0.5) < 0.5 - gap / 2 / pitch
    )
    tops = rng.normal(0, 0.04, (80, 80))
    level = tops[row.astype(int) % 80, column.astype(int) % 80]
    return np.where(inside, level, -rng.uniform(0.15, 0.5))


def _ridges(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    spacing, height = rng.uniform(0.12, 0.5), rng.uniform(0.02, 0.1)
    saw = np.abs((u / spacing) % 1 - 0.5) * 2
    return height * saw ** rng.uniform(0.6, 3)


def _planks(u: Array, v: Array, rng: Rng, cell: float) -> Array:
    h, reach = np.zeros(u.shape), _reach(u, cell)
    for place in np.arange(-reach, reach, rng.uniform(0.2, 0.6)):
        wide, shift = rng.uniform(0.02, 0.12), rng.normal(0, 0.03)
        h = np.where(np.abs(u - place - shift - 0.1 * rng.normal() * v) < wide, rng.uniform(0.02, 0.12), h)
    return h


def _texture(shape: tuple[int, ...], rng: Rng, cell: float, rms: float, length: float) -> Array:
    """Smoothed noise of a root mean square and a length [m]."""
    if rms == 0:
        return np.zeros(shape)
    noise = ndimage.gaussian_filter(rng.normal(size=shape), length / cell / 2, mode="wrap")
    return rms * noise / noise.std()


RELIEFS: dict[str, Callable[[Array, Array, Rng, float], Array]] = {
    "flat": _flat,
    "slope": _slope,
    "rough": _rough,
    "waves": _waves,
    "steps": _steps,
    "stairs": _stairs,
    "bumps": _bumps,
    "hollows": _hollows,
    "rubble": _rubble,
    "stones": _stones,
    "ridges": _ridges,
    "planks": _planks,
}
"""Patterns by name: heights at points (u, v), from a source of chance, for cells of a size."""
