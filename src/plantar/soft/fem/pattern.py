"""Sparse patterns made once: where element blocks go, and where blocks go in the matrix that is factorised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar._jit import njit


@dataclass(frozen=True)
class Pattern:
    """Upper triangle of a symmetric matrix of 3 x 3 blocks.

    Every unknown of a scene is a block of three numbers: the position of a point, or the position or the
    orientation of a frame.
    """

    size: int
    """Number of block rows."""
    row: np.ndarray
    """Block row of every slot, sorted."""
    col: np.ndarray
    """Block column of every slot, not below the row."""

    def slots(self, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot of every pair of blocks, and whether the stored block is the transpose."""
        flip = i > j
        key = np.where(flip, j, i) * self.size + np.where(flip, i, j)
        slot = np.searchsorted(self.row * self.size + self.col, key)
        return slot.astype(np.int32), flip


def build_pattern(size: int, groups: list[np.ndarray]) -> Pattern:
    """The pattern of `size` blocks whose elements are rows of block numbers in `groups`; diagonals are all there."""
    keys = [np.arange(size, dtype=np.int64) * (size + 1)]
    for blocks in groups:
        elements = np.asarray(blocks, dtype=np.int64)
        for a in range(elements.shape[1]):
            for b in range(a, elements.shape[1]):
                low, high = np.minimum(elements[:, a], elements[:, b]), np.maximum(elements[:, a], elements[:, b])
                keys.append(low * size + high)
    unique = np.unique(np.concatenate(keys))
    return Pattern(size, unique // size, unique % size)


def element_slots(pattern: Pattern, blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slots and transposition flags of all upper blocks (0,0), (0,1), ... of every element."""
    n = blocks.shape[1]
    first, second = np.triu_indices(n)
    return pattern.slots(blocks[:, first].astype(np.int64), blocks[:, second].astype(np.int64))


@njit()
def multiply(row, col, K, v, scale, out):
    """Out += scale[row] * K v with the upper triangle K."""
    for s in range(len(row)):
        i, j = row[s], col[s]
        k, c = K[s], scale[i]
        for a in range(3):
            out[i, a] += c * (k[a, 0] * v[j, 0] + k[a, 1] * v[j, 1] + k[a, 2] * v[j, 2])
        if i != j:
            for a in range(3):
                out[j, a] += c * (k[0, a] * v[i, 0] + k[1, a] * v[i, 1] + k[2, a] * v[i, 2])


@njit()
def damp(row, col, K, v, alpha, mass, beta, h, out):
    """Out -= alpha M v + (h + beta) K v with the upper triangle K."""
    for i in range(len(v)):
        c = alpha[i] * mass[i]
        for a in range(3):
            out[i, a] -= c * v[i, a]
    for s in range(len(row)):
        i, j = row[s], col[s]
        k, c = K[s], h + beta[i]
        for a in range(3):
            out[i, a] -= c * (k[a, 0] * v[j, 0] + k[a, 1] * v[j, 1] + k[a, 2] * v[j, 2])
        if i != j:
            for a in range(3):
                out[j, a] -= c * (k[0, a] * v[i, 0] + k[1, a] * v[i, 1] + k[2, a] * v[i, 2])


def scalar_pattern(blocks: int, row: np.ndarray, col: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Upper scalar CSR of an upper block pattern.

    Returns:
        indptr, indices, and for every block the positions of its three rows (first kept entry of each).
    """
    order = np.lexsort((col, row))
    row, col = row[order], col[order]
    count = np.bincount(row, minlength=blocks)
    start = np.concatenate([[0], np.cumsum(count)])
    # scalar row 3 i + a holds the tail of the diagonal block and all of the others
    length = (3 * count[:, None] - np.arange(3)[None, :]).ravel()
    indptr = np.concatenate([[0], np.cumsum(length)])
    place = np.arange(len(row)) - start[row]
    at = np.empty((len(row), 3), dtype=np.int64)
    indices = np.empty(indptr[-1], dtype=np.int64)
    for a in range(3):
        at[:, a] = indptr[3 * row + a] + np.where(place == 0, 0, 3 * place - a)
        for b in range(3):
            keep = (place > 0) | (b >= a)
            offset = np.where(place == 0, b - a, b)
            indices[(at[:, a] + offset)[keep]] = 3 * col[keep] + b
    back = np.empty_like(at)
    back[order] = at
    return indptr, indices, back
