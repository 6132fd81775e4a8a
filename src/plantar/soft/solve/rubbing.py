"""Contacts with friction in large scenes: nodes that touch are swept one by one, all others move between the sweeps.

Each round first sweeps over the nodes that may touch, so that every one of them sticks, slides or is open as it must be
with its neighbours held. Then conjugate gradients move all that this leaves free: nodes that stick are held, nodes that
slide are held along the normal. The step goes as far as the energy falls along it, and friction is bounded again by the
normal forces. (Graeser and Kornhuber: truncated nonsmooth Newton multigrid, 2009.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from plantar.soft.solve import _rubbing_kernels as kernels
from plantar.soft.solve.complementarity import Forces
from plantar.soft.solve.cycle import Bordered
from plantar.soft.solve.row_products import local

if TYPE_CHECKING:
    from plantar.soft.solve.augmented import Search

ROUNDS, SWEEPS = 60, 4
"""Most rounds, and sweeps in each."""
HELD, ROW = 1e3, 10.0
"""Stiffness that stands for a held direction in the preconditioner, and that of other rows, in units of the nodes'."""
CONE = 1e-3
"""Change of the bounds of friction that is left, as a share of the largest."""


class Rubbing:
    """Nodes with friction on what does not move, and a few other rows, such as cables.

    Args:
        search: The search this is part of.
        first: Normal rows of the contacts.
        others: All other rows.
    """

    def __init__(self, search: Search, first: np.ndarray, others: np.ndarray):
        p = self.p = search.p
        self.search, self.others = search, others
        self.rows = (first[:, None] + np.arange(3)).ravel()
        H = csr_array(p.H[self.rows]).tocoo()
        node, way = np.zeros(len(first), dtype=np.int64), np.zeros((len(first), 3, 3))
        node[H.row // 3] = H.col // 3
        way[H.row // 3, H.row % 3, H.col % 3] = H.data
        self.node, self.way, self.friction = node, way, p.rows.friction[first]
        self.at = (3 * node[:, None] + np.arange(3)).ravel()
        self.diagonal = p.A.diagonal[node]
        self.inverse = np.linalg.inv(self.diagonal)
        self.W = p.s**2 * way @ self.inverse @ way.transpose(0, 2, 1)
        self.held = HELD * np.trace(self.diagonal, axis1=1, axis2=2) / 3
        self.near = self._neighbours()
        self.Ho = csr_array(p.H[others])
        self.stiff = ROW / np.maximum(p.s**2 * local(self.Ho, search.cycles.inverse), 1e-300)
        self.low, self.high = p.rows.low[others], p.rows.high[others]

    @classmethod
    def of(cls, search: Search, most: int) -> Rubbing | None:
        """The contacts of a problem; None where some rub on what moves, or more than `most` rows are of other kinds."""
        p = search.p
        felt = np.diff(p.H.indptr) > 0
        first = np.flatnonzero((p.rows.friction >= 0) & felt)
        felt[(first[:, None] + np.arange(3)).ravel()] = False
        # a row of friction belongs to its normal row
        others = np.flatnonzero(felt & (p.rows.friction > -2))
        nodes = p.H.indices[p.H.indptr[first]] // 3
        one = not search.spread[(first[:, None] + np.arange(3)).ravel()].any() and len(np.unique(nodes)) == len(nodes)
        ok = len(first) and one and len(others) <= most and np.array_equal(p.G.data, p.H.data)
        return cls(search, first, others) if ok else None

    def _neighbours(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each node that may touch, its neighbours among them and their blocks."""
        A, n = self.p.A, len(self.node)
        number = np.full(len(A.diagonal), -1)
        number[self.node] = np.arange(n)
        row = np.repeat(np.arange(len(A.diagonal)), np.diff(A.ptr))
        k = np.flatnonzero((number[row] >= 0) & (number[A.ind] >= 0))
        i, j = number[row[k]], number[A.ind[k]]
        to, of = np.concatenate([i, j]), np.concatenate([j, i])
        order = np.argsort(of, kind="stable")
        blocks = np.concatenate([A.low[k], A.low[k].transpose(0, 2, 1)])[order]
        return np.concatenate([[0], np.cumsum(np.bincount(of, minlength=n))]), to[order], blocks

    def run(self, force: np.ndarray, after_impact: Callable[[np.ndarray], np.ndarray | None]) -> Forces:
        """Forces that balance and meet every row.

        Args:
            force: First guess.
            after_impact: Recomputes the rows without force for nearly correct forces; None if they stay.
        """
        p, search = self.p, self.search
        delta = p.delta
        scale = max(float(np.abs(delta).max(initial=0.0)), 1e-4 * p.model.size)
        tolerance = max(p.model.contact_tolerance, 1e-6)
        pushed, pulled = force[self.rows].reshape(-1, 3).copy(), force[self.others].copy()
        bound, taut, last = self.friction * np.maximum(pushed[:, 0], 0), np.zeros(len(pulled), dtype=bool), np.zeros(0)
        off = error = np.inf
        asked, now = False, pulled
        for k in range(ROUNDS):
            w, wo = self._sweep(delta, pushed, pulled, bound)
            now = np.clip(pulled - self.stiff * wo, self.low, self.high)
            inside = (now > self.low) & (now < self.high)
            pull = p.s * (self.Ho.T @ now)
            pull[self.at] += p.s * np.einsum("nk,nkc->nc", pushed, self.way).ravel()
            left = p.b + pull - p.A @ search.u
            size = float(np.linalg.norm(p.b)) + float(np.linalg.norm(pull)) + 1e-3 * search.weight
            gap = float(np.linalg.norm(left)) / size
            on, slides = pushed[:, 0] > 0, np.linalg.norm(pushed[:, 1:], axis=1) >= bound * (1 - 1e-9)
            wanted = self.friction * pushed[:, 0]
            cone = float(np.abs(wanted - bound).max()) / (float(wanted.max()) or 1.0)
            slip = np.abs(w[on & ~slides, 1:]).max(initial=0.0)
            off = (
                max(float(np.abs(wo[inside]).max(initial=0.0)), float(np.abs(w[on, 0]).max(initial=0.0)), slip) / scale
            )
            error = max(gap, off, search.accuracy / CONE * cone)
            # nodes that the first sweeps push are most of those that will land
            if not asked and (k == 0 or gap < 3e-3 or error <= search.accuracy):
                changed = after_impact(self._all(pushed, now))
                asked = k > 0 or changed is not None
                if changed is not None:
                    delta, pulled = changed, now
                    continue
            if not np.isfinite(error) or error <= min(tolerance, search.accuracy):
                break
            same = np.array_equal(last, state := on.astype(int) + (on & slides))
            last = state
            step = self._move(left, w, pushed, bound, on, slides, inside | taut, 0.05 if same else 0.2, size)
            share, taut = self._share(step, w, wo, pulled, bound)
            step *= share
            search.u = search.u + step
            if gap < 1e-2 or same or k % 3 == 2:
                pulled = np.clip(pulled - self.stiff * (wo + p.s * (self.Ho @ step)), self.low, self.high)
            bound = wanted
        return Forces(
            self._all(pushed, now), int(search.iterations), off, bool(error <= 10 * max(tolerance, search.accuracy))
        )

    def _all(self, pushed: np.ndarray, pulled: np.ndarray) -> np.ndarray:
        out = np.zeros(len(self.p.delta))
        out[self.rows], out[self.others] = pushed.ravel(), pulled
        return out

    def _sweep(
        self, delta: np.ndarray, pushed: np.ndarray, pulled: np.ndarray, bound: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Bring the nodes that may touch to balance; returns their gaps and slips, and the other rows."""
        p, u, at = self.p, self.search.u, self.at
        there = delta[self.rows].reshape(-1, 3)
        now = np.clip(pulled - self.stiff * (delta[self.others] + p.s * (self.Ho @ u)), self.low, self.high)
        left = (p.b + p.s * (self.Ho.T @ now) - p.A @ u)[at].reshape(-1, 3)
        left += p.s * np.einsum("nk,nkc->nc", pushed, self.way)
        moved = u[at].reshape(-1, 3)
        kernels.sweeps(
            *(SWEEPS, self.way, bound, self.W, self.inverse, self.diagonal, *self.near),
            *(p.s, there, moved, left, pushed),
        )
        self.search.u = u.copy()
        self.search.u[at] = moved.ravel()
        w = there + p.s * np.einsum("nkc,nc->nk", self.way, moved)
        return w, delta[self.others] + p.s * (self.Ho @ self.search.u)

    def _move(
        self, left: np.ndarray, w: np.ndarray, pushed: np.ndarray, bound: np.ndarray,
        on: np.ndarray, slides: np.ndarray, taut: np.ndarray, share: float, size: float,
    ) -> np.ndarray:  # fmt: skip
        """Conjugate gradients on all that is free to move."""
        p, at = self.p, self.at
        normal, across = self.way[:, 0, :, None] * self.way[:, 0, None, :], np.zeros((len(on), 3, 3))
        slid = on & slides
        keep = np.tile(np.eye(3), (len(on), 1, 1))
        keep[on & ~slides] = 0.0
        keep[slid] -= normal[slid]
        # friction of a node that slides turns with its slip
        way = pushed[slid, 1:] / np.maximum(np.linalg.norm(pushed[slid, 1:], axis=1), 1e-300)[:, None]
        turn = np.eye(2) - way[:, :, None] * way[:, None, :]
        k = p.s**2 * bound[slid] / np.maximum(np.linalg.norm(w[slid, 1:], axis=1), 1e-300)
        T = self.way[slid, 1:]
        across[slid] = np.minimum(k, self.held[slid])[:, None, None] * (T.transpose(0, 2, 1) @ turn @ T)
        held = self.held[:, None, None] * (np.eye(3) - keep)
        cycle = self.search.cycles.stiffened(self.node, held + across)
        rows, stiff = self.Ho[np.flatnonzero(taut)], self.stiff[taut] * p.s**2
        solver = Bordered(cycle, rows, stiff) if taut.any() else cycle
        back = csr_array(rows.T)

        def free(x: np.ndarray) -> np.ndarray:
            x[at] = np.einsum("nab,nb->na", keep, x[at].reshape(-1, 3)).ravel()
            return x

        def product(x: np.ndarray) -> np.ndarray:
            y = p.A @ x + back @ (stiff * (rows @ x))
            y[at] += np.einsum("nab,nb->na", across, x[at].reshape(-1, 3)).ravel()
            return free(y)

        enough = 0.3 * self.search.accuracy * size
        return self.search.gradients(product, lambda x: free(solver(x)), free(left.copy()), enough, share)

    def _share(
        self, step: np.ndarray, w: np.ndarray, wo: np.ndarray, pulled: np.ndarray, bound: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Share of a step to the least energy along it, and the other rows that would pull at its end.

        Nodes that sink in on the way are pushed back as by a spring, so that the step need not stop at the first.
        """
        p, at = self.p, self.at
        change = step[at].reshape(-1, 3)
        gap, dgap = w[:, 0], p.s * np.einsum("nc,nc->n", self.way[:, 0], change)
        slip, dslip = w[:, 1:], p.s * np.einsum("nkc,nc->nk", self.way[:, 1:], change)
        along = p.s * (self.Ho @ step)
        slope0, curve = float(step @ (p.A @ self.search.u - p.b)), float(step @ (p.A @ step))

        def slope(t: float) -> float:
            now = np.clip(pulled - self.stiff * (wo + t * along), self.low, self.high)
            s = slip + t * dslip
            rub = bound * (s * dslip).sum(axis=1) / np.maximum(np.linalg.norm(s, axis=1), 1e-300)
            sunk = np.minimum(gap + t * dgap, 0.0) / self.W[:, 0, 0]
            return slope0 + t * curve - float(along @ now) + float(rub.sum()) + float(sunk @ dgap)

        end = np.clip(pulled - self.stiff * (wo + along), self.low, self.high)
        return least(slope), (end > self.low) & (end < self.high)


def least(slope: Callable[[float], float]) -> float:
    """Where between 0 and 1 a slope that only grows comes to zero, nearly; 1 if it does not."""
    low, high = 0.0, 1.0
    first = slope(0.0)
    if slope(1.0) <= 1e-3 * abs(first):
        return 1.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        value = slope(middle)
        low, high = (middle, high) if value < 0 else (low, middle)
        if abs(value) <= 1e-2 * abs(first):
            break
    return max(0.5 * (low + high), 1e-3)
