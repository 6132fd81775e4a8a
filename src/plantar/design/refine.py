"""A step of Newton's method from what was tried: the lowest point of a quadratic fitted to the best feet."""

from __future__ import annotations

import itertools

import numpy as np

REACH = 1.5
"""The point lies within the box of the feet it was fitted to, this many times as large."""


def coefficients(count: int) -> int:
    """Coefficients of a quadratic in `count` numbers."""
    return 1 + count + count * (count + 1) // 2


def lowest(places: np.ndarray, losses: np.ndarray) -> np.ndarray | None:
    """Where a quadratic through the best feet is lowest; None where there are too few of them.

    Args:
        places: Places of feet from 0 to 1 in each field (feet, fields).
        losses: What is to be small; where nothing is below 0 its square is fitted, since a distance is a cone and its
            square a bowl.
    """
    fields = places.shape[1]
    most = 2 * coefficients(fields)
    if len(losses) < most:
        return None
    order = np.argsort(losses, kind="stable")[:most]
    x, y = places[order], losses[order]
    y = y**2 if y[0] >= 0 else y
    half = np.maximum(np.ptp(x, axis=0) / 2, 1e-9)
    u = (x - x[0]) / half
    pairs = list(itertools.combinations_with_replacement(range(fields), 2))
    matrix = np.column_stack([np.ones(len(u)), u, *(u[:, i] * u[:, j] for i, j in pairs)])
    weights = 1 / (1 + (y - y[0]) / max(float(np.median(y - y[0])), 1e-300))
    c = np.linalg.lstsq(matrix * weights[:, None], y * weights, rcond=1e-10)[0]
    hessian = np.zeros((fields, fields))
    for (i, j), value in zip(pairs, c[1 + fields :], strict=True):
        hessian[i, j] += value
        hessian[j, i] += value
    sizes, axes = np.linalg.eigh(hessian)
    if sizes[-1] <= 0:
        return None
    # along an axis that does not curve upwards the step is as long as the feet reach
    slope = axes.T @ c[1 : 1 + fields]
    step = axes @ np.where(sizes > 1e-6 * sizes[-1], -slope / np.maximum(sizes, 1e-300), -np.sign(slope))
    low, high = REACH * u.min(axis=0), REACH * u.max(axis=0)
    return np.clip(x[0] + half * np.clip(step, low, high), 0.0, 1.0)
