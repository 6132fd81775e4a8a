"""Plates that lie loose on the ground: they slide and rock under a foot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require, require_positive
from plantar.ground.terrain.pieces import Block, Floor, Log, Loose, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain

WOOD = 700.0
"""Density of plywood [kg/m^3]."""
PLAY = 1e-4
"""Plates are put this far above what they lie on [m]."""


@dataclass(frozen=True, kw_only=True)
class Plates(RigidTerrain, kind="plates"):
    """Loose plates on level ground, each a free body; if they rock, each lies over a round bar, one edge down."""

    size_field: ClassVar[str | None] = "height"

    height: float = 0.012
    """Thickness of a plate and of the bar below it together [m]."""
    rocking: bool = True
    """Whether a bar of half that height is below the middle of each plate; else plates are that thick and lie flat."""
    size: tuple[float, float] = (0.15, 0.20)
    """Of a plate along x and y [m]."""
    rows: int = 6
    """Plates along x."""
    columns: int = 2
    """Plates along y."""
    gap: tuple[float, float] = (0.05, 0.04)
    """Between plates along x and y [m]."""
    turn: float = 0.2
    """Largest random angle about z [rad]."""
    density: float = WOOD
    """Of the plates [kg/m^3]."""
    start: float = 0.3
    """Where they start [m]."""
    seed: int = 0
    """Random seed: angles, and which edge is down."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("height", "density"))
        require(min(self.size) > 0, "size", self.size, "two lengths above 0 [m]")
        require(min(self.gap) >= 0, "gap", self.gap, "two lengths that are 0 or above [m]")
        least = 1 <= self.rows <= 100 and 1 <= self.columns <= 20
        require(least, "rows, columns", (self.rows, self.columns), "integers from 1, 100 and 20 at most")
        most = min(self.size[0] / 2, 0.1)
        require(self.height <= most, "height", self.height, f"at most {most:g} m, half a plate's length")
        require(0 <= self.turn <= math.pi / 4, "turn", self.turn, "an angle from 0 to 0.785 [rad]")
        require(self.seed >= 0, "seed", self.seed, "an integer from 0")

    def pieces(self) -> list[Piece]:
        """The floor, the bars and the plates on them."""
        rng = np.random.default_rng(self.seed)
        pieces: list[Piece] = [Floor(ground=self.ground)]
        pitch = np.add(self.size, self.gap)
        for i, j in np.ndindex(self.rows, self.columns):
            x = float(self.start + self.size[0] / 2 + i * pitch[0])
            y = float(pitch[1] * (j - (self.columns - 1) / 2))
            yaw, down = float(self.turn * rng.uniform(-1, 1)), float(rng.choice((-1.0, 1.0)))
            pieces += self._rocking(x, y, yaw, down) if self.rocking else [self._plate(x, y, 0.0, yaw, 0.0)]
        return pieces

    def _rocking(self, x: float, y: float, yaw: float, down: float) -> list[Piece]:
        """A round bar, half of it above the ground, and the plate whose middle touches it, one edge on the ground."""
        bar = self.height / 2
        tilt = down * math.atan2(bar, self.size[0] / 2)
        log = Log(name="bar", ground=self.ground, centre=(x, y, 0.0), radius=bar, length=self.size[1], yaw=yaw)
        return [log, self._plate(x, y, bar, yaw, tilt)]

    def _plate(self, x: float, y: float, below: float, yaw: float, pitch: float) -> Loose:
        """A plate on a round bar of radius `below`, or on the ground."""
        thick = self.height - below
        # from the axis of the bar along the plate's normal
        aside = -self.height * math.sin(pitch)
        centre = (x + aside * math.cos(yaw), y + aside * math.sin(yaw), self.height * math.cos(pitch) + PLAY)
        shape = {"size": self.size, "yaw": yaw, "pitch": pitch, "thickness": thick}
        block = Block(name="plate", ground=self.ground, centre=centre, **shape)
        return Loose(block=block, mass=self.density * thick * self.size[0] * self.size[1])

    def extent(self) -> Extent:
        """The plates and half a metre before and after them."""
        end = self.start + self.rows * (self.size[0] + self.gap[0])
        half = self.columns * (self.size[1] + self.gap[1]) / 2 + 0.2
        return (self.start - 0.5, end + 0.5), (-half, half)
