"""Bonds: distances and positions that are held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked, Vector
from plantar.soft.fem.parts import check_name
from plantar.soft.scene.mapping import Barycentric, Outside, join


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedDistance(Checked):
    """A rod without mass that holds the distance of two points, or its change if it is commanded."""

    name: str
    """Its name in the scene."""
    bodies: tuple[str, str]
    """The two bodies; the second may be `world`."""
    points: Sequence[Vector]
    """The two places at rest [m]."""
    rope: bool = False
    """Whether it only keeps the points from moving further apart."""
    outside: Outside = "error"
    """What to do with points outside the body."""

    def __post_init__(self) -> None:
        check_name(self.name)
        ok = len(self.bodies) == 2 and self.bodies[0] != "world"
        require(ok, f"distance {self.name!r}: bodies", self.bodies, "a body, then another one or `world`")
        require(np.shape(self.points) == (2, 3), f"distance {self.name!r}: points", np.shape(self.points), "two places")
        gap = float(np.linalg.norm(np.subtract(self.points[1], self.points[0])))
        require(gap > 0, f"distance {self.name!r}: points", gap, "two different places")


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedPosition(Checked):
    """Points held at places of the world, or points of two bodies held together."""

    name: str
    """Its name in the scene."""
    body: str
    """The body of the points."""
    points: np.ndarray | Sequence[Sequence[float]] | Barycentric
    """Places at rest (n, 3) [m], or nodes and weights."""
    to: str = "world"
    """What they are held to: `world`, or the name of another body, at the same places."""
    axes: str = "xyz"
    """Directions that are held."""
    outside: Outside = "error"
    """What to do with points outside the body."""

    def __post_init__(self) -> None:
        check_name(self.name)
        ok = bool(self.axes) and set(self.axes) <= set("xyz") and len(set(self.axes)) == len(self.axes)
        require(ok, f"position {self.name!r}: axes", self.axes, "some of x, y, z")


class LiveDistance:
    """A held distance at work: the row of H is the derivative of the shortening, as for a cable."""

    rows = 1

    def __init__(self, bond: FixedDistance, placer: Any, x: np.ndarray, quat: np.ndarray):
        self.bond, self.name = bond, bond.name
        user = f"distance {bond.name!r}"
        self.world = bond.bodies[1] == "world"
        maps = [
            placer.map(b, p, user, bond.outside) for b, p in zip(bond.bodies, bond.points, strict=True) if b != "world"
        ]
        self.map = join(maps)
        self.fixed = np.asarray(bond.points[1], dtype=float)
        self.rest = float(np.linalg.norm(self._span(x, quat)))
        self.low, self.high = np.array([0.0 if bond.rope else -np.inf]), np.array([np.inf])
        self.target = np.zeros(1)

    def _span(self, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        p = self.map.positions(x, quat)
        return (self.fixed if self.world else p[1]) - p[0]

    def measure(self, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Shortening."""
        return np.array([self.rest - np.linalg.norm(self._span(x, quat))])

    def evaluate(self, x: np.ndarray, quat: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Shortening, and its derivative into `H` (1, blocks, 3)."""
        d = self._span(x, quat)
        length = float(np.linalg.norm(d))
        n = d / length
        self.map.pull(np.stack([n, -n])[: len(self.map)], quat, H[0])
        return np.array([self.rest - length])


class LivePosition:
    """Held points at work: one row per point and direction."""

    def __init__(self, bond: FixedPosition, placer: Any, x: np.ndarray, quat: np.ndarray):
        self.bond, self.name = bond, bond.name
        user = f"position {bond.name!r}"
        self.map = placer.map(bond.body, bond.points, user, bond.outside)
        self.other = None
        self.place = self.map.positions(x, quat)
        if bond.to != "world":
            self.other = placer.map(bond.to, self.place, user, bond.outside)
            self.place = self.place - self.other.positions(x, quat)
        self.axes = np.array(["xyz".index(a) for a in bond.axes])
        self.rows = len(self.map) * len(self.axes)
        self.low, self.high = np.full(self.rows, -np.inf), np.full(self.rows, np.inf)
        self.target = np.zeros(self.rows)

    def measure(self, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Distance from where the points are held."""
        p = self.map.positions(x, quat) - self.place
        if self.other is not None:
            p = p - self.other.positions(x, quat)
        return p[:, self.axes].ravel()

    def evaluate(self, x: np.ndarray, quat: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Distance from where the points are held, and its derivative into `H`."""
        row = 0
        for p in range(len(self.map)):
            for axis in self.axes:
                g = np.zeros((len(self.map), 3))
                g[p, axis] = 1.0
                self.map.pull(g, quat, H[row])
                if self.other is not None:
                    self.other.pull(-g, quat, H[row])
                row += 1
        return self.measure(x, quat)
