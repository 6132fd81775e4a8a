"""Meshes of shapes given by a function that is negative inside: fitted to the surface, conforming, well shaped.

The method is isosurface stuffing (Labelle & Shewchuk, ACM Transactions on Graphics 26, 2007): a body-centred cubic
lattice, whose nodes near the surface move onto it; tetrahedra that the surface still cuts are cut along it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar.soft.mesh._smooth import smoothed
from plantar.soft.mesh.mesh import Floats, Ints, Mesh, tet_volumes
from plantar.soft.mesh.shapes import with_cavities

NEAR_LONG, NEAR_SHORT = 0.24999, 0.41189
"""Fraction of an edge within which a node moves onto the surface: the published pair that bounds the angles best."""
WEDGE_TURNS = np.array(
    [
        [0, 1, 2, 3, 4, 5],
        [1, 2, 0, 4, 5, 3],
        [2, 0, 1, 5, 3, 4],
        [3, 5, 4, 0, 2, 1],
        [4, 3, 5, 1, 0, 2],
        [5, 4, 3, 2, 1, 0],
    ]
)
"""Renumberings of a wedge that bring each corner to the front."""
WEDGE_CUTS = np.array([[[0, 1, 2, 5], [0, 1, 5, 4], [0, 4, 5, 3]], [[0, 1, 2, 4], [0, 4, 2, 5], [0, 4, 5, 3]]])
"""The two ways to cut a wedge whose lowest corner is in front."""

Shape = Callable[[Floats], Floats]


def fill(shape: Shape, low: ArrayLike, high: ArrayLike, spacing: float, *, smooth: int = 5) -> Mesh:
    """Fill the places where `shape` is negative with tetrahedra.

    Args:
        shape: Function of places (n, 3) that is negative inside, positive outside and continuous; a signed distance
            is best. Details smaller than `spacing` are lost.
        low: Lowest corner of a box around the shape.
        high: Its highest corner.
        spacing: Edge of the lattice's cubes; elements are a little smaller.
        smooth: Passes that improve the worst elements.

    Returns:
        The mesh, with the region `surface` and closed holes as surfaces `cavity1`, ...

    Raises:
        InvalidInput: If nothing is inside, or the shape leaves the box.
    """
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    require(spacing > 0 and bool((high > low).all()), "box and spacing", (low.tolist(), spacing), "lengths above 0")
    count = math.prod(float(length) / spacing + 2 for length in high - low)  # of which integers could not hold many
    require(count < 4_000_000, "spacing", spacing, f"a larger one: this makes {count:.3g} cubes")
    cubes = np.ceil((high - low) / spacing).astype(int) + 2
    nodes, tets = _lattice(low - spacing, spacing, cubes)
    value = np.asarray(shape(nodes), dtype=float)
    require(value.shape == (len(nodes),), "shape", f"values {value.shape}", "a function (n, 3) -> (n,)")
    require(bool((value < 0).any()), "shape", "nowhere negative", "one that is negative inside, or a smaller spacing")
    keep = (value[tets] < 0).any(axis=1)
    tets = tets[keep]
    outside = ((nodes < low - 1e-9) | (nodes > high + 1e-9)).any(axis=1) & (value < 0)
    require(not outside.any(), "box", (low.tolist(), high.tolist()), "a box that holds the whole shape")
    nodes, tets = _stuff(shape, nodes, tets, value, spacing)
    on_surface = np.zeros(len(nodes), bool)
    on_surface[np.unique(Mesh(nodes, tets).boundary)] = True
    nodes = smoothed(nodes, tets, on_surface, shape, spacing, smooth)
    return with_cavities(Mesh(nodes, tets, {"surface": np.flatnonzero(on_surface)}))


def _lattice(low: Floats, spacing: float, cubes: Ints) -> tuple[Floats, Ints]:
    """Nodes and tetrahedra of a body-centred cubic lattice over `cubes` cubes."""
    size = cubes + 1
    corner = np.stack(np.meshgrid(*(np.arange(n) for n in size), indexing="ij"), -1).reshape(-1, 3)
    centre = np.stack(np.meshgrid(*(np.arange(n) for n in cubes), indexing="ij"), -1).reshape(-1, 3)
    nodes = low + spacing * np.concatenate([corner, centre + 0.5])
    count, tets = len(corner), []
    for axis in range(3):
        u, v = np.eye(3, dtype=int)[[(axis + 1) % 3, (axis + 2) % 3]]
        first = centre[centre[:, axis] < cubes[axis] - 1]
        step = np.eye(3, dtype=int)[axis]
        base = first + step  # lowest corner of the square between the two centres
        ring = [base, base + u, base + u + v, base + v]
        a, b = count + _flat(first, cubes), count + _flat(first + step, cubes)
        for i in range(4):
            tets.append(np.stack([a, b, _flat(ring[i], size), _flat(ring[(i + 1) % 4], size)], axis=1))
    return nodes, np.concatenate(tets)


def _flat(place: Ints, size: Ints) -> Ints:
    return (place[:, 0] * size[1] + place[:, 1]) * size[2] + place[:, 2]


def _stuff(shape: Shape, nodes: Floats, tets: Ints, value: Floats, spacing: float) -> tuple[Floats, Ints]:
    """Move nodes onto the surface and cut what it still crosses."""
    pairs = np.unique(np.sort(tets[:, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]].reshape(-1, 2), axis=1), axis=0)
    crossed = pairs[(value[pairs[:, 0]] < 0) != (value[pairs[:, 1]] < 0)]
    share, cut = _crossings(shape, nodes, value, crossed)
    nodes, value = _snap(nodes, value, crossed, share, cut, spacing)
    sign = np.where(value == 0, 0, np.where(value < 0, 1, -1))
    still = sign[crossed[:, 0]] * sign[crossed[:, 1]] < 0
    crossed, cut = crossed[still], cut[still]
    book = _Cuts(crossed, len(nodes))
    whole = np.concatenate([nodes, cut])
    pieces = _cut_tets(tets, sign, book)
    volume = tet_volumes(whole, pieces)
    pieces[volume < 0] = pieces[volume < 0][:, [0, 2, 1, 3]]
    pieces = pieces[np.abs(volume) > 1e-9 * spacing**3]
    used, pieces = np.unique(pieces, return_inverse=True)
    return whole[used], pieces.reshape(-1, 4)


def _crossings(shape: Shape, nodes: Floats, value: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Fraction of each edge, from its first node, at which the shape is 0, and the place (bisection and secant)."""
    a, b = nodes[pairs[:, 0]], nodes[pairs[:, 1]]
    fa, fb = value[pairs[:, 0]].copy(), value[pairs[:, 1]].copy()
    ta, tb = np.zeros(len(pairs)), np.ones(len(pairs))
    t = ta - fa * (tb - ta) / (fb - fa)
    for _ in range(8):
        f = shape(a + t[:, None] * (b - a))
        left = (f < 0) == (fa < 0)
        # Illinois: halving the value that stays keeps the secant from stalling at one end
        fb = np.where(left, fb * 0.5, f)
        fa = np.where(left, f, fa * 0.5)
        ta, tb = np.where(left, t, ta), np.where(left, tb, t)
        t = np.clip(ta - fa * (tb - ta) / np.where(fb == fa, 1, fb - fa), ta, tb)
    return t, a + t[:, None] * (b - a)


