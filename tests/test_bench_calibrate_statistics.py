"""Calibration: what its intervals and its prediction of unseen trials rest on, by sensors whose answer is known."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from plantar.bench.calibrate import fit, holdout, report
from plantar.bench.calibrate.calibrate import Noise, Status, calibrate
from plantar.bench.calibrate.parameters import ParameterSpace
from plantar.bench.calibrate.trials import MeasuredTrials, SimulatedReadings
from plantar.bench.calibrate.verdict import Identifiability, Verdict
from plantar.bench.compare.measured import FORCES, Measured
from plantar.bench.press.press import Trial
from plantar.bench.press.rig import PressRig
from plantar.errors import InvalidInput
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Table

FOOT = SoftFoot(chains=1)
COLUMNS = (*FORCES, *(f"rotation_{k}" for k in range(1, 7)))
TURNS = np.array([c not in FORCES for c in COLUMNS])
NAMES = ["band.stiffness", "rig.tilt"]
HALF = np.array([0.5, 0.5])


class Linear:
    """Presses whose readings are linear in the fractions of two parameters."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, trials: int, seed: int):
        self.rng = np.random.default_rng(seed)
        self.slopes = self.rng.normal(size=(2, trials, 9)) * np.where(TURNS, 0.3, 3.0)
        monkeypatch.setattr(fit, "press_sets", self.pressed)
        monkeypatch.setattr(holdout, "simulate", self.again)

    def readings(self, u: np.ndarray) -> np.ndarray:
        return np.where(TURNS, 0.0, 10.0) + np.tensordot(u - 0.5, self.slopes[: len(u)], 1)

    def pressed(self, space: object, data: MeasuredTrials, us: list[np.ndarray], *_: object) -> list[SimulatedReadings]:
        return [answer(self.readings(u), data.columns) for u in us]

    def again(self, pairs: object, todo: list[Trial], columns: list[str], **_: object) -> list[SimulatedReadings]:
        """Presses of some trials with both fractions 1/2, where all trials read the same."""
        return [answer(self.readings(HALF)[: len(todo)], columns)]

    def measured(self, u: np.ndarray, error: np.ndarray | float = 0.0, noisy: bool = True) -> Table:
        noise = np.where(TURNS, 0.0025, 0.1) * self.rng.normal(size=self.slopes.shape[1:])
        return rows_of(self.readings(u) + (noise if noisy else 0.0) + error)


def answer(readings: np.ndarray, columns: list[str]) -> SimulatedReadings:
    chosen = readings[:, [COLUMNS.index(c) for c in columns]]
    return SimulatedReadings(readings=chosen, rest=np.zeros((1, 1)), unsettled=0)


def rows_of(readings: np.ndarray) -> Table:
    same = {"load": 24.0, "height": 0.011, "position": 1}
    return Table(same | dict(zip(COLUMNS, map(float, row), strict=True)) for row in readings)


def problem_of(table: Table, columns: list[str] | None = None, **noise: float) -> fit.Problem:
    space = ParameterSpace(FOOT, PressRig(), NAMES, None)
    return fit.Problem(space, MeasuredTrials(table, columns, Noise(**noise), True), robust=False)


def fit_at(problem: fit.Problem, u: np.ndarray, free: bool) -> report.Fit:
    none, which = Identifiability(idle=(), confounded=()), np.array([free, free])
    slopes = problem.slopes(u, np.array([True, True]))
    return report.Fit(u=u, slopes=slopes, free=which, found=none, converged=True)


@pytest.mark.parametrize("trials", [2, 3, 8])
def test_intervals_are_those_of_a_regression_that_knows_of_every_sensors_zero(monkeypatch, trials):
    bench = Linear(monkeypatch, trials, seed=trials)
    problem = problem_of(bench.measured(np.array([0.45, 0.55])), force=0.0, force_floor=0.1)
    u, _ = fit.descend(problem, HALF, np.array([True, True]))
    error, _ = report.intervals(problem, fit_at(problem, u, free=True))
    # by hand: slopes and one column for each zero, all in standard deviations
    sigma = problem.data.sigma.ravel()
    zeros = np.tile(np.eye(9)[:, TURNS], (trials, 1))
    design = np.hstack([bench.slopes.reshape(2, -1).T, zeros]) / sigma[:, None]
    goal = (problem.data.readings - bench.readings(HALF)).ravel() / sigma
    found, rest, *_ = np.linalg.lstsq(design, goal, rcond=None)
    left = design.shape[0] - design.shape[1]
    deviation = np.sqrt(np.diag(np.linalg.inv(design.T @ design))[:2] * rest[0] / left)
    assert u - 0.5 == pytest.approx(found[:2], abs=1e-4)
    assert error[0] == pytest.approx(deviation, rel=1e-3)
    assert error[1] == pytest.approx(stats.t.ppf(0.975, left) * deviation, rel=1e-3)


