"""Terrains to step on: blocks, stairs, stepping stones, cobbles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from plantar._checks import require, require_choice, require_positive
from plantar._config import Bump
from plantar.ground.terrain.pieces import Block, Dome, Floor, Log, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain

EDGE = 0.03
"""Thickness of treads that overhang [m], or half the rise if that is less."""


@dataclass(frozen=True, kw_only=True)
class Steps(RigidTerrain, kind="steps"):
    """A row of blocks of given heights along x, on level ground."""

    heights: tuple[float, ...] = (0.005, 0.01, 0.01, 0.005)
    """Height of the top of each block [m]; 0 leaves the floor."""
    depth: float = 0.08
    """Length of each block along x [m]."""
    width: float = 1.0
    """Along y [m]."""
    start: float = 0.2
    """Where the first block starts [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        good = len(self.heights) > 0 and all(math.isfinite(h) and h >= 0 for h in self.heights)
        require(good, "heights", self.heights, "one or more heights that are 0 or above [m]; pits need a floor below")
        require_positive(self, "", ("depth", "width"))

    def pieces(self) -> list[Piece]:
        """The floor and a block for every height above it."""
        blocks: list[Piece] = [
            Block(
                name="step",
                ground=self.ground,
                centre=(self.start + (i + 0.5) * self.depth, 0.0, height),
                size=(self.depth, self.width),
                thickness=height + 0.05,
            )
            for i, height in enumerate(self.heights)
            if height > 0
        ]
        return [Floor(ground=self.ground), *blocks]

    def extent(self) -> Extent:
        """The steps and half a metre around them."""
        end = self.start + len(self.heights) * self.depth
        return (self.start - 0.5, end + 0.5), (-self.width / 2 - 0.1, self.width / 2 + 0.1)


@dataclass(frozen=True, kw_only=True)
class Stairs(RigidTerrain, kind="stairs"):
    """Stairs up to a landing, and optionally down again."""

    size_field: ClassVar[str | None] = "rise"

    rise: Bump = 0.15
    """Height of a step [m]."""
    run: float = 0.30
    """Length of a step along x [m]."""
    count: int = 4
    """Steps up, the last one leading onto the landing."""
    landing: float = 1.0
    """Length of the landing [m]."""
    down: bool = True
    """Whether stairs lead down again."""
    width: float = 1.2
    """Along y [m]."""
    start: float = 0.5
    """Where the first step starts [m]."""
    edge: float = 0.0
    """How far the edge of each tread overhangs the riser below it [m]; toes can catch under it."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("rise", "run", "landing", "width"))
        require(self.count >= 1, "count", self.count, "an integer from 1")
        most = self.run / 2
        require(0 <= self.edge <= most, "edge", self.edge, f"0 to half a step, {most:g} m")

    def pieces(self) -> list[Piece]:
        """The floor, the treads and the landing; every block reaches down to the floor."""
        up = [(self.run, (i + 1) * self.rise) for i in range(self.count - 1)]
        treads = [*up, (self.landing, self.count * self.rise), *(up[::-1] if self.down else [])]
        pieces: list[Piece] = [Floor(ground=self.ground)]
        x = self.start
        for i, (length, height) in enumerate(treads):
            centre, size = (x + length / 2, 0.0, height), (length, self.width)
            block = Block(name="stair", ground=self.ground, centre=centre, size=size, thickness=height + 0.05)
            pieces.append(block)
            # lips on the lower sides of treads: behind them on the way up, ahead on the way down, both of the landing
            behind, ahead = i < self.count, self.down and i >= self.count - 1
            for side in [x - self.edge / 2] * behind + [x + length + self.edge / 2] * ahead if self.edge else ():
                lip = (min(EDGE, self.rise / 2), (side, 0.0, height), (self.edge, self.width))
                pieces.append(Block(name="edge", ground=self.ground, thickness=lip[0], centre=lip[1], size=lip[2]))
            x += length
        return pieces

    def extent(self) -> Extent:
        """The stairs and half a metre around them."""
        flights = 2 if self.down else 1
        end = self.start + flights * (self.count - 1) * self.run + self.landing
        return (self.start - 0.5, end + 0.5), (-self.width / 2 - 0.2, self.width / 2 + 0.2)


@dataclass(frozen=True, kw_only=True)
class SteppingStones(RigidTerrain, kind="stones"):
    """Stones in rows over a pit, with a platform to start from."""

    size_field: ClassVar[str | None] = "scatter"

    size: tuple[float, float] = (0.25, 0.20)
    """Of a stone along x and y [m]; a round one has the first as its diameter."""
    gap: tuple[float, float] = (0.10, 0.08)
    """Between stones along x and y [m]."""
    rows: int = 6
    """Stones along x."""
    columns: int = 2
    """Stones along y."""
    shape: Literal["box", "round"] = "box"
    """Seen from above."""
    jitter: float = 0.02
    """Largest random shift along x and y [m]."""
    scatter: float = 0.0
    """Largest random height, up or down [m]."""
    pit: float = 0.3
    """How far the floor lies below [m]."""
    platform: float = 0.8
    """Length of the platform, which ends `gap` before the first row, at x = 0 [m]; 0: none."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(min(self.size) > 0, "size", self.size, "two lengths above 0 [m]")
        require(min(self.gap) >= 0, "gap", self.gap, "two lengths that are 0 or above [m]")
        require(self.rows >= 1 and self.columns >= 1, "rows, columns", (self.rows, self.columns), "integers from 1")
        require_choice("shape", self.shape, ("box", "round"))
        most = min(self.gap) / 2
        require(0 <= self.jitter <= most, "jitter", self.jitter, f"0 to half the gap, {most:g} m: stones would overlap")
        require(math.isfinite(self.pit) and self.pit > 0, "pit", self.pit, "a depth above 0 [m]")
        require(0 <= self.scatter < self.pit, "scatter", self.scatter, f"0 to below the pit, {self.pit:g} m")
        require(self.platform >= 0, "platform", self.platform, "a length that is 0 or above [m]")
        require(self.seed >= 0, "seed", self.seed, "an integer from 0")

    def centres(self) -> np.ndarray:
        """Middle of the top of every stone (rows * columns, 3) [m]."""
        rng = np.random.default_rng(self.seed)
        pitch = np.add(self.size, self.gap)
        x = self.gap[0] + self.size[0] / 2 + pitch[0] * np.arange(self.rows)
        y = pitch[1] * (np.arange(self.columns) - (self.columns - 1) / 2)
        grid = np.stack(np.meshgrid(x, y, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
        return grid + rng.uniform(-1, 1, grid.shape) * [self.jitter, self.jitter, self.scatter]

    def pieces(self) -> list[Piece]:
        """The floor of the pit, the platform, the stones."""
        pieces: list[Piece] = [Floor(name="pit", ground=self.ground, point=(0.0, 0.0, -self.pit))]
        if self.platform:
            wide, deep = self._width() + 0.4, self.pit + 0.05
            centre, size = (-self.platform / 2, 0.0, 0.0), (self.platform, wide)
            pieces.append(Block(name="platform", ground=self.ground, centre=centre, size=size, thickness=deep))
        return [*pieces, *(self._stone(*map(float, centre)) for centre in self.centres())]

    def _stone(self, x: float, y: float, z: float) -> Piece:
        deep = z + self.pit + 0.05
        if self.shape == "box":
            return Block(name="stone", ground=self.ground, centre=(x, y, z), size=self.size, thickness=deep)
        centre, radius = (x, y, z - deep / 2), self.size[0] / 2
        return Log(name="stone", ground=self.ground, centre=centre, radius=radius, length=deep, upright=True)

    def _width(self) -> float:
        return self.columns * self.size[1] + (self.columns - 1) * self.gap[1]

    def extent(self) -> Extent:
        """Platform and stones."""
        end = self.rows * (self.size[0] + self.gap[0]) + self.gap[0]
        return (-self.platform - 0.1, end + 0.1), (-self._width() / 2 - 0.25, self._width() / 2 + 0.25)


@dataclass(frozen=True, kw_only=True)
class Cobbles(RigidTerrain, kind="cobbles"):
    """Round stones side by side on level ground, from some place on."""

    size_field: ClassVar[str | None] = "height"

    height: float = 0.01
    """Height of a stone above the ground [m]."""
    diameter: float = 0.08
    """Of a stone where it meets the ground [m]."""
    scatter: float = 0.3
    """Random fraction by which heights differ, from 0 to below 1."""
    jitter: float = 0.3
    """Largest random shift along x and y, as a fraction of the diameter."""
    start: float = 0.3
    """Where they start [m]."""
    length: float = 2.0
    """Along x [m]."""
    width: float = 1.0
    """Along y [m]."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("height", "diameter", "length", "width"))
        require(0 <= self.scatter < 1, "scatter", self.scatter, "a fraction from 0 to below 1")
        least = min(self.length, self.width)
        require(self.diameter <= least, "diameter", self.diameter, f"at most {least:g} m, or no stone has room")
        most = self.diameter / 2 / (1 + self.scatter)
        require(self.height <= most, "height", self.height, f"at most {most:g} m: a stone is half a ball at most")
        require(0 <= self.jitter <= 1, "jitter", self.jitter, "a fraction from 0 to 1")
        require(self.seed >= 0, "seed", self.seed, "an integer from 0")
        count = self.length * self.width / self.diameter**2
        require(count <= 5000, "diameter", self.diameter, "a longer one: there would be over 5000 stones")

    def pieces(self) -> list[Piece]:
        """The floor, and every second row of stones shifted by half a stone."""
        rows, columns = (int(side / self.diameter + 1e-9) for side in (self.length, self.width))
        rng = np.random.default_rng(self.seed)
        shift = self.jitter * self.diameter * rng.uniform(-1, 1, (rows, columns, 2))
        heights = self.height * (1 + self.scatter * rng.uniform(-1, 1, (rows, columns)))
        stones: list[Piece] = []
        for i, j in np.ndindex(rows, columns):
            x = self.start + (i + 0.5) * self.diameter + float(shift[i, j, 0])
            y = (j + 0.5 * (i % 2) - (columns - 1) / 2) * self.diameter + float(shift[i, j, 1])
            cap = {"height": float(heights[i, j]), "diameter": self.diameter}
            stones.append(Dome(name="cobble", ground=self.ground, place=(x, y), **cap))
        return [Floor(ground=self.ground), *stones]

    def extent(self) -> Extent:
        """The stones and half a metre before and after them."""
        return (self.start - 0.5, self.start + self.length + 0.5), (-self.width / 2 - 0.1, self.width / 2 + 0.1)