def _snap(
    nodes: Floats, value: Floats, pairs: Ints, share: Floats, cut: Floats, spacing: float
) -> tuple[Floats, Floats]:
    """Move each node onto the nearest cut that is too close to it."""
    length = np.linalg.norm(nodes[pairs[:, 1]] - nodes[pairs[:, 0]], axis=1)
    near = np.where(length > 0.95 * spacing, NEAR_LONG, NEAR_SHORT)
    owner = np.concatenate([pairs[:, 0], pairs[:, 1]])
    far = np.concatenate([share, 1 - share])
    where = np.concatenate([cut, cut])
    ok = far <= np.concatenate([near, near])
    owner, distance, where = owner[ok], (far * np.concatenate([length, length]))[ok], where[ok]
    order = np.lexsort((distance, owner))
    first = order[np.unique(owner[order], return_index=True)[1]]
    nodes, value = nodes.copy(), value.copy()
    nodes[owner[first]], value[owner[first]] = where[first], 0.0
    return nodes, value


class _Cuts:
    """Numbers of the cut points by the edge they are on."""

    def __init__(self, pairs: Ints, first: int):
        self.size = np.int64(max(first, 1))
        key = np.sort(pairs, axis=1) @ np.array([self.size, 1])
        self.order = np.argsort(key)
        self.keys, self.first = key[self.order], first

    def __call__(self, a: Ints, b: Ints) -> Ints:
        key = np.minimum(a, b) * self.size + np.maximum(a, b)
        return self.first + self.order[np.searchsorted(self.keys, key)]


