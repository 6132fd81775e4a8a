"""Mosaics: many tiles of ground in one height field, so that one model holds hundreds of patches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from plantar._checks import require
from plantar._config import Checked
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.reliefs import RELIEFS

FOLDS: tuple[tuple[str, ...], ...] = (
    ("waves", "stairs", "rubble", "planks"),
    ("flat", "rough", "stones", "bumps"),
    ("slope", "steps", "hollows", "ridges"),
)
"""Three sets of kinds: each is held out once when every kind is to be judged by a score that never saw it."""
HELD_OUT = FOLDS[0]
"""Kinds that no shipped score was fitted on."""
FITTING = tuple(kind for kind in RELIEFS if kind not in HELD_OUT)
"""Kinds that shipped scores are fitted on."""
REACH = 1.5
"""Tiles are windows into grounds of `plantar.ground.terrain.reliefs`, with middles drawn within this [m]."""
SPAN = (-0.6, 0.6)
"""Lowest and highest point of a mosaic, from the middle of each tile [m]."""


@dataclass(frozen=True, kw_only=True)
class MosaicConfig(Checked):
    """How mosaics are made. The ground that is pressed is `fine` times finer than the map that is scored."""

    tiles: int = 8
    """Tiles along each side."""
    cells: int = 40
    """Cells of a tile's map along each side."""
    cell: float = 0.02
    """Side of a map's cell [m]."""
    fine: int = 2
    """Cells of the pressed ground along a map's cell."""
    rim: int = 10
    """Cells of the map's size around each map, on which soles at its edge stand and slide."""
    kinds: tuple[str, ...] = tuple(RELIEFS)
    """Kinds of ground, dealt out in turn."""
    tilt: float = 0.2
    """Largest slope that is added to a tile [rad]: real steps and planks are not level."""
    texture: float = 0.003
    """Largest root mean square of the fine relief that is added to a tile [m]."""
    blend: float = 0.0
    """Fraction of the tiles on which a second kind is laid; kinds that are held out together meet only each other."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(1 <= self.tiles <= 40, "tiles", self.tiles, "an integer from 1 to 40")
        require(4 <= self.cells <= 400, "cells", self.cells, "an integer from 4 to 400")
        require(0.002 <= self.cell <= 0.1, "cell", self.cell, "a length in metres from 0.002 to 0.1")
        require(self.fine in (1, 2, 4), "fine", self.fine, "1, 2 or 4")
        require(1 <= self.rim <= 100, "rim", self.rim, "an integer from 1 to 100")
        unknown = [kind for kind in self.kinds if kind not in RELIEFS]
        require(not unknown and len(self.kinds) > 0, "kinds", unknown or self.kinds, f"some of {', '.join(RELIEFS)}")
        require(0 <= self.tilt <= 0.6, "tilt", self.tilt, "an angle in radians from 0 to 0.6")
        require(0 <= self.texture <= 0.02, "texture", self.texture, "a length in metres from 0 to 0.02")
        require(0 <= self.blend <= 1, "blend", self.blend, "a fraction from 0 to 1")
        require(self.seed >= 0, "seed", self.seed, "an integer, 0 or more")

    @property
    def pitch(self) -> int:
        """Fine cells from tile to tile."""
        return (self.cells + 2 * self.rim) * self.fine

    @property
    def step(self) -> float:
        """Side of a fine cell [m]."""
        return self.cell / self.fine

    @property
    def side(self) -> float:
        """Side of the mosaic [m]."""
        return self.tiles * self.pitch * self.step


@dataclass(frozen=True, eq=False)
class Mosaic:
    """A height field of tiles, and what each is."""

    config: MosaicConfig
    number: int
    """Number of the mosaic: with the configuration it fixes every height."""
    ground: ElevationMap
    """The fine heights, the middle of the mosaic at 0, 0."""
    kinds: np.ndarray
    """Kind of each tile, index into the configuration's kinds (tiles^2,)."""
    coarse: np.ndarray
    """Map of each tile with its rim (tiles^2, cells + 2 rim, the same) [m]: means of the ground over a cell."""

    @property
    def maps(self) -> np.ndarray:
        """Map of each tile (tiles^2, cells, cells) [m]."""
        return self.wide_maps(0)

    def wide_maps(self, margin: int) -> np.ndarray:
        """Maps with this many cells around them."""
        cut = self.config.rim - margin
        inner = slice(cut, self.coarse.shape[1] - cut)
        return self.coarse[:, inner, inner]

    def origin(self, tile: int) -> tuple[float, float]:
        """X and y of the middle of the first cell of a tile's map [m]."""
        config = self.config
        row, column = divmod(tile, config.tiles)
        start = self.ground.origin
        rim = config.rim * config.fine
        return (
            start[0] + (column * config.pitch + rim) * config.step,
            start[1] + (row * config.pitch + rim) * config.step,
        )

    def map(self, tile: int) -> ElevationMap:
        """The map of a tile in the mosaic's frame."""
        kind = self.config.kinds[int(self.kinds[tile])]
        return ElevationMap(
            heights=self.wide_maps(0)[tile], cell=self.config.cell, origin=self.origin(tile), frame=kind
        )


