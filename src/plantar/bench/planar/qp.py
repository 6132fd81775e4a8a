"""A small dense quadratic programme, as a least-distance problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import nnls


@dataclass(frozen=True)
class Step:
    """Minimum of a quadratic programme."""

    p: np.ndarray
    equal: np.ndarray
    """Multipliers of the equalities."""
    above: np.ndarray
    """Multipliers of the inequalities, 0 or more."""


def solve_qp(
    H: np.ndarray, f: np.ndarray, C: np.ndarray, c: np.ndarray, G: np.ndarray, g: np.ndarray
) -> Step | None:
    r"""Minimise 1/2 p^T H p + f^T p subject to C p + c = 0 and G p + g >= 0.

    The equalities are eliminated through their null space, the reduced H = L L^T turns the rest into
    the least |v| with E v >= h, and that is a non-negative least-squares problem (C. L. Lawson and
    R. J. Hanson, Solving Least Squares Problems, ch. 23).

    Args:
        H: Positive definite on the null space of C, (n, n).
        f: Linear term, (n,).
        C: Equalities, (m, n), of full rank.
        c: Their values at p = 0, (m,).
        G: Inequalities, (k, n).
        g: Their values at p = 0, (k,).

    Returns:
        The minimum and its multipliers, or None if no p meets the constraints.
    """
    Z = null_space(C)
    p0 = -np.linalg.lstsq(C, c, rcond=None)[0]
    L = np.linalg.cholesky(Z.T @ H @ Z)
    fz = np.linalg.solve(L, Z.T @ (f + H @ p0))
    E = np.linalg.solve(L, (G @ Z).T)  # (n - m, k)
    h = -g - G @ p0 + fz @ E
    rows = np.vstack([E, h])
    target = np.zeros(len(rows))
    target[-1] = 1.0
    u, distance = nnls(rows, target)
    if distance < 1e-10:
        return None
    left = 1.0 - h @ u
    above = u / left
    p = p0 + Z @ np.linalg.solve(L.T, E @ above - fz)
    equal = np.linalg.lstsq(C.T, H @ p + f - G.T @ above, rcond=None)[0]
    return Step(p, equal, above)
