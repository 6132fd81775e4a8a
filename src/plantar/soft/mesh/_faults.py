"""Single faults of a mesh, each reported by the number of an element or a node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from plantar.soft.mesh.mesh import FACES, Floats, Ints, Mesh, enclosed_volume, tet_volumes
from plantar.soft.mesh.quality import mean_ratio

SLIVER = 1e-6
"""Mean ratio below which a tetrahedron counts as flat: its stiffness would swamp the digits of all others."""
SAME_PLACE = 1e-9
"""Nodes closer than this, as a fraction of the mesh's diagonal, count as the same place."""
POCKET = 8
"""Largest number of triangles around a closed hole, and of typical elements in it, that count as lost elements."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something wrong with a mesh."""

    kind: str
    """`inverted`, `degenerate`, `repeated`, `duplicated nodes`, `non-manifold`, `unused nodes`, `open surface`,
    `hole`, `disconnected`."""
    items: tuple[int, ...]
    """Numbers of the tetrahedra or nodes concerned, counted from 0."""
    text: str
    """One line: what, where and what to do."""


def open_surface(triangles: Ints, name: str = "surface") -> Fault | None:
    """What is wrong with a surface that should be closed, or None."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forward = {tuple(e) for e in edges.tolist()}
    lone = sorted(e for e in forward if (e[1], e[0]) not in forward)
    if lone:
        a, b = lone[0]
        text = (
            f"{name} is not closed: {len(lone)} edges have a triangle on one side only, the first from node {a} to "
            f"node {b}; close the hole or flip triangles that face the other way"
        )
        return Fault(kind="open surface", items=tuple(sorted({n for e in lone for n in e})), text=text)
    if len(forward) != len(edges):
        pairs, counts = np.unique(edges, axis=0, return_counts=True)
        a, b = pairs[counts > 1][0]
        text = f"{name} is not a surface: more than two triangles meet between nodes {a} and {b}; remove duplicates"
        return Fault(kind="non-manifold", items=(int(a), int(b)), text=text)
    return None


def pieces(elements: Ints, count: int) -> list[Ints]:
    """Indices of the elements of each connected piece, largest piece first; `count` is the number of nodes."""
    width = elements.shape[1]
    rows = np.repeat(elements[:, 0], width - 1)
    graph = coo_array((np.ones(len(rows)), (rows, elements[:, 1:].ravel())), shape=(count, count))
    _, label = connected_components(graph, directed=False)
    owner = label[elements[:, 0]]
    groups = [np.flatnonzero(owner == piece) for piece in np.unique(owner)]
    return sorted(groups, key=len, reverse=True)


def same_place(mesh: Mesh) -> Ints:
    """For each node the first one at its place (n,)."""
    pairs = KDTree(mesh.nodes).query_pairs(_reach(mesh), output_type="ndarray")
    n = len(mesh.nodes)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    count, label = connected_components(graph, directed=False)
    first = np.full(count, n)
    np.minimum.at(first, label, np.arange(n))
    return first[label]


def _reach(mesh: Mesh) -> float:
    return SAME_PLACE * float(np.linalg.norm(mesh.bounds[1] - mesh.bounds[0]))


def degenerate(mesh: Mesh) -> Fault | None:
    bad = np.flatnonzero(np.abs(mean_ratio(mesh.nodes, mesh.tets)) <= SLIVER)
    advice = "move or merge its nodes, or remove it with `repair`"
    return _fault("degenerate", bad, f"is flat (volume {_volume(mesh, bad):.3g})", advice, mesh)


def inverted(mesh: Mesh) -> Fault | None:
    ratio = mean_ratio(mesh.nodes, mesh.tets)
    bad = np.flatnonzero(ratio < -SLIVER)
    advice = "swap two of its nodes, or turn all with `repair`"
    return _fault("inverted", bad, f"is inside out (volume {_volume(mesh, bad):.3g})", advice, mesh)


def repeated(mesh: Mesh) -> Fault | None:
    _, first = np.unique(np.sort(mesh.tets, axis=1), axis=0, return_index=True)
    bad = np.setdiff1d(np.arange(len(mesh.tets)), first)
    return _fault("repeated", bad, "appears twice", "remove it, or use `repair`", mesh)


def duplicated(mesh: Mesh) -> Fault | None:
    where = same_place(mesh)
    bad = np.flatnonzero(where != np.arange(len(where)))
    if not len(bad):
        return None
    text = (
        f"node {bad[0]} lies on node {where[bad[0]]} at {_place(mesh.nodes[bad[0]])}{_more(bad, 'node')}: the parts "
        "around them are not joined; merge them with `repair`"
    )
    return Fault(kind="duplicated nodes", items=tuple(bad.tolist()), text=text)


def non_manifold(mesh: Mesh) -> Fault | None:
    faces = np.sort(mesh.tets[:, FACES].reshape(-1, 3), axis=1)
    _, where, counts = np.unique(faces, axis=0, return_inverse=True, return_counts=True)
    bad = np.unique(np.flatnonzero(counts[where.reshape(-1)] > 2) // 4)
    return _fault("non-manifold", bad, "shares a face with two others", "remove the one that overlaps", mesh)


def unused(mesh: Mesh) -> Fault | None:
    bad = np.setdiff1d(np.arange(len(mesh.nodes)), mesh.tets)
    if not len(bad):
        return None
    text = f"node {bad[0]} belongs to no tetrahedron{_more(bad, 'node')}; remove unused nodes with `repair`"
    return Fault(kind="unused nodes", items=tuple(bad.tolist()), text=text)


def pocket(mesh: Mesh) -> Fault | None:
    """A closed hole no larger than a few elements: lost tetrahedra, not an intended cavity."""
    triangles = mesh.boundary
    typical = float(np.median(np.abs(mesh.volumes)))
    for part in pieces(triangles, len(mesh.nodes))[1:]:
        wall = triangles[part]
        hole = -enclosed_volume(mesh.nodes, wall)
        if len(wall) <= POCKET and 0 < hole <= POCKET * typical:
            text = (
                f"tetrahedra are missing between nodes {np.unique(wall).tolist()}: a closed hole of {len(wall)} "
                f"triangles, volume {hole:.3g}; fill it, or give check=False if it is intended"
            )
            return Fault(kind="hole", items=tuple(np.unique(wall).tolist()), text=text)
    return None


def disconnected(mesh: Mesh, parts: int | None) -> Fault | None:
    groups = pieces(mesh.tets, len(mesh.nodes))
    if parts is None or len(groups) == parts:
        return None
    small = groups[-1]
    text = (
        f"the mesh consists of {len(groups)} parts that share no node, not {parts}; the smallest has {len(small)} "
        f"tetrahedra, among them {small[0]}: join them, keep one with `repair`, or make separate bodies"
    )
    return Fault(kind="disconnected", items=tuple(small.tolist()), text=text)


def _fault(kind: str, bad: Ints, what: str, advice: str, mesh: Mesh) -> Fault | None:
    if not len(bad):
        return None
    nodes = mesh.tets[bad[0]].tolist()
    text = f"tetrahedron {bad[0]} (nodes {nodes}) {what}{_more(bad, 'tetrahedron')}; {advice}"
    return Fault(kind=kind, items=tuple(bad.tolist()), text=text)


def _volume(mesh: Mesh, bad: Ints) -> float:
    return float(tet_volumes(mesh.nodes, mesh.tets[bad[:1]])[0]) if len(bad) else 0.0


def _more(bad: Iterable[int], noun: str) -> str:
    plural = {"node": "nodes", "tetrahedron": "tetrahedra"}[noun]
    others = len(list(bad)) - 1
    return f" and {others} other {plural if others > 1 else noun} too" if others else ""


def _place(point: Floats) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in point) + ")"
