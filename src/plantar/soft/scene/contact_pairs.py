"""Which points are near an obstacle or a surface."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plantar._jit import njit
from plantar.soft.fem.beam_kernels import quat_matrix
from plantar.soft.fem.turning import rotation_matrix
from plantar.soft.mesh.triangles import nearest_on_surface, vertex_normals
from plantar.soft.scene.obstacle import Obstacle, Surface
from plantar.soft.solve.state import State

if TYPE_CHECKING:
    from plantar.soft.solve.system import System

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """Points near something."""

    point: np.ndarray
    """Numbers of the points."""
    position: Floats
    """Their places."""
    gap: Floats
    """Signed distances."""
    normal: Floats
    """Directions away from what they are near to."""
    blocks: np.ndarray
    """Blocks of the other body (n, 3), or (n, 0)."""
    weights: Floats
    """Weights of those blocks."""
    frame: int | None
    """Frame that carries the obstacle."""


def find_obstacle(
    obstacle: Obstacle, p: Floats, reach: float, depth: float, frame: int | None, system: System, state: State
) -> Found:
    """Points within `reach` of a rigid obstacle."""
    q, R = p, None
    if frame is not None:
        # the obstacle is described at rest: bring the points there
        block = system.frame_block[frame]
        R = rotation_matrix(state.quat[frame]) @ rotation_matrix(system.quat0[frame]).T
        q = (p - state.x[block]) @ R + system.x0[block]
    solid = isinstance(obstacle, Surface)
    gap, normal = obstacle.distance(q, max(reach, depth) if solid else reach)
    near = np.flatnonzero((gap < reach) & (gap > -depth if solid else True))
    n = np.array(normal[near])
    if R is not None:
        n = n @ R.T
    empty = np.zeros((len(near), 0))
    return Found(near, p[near], gap[near], n, empty.astype(np.int64), empty, frame)


def find_surface(
    p: Floats, x: Floats, offset: int, triangles: np.ndarray, reach: float, depth: float, forbidden: np.ndarray | None
) -> Found:
    """Points within `reach` of the surface of a soft body."""
    nodes = x[offset : offset + int(triangles.max()) + 1]
    normals = vertex_normals(nodes, triangles)
    gap, normal, triangle, weights = nearest_on_surface(p, nodes, triangles, normals, max(reach, depth), forbidden)
    near = np.flatnonzero((gap < reach) & (gap > -depth))
    blocks = triangles[triangle[near]] + offset
    return Found(near, p[near], gap[near], normal[near], blocks, weights[near], None)


def forbidden_pairs(
    p: Floats, numbers: np.ndarray | None, nodes: Floats, triangles: np.ndarray, margin: float
) -> np.ndarray:
    """Pairs of a point and a triangle of its own body that are neighbours at rest, as point * m + triangle."""
    from scipy.spatial import KDTree  # noqa: PLC0415

    corners = nodes[triangles]
    centre = corners.mean(axis=1)
    radius = np.linalg.norm(corners - centre[:, None], axis=2).max(axis=1)
    near = KDTree(centre).query_ball_point(p, 2 * margin + 2 * float(radius.max()))
    m = len(triangles)
    ring = _ring(triangles, len(nodes))
    keys = []
    for i, candidates in enumerate(near):
        mine = set() if numbers is None else ring[int(numbers[i])]
        for t in candidates:
            close = np.linalg.norm(corners[t] - p[i], axis=1).min() < 2 * margin
            if close or any(int(v) in mine for v in triangles[t]):
                keys.append(i * m + t)
    return np.array(sorted(keys), dtype=np.int64)


def _ring(triangles: np.ndarray, count: int) -> list[set[int]]:
    ring: list[set[int]] = [{i} for i in range(count)]
    for a, b, c in triangles.tolist():
        ring[a] |= {b, c}
        ring[b] |= {a, c}
        ring[c] |= {a, b}
    return ring


@njit()
def frames(normal):
    """Normals with two tangents each (n, 3, 3)."""
    out = np.empty((len(normal), 3, 3))
    for i in range(len(normal)):
        n, t = normal[i], out[i, 1]
        axis = 0 if abs(n[0]) < 0.9 else 1
        for c in range(3):
            out[i, 0, c] = n[c]
            t[c] = (1.0 if c == axis else 0.0) - n[axis] * n[c]
        t /= math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
        for c in range(3):
            j, k = (c + 1) % 3, (c + 2) % 3
            out[i, 2, c] = n[j] * t[k] - n[k] * t[j]
    return out


@njit()
def contact_rows(
    point, position, gap, direction, blocks, weights, start, block, weight, frame, arm, quat, carrier, centre, H
):
    """Derivatives of gaps and slips by all blocks into H: plus for the point, minus for what it touches."""
    R, r, d = np.empty((3, 3)), np.empty(3), np.empty(3)
    per = direction.shape[1]
    for i in range(len(point)):
        for k in range(per):
            row = H[per * i + k]
            for c in range(3):
                d[c] = direction[i, k, c]
            for t in range(start[point[i]], start[point[i] + 1]):
                for c in range(3):
                    row[block[t], c] += weight[t] * d[c]
                if frame[t] >= 0:
                    quat_matrix(quat[frame[t]], R)
                    for c in range(3):
                        r[c] = R[c, 0] * arm[t, 0] + R[c, 1] * arm[t, 1] + R[c, 2] * arm[t, 2]
                    _add_moment(row, block[t] + 1, weight[t], r, d)
            for j in range(blocks.shape[1]):
                for c in range(3):
                    row[blocks[i, j], c] -= weights[i, j] * d[c]
            if carrier >= 0:
                for c in range(3):
                    row[carrier, c] -= d[c]
                    r[c] = position[i, c] - gap[i] * direction[i, 0, c] - centre[c]
                _add_moment(row, carrier + 1, -1.0, r, d)


@njit()
def _add_moment(row, block, w, r, d):
    row[block, 0] += w * (r[1] * d[2] - r[2] * d[1])
    row[block, 1] += w * (r[2] * d[0] - r[0] * d[2])
    row[block, 2] += w * (r[0] * d[1] - r[1] * d[0])
