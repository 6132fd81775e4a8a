"""What is wrong with a mesh, said by the number of the element, and what can be mended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from plantar.errors import InvalidInput
from plantar.soft.mesh import FACES, Floats, Ints, Mesh, tet_volumes
from plantar.soft.quality import mean_ratio

SLIVER = 1e-6
"""Mean ratio below which a tetrahedron counts as flat: its stiffness would swamp the digits of all others."""
SAME_PLACE = 1e-9
"""Nodes closer than this, as a share of the mesh's diagonal, count as the same place."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something wrong with a mesh."""

    kind: str
    """`inverted`, `degenerate`, `repeated`, `duplicated nodes`, `non-manifold`, `unused nodes`, `open surface`,
    `disconnected`."""
    items: tuple[int, ...]
    """Numbers of the tetrahedra or nodes concerned, counted from 0."""
    text: str
    """One line: what, where and what to do."""


def find_faults(mesh: Mesh, *, parts: int | None = 1) -> list[Fault]:
    """Everything wrong with a mesh, gravest first; an empty list for a sound one.

    Args:
        mesh: The mesh.
        parts: How many separate pieces it should have; None accepts any number.
    """
    found = [
        _degenerate(mesh),
        _inverted(mesh),
        _repeated(mesh),
        _duplicated(mesh),
        _non_manifold(mesh),
        _unused(mesh),
        _disconnected(mesh, parts),
    ]
    return [fault for fault in found if fault is not None]


def check(mesh: Mesh, *, name: str = "mesh", parts: int | None = 1) -> Mesh:
    """The mesh itself if it is sound.

    Raises:
        InvalidInput: One line that names the first bad element or node, and how many more there are.
    """
    faults = find_faults(mesh, parts=parts)
    if faults:
        raise InvalidInput(f"{name}: {faults[0].text}")
    return mesh


def check_closed(triangles: Ints, name: str) -> None:
    """Raise `InvalidInput` unless the triangles close a volume, each edge walked once in each direction."""
    fault = open_surface(triangles, name)
    if fault is not None:
        raise InvalidInput(fault.text)


