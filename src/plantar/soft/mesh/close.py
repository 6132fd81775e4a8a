"""Surfaces from other programs, prepared for filling: joined, consistently oriented, holes closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.spatial import KDTree

from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import Floats, Ints, enclosed_volume

NEAR = 1e-6
"""Nodes closer than this fraction of the surface's size are one."""
CORNERS = 60
"""Corners of a piece, about, that tell whether it is inside another."""


@dataclass(frozen=True, kw_only=True)
class Closed:
    """A closed surface, and what was done to make it one."""

    nodes: Floats
    """Places (n, 3)."""
    triangles: Ints
    """Triangles (k, 3), normals out of the material."""
    was_closed: bool
    """Whether every edge had two triangles before."""
    joined: int
    """Nodes that were joined with another."""
    dropped: int
    """Degenerate or duplicate triangles, left out."""
    turned: int
    """Triangles that were inside out."""
    holes: int
    """Holes that were closed."""
    widest: float
    """Widest of these holes."""


def close_surface(nodes: Floats, triangles: Ints, *, name: str = "surface") -> Closed:
    """Make a surface closed and turned outward.

    Nodes at the same place are joined, degenerate or duplicate triangles left out, the others oriented like their
    neighbours and outward, and holes closed by triangles to their middle. Pieces inside others stay cavities, those
    that cross others are parts of the same body.

    Raises:
        InvalidInput: If an edge has three triangles or more, or the surface cannot be turned (a Moebius strip).
    """
    size = float(np.linalg.norm(np.ptp(nodes, axis=0))) if len(nodes) else 0.0
    if not size > 0:
        raise InvalidInput(f"{name} has no size: give triangles that enclose a body")
    places, faces, joined = _join(nodes, triangles, NEAR * size)
    before = len(faces)
    faces = _proper(places, faces, (NEAR * size) ** 2)
    dropped = before - len(faces)
    if not len(faces):
        raise InvalidInput(f"{name} has no triangle with an area: give triangles that enclose a body")
    was_closed = _is_closed(faces)
    faces, turned = _turn_alike(faces, name)
    places, faces, holes, widest = _fill_holes(places, faces)
    faces, flipped = _turn_outward(places, faces)
    used, faces = np.unique(faces, return_inverse=True)
    return Closed(
        nodes=places[used],
        triangles=faces.reshape(-1, 3),
        was_closed=was_closed,
        joined=joined,
        dropped=dropped,
        turned=turned + flipped,
        holes=holes,
        widest=widest,
    )


def _join(nodes: Floats, triangles: Ints, near: float) -> tuple[Floats, Ints, int]:
    # exporters write each corner of each triangle: those with the same bits are not an error
    used, triangles = np.unique(triangles, return_inverse=True)
    places, where = np.unique(nodes[used], axis=0, return_inverse=True)
    pairs = KDTree(places).query_pairs(near, output_type="ndarray")
    count = len(places)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    groups, label = connected_components(graph, directed=False)
    first = np.full(groups, count)
    np.minimum.at(first, label, np.arange(count))
    return places[first], label[where.reshape(-1)[triangles.reshape(-1, 3)]].astype(np.int64), count - groups


def _proper(nodes: Floats, faces: Ints, least: float) -> Ints:
    """Triangles with three corners and an area, each once."""
    a, b, c = (nodes[faces[:, i]] for i in range(3))
    own = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    faces = faces[own & (np.linalg.norm(np.cross(b - a, c - a), axis=1) > least)]
    return faces[np.sort(np.unique(np.sort(faces, axis=1), axis=0, return_index=True)[1])]


def _edges(faces: Ints) -> tuple[Ints, Ints]:
    """Directed edges (3 k, 2) of all triangles, and the triangle of each."""
    return faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), np.repeat(np.arange(len(faces)), 3)


def _is_closed(faces: Ints) -> bool:
    edges, _ = _edges(faces)
    return bool((np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)[1] == 2).all())


