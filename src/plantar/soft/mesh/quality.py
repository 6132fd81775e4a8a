"""How well shaped tetrahedra are."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar.soft.mesh.mesh import Floats, Ints, Mesh, tet_volumes

EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
OPPOSITE = np.array([[2, 3], [1, 3], [1, 2], [0, 3], [0, 2], [0, 1]])
"""The two other corners, for each of `EDGES`."""


def mean_ratio(nodes: Floats, tets: Ints) -> Floats:
    """Mean ratio of each tetrahedron (m,): 1 for a regular one, 0 for a flat one, negative if inside out.

    12 (3 V)^(2/3) over the sum of the squared edges; see Liu & Joe, BIT 34 (1994).
    """
    volume = tet_volumes(nodes, tets)
    edges = nodes[tets[:, EDGES[:, 1]]] - nodes[tets[:, EDGES[:, 0]]]
    squared = np.einsum("mei,mei->m", edges, edges)
    return np.sign(volume) * 12 * np.cbrt(3 * np.abs(volume)) ** 2 / np.where(squared > 0, squared, 1)


def dihedral_angles(nodes: Floats, tets: Ints) -> Floats:
    """Angle between the faces at each edge of each tetrahedron (m, 6) [rad]."""
    corner = nodes[tets]
    a, b = corner[:, EDGES[:, 0]], corner[:, EDGES[:, 1]]
    axis = (b - a) / np.linalg.norm(b - a, axis=-1, keepdims=True)
    arms = [corner[:, OPPOSITE[:, i]] - a for i in (0, 1)]
    u, v = (arm - np.einsum("mei,mei->me", arm, axis)[..., None] * axis for arm in arms)
    cosine = np.einsum("mei,mei->me", u, v) / (np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1))
    return np.arccos(np.clip(cosine, -1, 1))


def radius_ratio(nodes: Floats, tets: Ints) -> Floats:
    """Three times the radius of the ball inside over that of the ball around each tetrahedron (m,): 1 if regular."""
    a, b, c, d = (nodes[tets[:, i]] for i in range(4))
    u, v, w = b - a, c - a, d - a
    area = sum(np.linalg.norm(np.cross(p, q), axis=1) for p, q in ((u, v), (v, w), (w, u), (v - u, w - u))) / 2
    volume = tet_volumes(nodes, tets)
    square = [np.einsum("ij,ij->i", e, e)[:, None] for e in (u, v, w)]
    around = np.linalg.norm(
        square[0] * np.cross(v, w) + square[1] * np.cross(w, u) + square[2] * np.cross(u, v), axis=1
    )
    # inside: 3 V / A; around: |...| / (12 V)
    return 108 * volume * np.abs(volume) / np.maximum(area * around, 1e-300)


def quality(mesh: Mesh) -> dict[str, Any]:
    """Sizes and shape figures of a mesh, for a report: one row of plain numbers."""
    ratio = mean_ratio(mesh.nodes, mesh.tets)
    angle = np.degrees(dihedral_angles(mesh.nodes, mesh.tets))
    edge = np.linalg.norm(mesh.nodes[mesh.edges[:, 1]] - mesh.nodes[mesh.edges[:, 0]], axis=1)
    return {
        "nodes": len(mesh.nodes),
        "tetrahedra": len(mesh.tets),
        "dof": 3 * len(mesh.nodes),
        "volume": mesh.volume,
        "mean_ratio_worst": float(ratio.min()),
        "mean_ratio_mean": float(ratio.mean()),
        "worst_tetrahedron": int(ratio.argmin()),
        "angle_least_deg": float(angle.min()),
        "angle_most_deg": float(angle.max()),
        "edge_shortest": float(edge.min()),
        "edge_longest": float(edge.max()),
    }
