"""Symmetric matrices of 3 x 3 blocks, of which each off the diagonal is stored once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import bsr_array, csr_array

from plantar.soft.solve import _multigrid_kernels as kernels

Sparse = Any
"""A sparse array of SciPy, whose own types do not tell what it holds."""

if TYPE_CHECKING:
    from plantar.soft.solve.system import System


@dataclass(frozen=True, eq=False)
class BlockMatrix:
    """A symmetric matrix of 3 x 3 blocks: the diagonal, and what is below it by rows."""

    ptr: np.ndarray
    """Where the blocks of each row begin."""
    ind: np.ndarray
    """Column of each block, below the row's own number and rising."""
    low: np.ndarray
    """Blocks below the diagonal (k, 3, 3)."""
    diagonal: np.ndarray
    """Blocks on the diagonal (n, 3, 3)."""

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        out = np.empty_like(x)
        kernels.times(self.ptr, self.ind, self.low, self.diagonal, x, out)
        return out

    def full(self) -> Sparse:
        """Both triangles."""
        n = len(self.diagonal)
        row = np.repeat(np.arange(n), np.diff(self.ptr))
        rows = np.concatenate([row, np.arange(n), self.ind])
        cols = np.concatenate([self.ind, np.arange(n), row])
        order = np.lexsort((cols, rows))
        values = np.concatenate([self.low, self.diagonal, self.low.transpose(0, 2, 1)])[order]
        ptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        return bsr_array((values, cols[order], ptr), shape=(3 * n, 3 * n))


class BlockPattern:
    """Where values of an upper scalar matrix go among blocks; made once.

    Args:
        row: Block row of each upper block.
        col: Block column, not below the row.
        at: Places of the three scalar rows of each block in the values.
        size: Number of block rows.
    """

    def __init__(self, row: np.ndarray, col: np.ndarray, at: np.ndarray, size: int):
        off = np.flatnonzero(row != col)
        # what is above the diagonal in a row is below it in a column
        order = off[np.lexsort((row[off], col[off]))]
        self.at, self.row, self.size = at, row, size
        self.place = np.full(len(row), -1, dtype=np.int64)
        self.place[order] = np.arange(len(order))
        self.ptr = np.concatenate([[0], np.cumsum(np.bincount(col[order], minlength=size))]).astype(np.int32)
        self.ind = row[order].astype(np.int32)

    def matrix(self, data: np.ndarray) -> BlockMatrix:
        """The matrix with these upper values."""
        low, diagonal = np.empty((len(self.ind), 3, 3)), np.empty((self.size, 3, 3))
        kernels.lower_blocks(data, self.at, self.place, diagonal, low, self.row)
        return BlockMatrix(self.ptr, self.ind, low, diagonal)


def expansion(system: System) -> Sparse:
    """Motion of the free numbers as motion of all blocks, as a matrix (3 n, dofs)."""
    size, s = len(system.free), system.slaves
    axis = np.arange(3)
    row, col = (3 * system.free[:, None] + axis).ravel(), np.arange(3 * size)
    val = np.ones(3 * size)
    if len(s):
        t, w = 3 * system.number[system.master[s]], 3 * system.number[system.master[s] + 1]
        rows, arm = 3 * s[:, None] + axis, system.arm[s]
        row, col = np.concatenate([row, rows.ravel()]), np.concatenate([col, (t[:, None] + axis).ravel()])
        val = np.concatenate([val, np.ones(3 * len(s))])
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            # w x arm: row a is w_b arm_c - w_c arm_b
            row = np.concatenate([row, rows[:, a], rows[:, a]])
            col = np.concatenate([col, w + b, w + c])
            val = np.concatenate([val, arm[:, c], -arm[:, b]])
    return csr_array((val, (row, col)), shape=(3 * system.size, 3 * size))
