"""From a fit to the tables, intervals and advice of a calibration."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar.bench.calibrate.fit import Problem, Slopes, sysid
from plantar.bench.calibrate.loss import weights
from plantar.bench.calibrate.result import Calibration, Holdout, Status
from plantar.bench.calibrate.trials import MeasuredTrials
from plantar.bench.calibrate.verdict import WIDE, Identifiability, Verdict, explain_wide
from plantar.table import Row, Table

OUTLIER = 4.0
"""Residuals of more standard deviations than this are counted as outliers."""
POOR = 3.0
"""A spread of the residuals of more than this times the noise given is a poor fit."""
POOR_FORCE = 0.10
"""An estimated force noise above this fraction is a poor fit."""
POOR_ROTATION = 0.5
"""An estimated noise of rotations above this fraction of how far they vary between the trials is a poor fit."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Where the descent ended."""

    u: np.ndarray
    """Fractions of all parameters."""
    slopes: Slopes
    """Slopes of the residuals there."""
    free: np.ndarray
    """Which parameters were fitted (parameters,)."""
    found: Identifiability
    """What the data can tell."""
    converged: bool
    """Whether the descent ended by itself."""


def make_report(
    problem: Problem, fit: Fit, advice: list[str], held_out: Holdout | None, *, noise_estimated: bool
) -> Calibration:
    """Put together what a fit has found."""
    space, data = problem.space, problem.data
    error, correlation = intervals(problem, fit)
    parameters = Table(_parameter(problem, fit, error, i) for i in range(len(space)))
    answer = problem.answer(fit.u)
    foot, rig = space.build(fit.u)
    notes = list(advice)
    for row in parameters:
        if row["verdict"] == Verdict.WIDE.value:
            notes.append(explain_wide(row, len(data.trials), int(fit.free.sum())))
        if row["verdict"] == Verdict.AT_BOUND.value:
            notes.append(f"{row['name']} lies on its bound of {row['value']:.4g} {row['unit']}: widen it if possible.")
    if answer.unsettled:
        notes.append(f"{answer.unsettled} of {len(data.trials)} trials had not settled at the solution.")
    return Calibration(
        status=_status(problem, fit, parameters, noise_estimated),
        advice=tuple(notes),
        parameters=parameters,
        correlation=correlation,
        fitted=tuple(name for name, free in zip(space.names, fit.free, strict=True) if free),
        residuals=Table(_residual(data, answer.readings, k) for k in range(len(data.columns))),
        trials=Table(_trial(data, answer.readings, i) for i in range(len(data.trials))),
        holdout=held_out,
        noise=data.noise,
        noise_estimated=noise_estimated,
        robust=problem.robust,
        evaluations=problem.evaluations,
        foot=foot,
        rig=rig,
    )


