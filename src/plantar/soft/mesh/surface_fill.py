"""Fill a closed surface, such as an STL file, with tetrahedra."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar.soft.mesh.check import check_closed
from plantar.soft.mesh.implicit import fill
from plantar.soft.mesh.mesh import Floats, Mesh, enclosed_volume

Vector = tuple[float, float, float]


def fill_surface(nodes: ArrayLike, triangles: ArrayLike, spacing: float, *, name: str = "surface") -> Mesh:
    """Fill the inside of a closed surface with tetrahedra fitted to it.

    Inner surfaces (cavities) stay empty if their normals point into them. Edges sharper than the spacing are
    rounded off by a fraction of it.

    Args:
        nodes: Nodes of the surface (n, 3).
        triangles: Its triangles (k, 3), normals out of the material.
        spacing: Edge of the lattice; elements are a little smaller.
        name: What messages call the surface.

    Raises:
        InvalidInput: If the surface is not closed, is inside out, or is thinner than the spacing everywhere.
    """
    places = np.asarray(nodes, dtype=float)
    faces = np.asarray(triangles, dtype=np.int64)
    check_closed(faces, name)
    volume = enclosed_volume(places, faces)
    require(volume > 0, name, f"volume {volume:.3g}", "triangles whose normals point out of the material")
    corners = places[faces]

    def distance(points: Floats) -> Floats:
        return signed_distance(np.ascontiguousarray(points), corners)

    return fill(distance, places.min(axis=0), places.max(axis=0), spacing)


@njit(cache=True)
def signed_distance(points: Floats, corners: Floats) -> Floats:
    """Distance of each point (n,) to triangles (k, 3, 3), negative inside (winding number over one half)."""
    out = np.empty(len(points))
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        nearest, winding = np.inf, 0.0
        for t in range(len(corners)):
            a = (corners[t, 0, 0] - x, corners[t, 0, 1] - y, corners[t, 0, 2] - z)
            b = (corners[t, 1, 0] - x, corners[t, 1, 1] - y, corners[t, 1, 2] - z)
            c = (corners[t, 2, 0] - x, corners[t, 2, 1] - y, corners[t, 2, 2] - z)
            nearest = min(nearest, _squared_distance(a, b, c))
            winding += _solid_angle(a, b, c)
        out[i] = -np.sqrt(nearest) if winding > 2 * np.pi else np.sqrt(nearest)
    return out


@njit(cache=True, inline="always")
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, inline="always")
def _minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@njit(cache=True, inline="always")
def _solid_angle(a: Vector, b: Vector, c: Vector) -> float:
    """Solid angle of a triangle seen from the origin (van Oosterom & Strackee 1983), positive from inside."""
    la, lb, lc = np.sqrt(_dot(a, a)), np.sqrt(_dot(b, b)), np.sqrt(_dot(c, c))
    triple = (
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )
    return 2 * np.arctan2(triple, la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb)


@njit(cache=True)
def _squared_distance(a: Vector, b: Vector, c: Vector) -> float:
    """Squared distance of the origin to a triangle."""
    ab, ac = _minus(b, a), _minus(c, a)
    d1, d2, d3 = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac)
    e1, e2 = -_dot(a, ab), -_dot(a, ac)
    det = d1 * d3 - d2 * d2
    if det > 0:
        v, w = (d3 * e1 - d2 * e2) / det, (d1 * e2 - d2 * e1) / det
        if v >= 0 and w >= 0 and v + w <= 1:
            return max(0.0, _dot(a, a) - v * e1 - w * e2)
    return min(_squared_to_segment(a, b), _squared_to_segment(b, c), _squared_to_segment(c, a))


@njit(cache=True, inline="always")
def _squared_to_segment(a: Vector, b: Vector) -> float:
    ab = _minus(b, a)
    length = _dot(ab, ab)
    t = 0.0 if length == 0 else min(1.0, max(0.0, -_dot(a, ab) / length))
    px, py, pz = a[0] + t * ab[0], a[1] + t * ab[1], a[2] + t * ab[2]
    return px * px + py * py + pz * pz
