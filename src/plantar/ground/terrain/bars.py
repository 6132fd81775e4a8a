"""Bars across the path."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from plantar._checks import require, require_choice, require_positive
from plantar._config import Bump
from plantar.ground.terrain.pieces import Block, Floor, Log, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain

MIDDLE = 0.005
"""Bars under one foot end this far from the middle of the path [m]."""


@dataclass(frozen=True, kw_only=True)
class Bars(RigidTerrain, kind="bars"):
    """Bars across the path, at given places or at random ones, under both feet or under one."""

    size_field: ClassVar[str | None] = "height"

    height: Bump = 0.01
    """Height above the ground [m]."""
    width: float | None = None
    """Along x [m]; None: twice the height, a true half of a cylinder or a flat box."""
    length: float = 1.0
    """Along y [m]."""
    shape: Literal["box", "half_cylinder"] = "box"
    """Section: a box, or the part of a cylinder that is `height` high and `width` wide."""
    positions: tuple[float, ...] | None = None
    """x of the middle of each bar [m]; None: `count` bars at random distances."""
    count: int = 5
    """Number of random bars."""
    start: float = 0.3
    """x of the first random bar [m]."""
    spacing: tuple[float, float] = (0.15, 0.35)
    """Shortest and longest distance between random bars, middle to middle [m]."""
    scatter: float = 0.0
    """Random fraction by which heights differ: 0.5 gives bars from half to one and a half times `height`."""
    turn: float = 0.0
    """Largest random angle about z [rad]."""
    yaw: float = 0.0
    """Angle of all bars about z, to which random ones are added [rad]; 0 is square across the path."""
    side: Literal["both", "left", "right", "alternate"] = "both"
    """Under which feet they lie; a bar under one of them goes from the middle of the path outwards by `length`."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("height", "length"))
        require_choice("shape", self.shape, ("box", "half_cylinder"))
        least = 2 * self.height * (1 + self.scatter) if self.shape == "half_cylinder" else 0.0
        if self.width is not None:
            allowed = f"a width of at least twice the height, {least:g} m" if least else "a width above 0 [m]"
            require(math.isfinite(self.width) and self.width > 0, "width", self.width, allowed)
            require(self.width >= least - 1e-12, "width", self.width, allowed)
        if self.positions is not None:
            good = len(self.positions) > 0 and all(map(math.isfinite, self.positions))
            require(good, "positions", self.positions, "one or more numbers [m]")
        require(self.count >= 1, "count", self.count, "an integer from 1")
        low, high = self.spacing
        require(0 < low <= high < math.inf, "spacing", self.spacing, "two lengths above 0 [m], the shorter one first")
        require(0 <= self.scatter < 1, "scatter", self.scatter, "a fraction from 0 to below 1")
        require(0 <= self.turn <= math.pi / 4, "turn", self.turn, "an angle from 0 to 0.785 [rad]")
        require(abs(self.yaw) <= math.pi / 3, "yaw", self.yaw, "an angle within +-1.047 [rad]")
        require_choice("side", self.side, ("both", "left", "right", "alternate"))
        require(self.seed >= 0, "seed", self.seed, "an integer from 0")

    def places(self) -> tuple[float, ...]:
        """Places of the middle of each bar along x [m]."""
        if self.positions is not None:
            return self.positions
        gaps = np.random.default_rng((self.seed, 0)).uniform(*self.spacing, size=self.count - 1)
        return tuple(float(x) for x in self.start + np.concatenate([[0.0], np.cumsum(gaps)]))

    def pieces(self) -> list[Piece]:
        """The floor and the bars."""
        places = self.places()
        rng = np.random.default_rng((self.seed, 1))
        heights = self.height * (1 + self.scatter * rng.uniform(-1, 1, len(places)))
        turns = self.yaw + self.turn * rng.uniform(-1, 1, len(places))
        bars = [
            self._bar(x, self._across(i), float(h), float(a))
            for i, (x, h, a) in enumerate(zip(places, heights, turns, strict=True))
        ]
        return [Floor(ground=self.ground), *bars]

    def _across(self, number: int) -> float:
        """Place of the middle of a bar along y [m]."""
        sign = {"both": 0.0, "left": 1.0, "right": -1.0, "alternate": 1.0 - 2.0 * (number % 2)}[self.side]
        return sign * (MIDDLE + self.length / 2)

    def _bar(self, x: float, y: float, height: float, yaw: float) -> Piece:
        width = 2 * height if self.width is None else self.width
        if self.shape == "box":
            centre, size = (x, y, height), (width, self.length)
            return Block(name="bar", ground=self.ground, centre=centre, size=size, yaw=yaw, thickness=height + 0.05)
        radius = (width**2 / 4 + height**2) / (2 * height)
        centre = (x, y, height - radius)
        return Log(name="bar", ground=self.ground, centre=centre, radius=radius, length=self.length, yaw=yaw)

    def extent(self) -> Extent:
        """From half a metre before the first bar to half a metre after the last."""
        places, half = self.places(), self.length / 2 if self.side == "both" else MIDDLE + self.length
        return (min(places) - 0.5, max(places) + 0.5), (-half - 0.1, half + 0.1)