def open_surface(triangles: Ints, name: str = "surface") -> Fault | None:
    """What is wrong with a surface that should be closed, or None."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forward = {tuple(e) for e in edges.tolist()}
    lone = sorted(e for e in forward if (e[1], e[0]) not in forward)
    if lone:
        a, b = lone[0]
        text = (
            f"{name} is not closed: {len(lone)} edges have a triangle on one side only, the first from node {a} to "
            f"node {b}; close the hole or turn triangles that face the other way"
        )
        return Fault(kind="open surface", items=tuple(sorted({n for e in lone for n in e})), text=text)
    if len(forward) != len(edges):
        pairs, counts = np.unique(edges, axis=0, return_counts=True)
        a, b = pairs[counts > 1][0]
        text = (
            f"{name} is not a surface: more than two triangles meet between nodes {a} and {b}; remove doubled triangles"
        )
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


def repair(mesh: Mesh, *, largest_part: bool = False) -> tuple[Mesh, list[str]]:
    """A mended copy, and a line on each thing done.

    Nodes at the same place become one, flat and repeated tetrahedra go, inverted ones are turned, nodes that no
    tetrahedron uses go. What cannot be mended without guessing (holes, parts that hang at an edge) stays, and
    `find_faults` still tells it.

    Args:
        mesh: The mesh.
        largest_part: Whether only its largest connected piece is kept.
    """
    done: list[str] = []
    merged, lost = _merge_nodes(mesh)
    if lost:
        done.append(f"{lost} nodes merged with another at the same place")
    good = np.abs(mean_ratio(merged.nodes, merged.tets)) > SLIVER
    _, first = np.unique(np.sort(merged.tets, axis=1), axis=0, return_index=True)
    once = np.isin(np.arange(len(merged.tets)), first)
    keep = good & once
    if largest_part and keep.any():
        alive = np.flatnonzero(keep)
        keep = np.isin(np.arange(len(keep)), alive[pieces(merged.tets[alive], len(merged.nodes))[0]])
    if not keep.any():
        raise InvalidInput("mesh: no tetrahedron with a volume is left; give a mesh of solid elements")
    if (~keep).any():
        done.append(f"{int((~keep).sum())} flat, repeated or detached tetrahedra removed")
    whole = keep_cells(merged, np.flatnonzero(keep))
    turned = whole.volumes < 0
    if turned.any():
        tets = whole.tets.copy()
        tets[turned] = tets[turned][:, [0, 2, 1, 3]]
        whole = replace(whole, tets=tets)
        done.append(f"{int(turned.sum())} inverted tetrahedra turned")
    unused = len(merged.nodes) - len(whole.nodes)
    if unused:
        done.append(f"{unused} unused nodes removed")
    return whole, done


def keep_cells(mesh: Mesh, cells: Ints) -> Mesh:
    """The part of a mesh made of some of its tetrahedra; names follow."""
    used, tets = np.unique(mesh.tets[cells], return_inverse=True)
    new = np.full(len(mesh.nodes), -1)
    new[used] = np.arange(len(used))
    number = np.full(len(mesh.tets), -1)
    number[cells] = np.arange(len(cells))
    regions = {name: _alive(new[nodes]) for name, nodes in mesh.regions.items()}
    surfaces = {name: new[t][(new[t] >= 0).all(axis=1)] for name, t in mesh.surfaces.items()}
    sets = {name: _alive(number[c]) for name, c in mesh.cells.items()}
    return Mesh(mesh.nodes[used], tets.reshape(-1, 4), regions, surfaces, sets)


def _alive(numbers: Ints) -> Ints:
    return numbers[numbers >= 0]


def _merge_nodes(mesh: Mesh) -> tuple[Mesh, int]:
    where = _same_place(mesh)
    lost = int((where != np.arange(len(where))).sum())
    if not lost:
        return mesh, 0
    regions = {name: where[nodes] for name, nodes in mesh.regions.items()}
    surfaces = {name: where[t] for name, t in mesh.surfaces.items()}
    return Mesh(mesh.nodes, where[mesh.tets], regions, surfaces, mesh.cells), lost


def _same_place(mesh: Mesh) -> Ints:
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


def _degenerate(mesh: Mesh) -> Fault | None:
    bad = np.flatnonzero(np.abs(mean_ratio(mesh.nodes, mesh.tets)) <= SLIVER)
    advice = "move or merge its nodes, or remove it with `repair`"
    return _fault("degenerate", bad, f"is flat (volume {_volume(mesh, bad):.3g})", advice, mesh)


def _inverted(mesh: Mesh) -> Fault | None:
    ratio = mean_ratio(mesh.nodes, mesh.tets)
    bad = np.flatnonzero(ratio < -SLIVER)
    advice = "swap two of its nodes, or turn all with `repair`"
    return _fault("inverted", bad, f"is inside out (volume {_volume(mesh, bad):.3g})", advice, mesh)


def _repeated(mesh: Mesh) -> Fault | None:
    _, first = np.unique(np.sort(mesh.tets, axis=1), axis=0, return_index=True)
    bad = np.setdiff1d(np.arange(len(mesh.tets)), first)
    return _fault("repeated", bad, "is there twice", "remove it, or use `repair`", mesh)


def _duplicated(mesh: Mesh) -> Fault | None:
    where = _same_place(mesh)
    bad = np.flatnonzero(where != np.arange(len(where)))
    if not len(bad):
        return None
    text = (
        f"node {bad[0]} lies on node {where[bad[0]]} at {_place(mesh.nodes[bad[0]])}{_more(bad, 'node')}: the parts "
        "around them are not joined; merge them with `repair`"
    )
    return Fault(kind="duplicated nodes", items=tuple(bad.tolist()), text=text)


def _non_manifold(mesh: Mesh) -> Fault | None:
    faces = np.sort(mesh.tets[:, FACES].reshape(-1, 3), axis=1)
    _, where, counts = np.unique(faces, axis=0, return_inverse=True, return_counts=True)
    bad = np.unique(np.flatnonzero(counts[where.reshape(-1)] > 2) // 4)
    return _fault("non-manifold", bad, "shares a face with two others", "remove the one that overlaps", mesh)


def _unused(mesh: Mesh) -> Fault | None:
    bad = np.setdiff1d(np.arange(len(mesh.nodes)), mesh.tets)
    if not len(bad):
        return None
    text = f"node {bad[0]} belongs to no tetrahedron{_more(bad, 'node')}; remove unused nodes with `repair`"
    return Fault(kind="unused nodes", items=tuple(bad.tolist()), text=text)


def _disconnected(mesh: Mesh, parts: int | None) -> Fault | None:
    groups = pieces(mesh.tets, len(mesh.nodes))
    if parts is None or len(groups) == parts:
        return None
    small = groups[-1]
    text = (
        f"the mesh falls into {len(groups)} parts that share no node, not {parts}; the smallest has {len(small)} "
        f"tetrahedra, among them {small[0]}: join them, keep one with `repair`, or make bodies of their own"
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
