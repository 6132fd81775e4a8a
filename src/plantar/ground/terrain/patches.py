"""Terrains of several parts: patches of different ground, and terrains one after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar._fields import from_record
from plantar.ground.contact.ground import Ground
from plantar.ground.terrain.pieces import Block, Floor, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain, Terrain


@dataclass(frozen=True, kw_only=True)
class Patch(Checked):
    """A rectangle of one ground."""

    x: tuple[float, float]
    """From and to, forward [m]."""
    y: tuple[float, float] = (-1.0, 1.0)
    """From and to, to the left [m]."""
    ground: Ground = field(default_factory=Ground)
    """What it is made of."""
    height: float = 0.0
    """Height of its surface [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        for name in ("x", "y"):
            low, high = getattr(self, name)
            good = math.isfinite(low) and math.isfinite(high) and low < high
            require(good, name, (low, high), "two numbers, the smaller one first [m]")
        require(math.isfinite(self.height), "height", self.height, "a height [m]")


@dataclass(frozen=True, kw_only=True)
class Patches(RigidTerrain, kind="patches"):
    """Patches of different ground side by side, and `ground` everywhere else.

    The surface is cut into boxes that do not overlap, so that a foot never touches two grounds in one place. On
    the seam between two boxes it rests on both.
    """

    patches: tuple[Patch, ...] = ()
    """Rectangles; later ones lie over earlier ones."""
    reach: float = 3.0
    """How far the ground extends around them [m]."""
    thickness: float = 0.5
    """Of the boxes [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(len(self.patches) > 0, "patches", self.patches, "one or more patches, as in Patch(x=(0, 1))")
        require_positive(self, "", ("reach", "thickness"))

    def pieces(self) -> list[Piece]:
        """Boxes that cover the area without overlap."""
        (x0, x1), (y0, y1) = self._bounds()
        xs = sorted({x0 - self.reach, x1 + self.reach, *(v for p in self.patches for v in p.x)})
        ys = sorted({y0 - self.reach, y1 + self.reach, *(v for p in self.patches for v in p.y)})
        owner = np.full((len(xs) - 1, len(ys) - 1), -1)
        for i, (a, b) in enumerate(pairwise(xs)):
            for j, (c, d) in enumerate(pairwise(ys)):
                for k, p in enumerate(self.patches):
                    if p.x[0] <= a and b <= p.x[1] and p.y[0] <= c and d <= p.y[1]:
                        owner[i, j] = k
        return [self._box(k, (xs[i], xs[m]), (ys[j], ys[n])) for k, i, m, j, n in _rectangles(owner)]

    def ground_at(self, x: float, y: float) -> Ground:
        """The ground at a point."""
        inside = [p for p in self.patches if p.x[0] <= x <= p.x[1] and p.y[0] <= y <= p.y[1]]
        return inside[-1].ground if inside else self.ground

    def extent(self) -> Extent:
        """The patches and half a metre around them."""
        (x0, x1), (y0, y1) = self._bounds()
        return (x0 - 0.5, x1 + 0.5), (y0 - 0.5, y1 + 0.5)

    def _bounds(self) -> Extent:
        xs, ys = [v for p in self.patches for v in p.x], [v for p in self.patches for v in p.y]
        return (min(xs), max(xs)), (min(ys), max(ys))

    def _box(self, k: int, x: tuple[float, float], y: tuple[float, float]) -> Piece:
        patch = self.patches[k] if k >= 0 else None
        return Block(
            name="rest" if patch is None else f"patch{k}",
            ground=self.ground if patch is None else patch.ground,
            centre=(sum(x) / 2, sum(y) / 2, 0.0 if patch is None else patch.height),
            size=(x[1] - x[0], y[1] - y[0]),
            thickness=self.thickness,
        )


@dataclass(frozen=True, kw_only=True)
class Course(RigidTerrain, kind="course"):
    """Several terrains in one scene, each shifted along x; the first floor at a height serves all parts.

    The highest part counts where they overlap. `ground` is not used: every part has its own.
    """

    parts: tuple[RigidTerrain, ...] = ()
    """The terrains."""
    offsets: tuple[float, ...] | None = None
    """Shift of each along x [m]; None: none is shifted."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        rigid = len(self.parts) > 0 and all(isinstance(part, RigidTerrain) for part in self.parts)
        require(rigid, "parts", self.parts, "one or more terrains that do not yield")
        count = len(self.parts)
        good = self.offsets is None or (len(self.offsets) == count and all(map(math.isfinite, self.offsets)))
        require(good, "offsets", self.offsets, f"{count} numbers, one for each part [m]")

    def pieces(self) -> list[Piece]:
        """The pieces of all parts."""
        shifted = [p.moved(x, 0.0) for part, x in zip(self.parts, self._offsets(), strict=True) for p in part.pieces()]
        once: list[Piece] = []
        floors: set[tuple[object, ...]] = set()
        for piece in shifted:
            if isinstance(piece, Floor):
                # two planes in one place would both push
                if (plane := (piece.point, piece.pitch, piece.roll)) in floors:
                    continue
                floors.add(plane)
            once.append(piece)
        return once

    def extent(self) -> Extent:
        """From the first part to the last."""
        extents = [part.extent() for part in self.parts]
        xs = [(e[0][0] + x, e[0][1] + x) for e, x in zip(extents, self._offsets(), strict=True)]
        return (min(x[0] for x in xs), max(x[1] for x in xs)), (
            min(e[1][0] for e in extents),
            max(e[1][1] for e in extents),
        )

    def to_dict(self) -> dict[str, Any]:
        """The terrain as plain data."""
        offsets = None if self.offsets is None else list(self.offsets)
        return {"kind": self.kind, "parts": [part.to_dict() for part in self.parts], "offsets": offsets}

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> Course:
        parts = record.get("parts", [])
        require(isinstance(parts, list | tuple), "parts", parts, "a list of terrains")
        rest = from_record(_Rest, {k: v for k, v in record.items() if k != "parts"})
        made: Any = tuple(Terrain.from_dict(part) for part in parts)  # one that yields is refused by its class
        return cls(parts=made, offsets=rest.offsets, ground=rest.ground)

    def _offsets(self) -> tuple[float, ...]:
        return self.offsets if self.offsets is not None else (0.0,) * len(self.parts)


@dataclass(frozen=True, kw_only=True)
class _Rest:
    """The fields of a `Course` besides its parts."""

    offsets: tuple[float, ...] | None = None
    ground: Ground = field(default_factory=Ground)


def _rectangles(owner: np.ndarray) -> list[tuple[int, int, int, int, int]]:
    """Cells of equal owner merged into rectangles: (owner, row from, row to, column from, column to)."""
    free, found = np.ones(owner.shape, bool), []
    for i in range(owner.shape[0]):
        for j in range(owner.shape[1]):
            if not free[i, j]:
                continue
            k, n = owner[i, j], j
            while n < owner.shape[1] and free[i, n] and owner[i, n] == k:
                n += 1
            m = i
            while m < owner.shape[0] and (free[m, j:n] & (owner[m, j:n] == k)).all():
                m += 1
            free[i:m, j:n] = False
            found.append((int(k), i, m, j, n))
    return found


def with_ground(terrain: Terrain, ground: Ground) -> Terrain:
    """The same terrain made of another ground; patches keep theirs."""
    if isinstance(terrain, Course):
        return replace(terrain, parts=tuple(with_ground(part, ground) for part in terrain.parts))
    return replace(terrain, ground=ground)
