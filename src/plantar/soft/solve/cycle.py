"""The V-cycle of the multigrid: an approximate solution that conjugate gradients are preconditioned with."""

from __future__ import annotations

import numpy as np
from scipy.sparse import bsr_array, csr_array

from plantar.soft.solve import _multigrid_kernels as kernels
from plantar.soft.solve.blocks import BlockMatrix, Sparse
from plantar.soft.solve.multigrid import Hierarchy, places


class Cycles:
    """V-cycles with one matrix and coarse levels of one near it, for different blocks added on its diagonal.

    Args:
        A: The matrix.
        levels: Coarse levels.
    """

    def __init__(self, A: BlockMatrix, levels: Hierarchy):
        P, Q, middle = levels.P, levels.Q, levels.middle
        self.A, self.levels = A, levels
        self.low, self.inverse = A.low.astype(np.float32), np.linalg.inv(A.diagonal)
        self.P = (P.indptr, P.indices, P.data.astype(np.float32))
        self.Q = (Q.indptr, Q.indices, Q.data.astype(np.float32))
        self.place = places(middle)
        self.m_inverse = np.linalg.inv(middle.data[self.place])

    def stiffened(self, node: np.ndarray, stiff: np.ndarray) -> Cycle:
        """The cycle for A with the blocks `stiff` (k, 3, 3) added on the diagonal of some nodes."""
        return Cycle(self, node, stiff)


class Cycle:
    """One V-cycle; see `Cycles`."""

    def __init__(self, base: Cycles, node: np.ndarray, stiff: np.ndarray):
        levels, A = base.levels, base.A
        P, middle, Q, coarse = levels.P, levels.middle, levels.Q, levels.coarse
        inverse, m_inverse, blocks = base.inverse, base.m_inverse, middle.data
        if len(node):
            inverse, m_inverse, blocks = inverse.copy(), m_inverse.copy(), blocks.copy()
            inverse[node] = np.linalg.inv(A.diagonal[node] + stiff)
            kernels.add_stiff(node, stiff, P.indptr, P.indices, P.data, middle.indptr, middle.indices, blocks)
            changed = np.unique(P.indices[_terms(P.indptr, node)])
            m_inverse[changed] = np.linalg.inv(blocks[base.place[changed]])
            slots = _terms(middle.indptr, changed)
            count = np.diff(middle.indptr)[changed]
            ptr = np.concatenate([[0], np.cumsum(count)])
            extra = bsr_array(
                (blocks[slots] - middle.data[slots], middle.indices[slots], ptr),
                shape=(6 * len(changed), middle.shape[1]),
            )
            rows = (6 * changed[:, None] + np.arange(6)).ravel()
            coarse = coarse + (csr_array(Q)[rows].T @ (extra @ Q)).toarray()
        self.fine = (A.ptr, A.ind, base.low, inverse.astype(np.float32))
        middle_blocks = (middle.indptr, middle.indices, base.place)
        self.middle = (*middle_blocks, blocks.astype(np.float32), m_inverse.astype(np.float32))
        self.P, self.Q = base.P, base.Q
        top = np.linalg.inv(coarse)
        self.coarse = 0.5 * (top + top.T)
        n, m = P.shape
        self._room = [np.zeros(k) for k in (n, n, m, m, m, Q.shape[1])]

    def __call__(self, b: np.ndarray) -> np.ndarray:
        """Approximately A^-1 b."""
        f = b
        x, r, c, y, s, d = self._room
        kernels.sweep_down_3(*self.fine, f, x, r)
        kernels.restrict(*self.P, r, c)
        kernels.sweep_down_6(*self.middle, c, y, s)
        kernels.restrict(*self.Q, s, d)
        kernels.prolong(*self.Q, self.coarse @ d, y)
        kernels.sweep_up_6(*self.middle, c, y)
        kernels.prolong(*self.P, y, x)
        kernels.sweep_up_3(*self.fine, f, x, r)
        return x.copy()


class Bordered:
    """A preconditioner with the rank that a few rows add to its matrix (Sherman, Morrison and Woodbury)."""

    def __init__(self, inner: Cycle, H: Sparse, stiff: np.ndarray):
        self.inner = inner
        self.X = np.stack([inner(row) for row in H.toarray()])
        W = H @ self.X.T
        self.small = np.linalg.inv(np.diag(1.0 / stiff) + 0.5 * (W + W.T))

    def __call__(self, b: np.ndarray) -> np.ndarray:
        """Approximately (A + H^T stiff H)^-1 b."""
        return self.inner(b) - self.X.T @ (self.small @ (self.X @ b))


def _terms(ptr: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Places of all terms of some rows."""
    count = np.diff(ptr)[rows]
    first = np.repeat(ptr[rows] - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
    return first + np.arange(int(count.sum()))
