"""A small dense quadratic programme, as a least-distance problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

LEAST_CURVATURE = 0.1
"""Curvature below which a direction is taken to be this stiff; small beside a joint's band [N m/rad]."""


@dataclass(frozen=True)
class Step:
    """Minimum of a quadratic programme."""

    p: np.ndarray
    equal: np.ndarray
    """Multipliers of the equalities."""
    above: np.ndarray
    """Multipliers of the inequalities, 0 or more."""


def solve_qp(H: np.ndarray, f: np.ndarray, C: np.ndarray, c: np.ndarray, G: np.ndarray, g: np.ndarray) -> Step | None:
    """Minimise 1/2 p^T H p + f^T p subject to C p + c = 0 and G p + g >= 0.

    The equalities are eliminated through their null space Z, and Z^T H Z = L L^T turns the rest into
    the least |v| with E v >= h, which is a non-negative least-squares problem (C. L. Lawson and R. J.
    Hanson, Solving Least Squares Problems, ch. 23). Where H is not positive on Z it is made so.

    Args:
        H: Symmetric, (n, n).
        f: Linear term, (n,).
        C: Equalities, (m, n), of full rank.
        c: Their values at p = 0, (m,).
        G: Inequalities, (k, n).
        g: Their values at p = 0, (k,).

    Returns:
        The minimum and its multipliers, or None if no p meets the constraints.
    """
    Z = null_space(C)
    H = _convex(H, Z)
    p0 = -np.linalg.lstsq(C, c, rcond=None)[0]
    L = np.linalg.cholesky(Z.T @ H @ Z)
    fz = np.linalg.solve(L, Z.T @ (f + H @ p0))
    E = np.linalg.solve(L, (G @ Z).T)  # (n - m, k)
    h = -g - G @ p0 + fz @ E
    target = np.zeros(len(E) + 1)
    target[-1] = 1.0
    from scipy.optimize import nnls  # noqa: PLC0415  (slow to load, and few need it)

    u, distance = nnls(np.vstack([E, h]), target)
    if distance < 1e-10:
        return None
    return _polish(H, f, C, c, G, g, np.flatnonzero(u > 0))


def _convex(H: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """H with its curvature on the columns of Z turned positive where it is not."""
    values, vectors = np.linalg.eigh(Z.T @ H @ Z)
    if values[0] >= LEAST_CURVATURE:
        return H
    V = Z @ vectors
    return H + (V * (np.maximum(np.abs(values), LEAST_CURVATURE) - values)) @ V.T


def _polish(
    H: np.ndarray, f: np.ndarray, C: np.ndarray, c: np.ndarray, G: np.ndarray, g: np.ndarray, active: np.ndarray
) -> Step:
    """Solve the stationarity conditions on the constraints that hold, to the last digit."""
    A = np.vstack([C, G[active]])
    n, m = len(f), len(A)
    K = np.block([[H, -A.T], [A, np.zeros((m, m))]])
    solution = np.linalg.lstsq(K, -np.concatenate([f, c, g[active]]), rcond=None)[0]
    above = np.zeros(len(g))
    above[active] = np.maximum(solution[n + len(c) :], 0.0)
    return Step(solution[:n], solution[n : n + len(c)], above)
