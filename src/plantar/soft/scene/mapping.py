"""Points attached to a body: p = J(q), with forces going back through J^T."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar._jit import njit
from plantar.errors import InvalidInput
from plantar.soft.fem.beam_kernels import quat_matrix

Outside = Literal["error", "extrapolate"]
"""What to do with a point outside all tetrahedra: refuse it, or attach it to the one with the nearest centroid."""
INSIDE = -1e-6
"""Least barycentric weight of a point that counts as inside."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Barycentric(Checked):
    """Points given by nodes of a body and weights, as stored in a file."""

    nodes: np.ndarray
    """Nodes of every point (n, k)."""
    weights: np.ndarray
    """Their weights (n, k); those of a point add up to 1, and may be negative."""

    def __post_init__(self) -> None:
        nodes, weights = np.atleast_2d(np.asarray(self.nodes)), np.atleast_2d(np.asarray(self.weights, dtype=float))
        require(nodes.shape == weights.shape, "weights", weights.shape, f"one weight per node: {nodes.shape}")
        sums = weights.sum(axis=1)
        bad = np.flatnonzero(abs(sums - 1) > 1e-5)
        require(
            not len(bad), f"weights of point {bad[:1].tolist()}", sums[bad[:1]].tolist(), "weights that add up to 1"
        )
        object.__setattr__(self, "nodes", nodes.astype(np.int64))
        object.__setattr__(self, "weights", weights)

    def rest(self, X: np.ndarray) -> np.ndarray:
        """Places of the points when the nodes are at X."""
        return np.einsum("pk,pkc->pc", self.weights, X[self.nodes])


def barycentric(
    X: np.ndarray, tets: np.ndarray, points: np.ndarray, outside: Outside = "error", name: str = "points"
) -> Barycentric:
    """Tetrahedron and weights of every point: the one it is deepest in.

    Args:
        X: Nodes (n, 3).
        tets: Tetrahedra (m, 4).
        points: Places (k, 3).
        outside: What to do with points outside all tetrahedra.
        name: Name of the points, for the message.

    Raises:
        InvalidInput: If a point is in no tetrahedron and `outside` is `error`.
    """
    points = np.atleast_2d(np.asarray(points, dtype=float))
    corner = X[tets[:, 0]]
    inverse = np.linalg.inv((X[tets[:, 1:]] - corner[:, None]).transpose(0, 2, 1))
    centre = X[tets].mean(axis=1)
    nodes, weights = np.empty((len(points), 4), dtype=np.int64), np.empty((len(points), 4))
    for i, p in enumerate(points):
        w = np.einsum("mij,mj->mi", inverse, p - corner)
        w = np.column_stack([1 - w.sum(axis=1), w])
        best = int(np.argmax(w.min(axis=1)))
        if w[best].min() < INSIDE:
            if outside == "error":
                gap = float(np.linalg.norm(X - p, axis=1).min())
                raise InvalidInput(
                    f"{name}: point {i} at {np.round(p, 6).tolist()} is outside the body, {gap:.3g} from its nearest "
                    "node: move it inside, or give outside='extrapolate'"
                )
            best = int(np.argmin(np.linalg.norm(centre - p, axis=1)))
        nodes[i], weights[i] = tets[best], w[best]
    return Barycentric(nodes=nodes, weights=weights)


