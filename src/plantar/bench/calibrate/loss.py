"""How residuals are weighed: plain squares, or a loss that lets a press that went elsewhere count little."""

from __future__ import annotations

from typing import Any

import numpy as np

KNEE = 2.0
"""Root mean square of a trial's residuals beyond which the robust loss grows slowly [standard deviations]."""


def make_loss(columns: int | None) -> Any:
    """The loss as a norm for `mujoco.minimize`: half the squares, or a robust one over trials.

    The robust loss is Cauchy's, `1/2 c^2 log(1 + s / c^2)` for each reading of a trial, with s the mean
    square of the trial's residuals: a press that came to rest elsewhere is wrong in all its readings.

    Args:
        columns: Readings of a trial, or None for plain squares.
    """
    from mujoco import minimize  # noqa: PLC0415  (only here)

    if columns is None:
        return minimize.Quadratic()

    class TrialLoss(minimize.Norm):
        def value(self, r: np.ndarray) -> Any:
            square = (r.reshape(-1, columns) ** 2).mean(axis=1)
            return 0.5 * KNEE**2 * columns * float(np.log1p(square / KNEE**2).sum())

        def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            w = weights(r.ravel(), columns)[:, None]
            return proj.T @ (w * r), proj.T @ (w * proj)

    return TrialLoss()


def weights(residual: np.ndarray, columns: int | None) -> np.ndarray:
    """Weight of each reading in the loss: less for trials that are far off."""
    if columns is None:
        return np.ones_like(residual)
    square = (residual.reshape(-1, columns) ** 2).mean(axis=1)
    return np.repeat(1 / (1 + square / KNEE**2), columns)


def spread(r: np.ndarray) -> float:
    """Standard deviation of normal numbers with this median size; never quite 0."""
    return max(1e-3, 1.4826 * float(np.median(np.abs(r)))) if r.size else 1.0