def intervals(problem: Problem, fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Standard error and half width of the 95 % interval in fractions (2, parameters), and the correlation.

    sysid takes them from the residuals and the Jacobian, weighed as in the loss. Readings that jump nearby
    are left out: their slopes are steep, and would promise more than they hold. sysid knows nothing of the zeros
    that were taken out of the residuals: each of them is one more unknown.
    """
    error = np.full((2, len(fit.free)), np.nan)
    if not fit.free.any():
        return error, np.zeros((0, 0))
    r, rows = problem.residual(fit.u), fit.slopes.smooth
    w = np.sqrt(weights(r, problem.columns))
    covariance, half = sysid().calculate_intervals([(w * r)[rows]], (w[:, None] * fit.slopes.jacobian)[rows])
    deviation = np.sqrt(np.diag(covariance))
    used = rows.reshape(problem.data.readings.shape).any(axis=0) & problem.data.free
    wider, longer = _for_zeros(int(rows.sum() - fit.free.sum()), int(used.sum()))
    error[0, fit.free], error[1, fit.free] = wider * deviation, longer * half
    return error, covariance / np.outer(deviation, deviation)


def _for_zeros(left: int, zeros: int) -> tuple[float, float]:
    """Factors on standard errors and intervals taken with `left` degrees of freedom, of which zeros take some."""
    from scipy.special import stdtrit  # noqa: PLC0415  (slow to load, for calibrations alone)

    if zeros == 0:
        return 1.0, 1.0
    if left <= zeros:
        return math.inf, math.inf
    wider = math.sqrt(left / (left - zeros))
    return wider, wider * float(stdtrit(left - zeros, 0.975) / stdtrit(left, 0.975))


def _verdict(fit: Fit, i: int, half: float) -> Verdict:
    if i in fit.found.idle:
        return Verdict.NO_EFFECT
    for group in fit.found.confounded:
        if i in group.members:
            return Verdict.CONFOUNDED if i == group.held else Verdict.CONDITIONAL
    if not half < WIDE:
        return Verdict.WIDE
    return Verdict.AT_BOUND if min(fit.u[i], 1 - fit.u[i]) < 1e-3 else Verdict.IDENTIFIED


def _parameter(problem: Problem, fit: Fit, error: np.ndarray, i: int) -> Row:
    space, parameter, verdict = problem.space, problem.space.parameters[i], _verdict(fit, i, float(error[1, i]))
    known = verdict in (Verdict.IDENTIFIED, Verdict.AT_BOUND, Verdict.WIDE)
    # an interval longer than the bounds, or of no length that can be told, says no more than one as long as they are
    u, deviation, half = fit.u, error[0, i], error[1, i] if error[1, i] < 1 else 1.0
    ends = [float(space.values(np.where(np.arange(len(u)) == i, u + s * half, u))[i]) for s in (-1, 1)]
    value, slope = float(space.values(u)[i]), float(space.slopes(u)[i])
    return {
        "name": space.names[i],
        "unit": parameter.unit,
        "nominal": float(space.nominal[i]),
        "value": value,
        "standard_error": slope * float(deviation) if known else None,
        "low": ends[0] if known else None,
        "high": ends[1] if known else None,
        "conditional_error": slope * float(deviation) if verdict is Verdict.CONDITIONAL else None,
        "lower_bound": parameter.low,
        "upper_bound": parameter.high,
        "identifiable": verdict is Verdict.IDENTIFIED,
        "verdict": verdict.value,
        "meaning": parameter.meaning,
    }


def _residual(data: MeasuredTrials, readings: np.ndarray, k: int) -> Row:
    misfit, sigma = data.misfit(readings)[:, k], data.sigma[:, k]
    return {
        "column": data.columns[k],
        "unit": "rad" if data.is_rotation[k] else "N",
        "rms": float(np.sqrt(np.mean(misfit**2))),
        "noise": float(np.mean(sigma)),
        "ratio": float(np.sqrt(np.mean((misfit / sigma) ** 2))),
        "outliers": int((np.abs(misfit / sigma) > OUTLIER).sum()),
        "offset": float(data.offset(readings)[k]),
    }


def _trial(data: MeasuredTrials, readings: np.ndarray, i: int) -> Row:
    trial, offset = data.trials[i], data.offset(readings)
    row: Row = {"trial": i + 1, "load": trial.load, "height": trial.height, "position": trial.position}
    for k, column in enumerate(data.columns):
        row[column] = float(data.readings[i, k])
        row[f"{column}_fitted"] = float(readings[i, k] - offset[k])
        row[f"{column}_noise"] = float(data.sigma[i, k])
    return row


def _status(problem: Problem, fit: Fit, parameters: Table, noise_estimated: bool) -> Status:
    poor = _poor_noise(problem.data) if noise_estimated else problem.data.spread(problem.residual(fit.u)) > POOR
    if not fit.converged:
        return Status.STOPPED
    if poor:
        return Status.POOR_FIT
    if fit.found.held or Verdict.WIDE.value in parameters.column("verdict"):
        return Status.UNIDENTIFIABLE
    return Status.DONE if all(parameters.column("identifiable")) else Status.AT_BOUND


def _poor_noise(data: MeasuredTrials) -> bool:
    """Whether the noise that was estimated is so large that the model must be wrong."""
    if data.noise.force > POOR_FORCE:
        return True
    turns = data.readings[:, data.is_rotation]
    return bool(
        turns.size and len(turns) > 1 and data.noise.rotation > POOR_ROTATION * turns.std(axis=0, ddof=1).mean()
    )