class PointMap:
    """Points on blocks of a scene: each is a weighted sum of block positions, with an arm where the block is a frame.

    Args:
        start: Where the terms of each point begin (n + 1).
        block: Block of every term.
        weight: Weight of every term.
        frame: Frame of every term, or -1.
        arm: Arm of every term in the axes of its frame (k, 3).
    """

    def __init__(self, start: np.ndarray, block: np.ndarray, weight: np.ndarray, frame: np.ndarray, arm: np.ndarray):
        self.start, self.block, self.weight = start.astype(np.int32), block.astype(np.int32), weight.astype(float)
        self.frame, self.arm = frame.astype(np.int32), np.ascontiguousarray(arm, dtype=float)

    def __len__(self) -> int:
        return len(self.start) - 1

    def positions(self, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Places of the points."""
        out = np.empty((len(self), 3))
        _positions(self.start, self.block, self.weight, self.frame, self.arm, x, quat, out)
        return out

    def velocities(self, v: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Velocities of the points."""
        out = np.empty((len(self), 3))
        _velocities(self.start, self.block, self.weight, self.frame, self.arm, v, quat, out)
        return out

    def pull(self, forces: np.ndarray, quat: np.ndarray, out: np.ndarray) -> None:
        """Add forces on the points to the blocks: out += J^T forces."""
        _pull(self.start, self.block, self.weight, self.frame, self.arm, forces, quat, out)

    def __getitem__(self, index: np.ndarray) -> PointMap:
        """The map of some of the points."""
        index = np.asarray(index)
        count = np.diff(self.start)[index]
        terms = (
            np.concatenate([np.arange(int(self.start[i]), int(self.start[i + 1])) for i in index]) if len(index) else []
        )
        terms = np.asarray(terms, dtype=np.int64)
        start = np.concatenate([[0], np.cumsum(count)])
        return PointMap(start, self.block[terms], self.weight[terms], self.frame[terms], self.arm[terms])


def join(maps: list[PointMap]) -> PointMap:
    """Points of several maps in a row."""
    counts = np.concatenate([np.diff(m.start) for m in maps])
    start = np.concatenate([[0], np.cumsum(counts)])
    parts = [np.concatenate([getattr(m, k) for m in maps]) for k in ("block", "weight", "frame", "arm")]
    return PointMap(start, *parts)


def map_nodes(mapping: Barycentric, offset: int) -> PointMap:
    """Points on nodes of a body whose first block is `offset`."""
    n, k = mapping.nodes.shape
    block, weight = (mapping.nodes + offset).ravel(), mapping.weights.ravel()
    return PointMap(np.arange(n + 1) * k, block, weight, np.full(n * k, -1), np.zeros((n * k, 3)))


def map_frames(frames: np.ndarray, blocks: np.ndarray, weights: np.ndarray, arms: np.ndarray) -> PointMap:
    """Points (n) attached to k frames each, with arms in the axes of the frames (n, k, 3)."""
    n, k = frames.shape
    return PointMap(np.arange(n + 1) * k, blocks.ravel(), weights.ravel(), frames.ravel(), arms.reshape(-1, 3))


@njit()
def _positions(start, block, weight, frame, arm, x, quat, out):
    R = np.empty((3, 3))
    for p in range(len(start) - 1):
        a = b = c = 0.0
        for t in range(start[p], start[p + 1]):
            i, w = block[t], weight[t]
            a += w * x[i, 0]
            b += w * x[i, 1]
            c += w * x[i, 2]
            if frame[t] >= 0:
                quat_matrix(quat[frame[t]], R)
                r = arm[t]
                a += w * (R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2])
                b += w * (R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2])
                c += w * (R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2])
        out[p, 0], out[p, 1], out[p, 2] = a, b, c


@njit()
def _velocities(start, block, weight, frame, arm, v, quat, out):
    R, r = np.empty((3, 3)), np.empty(3)
    for p in range(len(start) - 1):
        out[p] = 0.0
        for t in range(start[p], start[p + 1]):
            i, w = block[t], weight[t]
            for k in range(3):
                out[p, k] += w * v[i, k]
            if frame[t] >= 0:
                quat_matrix(quat[frame[t]], R)
                for k in range(3):
                    r[k] = R[k, 0] * arm[t, 0] + R[k, 1] * arm[t, 1] + R[k, 2] * arm[t, 2]
                o = v[i + 1]
                out[p, 0] += w * (o[1] * r[2] - o[2] * r[1])
                out[p, 1] += w * (o[2] * r[0] - o[0] * r[2])
                out[p, 2] += w * (o[0] * r[1] - o[1] * r[0])


@njit()
def _pull(start, block, weight, frame, arm, force, quat, out):
    R, r = np.empty((3, 3)), np.empty(3)
    for p in range(len(start) - 1):
        g = force[p]
        for t in range(start[p], start[p + 1]):
            i, w = block[t], weight[t]
            for k in range(3):
                out[i, k] += w * g[k]
            if frame[t] >= 0:
                quat_matrix(quat[frame[t]], R)
                for k in range(3):
                    r[k] = R[k, 0] * arm[t, 0] + R[k, 1] * arm[t, 1] + R[k, 2] * arm[t, 2]
                out[i + 1, 0] += w * (r[1] * g[2] - r[2] * g[1])
                out[i + 1, 1] += w * (r[2] * g[0] - r[0] * g[2])
                out[i + 1, 2] += w * (r[0] * g[1] - r[1] * g[0])