def _cut_tets(tets: Ints, sign: Ints, cut: _Cuts) -> Ints:
    """The inner part of each tetrahedron; sign 1 is inside, 0 on the surface, -1 outside."""
    order = np.argsort(-sign[tets], axis=1, kind="stable")
    tets = np.take_along_axis(tets, order, axis=1)
    s = sign[tets]
    inside, outside = (s > 0).sum(axis=1), (s < 0).sum(axis=1)
    pieces = [tets[(outside == 0) & (inside > 0)]]
    one = tets[(inside == 1) & (outside > 0)].T
    if one.size:
        pieces.append(np.stack([one[0], *(_end(one[0], v, sign, cut) for v in one[1:])], axis=1))
    a, b, c, d = tets[(inside == 3) & (outside == 1)].T
    pieces.append(_wedges(np.stack([a, b, c, cut(a, d), cut(b, d), cut(c, d)], axis=1)))
    a, b, c, d = tets[(inside == 2) & (outside == 2)].T
    pieces.append(_wedges(np.stack([a, cut(a, c), cut(a, d), b, cut(b, c), cut(b, d)], axis=1)))
    a, b, c, d = tets[(inside == 2) & (outside == 1)].T
    pieces.append(_pyramids(np.stack([a, b, cut(b, d), cut(a, d), c], axis=1)))
    return np.concatenate(pieces)


def _end(a: Ints, v: Ints, sign: Ints, cut: _Cuts) -> Ints:
    """`v` where it is on the surface, else the cut between `a` and `v`."""
    out, end = sign[v] < 0, v.copy()
    end[out] = cut(a[out], v[out])
    return end


def _wedges(corners: Ints) -> Ints:
    """Three tetrahedra per wedge; each quad is cut from its lowest node, so that neighbours agree."""
    v = np.take_along_axis(corners, WEDGE_TURNS[corners.argmin(axis=1)], axis=1)
    way = np.where(np.minimum(v[:, 1], v[:, 5]) < np.minimum(v[:, 2], v[:, 4]), 0, 1)
    return np.take_along_axis(v[:, None, :].repeat(3, axis=1), WEDGE_CUTS[way], axis=2).reshape(-1, 4)


def _pyramids(corners: Ints) -> Ints:
    """Two tetrahedra per pyramid with base 0, 1, 2, 3 and top 4, cut from the lowest node of the base."""
    turn = (corners[:, :4].argmin(axis=1)[:, None] + np.arange(4)) % 4
    a, b, c, d = np.take_along_axis(corners[:, :4], turn, axis=1).T
    top = corners[:, 4]
    return np.concatenate([np.stack([a, b, c, top], axis=1), np.stack([a, c, d, top], axis=1)])
