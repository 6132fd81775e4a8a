"""Bonds and contacts taken out of the inverse: their forces as linear functions of the efforts, in one regime."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar.soft.solve.complementarity import solve_rows
from plantar.soft.solve.linearise import StepProblem


@dataclass(frozen=True)
class Eliminated:
    """Forces f = constant + slope @ effort, where inequality @ effort <= bound keeps the regime."""

    constant: np.ndarray
    slope: np.ndarray
    inequality: np.ndarray
    bound: np.ndarray
    regime: np.ndarray
    """For every row: 0 no force, 1 held, 2 sliding with the normal row."""


def eliminate(linear: StepProblem, rows: slice, effort: np.ndarray, guess: np.ndarray) -> Eliminated:
    """Find which rows hold at these efforts, and what their forces are near them."""
    a, n = len(effort), rows.stop - rows.start
    if n == 0:
        return Eliminated(np.zeros(0), np.zeros((0, a)), np.zeros((0, a)), np.zeros(0), np.zeros(0, dtype=int))
    W, Wa, d = linear.W[rows, rows], linear.W[rows, :a], linear.delta[rows]
    part = type(linear.rows)(linear.rows.low[rows], linear.rows.high[rows], linear.rows.friction[rows])
    force = solve_rows(W, d + Wa @ effort, part, guess).value
    regime, basis = _regime(part.low, part.friction, force)
    # rows that hold: W_h (B g) = -(d + Wa effort), with g the independent forces
    held = regime == 1
    B = basis[:, held]
    inverse = np.linalg.pinv(W[held] @ B, rcond=1e-10)
    slope, constant = -B @ inverse @ Wa[held], -B @ inverse @ d[held]
    inequality, bound = _keep(regime, part.low, W, Wa, d, slope, constant)
    return Eliminated(constant, slope, inequality, bound, regime)


def _regime(low: np.ndarray, friction: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(force)
    regime, basis = np.zeros(n, dtype=int), np.eye(n)
    big = float(np.abs(force).max()) or 1.0
    i = 0
    while i < n:
        limited = np.isfinite(low[i])
        regime[i] = 1 if not limited or force[i] > low[i] + 1e-10 * big else 0
        if friction[i] >= 0:
            size = float(np.hypot(force[i + 1], force[i + 2]))
            slides = size >= friction[i] * force[i] * (1 - 1e-7)
            regime[i + 1 : i + 3] = (2 if slides else 1) if regime[i] else 0
            if regime[i] and slides:
                # friction follows the normal force in the direction it has now
                basis[i + 1 : i + 3, i] = force[i + 1 : i + 3] / force[i]
            i += 2
        i += 1
    return regime, basis


def _keep(regime, low, W, Wa, d, slope, constant) -> tuple[np.ndarray, np.ndarray]:  # noqa: ANN001
    """Normal forces stay above 0 and open gaps stay open."""
    limited = np.isfinite(low)
    push, open_ = (regime == 1) & limited, (regime == 0) & limited
    gap, gap0 = (Wa + W @ slope)[open_], (d + W @ constant)[open_]
    return np.concatenate([-slope[push], -gap]), np.concatenate([constant[push] - low[push], gap0])


def same_regime(a: Eliminated, b: Eliminated) -> bool:
    """Whether the same rows hold in the same way."""
    return bool(np.array_equal(a.regime, b.regime))
