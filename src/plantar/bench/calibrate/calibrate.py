"""Calibrate foot and bench: find the parameters with which simulated presses match measured ones.

    found = calibrate(read_measured("measured.csv"))
    print(found.text())
    found.write("runs/calibrated")

The fit is done by `mujoco.sysid`. What the data cannot determine is reported and held, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.bench.calibrate.fit import Problem, descend, sysid, take_noise
from plantar.bench.calibrate.holdout import hold_out
from plantar.bench.calibrate.parameters import DEFAULT, PARAMETERS, FitParameter, ParameterSpace
from plantar.bench.calibrate.report import Fit, make_report
from plantar.bench.calibrate.result import Calibration, Holdout, Status
from plantar.bench.calibrate.search import BOXES, STRIDES, search
from plantar.bench.calibrate.trials import MeasuredTrials, Noise
from plantar.bench.calibrate.verdict import (
    ConfoundedGroup,
    Identifiability,
    Verdict,
    analyse,
    explain_confounded,
    explain_idle,
)
from plantar.bench.press.rig import PressRig, load_rig
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.settle import Progress
from plantar.table import Table

__all__ = [
    "DEFAULT",
    "PARAMETERS",
    "Calibration",
    "Holdout",
    "FitParameter",
    "Noise",
    "Status",
    "Verdict",
    "calibrate",
    "expected_presses",
    "load_rig",
]


@checks_arguments
def calibrate(
    measured: Table,
    foot: Foot | None = None,
    rig: PressRig | None = None,
    parameters: Sequence[str] = DEFAULT,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    columns: Sequence[str] | None = None,
    noise: Noise | None = None,
    robust: bool = True,
    free_offsets: bool = True,
    folds: int = 4,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Calibration:
    """Fit parameters of foot and rig to measured presses.

    Args:
        measured: One row per trial: load, height, position, the three forces, rotations if there are
            any; see `plantar.bench.measured.read_measured`.
        foot: The nominal foot; by default a single-chain `SoftFoot`.
        rig: The nominal bench.
        parameters: What to fit: fields by their path, as in "band.stiffness" or "tendon.slack", and
            fields of the rig as "rig.tilt". `PARAMETERS` lists those with default bounds. Where
            two cannot be told apart, the later one is held.
        bounds: (low, high) by name [SI], in place of the default ones.
        columns: Readings to use; by default all available forces and rotations.
        noise: Standard deviations of the readings; None starts from 2 % and 0.0025 rad and then takes
            them from the residuals.
        robust: Whether trials far off count less (Cauchy's loss) instead of with their square.
        free_offsets: Whether each rotation sensor has an unknown zero.
        folds: Number of parts for cross-validation; 0 skips it, as does a single trial.
        seed: Seed of the survey and of the split into folds.
        threads: Threads; 0 takes all cores.
        progress: Called with the number of presses finished since the last call; `expected_presses` estimates
            the total.

    Raises:
        InvalidInput: If the measured table, a parameter or its bounds cannot be used.
        MissingExtra: If `plantar[calibrate]` is not installed.
        Diverged: If a simulation blows up.
    """
    sysid()  # report a missing extra before the work, not after it
    require(folds >= 0 and folds != 1, "folds", folds, "0, or 2 and more")
    space = ParameterSpace(
        SoftFoot(chains=1) if foot is None else foot, PressRig() if rig is None else rig, parameters, bounds
    )
    data = MeasuredTrials(measured, columns, noise or Noise(), free_offsets)
    least = len(space) + 2
    zeros = ", beside one for the unknown zero of each rotation" if data.free.any() else ""
    allowed = f"at least {least} for {len(space)} parameters{zeros}"
    require(data.telling >= least, "measured readings", data.telling, allowed)
    problem = Problem(space, data, robust=robust, threads=threads, progress=progress)
    fit, advice = _fit(problem, estimate_noise=noise is None, seed=seed)
    held_out = hold_out(problem, fit, folds, seed) if folds else None
    advice += getattr(measured, "notes", ())
    return make_report(problem, fit, advice, held_out, noise_estimated=noise is None)


def expected_presses(parameters: int, trials: int, folds: int = 4) -> int:
    """About how many presses `calibrate` will simulate, for a progress bar."""
    surveys = (len(BOXES) + 1) * (5 + (parameters + 1) * (parameters + 2))
    slopes = (STRIDES + 5) * (1 + 2 * parameters)
    return trials * (surveys + slopes + bool(folds))


def _fit(problem: Problem, *, estimate_noise: bool, seed: int) -> tuple[Fit, list[str]]:
    """Search, descend, hold what cannot be determined, and start again without it."""
    space, data, advice = problem.space, problem.data, []
    free, u = np.ones(len(space), dtype=bool), space.centre.copy()
    idle: list[int] = []
    confounded: list[ConfoundedGroup] = []
    again = True
    while True:
        if again:
            u = search(problem, u, free, seed)
        if estimate_noise and again:
            take_noise(problem, u)
        u, converged = descend(problem, u, free)
        slopes = problem.slopes(u, free)
        found = analyse(slopes.jacobian[slopes.smooth], np.flatnonzero(free), scale=data.spread(problem.residual(u)))
        if not found.held:
            break
        u, said = _hold(problem, u, found)
        advice += said
        idle, confounded = idle + list(found.idle), confounded + list(found.confounded)
        free[list(found.held)] = False
        again = bool(found.confounded)
        if not free.any():
            break
    whole = Identifiability(idle=tuple(idle), confounded=tuple(confounded))
    return Fit(u=u, slopes=slopes, free=free, found=whole, converged=converged), advice


def _hold(problem: Problem, u: np.ndarray, found: Identifiability) -> tuple[np.ndarray, list[str]]:
    """Move what cannot be determined to its nominal value where that fits as well, and say so."""
    space, advice, u = problem.space, [], u.copy()
    for group in found.confounded:
        advice.append(explain_confounded(group, space, u))
        u[group.held] = space.centre[group.held]
    for i in found.idle:
        nominal, low, high = (_with(u, i, value) for value in (space.centre[i], 0.0, 1.0))
        problem.answers([u, nominal, low, high])
        here = problem.cost(u)
        excluded = [space.values(v)[i] for v in (low, high) if problem.cost(v) > here + 4]
        # The nominal value may lie where the parameter does act; then it stays where the data put it.
        u = nominal if problem.cost(nominal) < here + 2 else u
        advice.append(explain_idle(i, space, u, excluded))
    return u, advice


def _with(u: np.ndarray, i: int, value: float) -> np.ndarray:
    changed = u.copy()
    changed[i] = value
    return changed
