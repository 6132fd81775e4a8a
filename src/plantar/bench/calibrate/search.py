"""A start for the fit, found in spite of jumps.

A press has edges: a corner of the sole slips off a support and the forces of that trial jump. Slopes taken at one
point therefore mislead, and a descent stops at the first edge. A survey presses the foot at points spread over a box,
lays a quadratic through each reading, trusts a reading the less the worse that fits, and lets sysid minimise this
smooth surrogate. Two surveys of shrinking boxes come first; then strides to the minimum of the linear surrogate, which
cross edges; then a last survey of a box of a few standard errors, in which the edges are avoided if they can be.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plantar.bench.calibrate.fit import Problem, minimise, parameter_dict
from plantar.bench.calibrate.loss import spread, weights

BOXES = (0.5, 0.15)
"""Half widths of the boxes that are surveyed first, as a fraction of the bounds."""
STRIDES = 3
"""Steps to the minimum of the linear surrogate."""
REACH = 0.1
"""Longest stride, as a fraction of the bounds."""


def search(problem: Problem, u: np.ndarray, free: np.ndarray, seed: int) -> np.ndarray:
    """A start for the descent, from surveys around `u` and strides."""
    for i, half in enumerate(BOXES):
        u = survey(problem, u, np.full(len(u), half), free, seed + i)
    for _ in range(STRIDES):
        u = stride(problem, u, free)
    return survey(problem, u, np.clip(3 * _deviations(problem, u, free), 0.004, 0.05), free, seed + len(BOXES))


def survey(problem: Problem, centre: np.ndarray, half: np.ndarray, free: np.ndarray, seed: int) -> np.ndarray:
    """The best point found in the box `centre` +- `half`, around the minimum of a quadratic surrogate."""
    low, high = np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
    n = int(free.sum())
    count = (n + 1) * (n + 2)  # twice the coefficients of a quadratic
    from scipy.stats import qmc  # noqa: PLC0415  (two seconds, for calibrations alone)

    points = qmc.LatinHypercube(n, rng=seed).random(count)
    samples = np.tile(centre, (count, 1))
    samples[:, free] = low[free] + (high - low)[free] * points
    us = [centre, *samples]
    r = np.stack([problem.data.residual(a.readings) for a in problem.answers(us)])  # (samples, readings)
    basis = _quadratic(((np.stack(us) - centre) / half)[:, free])
    fit, *_ = np.linalg.lstsq(basis, r, rcond=None)
    rough = np.sqrt(((basis @ fit - r) ** 2).sum(axis=0) / max(len(us) - basis.shape[1], 1))

    def stand_in(u: np.ndarray) -> np.ndarray:
        return (_quadratic((((u - centre) / half)[free])[None]) @ fit)[0] / np.hypot(1, rough)

    lowest = _minimum(problem, stand_in, centre, low, high, free)
    best = min(us, key=problem.cost)
    # The minimum may lie just beyond an edge; then a point on the way to it is better.
    between = [best + share * (lowest - best) for share in (0.25, 0.5, 0.75, 1.0)]
    problem.answers(between)
    return min([best, *between], key=problem.cost)


def stride(problem: Problem, u: np.ndarray, free: np.ndarray) -> np.ndarray:
    """The minimum of the residuals' linear surrogate at `u`, whether or not the simulation fits better there."""
    slopes, r = problem.slopes(u, free), problem.residual(u)

    def stand_in(v: np.ndarray) -> np.ndarray:
        return np.where(slopes.smooth, r + slopes.jacobian @ (v - u)[free], 0.0)

    return _minimum(problem, stand_in, u, np.clip(u - REACH, 0, 1), np.clip(u + REACH, 0, 1), free)


def _deviations(problem: Problem, u: np.ndarray, free: np.ndarray) -> np.ndarray:
    """About the standard error of each fraction; large where the data say little."""
    slopes, r = problem.slopes(u, free), problem.residual(u)
    j = slopes.jacobian * (slopes.smooth * np.sqrt(weights(r, problem.columns)))[:, None]
    found = np.zeros(len(u))
    found[free] = spread(r) * np.sqrt(np.diag(np.linalg.pinv(j.T @ j + 1e-6 * np.eye(j.shape[1]))))
    return found


def _minimum(
    problem: Problem,
    residual: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    free: np.ndarray,
) -> np.ndarray:
    """Where a surrogate is smallest between `low` and `high`."""
    parameters = parameter_dict(problem.space, start, free)
    for name, a, b in zip(problem.space.names, low, high, strict=True):
        parameters[name].min_value, parameters[name].max_value = np.array([a]), np.array([b])
    return minimise(parameters, residual, problem.columns)[0]


def _quadratic(z: np.ndarray) -> np.ndarray:
    """Monomials up to degree 2 of the columns of `z` (samples, terms)."""
    n = z.shape[1]
    pairs = [z[:, i] * z[:, j] for i in range(n) for j in range(i, n)]
    return np.stack([np.ones(len(z)), *z.T, *pairs], axis=1)
