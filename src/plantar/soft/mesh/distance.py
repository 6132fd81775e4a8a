"""Signed distance of many points to a surface of triangles, by a tree of boxes."""

from __future__ import annotations

import numpy as np

from plantar._jit import njit
from plantar.soft.mesh.mesh import Floats, Ints

Vector = tuple[float, float, float]
LEAF = 6
"""Triangles of a leaf at most."""
FAR = 2.5
"""Distance from a group of triangles, in its radii, beyond which its winding number is that of a dipole."""


class SurfaceTree:
    """Triangles in a binary tree, for distances and winding numbers in logarithmic time.

    The sign is that of the generalised winding number (Jacobson, Kavan & Sorkine-Hornung, ACM Transactions on Graphics
    32, 2013), which small gaps do not harm; far groups of triangles count as dipoles (Barill et al., 37, 2018).

    Args:
        corners: Corners of the triangles (k, 3, 3), normals out of the material.
    """

    def __init__(self, corners: Floats):
        order, box, child = _build(corners)
        self.corners = np.ascontiguousarray(corners[order])
        self.box, self.child = box, child
        self.dipole = _dipoles(self.corners, child)

    def signed_distance(self, points: Floats) -> Floats:
        """Distance of each point (n,), negative inside."""
        p = np.ascontiguousarray(points, dtype=float)
        return _signed(p, self.corners, self.box, self.child, self.dipole)

    def distance(self, points: Floats) -> Floats:
        """Distance of each point (n,)."""
        return _distances(np.ascontiguousarray(points, dtype=float), self.corners, self.box, self.child)


def _build(corners: Floats) -> tuple[Ints, Floats, Ints]:
    """Order of the triangles; boxes (m, 2, 3); children, or first and past triangle with -1 before them (m, 3)."""
    middle = corners.mean(axis=1)
    order = np.arange(len(corners))
    boxes: list[Floats] = []
    children: list[list[int]] = []
    stack = [(0, len(corners), -1, 0)]
    while stack:
        first, past, parent, side = stack.pop()
        number = len(boxes)
        mine = corners[order[first:past]].reshape(-1, 3)
        boxes.append(np.stack([mine.min(axis=0), mine.max(axis=0)]))
        children.append([-1, first, past])
        if parent >= 0:
            children[parent][side] = number
        if past - first > LEAF:
            places = middle[order[first:past]]
            axis = int(np.ptp(places, axis=0).argmax())
            half = (past - first) // 2
            order[first:past] = order[first:past][np.argpartition(places[:, axis], half)]
            children[number] = [0, 0, 0]
            stack += [(first, first + half, number, 1), (first + half, past, number, 2)]
    return order, np.array(boxes), np.array(children)


def _dipoles(corners: Floats, child: Ints) -> Floats:
    """Of each group: middle (3), radius, and the sum of its triangles' areas as vectors (m, 7)."""
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    size = np.linalg.norm(area, axis=1)
    out = np.zeros((len(child), 7))
    spans = np.zeros((len(child), 2), dtype=np.int64)
    # children have higher numbers than their parents
    for i in range(len(child) - 1, -1, -1):
        leaf = child[i, 0] < 0
        spans[i] = child[i, 1:] if leaf else (spans[child[i, 1], 0], spans[child[i, 2], 1])
        span = slice(*spans[i])
        weight = size[span] + 1e-300
        centre = weight @ corners[span].mean(axis=1) / weight.sum()
        radius = np.linalg.norm(corners[span].reshape(-1, 3) - centre, axis=1).max()
        out[i] = [*centre, radius, *area[span].sum(axis=0)]
    return out


@njit()
def _signed(points: Floats, corners: Floats, box: Floats, child: Ints, dipole: Floats) -> Floats:
    out = _distances(points, corners, box, child)
    stack = np.empty(128, np.int64)
    for i in range(len(points)):
        if _winding(points[i], corners, child, dipole, stack) > 2 * np.pi:
            out[i] = -out[i]
    return out


@njit()
def _distances(points: Floats, corners: Floats, box: Floats, child: Ints) -> Floats:
    out = np.empty(len(points))
    stack = np.empty(128, np.int64)
    for i in range(len(points)):
        p = points[i]
        nearest, top = np.inf, 1
        stack[0] = 0
        while top:
            top -= 1
            node = stack[top]
            if _to_box(p, box[node]) >= nearest:
                continue
            if child[node, 0] < 0:
                for t in range(child[node, 1], child[node, 2]):
                    a, b, c = _seen(p, corners[t])
                    nearest = min(nearest, _squared_distance(a, b, c))
            else:
                left, right = child[node, 1], child[node, 2]
                # the nearer child is looked at first
                swap = _to_box(p, box[left]) < _to_box(p, box[right])
                stack[top], stack[top + 1] = (right, left) if swap else (left, right)
                top += 2
        out[i] = np.sqrt(nearest)
    return out


@njit()
def _winding(p: Floats, corners: Floats, child: Ints, dipole: Floats, stack: Ints) -> float:
    """Solid angle of the surface seen from p."""
    total, top = 0.0, 1
    stack[0] = 0
    while top:
        top -= 1
        node = stack[top]
        d = dipole[node]
        x, y, z = d[0] - p[0], d[1] - p[1], d[2] - p[2]
        squared = x * x + y * y + z * z
        if squared > (FAR * d[3]) ** 2:
            total += (x * d[4] + y * d[5] + z * d[6]) / (squared * np.sqrt(squared))
        elif child[node, 0] < 0:
            for t in range(child[node, 1], child[node, 2]):
                a, b, c = _seen(p, corners[t])
                total += _solid_angle(a, b, c)
        else:
            stack[top], stack[top + 1] = child[node, 1], child[node, 2]
            top += 2
    return total


@njit(inline="always")
def _to_box(p: Floats, box: Floats) -> float:
    total = 0.0
    for k in range(3):
        d = max(box[0, k] - p[k], 0.0, p[k] - box[1, k])
        total += d * d
    return total


@njit(inline="always")
def _seen(p: Floats, corner: Floats) -> tuple[Vector, Vector, Vector]:
    """The corners of a triangle from p."""
    return (
        (corner[0, 0] - p[0], corner[0, 1] - p[1], corner[0, 2] - p[2]),
        (corner[1, 0] - p[0], corner[1, 1] - p[1], corner[1, 2] - p[2]),
        (corner[2, 0] - p[0], corner[2, 1] - p[1], corner[2, 2] - p[2]),
    )


@njit(inline="always")
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(inline="always")
def _minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@njit(inline="always")
def _solid_angle(a: Vector, b: Vector, c: Vector) -> float:
    """Solid angle of a triangle seen from the origin (van Oosterom & Strackee 1983), positive from inside."""
    la, lb, lc = np.sqrt(_dot(a, a)), np.sqrt(_dot(b, b)), np.sqrt(_dot(c, c))
    triple = (
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )
    return 2 * np.arctan2(triple, la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb)


@njit()
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


@njit(inline="always")
def _squared_to_segment(a: Vector, b: Vector) -> float:
    ab = _minus(b, a)
    length = _dot(ab, ab)
    t = 0.0 if length == 0 else min(1.0, max(0.0, -_dot(a, ab) / length))
    px, py, pz = a[0] + t * ab[0], a[1] + t * ab[1], a[2] + t * ab[2]
    return px * px + py * py + pz * pz