def test_a_single_trial_says_nothing_by_rotations_of_unknown_zeros(monkeypatch):
    bench = Linear(monkeypatch, 1, seed=0)
    table = bench.measured(np.array([0.45, 0.55]))
    with pytest.raises(InvalidInput, match="measured readings = 3 .* at least 4 for 2 parameters.* zero"):
        calibrate(table, parameters=NAMES)
    found = calibrate(table, parameters=NAMES[:1], folds=4)
    assert found.holdout is None, "there is no other trial to predict it from"
    assert found.noise.rotation == Noise().rotation, "nor to tell their noise"


def test_the_noise_of_two_trials_is_not_made_smaller_by_their_zeros(monkeypatch):
    found = []
    for seed in range(30):
        bench = Linear(monkeypatch, 2, seed=seed)
        problem = problem_of(bench.measured(HALF))
        fit.take_noise(problem, HALF)
        found.append(problem.data.noise.rotation)
    assert np.median(found) == pytest.approx(0.0025, rel=0.15)


def test_zeros_that_take_all_readings_leave_an_interval_of_no_length_that_can_be_told(monkeypatch, tmp_path):
    bench = Linear(monkeypatch, 1, seed=0)
    table, smooth = bench.measured(np.array([0.45, 0.55])), np.arange(9) >= 2
    problem = problem_of(table)
    fitted = fit_at(problem, HALF, free=True)
    fitted = replace(fitted, slopes=replace(fitted.slopes, smooth=smooth))
    found = report.make_report(problem, fitted, [], None, noise_estimated=True)
    assert [row["verdict"] for row in found.parameters] == [Verdict.WIDE.value] * 2
    assert "hardly determined" in found.text() and found.write(tmp_path / "out").is_file()


def test_a_trial_is_predicted_without_its_own_part_in_the_zeros(monkeypatch):
    """Of two trials that differ by 0.02 rad from the model, each is predicted by the zero of the other alone."""
    bench = Linear(monkeypatch, 2, seed=1)
    problem = problem_of(bench.measured(HALF, error=np.array([[0.02], [0.0]]) * TURNS, noisy=False))
    found = holdout.hold_out(problem, fit_at(problem, HALF, free=False), folds=2, seed=0)
    assert found is not None and found.folds == 2
    assert found.rotation == pytest.approx(0.02) and found.rotation_fitted == pytest.approx(0.01)
    assert found.force == pytest.approx(0.0)


def test_without_measured_forces_none_are_predicted(monkeypatch):
    bench = Linear(monkeypatch, 4, seed=2)
    problem = problem_of(bench.measured(HALF), list(COLUMNS[3:]))
    found = holdout.hold_out(problem, fit_at(problem, HALF, free=False), folds=2, seed=0)
    assert found is not None and found.rotation and found.force is None and found.force_fitted is None


def test_a_factor_on_a_column_that_is_not_there_is_refused(monkeypatch):
    bench = Linear(monkeypatch, 3, seed=3)
    table = bench.measured(np.array([0.45, 0.55]))
    with pytest.raises(InvalidInput, match="force_modul"):
        calibrate(table, parameters=NAMES, noise=Noise(factors={"force_modul": 3.0}))


def test_rotations_that_the_model_does_not_explain_are_a_poor_fit(monkeypatch):
    bench = Linear(monkeypatch, 12, seed=4)
    readings = bench.measured(np.array([0.45, 0.55])).block(COLUMNS)
    assert calibrate(rows_of(readings), parameters=NAMES, folds=0).status is Status.DONE
    readings[:, TURNS] = 0.2 * bench.rng.normal(size=(12, 6))
    assert calibrate(rows_of(readings), parameters=NAMES, folds=0).status is Status.POOR_FIT


def test_notes_of_the_reader_are_among_the_advice(monkeypatch):
    bench = Linear(monkeypatch, 4, seed=5)
    table = Measured(bench.measured(np.array([0.45, 0.55])), notes=["columns ignored: operator"])
    assert "columns ignored: operator" in calibrate(table, parameters=NAMES, folds=0).advice


def test_a_start_on_a_bound_is_no_warning_of_a_library(caplog):
    space = ParameterSpace(FOOT, PressRig(), NAMES, None)
    start = fit.parameter_dict(space, np.array([0.0, 1.0]), np.array([True, True]))
    with caplog.at_level(logging.WARNING):
        found, _ = fit.minimise(start, lambda u: u - np.array([0.4, 1.2]), None)
    assert not caplog.records
    assert found == pytest.approx([0.4, 1.0], abs=1e-3)


def test_whole_numbers_can_be_calibrated_like_others():
    assert ParameterSpace(FOOT, PressRig(tilt=0), ["rig.tilt"], None).nominal.tolist() == [0.0]
