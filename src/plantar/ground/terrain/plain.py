"""Level ground and slopes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from plantar._checks import require
from plantar.ground.terrain.pieces import Block, Floor, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain


@dataclass(frozen=True, kw_only=True)
class Flat(RigidTerrain, kind="flat"):
    """Unbounded level ground at height 0."""

    def pieces(self) -> list[Piece]:
        """One plane."""
        return [Floor(ground=self.ground)]

    def extent(self) -> Extent:
        """A metre around the origin."""
        return (-1.0, 1.0), (-1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Slope(RigidTerrain, kind="slope"):
    """An unbounded inclined plane through the origin, or a ramp up to a plateau, on level ground."""

    size_field: ClassVar[str | None] = "angle"

    angle: float = math.radians(10)
    """Climb along x [rad]; negative goes down."""
    cross: float = 0.0
    """Climb along y [rad]; only for an unbounded plane."""
    length: float | None = None
    """Length of the ramp, measured along x [m]; None: unbounded."""
    start: float = 0.5
    """Where a ramp starts [m]."""
    plateau: float = 1.0
    """Length of the plateau after a ramp [m]."""
    down: bool = True
    """Whether a ramp leads down again after the plateau."""
    width: float = 2.0
    """Of a ramp, along y [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        for name in ("angle", "cross"):
            value = getattr(self, name)
            require(math.isfinite(value) and abs(value) < math.radians(60), name, value, "radians, below 60 degrees")
        if self.length is not None:
            require(self.angle > 0, "angle", self.angle, "an angle above 0 [rad] for a ramp of finite length")
            require(self.cross == 0, "cross", self.cross, "0 for a ramp of finite length")
            require(math.isfinite(self.length) and self.length > 0, "length", self.length, "a length above 0 [m]")
        for name in ("plateau", "width"):
            value = getattr(self, name)
            require(math.isfinite(value) and value > 0, name, value, "a length above 0 [m]")

    @property
    def height(self) -> float:
        """Height of the plateau [m]."""
        return 0.0 if self.length is None else self.length * math.tan(self.angle)

    def pieces(self) -> list[Piece]:
        """A tilted plane, or floor, ramp, plateau and ramp."""
        if self.length is None:
            return [Floor(ground=self.ground, pitch=self.angle, roll=self.cross)]
        long = self.length / math.cos(self.angle)
        thickness = min(0.2, self.plateau * math.sin(self.angle) + 0.5 * self.height, long)
        ramp = {"size": (long, self.width), "thickness": max(thickness, 0.01), "ground": self.ground}
        top, end = self.height, self.start + self.length
        middle = (end + self.plateau / 2, 0.0, top)
        plateau = Block(
            name="plateau",
            ground=self.ground,
            centre=middle,
            size=(self.plateau, self.width),
            thickness=top + 0.2,
        )
        up = Block(name="ramp", centre=(self.start + self.length / 2, 0.0, top / 2), pitch=self.angle, **ramp)
        pieces: list[Piece] = [Floor(ground=self.ground), up, plateau]
        if self.down:
            centre = (end + self.plateau + self.length / 2, 0.0, top / 2)
            pieces.append(Block(name="descent", centre=centre, pitch=-self.angle, **ramp))
        return pieces

    def extent(self) -> Extent:
        """A metre around the origin, or the ramps and half a metre around them."""
        if self.length is None:
            return (-1.0, 1.0), (-1.0, 1.0)
        end = self.start + self.length + self.plateau + (self.length if self.down else 0.0)
        return (self.start - 0.5, end + 0.5), (-self.width / 2 - 0.2, self.width / 2 + 0.2)
