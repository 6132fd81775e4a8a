"""Few elements that represent all: energy-conserving sampling and weighting.

After Farhat, Avery, Chapman & Cortial, International Journal for Numerical Methods in Engineering 98 (2014): weights
that are not negative, and zero for most elements, are chosen so that the work of the internal forces in every mode and
every snapshot is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.linalg

from plantar.soft.fem.groups import TetGroup
from plantar.soft.fem.pattern import build_pattern
from plantar.soft.mesh.mesh import Floats, Ints


def element_work(group: TetGroup, rest: Floats, states: Iterable[tuple[Floats, Floats]]) -> Floats:
    """Work of each element's forces in each mode at each state (states x modes, elements).

    Args:
        group: Tetrahedra.
        rest: Rest positions of all blocks (n, 3).
        states: Positions of all blocks (n, 3), and their motion in each mode there (n, 3, m).
    """
    count = len(group.blocks)
    loose = np.arange(4 * count).reshape(-1, 4)
    alone = TetGroup(rest[group.blocks].reshape(-1, 3), loose, 0, group.material, group.mu / group.material.lame[1])
    pattern = build_pattern(4 * count, [alone.blocks])
    alone.place(pattern)
    K, f = np.zeros((len(pattern.row), 3, 3)), np.zeros((4 * count, 3))
    rows = []
    for x, modes in states:
        f[:], K[:] = 0.0, 0.0
        alone.add(np.ascontiguousarray(x[group.blocks].reshape(-1, 3)), np.zeros((0, 4)), f, K, False)
        rows.append(np.matmul(f.reshape(count, 1, 12), modes[group.blocks].reshape(count, 12, -1))[:, 0].T)
    return np.concatenate(rows)


def balanced(G: Floats, modes: int) -> Floats:
    """The same work with each mode's rows scaled to equal size, so that soft modes count as much as stiff ones."""
    total = G.sum(axis=1).reshape(-1, modes)
    size = np.sqrt((total**2).mean(axis=0))
    scale = 1 / np.maximum(size, 1e-3 * size.max())
    return G * np.tile(scale, len(total))[:, None]


def sparse_weights(G: Floats, *, tolerance: float, most: int) -> tuple[Ints, Floats]:
    """Elements and weights w >= 0 with |G w - G 1| <= tolerance |G 1|, by greedy non-negative least squares.

    Elements come one by one at first, then a twentieth of those chosen at a time.

    Returns:
        Columns that are kept (k,), and their weights (k,).
    """
    fit = _Fit(G)
    goal = tolerance * float(np.linalg.norm(fit.b))
    ranking = G.T.astype(np.float32)  # half the memory to go through, and it only ranks
    residual, single = fit.b, False
    while np.linalg.norm(residual) > goal and len(fit.chosen) < most:
        gain = ranking @ residual.astype(np.float32)
        gain[fit.chosen] = -np.inf
        count = 1 if single else min(max(1, len(fit.chosen) // 20), most - len(fit.chosen))
        best = [int(i) for i in np.argsort(-gain, kind="stable")[:count] if gain[i] > 0]
        if not best:
            break
        fit.add(best)
        before, residual = np.linalg.norm(residual), fit.residual()
        stalled = not np.linalg.norm(residual) < before
        if stalled and single:
            break
        single = stalled  # several at a time may all be in each other's way; the best alone is not
    order = np.argsort(fit.chosen)
    return np.asarray(fit.chosen, dtype=np.int64)[order], fit.weights[order]


class _Fit:
    """Non-negative least squares over some columns (Lawson & Hanson), by normal equations that grow with them."""

    def __init__(self, G: Floats):
        self.size = np.maximum(np.linalg.norm(G, axis=0), 1e-300)
        self.columns, self.b = G / self.size, G.sum(axis=1)
        self.chosen: list[int] = []
        self.normal, self.right, self._scaled = np.zeros((0, 0)), np.zeros(0), np.zeros(0)

    @property
    def weights(self) -> Floats:
        """Weights of the chosen columns."""
        return self._scaled / self.size[self.chosen]

    def residual(self) -> Floats:
        """What the chosen columns leave."""
        return self.b - self.columns[:, self.chosen] @ self._scaled

    def add(self, new: list[int]) -> None:
        """Take these columns too; those that would go negative leave."""
        extra = self.columns[:, new]
        cross = self.columns[:, self.chosen].T @ extra
        self.normal = np.block([[self.normal, cross], [cross.T, extra.T @ extra]])
        self.right = np.append(self.right, extra.T @ self.b)
        self.chosen, w = [*self.chosen, *new], np.append(self._scaled, np.zeros(len(new)))
        while True:
            z = self._least_squares()
            bad = z <= 0
            if not bad.any():
                self._scaled = z
                return
            step = float(np.min(w[bad] / np.maximum(w[bad] - z[bad], 1e-300)))
            w = w + step * (z - w)
            keep = ~(bad & (w <= 1e-12 * max(float(w.max()), 1e-300)))
            if keep.all():
                keep[np.flatnonzero(bad)[0]] = False
            w, self.right, self.normal = w[keep], self.right[keep], self.normal[np.ix_(keep, keep)]
            self.chosen = [c for c, k in zip(self.chosen, keep, strict=True) if k]

    def _least_squares(self) -> Floats:
        try:
            factor = scipy.linalg.cho_factor(self.normal)
        except scipy.linalg.LinAlgError:  # columns that depend on each other
            return np.asarray(np.linalg.lstsq(self.columns[:, self.chosen], self.b, rcond=None)[0], dtype=np.float64)
        return np.asarray(scipy.linalg.cho_solve(factor, self.right), dtype=np.float64)
