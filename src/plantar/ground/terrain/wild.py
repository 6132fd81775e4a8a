"""Ground that has to be crossed by choosing footholds: trenches, rubble with crevices, bumps with potholes."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.patches import Patch, Patches
from plantar.ground.terrain.pieces import Field, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain

LENGTH = 0.5
"""Length of the uneven part; beyond it the ground is level again [m]."""
HALF_WIDTH = 1.2
"""How far it goes to either side [m]."""
PIT = 0.40
"""Depth of trenches, crevices and potholes [m]."""
TRENCHES = 0.6
"""Fraction of blocks that are behind a trench."""
CELL = 0.02
"""Cells of height fields [m]."""
Rng = np.random.Generator


@dataclass(frozen=True, kw_only=True)
class _Wild(RigidTerrain):
    """Half a metre of hard ground, level before and behind."""

    size_field: ClassVar[str | None] = "difficulty"

    difficulty: float = 1.0
    """Factor on all heights and depths."""
    start: float = 0.58
    """From here on it is not level [m]."""
    seed: int = 0
    """Seed of its shape."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        good = math.isfinite(self.difficulty) and 0 < self.difficulty <= 3
        require(good, "difficulty", self.difficulty, "a factor above 0, 3 at most")
        require(math.isfinite(self.start), "start", self.start, "a place [m]")
        require(self.seed >= 0, "seed", self.seed, "an integer from 0")

    @abstractmethod
    def patches(self) -> Patches:
        """Level patches that it is made of."""

    def pieces(self) -> list[Piece]:
        """Boxes that cover the area without overlap."""
        return self.patches().pieces()

    def extent(self) -> Extent:
        """Two metres before, two and a half behind."""
        return (self.start - 1.98, self.start + 3.02), (-HALF_WIDTH, HALF_WIDTH)

    def _rng(self, stream: str) -> Rng:
        """A separate random generator for each kind."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(sum(map(ord, stream)),)))

    def _spot(self, rng: Rng) -> tuple[float, float]:
        """A point of what is not level, where feet come."""
        return rng.uniform(self.start + 0.02, self.start + LENGTH), rng.uniform(-0.6, 0.6)

    def _patch(self, x: tuple[float, float], y: tuple[float, float], height: float) -> Patch:
        """A level patch whose edges are on whole centimetres, so that few slivers are left between patches."""
        (a, b), (c, d) = (np.round(pair, 2).tolist() for pair in (x, y))
        return Patch(x=(a, b), y=(c, d), height=float(self.difficulty * height), ground=self.ground)


@dataclass(frozen=True, kw_only=True)
class Trenches(_Wild, kind="trenches"):
    """Blocks of different heights across the path, some of them behind a trench."""

    def patches(self) -> Patches:
        """Blocks and trenches."""
        rng, found = self._rng("steps"), []
        place = self.start + rng.uniform(0.0, 0.10)
        while place < self.start + LENGTH:
            if rng.random() < TRENCHES:
                wide = rng.uniform(0.05, 0.11)
                found.append(self._patch((place, place + wide), (-HALF_WIDTH, HALF_WIDTH), -PIT))
                place += wide
            long = rng.uniform(0.16, 0.28)
            found.append(self._patch((place, place + long), (-HALF_WIDTH, HALF_WIDTH), rng.uniform(0.0, 0.14)))
            place += long
        return Patches(patches=tuple(found), ground=self.ground)


@dataclass(frozen=True, kw_only=True)
class Rubble(_Wild, kind="rubble"):
    """Slabs of all sizes and heights one over the other, with crevices between them."""

    def patches(self) -> Patches:
        """Slabs, and crevices over them."""
        rng, found = self._rng("rubble"), []
        for k in range(60):
            crevice = k >= 42  # the last ones lie over the others
            a, b = self._spot(rng)
            long, wide = rng.uniform(0.02, 0.07, 2) if crevice else rng.uniform(0.04, 0.13, 2)
            height = -PIT if crevice else rng.uniform(0.0, 0.15)
            found.append(self._patch((max(a - long, self.start), a + long), (b - wide, b + wide), height))
        return Patches(patches=tuple(found), ground=self.ground)


@dataclass(frozen=True, kw_only=True)
class Potholes(_Wild, kind="potholes"):
    """Bumps, and potholes between them."""

    def patches(self) -> Patches:
        """Level ground with a hole where the height field is: boxes cost the engine much less than level cells."""
        (x0, x1), (y0, y1) = self._where()
        hole = Patch(x=(x0, x1), y=(y0, y1), height=-1.0, ground=self.ground)
        return Patches(patches=(hole,), ground=self.ground)

    def pieces(self) -> list[Piece]:
        """The height field and boxes around it."""
        return [*super().pieces(), Field(name="field", ground=self.ground, grid=self.field())]

    def field(self) -> ElevationMap:
        """Heights where it is not level."""
        rng = self._rng("bumps")
        (x0, x1), (y0, y1) = self._where()
        columns, rows = round((x1 - x0) / CELL) + 1, round((y1 - y0) / CELL) + 1
        x, y = np.meshgrid(x0 + CELL * np.arange(columns), y0 + CELL * np.arange(rows))
        h = np.zeros_like(x)
        for _ in range(rng.integers(45, 65)):
            a, b = self._spot(rng)
            wide, long = rng.uniform(0.03, 0.10, 2)
            bump = rng.uniform(0.03, 0.13) * np.exp(-(((x - a) / wide) ** 2) - ((y - b) / long) ** 2)
            h = np.maximum(h, self.difficulty * bump)
        for _ in range(rng.integers(18, 26)):
            a, b = self._spot(rng)
            radius = rng.uniform(0.04, 0.07)
            h = np.where(np.hypot(x - a, y - b) < radius, -self.difficulty * PIT, h)
        return ElevationMap(heights=np.pad(h[1:-1, 1:-1], 1), cell=CELL, origin=(x0, y0))

    def _where(self) -> Extent:
        """The height field, on whole cells [m]."""
        x0 = round(self.start - 0.04, 2)
        return (x0, x0 + 0.8), (-0.84, 0.84)
