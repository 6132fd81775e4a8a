"""Cholesky factors of small matrices of 3 x 3 blocks, where the calls of a library cost more than the arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar._jit import njit
from plantar.soft.solve.factor import Factor

BLOCKS, PRODUCTS = 400, 40_000
"""Most block rows, and most products of blocks in a factorisation, for which this is faster than a library."""
NEARLY_SINGULAR = 1e-10
"""Fraction of its own diagonal that a pivot keeps at least; what keeps less is left to the library."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Order of elimination and where everything goes; made once."""

    order: np.ndarray
    """Block rows in the order of their elimination."""
    ptr: np.ndarray
    """Where the blocks of each column of the factor begin."""
    ind: np.ndarray
    """Row of each block of the factor, rising within a column."""
    target: np.ndarray
    """Block of the factor that each product is taken from, in the order of the products."""
    at: np.ndarray
    """Places of the three scalar rows of each block of the matrix in its values."""
    place: np.ndarray
    """Where each block of the matrix goes: a block of the factor, or -1 - its column on the diagonal."""
    flip: np.ndarray
    """Whether it goes there as its transpose."""


def make_plan(size: int, row: np.ndarray, col: np.ndarray, at: np.ndarray) -> Plan | None:
    """The plan for upper blocks (row, col) whose scalar rows are `at` in the values; None where a library is faster."""
    columns = _eliminate(size, row, col) if size <= BLOCKS else None
    if columns is None:
        return None
    order = np.array(list(columns))
    number = np.empty(size, dtype=np.int64)
    number[order] = np.arange(size)
    rows = [sorted(int(number[k]) for k in below) for below in columns.values()]
    ptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int32)
    pairs = ((i, j) for j, r in enumerate(rows) for i in r)
    where = {pair: place for place, pair in enumerate(pairs)}
    target = [where[r[b], r[a]] for r in rows for a in range(len(r)) for b in range(a + 1, len(r))]
    i, j = number[row], number[col]
    ends = zip(i.tolist(), j.tolist(), strict=True)
    place = np.array([-1 - a if a == b else where[max(a, b), min(a, b)] for a, b in ends], dtype=np.int32)
    ind = np.array([i for i, _ in where], dtype=np.int32)
    return Plan(order, ptr, ind, np.array(target, dtype=np.int32), at, place, i < j)


def _eliminate(size: int, row: np.ndarray, col: np.ndarray) -> dict[int, set[int]] | None:
    """Blocks by least degree, each with those still there that it is coupled to; None if that takes too much."""
    near: list[set[int]] = [set() for _ in range(size)]
    for i, j in zip(row.tolist(), col.tolist(), strict=True):
        if i != j:
            near[i].add(j)
            near[j].add(i)
    left, columns, products = set(range(size)), {}, 0
    while left:
        pivot = min(left, key=lambda k: (len(near[k]), k))
        columns[pivot] = below = near[pivot]
        products += len(below) * (len(below) + 1) // 2
        if products > PRODUCTS:
            return None
        left.remove(pivot)
        for k in below:
            near[k] |= below
            near[k] -= {k, pivot}
    return columns