def _turn_alike(faces: Ints, name: str) -> tuple[Ints, int]:
    """Turn triangles like their neighbours, from one of each piece on."""
    edges, owner = _edges(faces)
    _, number, counts = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    if counts.max() > 2:
        raise InvalidInput(
            f"{name}: {int((counts > 2).sum())} edges have more than two triangles: unite its parts into one body first"
        )
    order = np.argsort(number, kind="stable")
    shared = order[np.flatnonzero(counts[number[order]] == 2)].reshape(-1, 2)
    a, b = owner[shared[:, 0]], owner[shared[:, 1]]
    # neighbours that run along their edge in the same direction are turned against each other
    against = (edges[shared[:, 0]] == edges[shared[:, 1]]).all(axis=1)
    k = len(faces)
    sign = coo_array((np.where(against, -1.0, 1.0), (a, b)), shape=(k, k)).tocsr()
    sign = sign + sign.T
    turn, seen = np.ones(k), np.zeros(k, bool)
    for start in range(k):
        if seen[start]:
            continue
        nodes, before = breadth_first_order(sign, start, directed=False)
        seen[nodes] = True
        for node in nodes[1:]:
            turn[node] = turn[before[node]] * np.sign(sign[before[node], node])
    if (turn[a] * turn[b] * np.where(against, -1, 1) < 0).any():
        raise InvalidInput(f"{name} has only one side and encloses nothing: draw it again")
    return np.where((turn < 0)[:, None], faces[:, ::-1], faces), int((turn < 0).sum())


def _fill_holes(nodes: Floats, faces: Ints) -> tuple[Floats, Ints, int, float]:
    """Close every loop of edges that have one triangle, by triangles to its middle."""
    edges, _ = _edges(faces)
    key = edges.min(axis=1) * (len(nodes) + 1) + edges.max(axis=1)
    _, number, counts = np.unique(key, return_inverse=True, return_counts=True)
    free = edges[counts[number.reshape(-1)] == 1]
    if not len(free):
        return nodes, faces, 0, 0.0
    after: dict[int, list[int]] = {}
    for a, b in free[:, ::-1].tolist():
        after.setdefault(a, []).append(b)
    added, middles, widest = [], [], 0.0
    while after:
        start = next(iter(after))
        loop = [start]
        while (step := _pop(after, loop[-1])) is not None and step != start:
            loop.append(step)
        middle = nodes[loop].mean(axis=0)
        widest = max(widest, float(np.linalg.norm(np.ptp(nodes[loop], axis=0))))
        if len(loop) == 3:
            added.append(loop)
            continue
        centre = len(nodes) + len(middles)
        middles.append(middle)
        added += [[a, b, centre] for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)]
    holes = len(added) and sum(len(x) == 3 and max(x) < len(nodes) for x in added) + len(middles)
    return np.concatenate([nodes, *[m[None] for m in middles]]), np.concatenate([faces, added]), holes, widest


def _pop(after: dict[int, list[int]], node: int) -> int | None:
    ends = after.get(node)
    if not ends:
        return None
    end = ends.pop()
    if not ends:
        del after[node]
    return end


def _turn_outward(nodes: Floats, faces: Ints) -> tuple[Ints, int]:
    """Turn every piece outward; one inside an odd number of others is a cavity, and is turned inward."""
    k = len(faces)
    edges, owner = _edges(faces)
    number = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    graph = coo_array((np.ones(3 * k), (owner, k + number)), shape=(k + number.max() + 1,) * 2)
    count, label = connected_components(graph, directed=False)
    label = label[:k]
    pieces = [faces[label == i] for i in range(count)]
    out, turned = [], 0
    for i, piece in enumerate(pieces):
        corners = np.unique(piece)
        some = nodes[corners[:: len(corners) // CORNERS + 1]]
        others = (other for j, other in enumerate(pieces) if j != i)
        # one that crosses another is not a cavity but a part of the same body
        inside = sum(all(_holds(nodes, other, place) for place in some) for other in others)
        wanted = -1 if inside % 2 else 1
        wrong = enclosed_volume(nodes, piece) * wanted < 0
        turned += len(piece) if wrong else 0
        out.append(piece[:, ::-1] if wrong else piece)
    return np.concatenate(out), turned


def _holds(nodes: Floats, faces: Ints, point: Floats) -> bool:
    """Whether a point is inside a closed piece, whichever way that is turned."""
    a, b, c = (nodes[faces[:, i]] - point for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return bool(abs(2 * np.arctan2(triple, below).sum()) > 2 * np.pi)