def make_mosaic(config: MosaicConfig, number: int = 0) -> Mosaic:
    """Mosaic `number` of a configuration; equal arguments give equal heights."""
    n, pitch = config.tiles, config.pitch
    heights = np.zeros((n * pitch + 1, n * pitch + 1))
    coarse = np.empty((n * n, *[config.cells + 2 * config.rim] * 2))
    kinds = (np.arange(n * n) + number * n * n) % len(config.kinds)
    for tile in range(n * n):
        rng = np.random.default_rng([config.seed, number, tile])
        row, column = divmod(tile, n)
        part = _tile(config, config.kinds[kinds[tile]], rng)
        heights[row * pitch : (row + 1) * pitch, column * pitch : (column + 1) * pitch] = part
        coarse[tile] = _map(config, part)
    half = n * pitch * config.step / 2
    ground = ElevationMap(heights=heights, cell=config.step, origin=(-half, -half), frame="mosaic")
    return Mosaic(config, number, ground, kinds, coarse)


def _tile(config: MosaicConfig, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Heights of one tile, its map's middle at height 0."""
    axis = (np.arange(config.pitch) - (config.pitch - 1) / 2) * config.step
    x, y = np.meshgrid(axis + rng.uniform(-REACH, REACH), axis + rng.uniform(-REACH, REACH))
    turn, lean, way = rng.uniform(0, 2 * math.pi), rng.uniform(0, config.tilt), rng.uniform(0, 2 * math.pi)
    heights = RELIEFS[kind](*_turned(x, y, turn), rng, config.step)
    heights = heights + math.tan(lean) * (math.cos(way) * x + math.sin(way) * y)
    rms, length = rng.uniform(0, config.texture), rng.uniform(0.015, 0.06)
    noise = ndimage.gaussian_filter(rng.normal(size=x.shape), length / config.step / 2, mode="wrap")
    heights = heights + rms * noise / noise.std()
    if config.blend and rng.uniform() < config.blend:
        own = next(fold for fold in FOLDS if kind in fold)
        other = str(rng.choice([name for name in config.kinds if name in own]))
        turn, size = rng.uniform(0, 2 * math.pi), rng.uniform(0.3, 1.0)
        heights = heights + size * RELIEFS[other](*_turned(x, y, turn), rng, config.step)
    middle = config.pitch // 2
    # What is far below or above is never stood upon, and one range for all mosaics lets them share a model.
    return np.clip(heights - heights[middle, middle], *SPAN)


def _turned(x: np.ndarray, y: np.ndarray, turn: float) -> tuple[np.ndarray, np.ndarray]:
    return math.cos(turn) * x + math.sin(turn) * y, math.cos(turn) * y - math.sin(turn) * x


def _map(config: MosaicConfig, part: np.ndarray) -> np.ndarray:
    """Means over cells that are centred on every `fine`-th node."""
    if config.fine > 1:
        weights = {2: (0.25, 0.5, 0.25), 4: (0.125, 0.25, 0.25, 0.25, 0.125)}[config.fine]
        for axis in (0, 1):
            part = ndimage.correlate1d(part, weights, axis=axis, mode="nearest")
    return part[:: config.fine, :: config.fine]
