"""Steps of Newton's method from what was tried: the lowest point of quadratics fitted to the best feet."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import least_squares

REACH = 1.5
"""A step stays within the box of the feet it was fitted to, this many times as large."""
SHARES = (2.0, 1.2)
"""Feet that quadratics are fitted to, as multiples of their coefficients: one from afar and one from near."""


def coefficients(count: int) -> int:
    """Coefficients of a quadratic in `count` numbers."""
    return 1 + count + count * (count + 1) // 2


def lowest(places: np.ndarray, losses: np.ndarray, parts: np.ndarray | None = None) -> list[np.ndarray]:
    """Where quadratics through the best feet are lowest; none where there are too few of them.

    Args:
        places: Places of feet from 0 to 1 in each field (feet, fields).
        losses: Values to minimise (feet,).
        parts: Numbers whose root mean square the loss is (feet, parts), such as the distances from the points of a
            curve: each gets its own quadratic, which says far more than one of their sum. None: the loss itself,
            or its square where nothing is below 0, since a distance is a cone and its square a bowl.
    """
    found = []
    for share in SHARES:
        most = int(np.ceil(share * coefficients(places.shape[1])))
        if len(losses) >= most:
            order = np.argsort(losses, kind="stable")[:most]
            found.append(_lowest(places[order], losses[order], None if parts is None else parts[order]))
    return found


def _lowest(x: np.ndarray, losses: np.ndarray, parts: np.ndarray | None) -> np.ndarray:
    half = np.maximum(np.ptp(x, axis=0) / 2, 1e-9)
    u = (x - x[0]) / half
    if parts is None:
        parts = (losses**2 if losses[0] >= 0 else losses)[:, None]
        target = "sum"
    else:
        target = "squares"
    distance = np.linalg.norm(u, axis=1)
    weights = 1 / (0.1 + distance)
    matrix = _matrix(u)
    c = np.linalg.lstsq(matrix * weights[:, None], parts * weights[:, None], rcond=1e-12)[0]
    # the best of them may lie on an edge of the box, and where the way is downhill it does: the box is 2 wide here
    low = np.maximum(u.min(axis=0) - (REACH - 1), (0 - x[0]) / half - 1e-9)
    high = np.minimum(u.max(axis=0) + (REACH - 1), (1 - x[0]) / half + 1e-9)
    if target == "squares":
        step = least_squares(lambda v: _matrix(v[None])[0] @ c, np.zeros(len(half)), bounds=(low, high)).x
    else:
        step = _newton(c[:, 0], len(half), low, high)
    return np.clip(x[0] + half * step, 0.0, 1.0)


def _matrix(u: np.ndarray) -> np.ndarray:
    """Columns of a quadratic at points (points, coefficients)."""
    pairs = itertools.combinations_with_replacement(range(u.shape[1]), 2)
    return np.column_stack([np.ones(len(u)), u, *(u[:, i] * u[:, j] for i, j in pairs)])


def _newton(c: np.ndarray, fields: int, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The lowest point of one quadratic in a box; along axes that do not curve upwards as far as the feet reach."""
    hessian = np.zeros((fields, fields))
    pairs = itertools.combinations_with_replacement(range(fields), 2)
    for (i, j), value in zip(pairs, c[1 + fields :], strict=True):
        hessian[i, j] += value
        hessian[j, i] += value
    sizes, axes = np.linalg.eigh(hessian)
    slope = axes.T @ c[1 : 1 + fields]
    bowl = sizes > 1e-6 * max(sizes[-1], 1e-300)
    step = axes @ np.where(bowl, -slope / np.where(bowl, sizes, 1.0), -np.sign(slope))
    return np.clip(step, low, high)
