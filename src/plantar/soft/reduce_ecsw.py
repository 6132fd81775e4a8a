"""Few elements that stand for all: energy-conserving sampling and weighting.

After Farhat, Avery, Chapman & Cortial, International Journal for Numerical Methods in Engineering 98 (2014): weights
that are not negative, and zero for most elements, are chosen so that the work of the internal forces in every mode and
every snapshot is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plantar.soft._groups import TetGroup
from plantar.soft._pattern import build_pattern
from plantar.soft.mesh import Floats, Ints


def element_work(group: TetGroup, rest: Floats, states: Sequence[Floats], modes: Floats) -> Floats:
    """Work of each element's forces in each mode at each state (states x modes, elements).

    Args:
        group: Tetrahedra.
        rest: Rest positions of all blocks (n, 3).
        states: Positions of all blocks (n, 3).
        modes: Motion of all blocks in each mode (n, 3, m).
    """
    count = len(group.blocks)
    loose = np.arange(4 * count).reshape(-1, 4)
    alone = TetGroup(rest[group.blocks].reshape(-1, 3), loose, 0, group.material, group.mu / group.material.lame[1])
    pattern = build_pattern(4 * count, [alone.blocks])
    alone.place(pattern)
    K, f = np.zeros((len(pattern.row), 3, 3)), np.zeros((4 * count, 3))
    shape = modes[group.blocks].reshape(count, 12, -1)
    rows = []
    for x in states:
        f[:], K[:] = 0.0, 0.0
        alone.add(np.ascontiguousarray(x[group.blocks].reshape(-1, 3)), np.zeros((0, 4)), f, K, False)
        rows.append(np.einsum("ec,ecm->me", f.reshape(count, 12), shape))
    return np.concatenate(rows)


def balanced(G: Floats, modes: int) -> Floats:
    """The same work with each mode's rows scaled to equal size, so that soft modes count as much as stiff ones."""
    total = G.sum(axis=1).reshape(-1, modes)
    size = np.sqrt((total**2).mean(axis=0))
    scale = 1 / np.maximum(size, 1e-3 * size.max())
    return G * np.tile(scale, len(total))[:, None]


def sparse_weights(G: Floats, *, tolerance: float, most: int) -> tuple[Ints, Floats]:
    """Elements and weights w >= 0 with |G w - G 1| <= tolerance |G 1|, by greedy non-negative least squares.

    Returns:
        Columns that are kept (k,), and their weights (k,).
    """
    b = G.sum(axis=1)
    goal = tolerance * float(np.linalg.norm(b))
    chosen: list[int] = []
    w = np.zeros(0)
    residual = b.copy()
    while np.linalg.norm(residual) > goal and len(chosen) < most:
        gain = G.T @ residual
        gain[chosen] = -np.inf
        best = int(gain.argmax())
        if gain[best] <= 0:
            break
        chosen.append(best)
        chosen, w = _refit(G, b, chosen, np.append(w, 0.0))
        residual = b - G[:, chosen] @ w
    order = np.argsort(chosen)
    return np.asarray(chosen, dtype=np.int64)[order], w[order]


def _refit(G: Floats, b: Floats, chosen: list[int], w: Floats) -> tuple[list[int], Floats]:
    """Least squares over the chosen columns; those that would go negative leave (Lawson & Hanson)."""
    while True:
        columns = G[:, chosen]
        z = np.asarray(np.linalg.lstsq(columns, b, rcond=None)[0], dtype=np.float64)
        if (z > 0).all():
            return chosen, z
        bad = z <= 0
        step = float(np.min(w[bad] / np.maximum(w[bad] - z[bad], 1e-300)))
        w = w + step * (z - w)
        keep = w > 1e-12 * max(float(w.max()), 1e-300)
        if keep.all():
            keep[np.flatnonzero(bad)[0]] = False
        chosen, w = [c for c, k in zip(chosen, keep, strict=True) if k], w[keep]
