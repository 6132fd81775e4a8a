"""Rigid obstacles: planes, primitives and surfaces, with their signed distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plantar._checks import require
from plantar._config import Checked, Quaternion, Vector
from plantar.soft.fem.turning import rotation_matrix
from plantar.soft.mesh.triangles import nearest_on_surface, vertex_normals

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Obstacle(Checked):
    """Base of all obstacles; places are in the world, or at rest if a body carries the obstacle."""

    def distance(self, p: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distance (n) and outward unit normal (n, 3) at places p (n, 3); inf beyond `reach` is allowed."""
        raise NotImplementedError


def _unit(name: str, vector: Sequence[float]) -> Floats:
    v = np.asarray(vector, dtype=float)
    require(v.shape == (3,) and float(np.linalg.norm(v)) > 0, name, vector, "a direction of three numbers")
    return v / np.linalg.norm(v)


@dataclass(frozen=True, kw_only=True, eq=False)
class Plane(Obstacle):
    """Everything below a plane."""

    point: Vector = (0.0, 0.0, 0.0)
    """A point on it [m]."""
    normal: Vector = (0.0, 0.0, 1.0)
    """Its outward direction."""

    def __post_init__(self) -> None:
        _unit("normal", self.normal)
        require(np.shape(self.point) == (3,), "point", self.point, "three numbers")

    def distance(self, p: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distance and normal."""
        n = _unit("normal", self.normal)
        return (p - np.asarray(self.point, dtype=float)) @ n, np.broadcast_to(n, p.shape)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ball(Obstacle):
    """A ball."""

    centre: Vector = (0.0, 0.0, 0.0)
    """Its middle [m]."""
    radius: float
    """Its radius [m]."""

    def __post_init__(self) -> None:
        require(self.radius > 0, "radius", self.radius, "a number above 0, in m")

    def distance(self, p: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distance and normal."""
        return _round(p - np.asarray(self.centre, dtype=float), self.radius)


@dataclass(frozen=True, kw_only=True, eq=False)
class Capsule(Obstacle):
    """Everything within a radius of a segment."""

    start: Vector
    """One end of the segment [m]."""
    end: Vector
    """The other end [m]."""
    radius: float
    """Radius [m]."""

    def __post_init__(self) -> None:
        require(self.radius > 0, "radius", self.radius, "a number above 0, in m")

    def distance(self, p: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distance and normal."""
        a, d = np.asarray(self.start, dtype=float), np.subtract(self.end, self.start)
        length = float(d @ d)
        t = np.clip((p - a) @ d / length, 0, 1) if length > 0 else np.zeros(len(p))
        return _round(p - a - t[:, None] * d, self.radius)


@dataclass(frozen=True, kw_only=True, eq=False)
class Cylinder(Obstacle):
    """A cylinder with flat ends."""

    start: Vector
    """Middle of one end [m]."""
    end: Vector
    """Middle of the other end [m]."""
    radius: float
    """Radius [m]."""

    def __post_init__(self) -> None:
        require(self.radius > 0, "radius", self.radius, "a number above 0, in m")
        _unit("cylinder axis", np.subtract(self.end, self.start))  # type: ignore[arg-type]

    def distance(self, p: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distance and normal."""
        axis = np.subtract(self.end, self.start)
        half = 0.5 * float(np.linalg.norm(axis))
        axis = axis / (2 * half)
        q = p - 0.5 * np.add(self.start, self.end)
        along = q @ axis
        side = q - along[:, None] * axis
        r = np.linalg.norm(side, axis=1)
        radial = side / np.maximum(r, 1e-300)[:, None]
        # seen in the half plane (r, along) it is a box
        gap, n = _box(np.stack([r, along], axis=1), np.array([self.radius, half]))
        return gap, n[:, :1] * radial + n[:, 1:] * axis


@dataclass(frozen=True, kw_only=True, eq=False)
class Box(Obstacle):
    """A box."""

    centre: Vector = (0.0, 0.0, 0.0)
    """Its middle [m]."""
    size: Vector
    """Its edges [m]."""
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Quaternion w x y z."""

    def __post_init__(self) -> None:
        require(len(self.size) == 3 and min(self.size) > 0, "size", self.size, "three numbers above 0, in m")

    def distance(self, p: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distance and normal."""
        R = rotation_matrix(np.asarray(self.orientation, dtype=float) / np.linalg.norm(self.orientation))
        gap, n = _box((p - np.asarray(self.centre, dtype=float)) @ R, 0.5 * np.asarray(self.size, dtype=float))
        return gap, n @ R.T


@dataclass(frozen=True, kw_only=True, eq=False)
class Surface(Obstacle):
    """A surface of triangles whose normals point to where bodies may be."""

    nodes: Floats | Sequence[Sequence[float]]
    """Vertices (n, 3) [m]."""
    triangles: np.ndarray | Sequence[Sequence[int]]
    """Triangles (m, 3)."""
    _normals: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        nodes, triangles = np.asarray(self.nodes, dtype=float), np.asarray(self.triangles, dtype=np.int64)
        require(nodes.ndim == 2 and nodes.shape[1] == 3, "nodes", nodes.shape, "an array (n, 3)")
        require(triangles.ndim == 2 and triangles.shape[1] == 3, "triangles", triangles.shape, "an array (m, 3)")
        known = triangles.size == 0 or (triangles.min() >= 0 and triangles.max() < len(nodes))
        require(bool(known), "triangles", triangles, f"numbers of nodes, from 0 to {len(nodes) - 1}")
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "triangles", triangles)
        object.__setattr__(self, "_normals", vertex_normals(nodes, triangles))

    def distance(self, p: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distance and normal, inf beyond `reach`."""
        gap, normal, _, _ = nearest_on_surface(
            p, np.asarray(self.nodes), np.asarray(self.triangles), self._normals, reach
        )
        return gap, normal


def _round(offset: Floats, radius: float) -> tuple[Floats, Floats]:
    r = np.linalg.norm(offset, axis=1)
    normal = np.where(r[:, None] > 0, offset / np.maximum(r, 1e-300)[:, None], np.array([0.0, 0.0, 1.0]))
    return r - radius, normal


def _box(q: Floats, half: Floats) -> tuple[Floats, Floats]:
    """Signed distance to a box about the origin, in any dimension."""
    out = np.abs(q) - half
    beyond = np.maximum(out, 0)
    outside = np.linalg.norm(beyond, axis=1)
    sign = np.where(q < 0, -1.0, 1.0)
    nearest = np.zeros_like(q)
    nearest[np.arange(len(q)), out.argmax(axis=1)] = 1.0
    normal = np.where(outside[:, None] > 0, beyond / np.maximum(outside, 1e-300)[:, None], nearest) * sign
    return outside + np.minimum(out.max(axis=1), 0), normal


OBSTACLES = {"plane": Plane, "ball": Ball, "capsule": Capsule, "cylinder": Cylinder, "box": Box, "surface": Surface}
"""Obstacles by the names that scene files use."""
