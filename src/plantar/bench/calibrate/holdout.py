"""How well a calibration predicts trials that it has not seen."""

from __future__ import annotations

import numpy as np

from plantar.bench.calibrate.fit import Problem
from plantar.bench.calibrate.loss import weights
from plantar.bench.calibrate.report import Fit
from plantar.bench.calibrate.result import Holdout
from plantar.bench.calibrate.trials import simulate

STRAY = 4.0
"""Root mean square of a trial's errors from which it counts as far off [standard deviations]."""


def hold_out(problem: Problem, fit: Fit, folds: int, seed: int) -> Holdout | None:
    """Predict each part of the trials from a fit to the others, zeros of sensors included; None of a single trial.

    A part's fit is one Gauss-Newton step from the fit to all trials, with the slopes found there; the
    trials left out are then simulated with its parameters. To first order this is the minimum for the
    other trials, and costs one press a trial where a fit from the start would cost a hundred.
    """
    data, space = problem.data, problem.space
    count = len(data.trials)
    if count < 2:
        return None
    folds = min(folds, count)
    parts = np.array_split(np.random.default_rng(seed).permutation(count), folds)
    error = np.zeros_like(data.readings)
    for part in parts:
        kept = np.setdiff1d(np.arange(count), part)
        offset = data.offset(problem.answer(fit.u).readings, kept)
        foot, rig = space.build(_refit(problem, fit, kept, offset))
        todo = [data.trials[k] for k in part]
        answer = simulate([(foot, rig)], todo, data.columns, threads=problem.threads, progress=problem.progress)[0]
        error[part] = answer.readings - data.readings[part] - offset
    fitted = data.misfit(problem.answer(fit.u).readings)
    force, turn = ~data.is_rotation, data.is_rotation
    return Holdout(
        folds=folds,
        seed=seed,
        force=_rms(error[:, force]),
        force_fitted=_rms(fitted[:, force]),
        rotation=_rms(error[:, turn]),
        rotation_fitted=_rms(fitted[:, turn]),
        strays=int((((error / data.sigma) ** 2).mean(axis=1) > STRAY**2).sum()),
    )


def _refit(problem: Problem, fit: Fit, kept: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """The fractions after a step to the minimum for the trials kept, whose zeros are at `offset`."""
    data, u = problem.data, fit.u.copy()
    if not fit.free.any():
        return u
    r = ((problem.answer(u).readings - data.readings - offset) / data.sigma)[kept].ravel()
    w = weights(r, problem.columns)[:, None]
    j = fit.slopes.jacobian.reshape(*data.readings.shape, -1)[kept]
    j = (j - np.where(data.free[:, None], j.mean(axis=0), 0.0)).reshape(len(r), -1)
    step = np.linalg.lstsq(j.T @ (w * j), -j.T @ (w[:, 0] * r), rcond=None)[0]
    u[fit.free] = np.clip(u[fit.free] + step, 0, 1)
    return u


def _rms(x: np.ndarray) -> float | None:
    return float(np.sqrt(np.mean(x**2))) if x.size else None
