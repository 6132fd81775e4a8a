"""Parts of a mesh's surface by shape: where they face, or a patch bounded by sharp edges."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from plantar._checks import require
from plantar.soft.mesh.distance import SurfaceTree
from plantar.soft.mesh.mesh import Floats, Ints, Mesh

FACING, SHARP = 45.0, 30.0
"""Angle within which a triangle faces a direction, and above which an edge bounds a patch [degrees]."""


def facing(mesh: Mesh, direction: ArrayLike, within: float = FACING) -> Ints:
    """Triangles (k, 3) of the boundary whose normals are within an angle of a direction [degrees]."""
    wanted = np.asarray(direction, dtype=float)
    require(
        wanted.shape == (3,) and bool(np.isfinite(wanted).all() and wanted.any()), "normal", direction, "a direction"
    )
    require(0 < within <= 180, "within", within, "an angle above 0, 180 degrees at most")
    cosine = _normals(mesh.nodes, mesh.boundary) @ wanted / np.linalg.norm(wanted)
    found = mesh.boundary[cosine >= math.cos(math.radians(within))]
    require(len(found) > 0, "normal", direction, f"a direction that some triangle faces within {within:g} degrees")
    return found


def patch(mesh: Mesh, point: ArrayLike, angle: float = SHARP) -> Ints:
    """Triangles (k, 3) of the boundary around the place nearest to a point, up to edges sharper than an angle [deg]."""
    place = np.asarray(point, dtype=float)
    require(place.shape == (3,) and bool(np.isfinite(place).all()), "patch", point, "a place: three numbers")
    require(0 < angle <= 180, "angle", angle, "an angle above 0, 180 degrees at most")
    faces = mesh.boundary
    normal = _normals(mesh.nodes, faces)
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    order = np.lexsort(edges.T[::-1])
    pairs = (order // 3).reshape(-1, 2)  # every edge of a closed surface has two triangles
    smooth = (normal[pairs[:, 0]] * normal[pairs[:, 1]]).sum(axis=1) >= math.cos(math.radians(angle))
    a, b = pairs[smooth].T
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(faces), len(faces)))
    label = connected_components(graph, directed=False)[1]
    distance = [SurfaceTree(mesh.nodes[faces[label == k]]).distance(place[None])[0] for k in range(label.max() + 1)]
    return faces[label == int(np.argmin(distance))]


def with_surface_group(mesh: Mesh, name: str, triangles: Ints) -> Mesh:
    """The mesh with these triangles as a surface and their nodes as a region of the same name."""
    return mesh.with_surface(name, triangles).with_region(name, np.unique(triangles))


def _normals(nodes: Floats, triangles: Ints) -> Floats:
    a, b, c = (nodes[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    return normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
