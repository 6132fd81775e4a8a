"""Forces of rows as projections on what the rows allow: l = proj(l - r w)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from plantar.soft.solve.blocks import Sparse
from plantar.soft.solve.complementarity import Rows


@dataclass(frozen=True, eq=False)
class Projection:
    """Forces, and how they change with what is projected."""

    force: np.ndarray
    """Forces that the rows allow."""
    inside: np.ndarray
    """Rows whose force follows what is projected: no limit is met, and a contact sticks."""
    normal: np.ndarray
    """Numbers of the normal rows of contacts that slide."""
    across: np.ndarray
    """Fraction of the stiffness that such a contact has square to its slip (n, 2, 2)."""

    @classmethod
    def none(cls, rows: Rows) -> Projection:
        """No forces at all."""
        n = len(rows.low)
        return cls(np.zeros(n), np.zeros(n, dtype=bool), np.zeros(0, dtype=np.int64), np.zeros((0, 2, 2)))

    def same(self, other: Projection) -> bool:
        """Whether the same rows act in the same way."""
        return np.array_equal(self.inside, other.inside) and np.array_equal(self.normal, other.normal)

    def violation(self, w: np.ndarray) -> float:
        """Largest value of a row that should be zero."""
        return float(np.abs(w[self.inside]).max(initial=0.0))

    def matrix(self, stiff: np.ndarray) -> Sparse:
        """Stiffness of the rows (k, k)."""
        n, act = len(self.inside), np.flatnonzero(self.inside)
        row, col, val = [act], [act], [stiff[act]]
        for a in range(2):
            for b in range(2):
                row.append(self.normal + 1 + a)
                col.append(self.normal + 1 + b)
                val.append(np.minimum(stiff[self.normal + 1], stiff[self.normal + 2]) * self.across[:, a, b])
        return csr_array((np.concatenate(val), (np.concatenate(row), np.concatenate(col))), shape=(n, n))


def project(rows: Rows, force: np.ndarray, w: np.ndarray, stiff: np.ndarray, bound: np.ndarray) -> Projection:
    """Project `force` - `stiff` w; friction of each contact is at most its `bound`."""
    trial = force - stiff * w
    out = np.clip(trial, rows.low, rows.high)
    inside = (trial > rows.low) & (trial < rows.high)
    rubs = np.flatnonzero(rows.friction >= 0)
    # both tangents of a contact have one stiffness, so that the projection is on a circle
    r = np.minimum(stiff[rubs + 1], stiff[rubs + 2])
    slip = np.stack([force[rubs + k] - r * w[rubs + k] for k in (1, 2)], axis=1)
    size, most = np.linalg.norm(slip, axis=1), np.where(out[rubs] > 0, bound, 0.0)
    slides = size > most
    share = np.where(slides, most / np.maximum(size, 1e-300), 1.0)
    for k in (1, 2):
        out[rubs + k] = share * slip[:, k - 1]
        inside[rubs + k] = ~slides & inside[rubs]
    moving = slides & (most > 0)
    way = slip[moving] / size[moving][:, None]
    across = share[moving][:, None, None] * (np.eye(2) - way[:, :, None] * way[:, None, :])
    return Projection(out, inside, rubs[moving], across)