class SmallFactor:
    """A factor by the plan; a matrix that is not safely positive definite goes to the library instead.

    Args:
        plan: Where everything goes.
        library: The same matrix in a sparse library.

    Attributes:
        definite: Whether the last matrix was, so that no library was asked.
    """

    def __init__(self, plan: Plan, library: Factor):
        self._plan, self._library = plan, library
        self._diagonal, self._low = np.zeros((len(plan.order), 9)), np.zeros((len(plan.ind), 9))
        self.definite = False

    def update(self, data: np.ndarray) -> None:
        """Factorise with new values."""
        p = self._plan
        self._low.fill(0.0)
        _fill(data, p.at, p.place, p.flip, self._diagonal, self._low)
        self.definite = _factorise(p.ptr, p.ind, p.target, self._diagonal, self._low)
        if not self.definite:
            self._library.update(data)

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Solve for rows of `b`."""
        if not self.definite:
            return self._library.solve(b)
        p, x = self._plan, np.empty(b.shape)
        size = (-1, len(p.order), 3)
        _solve(p.order, p.ptr, p.ind, self._diagonal, self._low, b.reshape(size), x.reshape(size))
        return x


@njit()
def _fill(data, at, place, flip, diagonal, low):
    """Blocks of the upper values in their places."""
    for n in range(len(place)):
        if place[n] < 0:
            d = diagonal[-1 - place[n]]
            d[0], d[3], d[6] = data[at[n, 0]], data[at[n, 0] + 1], data[at[n, 0] + 2]
            d[4], d[7] = data[at[n, 1]], data[at[n, 1] + 1]
            d[8] = data[at[n, 2]]
            continue
        x = low[place[n]]
        for i in range(3):
            for j in range(3):
                x[3 * j + i if flip[n] else 3 * i + j] = data[at[n, i] + j]


@njit(fastmath={"contract", "nsz", "arcp"})
def _factorise(ptr, ind, target, diagonal, low):
    """Columns one by one, each taken from those to its right; diagonals end as their factor with inverse pivots."""
    # the diagonal of the matrix lies in the unused corners, to compare pivots with
    for d in diagonal:
        d[1], d[2], d[5] = NEARLY_SINGULAR * d[0], NEARLY_SINGULAR * d[4], NEARLY_SINGULAR * d[8]
    t = 0
    for j in range(len(diagonal)):
        d = diagonal[j]
        if not d[0] > d[1]:
            return False
        a = 1.0 / math.sqrt(d[0])
        l10, l20 = d[3] * a, d[6] * a
        s = d[4] - l10 * l10
        if not s > d[2]:
            return False
        b = 1.0 / math.sqrt(s)
        l21 = (d[7] - l20 * l10) * b
        s = d[8] - l20 * l20 - l21 * l21
        if not s > d[5]:
            return False
        c = 1.0 / math.sqrt(s)
        d[0], d[3], d[4], d[6], d[7], d[8] = a, l10, b, l20, l21, c
        for p in range(ptr[j], ptr[j + 1]):
            x = low[p]
            for r in range(3):
                u = x[3 * r] * a
                v = (x[3 * r + 1] - u * l10) * b
                x[3 * r], x[3 * r + 1], x[3 * r + 2] = u, v, (x[3 * r + 2] - u * l20 - v * l21) * c
        for p in range(ptr[j], ptr[j + 1]):
            x = low[p]
            x0, x1, x2, x3, x4, x5, x6, x7, x8 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]
            d = diagonal[ind[p]]
            d[0] -= x0 * x0 + x1 * x1 + x2 * x2
            d[3] -= x3 * x0 + x4 * x1 + x5 * x2
            d[4] -= x3 * x3 + x4 * x4 + x5 * x5
            d[6] -= x6 * x0 + x7 * x1 + x8 * x2
            d[7] -= x6 * x3 + x7 * x4 + x8 * x5
            d[8] -= x6 * x6 + x7 * x7 + x8 * x8
            for q in range(p + 1, ptr[j + 1]):
                y, z = low[q], low[target[t]]
                t += 1
                for r in range(3):
                    u, v, w = y[3 * r], y[3 * r + 1], y[3 * r + 2]
                    z[3 * r] -= u * x0 + v * x1 + w * x2
                    z[3 * r + 1] -= u * x3 + v * x4 + w * x5
                    z[3 * r + 2] -= u * x6 + v * x7 + w * x8
    return True


@njit(fastmath={"contract", "nsz", "arcp"})
def _solve(order, ptr, ind, diagonal, low, b, x):
    """Forwards and back for every row of `b`; what is under way is kept in the order of elimination."""
    n = len(order)
    y = np.empty((n, 3))
    for k in range(len(b)):
        for j in range(n):
            y[j] = b[k, order[j]]
        for j in range(n):
            d = diagonal[j]
            u = y[j, 0] * d[0]
            v = (y[j, 1] - d[3] * u) * d[4]
            w = (y[j, 2] - d[6] * u - d[7] * v) * d[8]
            y[j, 0], y[j, 1], y[j, 2] = u, v, w
            for p in range(ptr[j], ptr[j + 1]):
                f, z = low[p], y[ind[p]]
                for r in range(3):
                    z[r] -= f[3 * r] * u + f[3 * r + 1] * v + f[3 * r + 2] * w
        for j in range(n - 1, -1, -1):
            u, v, w = y[j, 0], y[j, 1], y[j, 2]
            for p in range(ptr[j], ptr[j + 1]):
                f, z = low[p], y[ind[p]]
                u -= f[0] * z[0] + f[3] * z[1] + f[6] * z[2]
                v -= f[1] * z[0] + f[4] * z[1] + f[7] * z[2]
                w -= f[2] * z[0] + f[5] * z[1] + f[8] * z[2]
            d = diagonal[j]
            w *= d[8]
            v = (v - d[7] * w) * d[4]
            u = (u - d[3] * v - d[6] * w) * d[0]
            y[j, 0], y[j, 1], y[j, 2] = u, v, w
            i = order[j]
            x[k, i, 0], x[k, i, 1], x[k, i, 2] = u, v, w
