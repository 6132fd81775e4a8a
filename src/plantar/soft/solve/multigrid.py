"""Smoothed aggregation: a preconditioner for large scenes whose cost and memory grow in step with their size.

Nodes are grouped with their neighbours; each group moves as a rigid body on the coarse level, smoothed by one step of
damped Jacobi; the same once more, and the coarsest level is solved exactly. Sweeps are Gauss-Seidel with blocks, down
before and up after the coarse level, in single precision: the preconditioner is symmetric and positive definite
whatever the rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import bsr_array

from plantar.soft.solve import _multigrid_kernels as kernels
from plantar.soft.solve.blocks import BlockMatrix, Sparse

JACOBI = 4.0 / 3.0
"""Damping of the smoothed prolongator, over the largest eigenvalue of D^-1 A."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Coarse levels of a matrix: good for it and, as a preconditioner, for those near it."""

    P: Sparse
    """From the middle level to the nodes."""
    middle: Sparse
    """The matrix of the middle level."""
    Q: Sparse
    """From the coarsest level to the middle one."""
    coarse: np.ndarray
    """The matrix of the coarsest level."""


def build_hierarchy(A: BlockMatrix, x: np.ndarray, frames: np.ndarray) -> Hierarchy:
    """Coarse levels of A.

    Args:
        A: The matrix.
        x: Places of the nodes (n, 3).
        frames: Nodes that are positions of frames; the next node is the frame's orientation.
    """
    fine = A.full()
    alone = np.full(len(x), -1, dtype=np.int64)
    alone[frames] = alone[frames + 1] = np.arange(len(frames))
    group, count = kernels.aggregate(fine.indptr, fine.indices, alone)
    modes = _rigid_modes(x - x.mean(axis=0), frames)
    T, modes = _orthonormal(modes, group, count)
    P = _smooth(fine, A.diagonal, bsr_array((T, group, np.arange(len(x) + 1)), shape=(3 * len(x), 6 * count)))
    middle = _galerkin(P, fine)
    diagonal = _diagonal(middle)
    group, count = kernels.aggregate(middle.indptr, middle.indices, np.full(count, -1, dtype=np.int64))
    T, _ = _orthonormal(modes, group, count)
    n = len(modes)
    Q = _smooth(middle, diagonal, bsr_array((T, group, np.arange(n + 1)), shape=(6 * n, 6 * count)))
    coarse = (Q.T @ (middle @ Q)).toarray()
    empty = np.flatnonzero(coarse.diagonal() <= 1e-14 * coarse.diagonal().max())
    coarse[empty, empty] = 1.0
    return Hierarchy(P, middle, Q, coarse)


def _rigid_modes(r: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Translations and rotations of all nodes (n, 3, 6)."""
    B = np.zeros((len(r), 3, 6))
    B[:, 0, 0] = B[:, 1, 1] = B[:, 2, 2] = 1.0
    B[:, 1, 3], B[:, 2, 3] = -r[:, 2], r[:, 1]
    B[:, 0, 4], B[:, 2, 4] = r[:, 2], -r[:, 0]
    B[:, 0, 5], B[:, 1, 5] = -r[:, 1], r[:, 0]
    B[frames + 1] = np.eye(3, 6, 3)
    return B


def _orthonormal(B: np.ndarray, group: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Modes of each group made orthonormal (n, k, 6), and the old modes in terms of the new (count, 6, 6)."""
    gram = np.zeros((count, 36))
    product = np.einsum("nka,nkb->nab", B, B).reshape(-1, 36)
    for c in range(36):
        gram[:, c] = np.bincount(group, product[:, c], count)
    values, vectors = np.linalg.eigh(gram.reshape(count, 6, 6))
    # a group of one or two nodes cannot turn in all ways: those modes are left out
    kept = values > 1e-9 * values[:, -1:]
    scale = np.where(kept, 1.0 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    T = np.einsum("nka,nab->nkb", B, (vectors * scale[:, None, :])[group])
    back = (vectors * np.where(kept, np.sqrt(np.abs(values)), 0.0)[:, None, :]).transpose(0, 2, 1)
    return T, back


def _smooth(A: Sparse, diagonal: np.ndarray, T: Sparse) -> Sparse:
    """T less one step of damped Jacobi on A T."""
    n = len(diagonal)
    inverse = np.linalg.inv(diagonal)
    v = np.sin(np.arange(A.shape[0], dtype=float))
    size = 1.0
    for _ in range(12):
        v = np.einsum("nab,nb->na", inverse, (A @ v).reshape(n, -1)).ravel()
        size = float(np.linalg.norm(v))
        v /= size
    product = A @ T
    rows = np.repeat(np.arange(n), np.diff(product.indptr))
    step = bsr_array(
        ((JACOBI / size) * (inverse[rows] @ product.data), product.indices, product.indptr), shape=product.shape
    )
    out = T - step
    out.sort_indices()
    return out


def _galerkin(P: Sparse, A: Sparse) -> Sparse:
    """P^T A P in blocks of six; numbers that stand for nothing get a 1 on the diagonal."""
    made = (P.T @ (A @ P)).tobsr((6, 6))
    made.sort_indices()
    place = places(made)
    blocks = made.data
    empty = np.einsum("naa->na", blocks[place])
    for i, a in zip(*np.nonzero(empty <= 1e-14 * empty.max()), strict=True):
        blocks[place[i], a, a] = 1.0
    return made


def places(A: Sparse) -> np.ndarray:
    """Places of the blocks on the diagonal."""
    rows = np.repeat(np.arange(len(A.indptr) - 1), np.diff(A.indptr))
    return np.flatnonzero(A.indices == rows)


def _diagonal(A: Sparse) -> np.ndarray:
    return A.data[places(A)]
