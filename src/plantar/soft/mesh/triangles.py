"""Nearest points on triangles."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from plantar._jit import njit

Floats = NDArray[np.float64]


def vertex_normals(nodes: Floats, triangles: np.ndarray) -> Floats:
    """Unit normals of the vertices, weighted by the angles of the triangles."""
    normals = np.zeros_like(nodes)
    a, b, c = (nodes[triangles[:, i]] for i in range(3))
    face = np.cross(b - a, c - a)
    face /= np.maximum(np.linalg.norm(face, axis=1), 1e-300)[:, None]
    for i, (p, q, r) in enumerate(((a, b, c), (b, c, a), (c, a, b))):
        u, v = q - p, r - p
        cosine = np.einsum("ij,ij->i", u, v) / np.maximum(np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1), 1e-300)
        np.add.at(normals, triangles[:, i], np.arccos(np.clip(cosine, -1, 1))[:, None] * face)
    return normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]


def nearest_on_surface(
    p: Floats, nodes: Floats, triangles: np.ndarray, normals: Floats, reach: float, forbidden: np.ndarray | None = None
) -> tuple[Floats, Floats, np.ndarray, Floats]:
    """Nearest point of a surface to each place within `reach`.

    Args:
        p: Places (n, 3).
        nodes: Vertices of the surface.
        triangles: Triangles (m, 3).
        normals: Unit normals of the vertices, which give the sign.
        reach: Farthest distance of interest.
        forbidden: Pairs (place, triangle) that do not count, as place * m + triangle, sorted.

    Returns:
        Signed distance (inf where nothing is near), normal, triangle (-1 where none) and weights of its corners.
    """
    corners = nodes[triangles]
    centre = corners.mean(axis=1)
    radius = float(np.linalg.norm(corners - centre[:, None], axis=2).max())
    near = KDTree(centre).query_ball_point(p, reach + radius)
    count = np.array([len(c) for c in near])
    start = np.concatenate([[0], np.cumsum(count)])
    candidates = (
        np.concatenate([np.asarray(sorted(c), dtype=np.int64) for c in near]) if len(near) else np.zeros(0, np.int64)
    )
    gap, normal = np.full(len(p), np.inf), np.zeros((len(p), 3))
    triangle, weights = np.full(len(p), -1), np.zeros((len(p), 3))
    no = np.zeros(0, dtype=np.int64) if forbidden is None else forbidden
    _nearest(p, nodes, triangles, normals, start, candidates, no, gap, normal, triangle, weights)
    far = np.abs(gap) > reach
    gap[far], triangle[far] = np.inf, -1
    return gap, normal, triangle, weights


@njit()
def _nearest(p, nodes, triangles, normals, start, candidates, forbidden, gap, normal, triangle, weights):
    w, m = np.empty(3), len(triangles)
    d = np.empty(3)
    for i in range(len(p)):
        best = math.inf
        for t in range(start[i], start[i + 1]):
            f = candidates[t]
            if len(forbidden):
                k = np.searchsorted(forbidden, i * m + f)
                if k < len(forbidden) and forbidden[k] == i * m + f:
                    continue
            closest_weights(p[i], nodes[triangles[f, 0]], nodes[triangles[f, 1]], nodes[triangles[f, 2]], w)
            s = 0.0
            for c in range(3):
                d[c] = p[i, c]
                for v in range(3):
                    d[c] -= w[v] * nodes[triangles[f, v], c]
                s += d[c] * d[c]
            if s < best * (1.0 - 1e-12):
                best = s
                triangle[i] = f
                weights[i] = w
        if best < math.inf:
            _signed(p[i], nodes, triangles[triangle[i]], normals, weights[i], normal[i])
            side = 0.0
            for c in range(3):
                d[c] = p[i, c]
                mean = 0.0
                for v in range(3):
                    d[c] -= weights[i, v] * nodes[triangles[triangle[i], v], c]
                    mean += weights[i, v] * normals[triangles[triangle[i], v], c]
                side += d[c] * mean
            gap[i] = math.sqrt(best) if side >= 0.0 else -math.sqrt(best)
            size = math.sqrt(best)
            if size > 1e-9 * _extent(nodes, triangles[triangle[i]]):
                for c in range(3):
                    normal[i, c] = d[c] / gap[i]


@njit()
def _extent(nodes, tri):
    s = 0.0
    for c in range(3):
        s += (nodes[tri[1], c] - nodes[tri[0], c]) ** 2
    return math.sqrt(s)


@njit()
def _signed(p, nodes, tri, normals, w, out):
    """Normal of the face, for a place that is on it."""
    a, b, c = nodes[tri[0]], nodes[tri[1]], nodes[tri[2]]
    u, v = b - a, c - a
    out[0], out[1], out[2] = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    s = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2)
    for k in range(3):
        out[k] /= max(s, 1e-300)


@njit()
def closest_weights(p, a, b, c, w):
    """Weights of the corners at the point of triangle a b c nearest to p (Ericson 2005, section 5.1.5)."""
    ab, ac, ap = b - a, c - a, p - a
    d1, d2 = _dot(ab, ap), _dot(ac, ap)
    w[:] = 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        w[0] = 1.0
        return
    bp = p - b
    d3, d4 = _dot(ab, bp), _dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        w[1] = 1.0
        return
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        w[0], w[1] = 1.0 - t, t
        return
    cp = p - c
    d5, d6 = _dot(ab, cp), _dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        w[2] = 1.0
        return
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        w[0], w[2] = 1.0 - t, t
        return
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and (d4 - d3) >= 0.0 and (d5 - d6) >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        w[1], w[2] = 1.0 - t, t
        return
    total = va + vb + vc
    w[1], w[2] = vb / total, vc / total
    w[0] = 1.0 - w[1] - w[2]


@njit()
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
