"""Sharp edges and corners of a surface, restored in a mesh that was rounded off there."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import KDTree

from plantar.soft.mesh._smooth import Shape, smoothed
from plantar.soft.mesh.mesh import Floats, Ints, Mesh
from plantar.soft.mesh.quality import mean_ratio

SHARP = math.radians(35)
"""Angle between neighbouring triangles above which their edge is kept."""
CORNER, EDGE = 1.1, 0.6
"""How far a node is moved to a corner and to an edge at most, as a fraction of the size."""
APART = 0.2
"""Nodes on edges and corners keep this distance, as a fraction of the size."""
GOOD = 0.25
"""Mean ratio that elements keep, or what they had if it was less."""
ROUNDS, PASSES = 3, 3


def sharpened(mesh: Mesh, places: Floats, triangles: Ints, shape: Shape, size: float) -> Floats:
    """Nodes of the mesh (n, 3), some of them on the sharp edges and corners of the surface that it fills.

    The node nearest to each corner and those near edges move there, one after the other, where no element gets poor for
    it; the others are smoothed around them.
    """
    segments, corners = _features(places, triangles)
    nodes = np.array(mesh.nodes)
    on_surface = np.zeros(len(nodes), bool)
    on_surface[mesh.boundary_nodes] = True
    if not len(segments):
        return smoothed(nodes, mesh.tets, on_surface, shape, size, 2 * PASSES)
    around = _incident(mesh.tets, len(nodes))
    fixed = np.zeros(len(nodes), bool)
    for _ in range(ROUNDS):
        _to_corners(nodes, mesh.tets, around, on_surface, fixed, corners, size)
        _to_edges(nodes, mesh.tets, around, on_surface, fixed, segments, size)
        nodes = smoothed(nodes, mesh.tets, on_surface, shape, size, PASSES, fixed)
    return nodes


def _features(places: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """Sharp edges (k, 2, 3), and corners (m, 3) where they end, meet or turn."""
    a, b, c = (places[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    order = np.lexsort(edges.T[::-1])
    pair = (order // 3).reshape(-1, 2)
    turn = np.einsum("ij,ij->i", normal[pair[:, 0]], normal[pair[:, 1]])
    sharp = edges[order[::2]][turn < math.cos(SHARP)]
    if not len(sharp):
        return np.zeros((0, 2, 3)), np.zeros((0, 3))
    count = np.bincount(sharp.ravel(), minlength=len(places))
    way = places[sharp[:, 1]] - places[sharp[:, 0]]
    way /= np.maximum(np.linalg.norm(way, axis=1), 1e-300)[:, None]
    # the two directions in which edges leave a node cancel where they go straight on
    leave = np.zeros((len(places), 3))
    np.add.at(leave, sharp[:, 0], way)
    np.add.at(leave, sharp[:, 1], -way)
    bent = np.linalg.norm(leave, axis=1) > 2 * math.sin(SHARP / 2)
    corner = (count > 0) & ((count != 2) | bent)
    return places[sharp], places[corner]


def _incident(tets: Ints, count: int) -> list[Ints]:
    order = np.argsort(tets.ravel(), kind="stable") // 4
    return np.split(order, np.cumsum(np.bincount(tets.ravel(), minlength=count))[:-1])


def _to_corners(
    nodes: Floats,
    tets: Ints,
    around: list[Ints],
    on_surface: np.ndarray,
    fixed: np.ndarray,
    corners: Floats,
    size: float,
) -> None:
    for corner in corners:
        free = np.flatnonzero(on_surface & ~fixed)
        distance = np.linalg.norm(nodes[free] - corner, axis=1)
        if not len(free) or np.linalg.norm(nodes[fixed] - corner, axis=1).min(initial=size) < APART * size:
            continue
        for k in np.argsort(distance)[:4]:
            if distance[k] < CORNER * size and _try(nodes, tets, around, int(free[k]), corner):
                fixed[free[k]] = True
                break


def _to_edges(
    nodes: Floats,
    tets: Ints,
    around: list[Ints],
    on_surface: np.ndarray,
    fixed: np.ndarray,
    segments: Floats,
    size: float,
) -> None:
    length = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    parts = np.maximum(np.ceil(4 * length / size).astype(int), 1)
    owner = np.repeat(np.arange(len(segments)), parts)
    step = (np.concatenate([np.arange(n) for n in parts]) + 0.5) / parts[owner]
    way = segments[:, 1] - segments[:, 0]
    tree = KDTree(segments[owner, 0] + step[:, None] * way[owner])
    free = np.flatnonzero(on_surface & ~fixed)
    _, near = tree.query(nodes[free])
    mine = owner[near]
    share = np.einsum("ij,ij->i", nodes[free] - segments[mine, 0], way[mine]) / np.maximum(length[mine] ** 2, 1e-300)
    target = segments[mine, 0] + np.clip(share, 0, 1)[:, None] * way[mine]
    distance = np.linalg.norm(nodes[free] - target, axis=1)
    for k in np.argsort(distance):
        if distance[k] > EDGE * size:
            break
        # two nodes drawn to the end of the same edge would become one
        taken = np.linalg.norm(nodes[fixed] - target[k], axis=1)
        if taken.min(initial=size) > APART * size and _try(nodes, tets, around, int(free[k]), target[k]):
            fixed[free[k]] = True


def _try(nodes: Floats, tets: Ints, around: list[Ints], node: int, target: Floats) -> bool:
    """Move a node if its elements stay good; whether it was moved."""
    mine = tets[around[node]]
    before, old = mean_ratio(nodes, mine).min(), nodes[node].copy()
    nodes[node] = target
    if mean_ratio(nodes, mine).min() >= min(GOOD, before):
        return True
    nodes[node] = old
    return False
