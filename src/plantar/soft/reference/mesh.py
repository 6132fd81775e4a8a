"""Meshes of reference files: listed, or a beam by rule."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.reference._parts import array, find


def read_mesh_of(both: dict[str, Any]) -> Mesh:
    """The mesh of a state."""
    nodes, tets = find(both, "rest_node_positions"), both.get("tetrahedra")
    if nodes is None and tets is None:
        return beam_mesh(both)
    if nodes is None or tets is None:
        raise InvalidInput("reference model lacks 'rest_node_positions' or 'tetrahedra': give both")
    places = array(nodes, "rest_node_positions", (None, 3))
    corners = array(tets, "tetrahedra", (None, 4)).astype(np.int64)
    if corners.min(initial=0) < 0 or corners.max(initial=0) >= len(places):
        raise InvalidInput(f"reference 'tetrahedra' names node {int(corners.max())}: there are {len(places)}")
    return Mesh(places, corners)


def beam_mesh(data: dict[str, Any]) -> Mesh:
    """The beam L x H x W of nx x ny x nz nodes, every cell cut into six tetrahedra after Kuhn."""
    nx, ny, nz = (data.get(k) for k in ("nx", "ny", "nz"))
    if nx is None:
        match = re.search(r"(\d+)\s*x\s*(\d+)\s*x\s*(\d+)\s*nodes", str(data.get("text", "")))
        nx, ny, nz = (int(g) for g in match.groups()) if match else (21, 5, 5)
    size = [float(find(data, k) or default) for k, default in (("L", 1.0), ("H", 0.2), ("W", 0.2))]
    counts = (int(nx), int(ny or 5), int(nz or 5))
    return kuhn_beam(counts, (size[0], size[1], size[2]))


def kuhn_beam(counts: tuple[int, int, int], size: tuple[float, float, float]) -> Mesh:
    """A box of nodes i + nx (j + ny k), cells cut into one tetrahedron per permutation of the axes."""
    nx, ny, nz = counts
    k, j, i = np.meshgrid(range(nz), range(ny), range(nx), indexing="ij")
    step = [s / (n - 1) for s, n in zip(size, counts, strict=True)]
    nodes = np.stack([i * step[0], j * step[1], k * step[2]], axis=-1).reshape(-1, 3)
    cells = np.stack(np.meshgrid(range(nz - 1), range(ny - 1), range(nx - 1), indexing="ij"), axis=-1).reshape(-1, 3)[
        :, ::-1
    ]
    stride = np.array([1, nx, nx * ny])
    tets = []
    for order in itertools.permutations(range(3)):
        corner = np.zeros((4, 3), dtype=np.int64)
        for step_, axis in enumerate(order):
            corner[step_ + 1 :, axis] += 1
        # odd permutations are mirror images: swap local vertices 1 and 2 to keep the volume positive
        odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
        tets.append(((cells[:, None] + corner) @ stride)[:, [0, 2, 1, 3] if odd else [0, 1, 2, 3]])
    return Mesh(nodes, np.stack(tets, axis=1).reshape(-1, 4))
