"""Calibration: what is hidden is found, what cannot be found is named."""

from __future__ import annotations

import math
import re
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plantar import feet
from plantar._extras import EXTRAS
from plantar.bench.calibrate import fit, report
from plantar.bench.calibrate.calibrate import (
    DEFAULT,
    PARAMETERS,
    Calibration,
    Noise,
    Status,
    calibrate,
    expected_presses,
    load_rig,
)
from plantar.bench.calibrate.loss import make_loss, weights
from plantar.bench.calibrate.parameters import ParameterSpace, nominal_value
from plantar.bench.calibrate.plots import plot_all
from plantar.bench.calibrate.search import search
from plantar.bench.calibrate.trials import MeasuredTrials, SimulatedReadings, simulate
from plantar.bench.calibrate.verdict import Verdict, analyse, explain_confounded, explain_wide
from plantar.bench.compare.measured import FORCES
from plantar.bench.press.press import HEIGHTS, LOADS, Trial, press, run_trials
from plantar.bench.press.rig import PressRig
from plantar.errors import InvalidInput, MissingExtra
from plantar.feet import Band, Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.show.plots import save
from plantar.table import Table

FOOT = SoftFoot(chains=1)
SMALL = {"loads": (24.0,), "heights": (0.011, 0.019), "positions": (2, 4, 6)}
"""6 trials."""
TILT = math.radians(3.1)


def band(foot: Foot) -> Band:
    assert isinstance(foot, SoftFoot)
    return foot.band


def measure(foot: SoftFoot, rig: PressRig, seed: int = 0, share: float = 0.02, **trials) -> Table:
    """Simulated presses with noise: `share` of each force, and the same share of 1/8 rad on each rotation.

    The rotations of the 48 trials have a root mean square of 0.13 rad, so both are noisy alike. Each
    rotation sensor gets a zero of its own.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for row in press(foot, rig=rig, **trials):
        for name in row:
            if name in FORCES:
                row[name] *= 1 + share * rng.normal()
            elif name.startswith("rotation"):
                row[name] += share / 8 * rng.normal() + 0.1 * int(name[-1])
        rows.append(row)
    return Table(rows)


# What a Jacobian says, without any simulation


def test_a_parameter_without_effect_is_found():
    rng = np.random.default_rng(0)
    jacobian = 30 * rng.normal(size=(40, 3))
    jacobian[:, 1] = 1e-9
    found = analyse(jacobian, [0, 1, 2])
    assert found.idle == (1,) and found.confounded == () and found.held == (1,)


def test_two_confounded_parameters_are_found_and_a_third_is_left_alone():
    rng = np.random.default_rng(1)
    jacobian = 30 * rng.normal(size=(40, 3))
    jacobian[:, 2] = -2 * jacobian[:, 0] + 0.1 * rng.normal(size=40)
    found = analyse(jacobian, [0, 3, 5])
    assert [c.members for c in found.confounded] == [(0, 5)] and found.held == (5,)
    a, b = found.confounded[0].direction
    assert a / b == pytest.approx(2, rel=0.01), "raising both, the first twice as much, changes nothing"


def test_the_combination_of_a_confounded_pair_is_told():
    space = ParameterSpace(FOOT, PressRig(), ["band.width", "band.thickness", "band.hardness"], None)
    u = space.centre
    stiffness = lambda v: math.log(band(space.build(v)[0]).hinge_stiffness)  # noqa: E731
    slopes = np.array([(stiffness(u + h) - stiffness(u - h)) / 2e-6 for h in 1e-6 * np.eye(3)])
    column = 100 * np.random.default_rng(5).normal(size=(40, 1))
    (pair,) = analyse(column * slopes[:2], [0, 1]).confounded
    assert "band.width x band.thickness^1 " in explain_confounded(pair, space, u), "stiffness goes with the section"
    (pair,) = analyse(column * slopes[1:], [1, 2]).confounded
    sentence = explain_confounded(pair, space, u)
    ratio = re.search(r"band.thickness \+ (\S+) x band.hardness", sentence)
    # Gent: d ln E / dH = 1 / (7.346 + H) + 1 / (100 - H) at H = 60, and the stiffness is in proportion to E times 4 mm
    assert ratio and float(ratio[1]) == pytest.approx(0.004 * (1 / 67.346 + 1 / 40), rel=0.01)
    assert (
        "raising band.thickness by 0.00011 m changes the readings as raising band.hardness by 0.7 Shore A" in sentence
    )


def test_three_parameters_with_one_effect_leave_one_free():
    column = np.random.default_rng(2).normal(size=40)
    found = analyse(np.stack([20 * column, 30 * column, 40 * column], axis=1), [0, 1, 2])
    assert set(found.held) == {1, 2}


def test_independent_parameters_are_left_alone():
    jacobian = 30 * np.random.default_rng(3).normal(size=(40, 4))
    assert analyse(jacobian, range(4)).held == ()
    # correlated, but far from collinear
    jacobian[:, 1] = jacobian[:, 0] + 0.5 * jacobian[:, 1]
    assert analyse(jacobian, range(4)).held == ()
    assert analyse(jacobian, range(4), scale=1000.0).held == (0, 1, 2, 3), "nothing is known from noise alone"


def test_the_loss_has_the_gradient_it_claims_and_ignores_a_press_that_went_elsewhere():
    rng = np.random.default_rng(4)
    r, loss = rng.normal(size=(30, 1)), make_loss(3)
    gradient, _ = loss.grad_hess(r, np.eye(30))
    steps = 1e-6 * np.eye(30)
    numeric = [(loss.value(r + s[:, None]) - loss.value(r - s[:, None])) / 2e-6 for s in steps]
    assert np.allclose(gradient.ravel(), numeric, rtol=1e-5, atol=1e-7)
    r[:3] = 100.0
    assert weights(r.ravel(), 3)[:3].max() < 1e-3 and weights(r.ravel(), 3)[3:].min() > 0.3
    assert weights(r.ravel(), None).min() == 1


# Parameters


def test_every_parameter_can_be_built_at_both_bounds_and_read_back():
    for name in PARAMETERS:
        space = ParameterSpace(FOOT, PressRig(), [name], None)
        for u in (0.0, 0.37, 1.0):
            value = space.values(np.array([u]))
            assert space.fractions(value)[0] == pytest.approx(u, abs=1e-12)
            foot, rig = space.build(np.array([u]))
            assert nominal_value(foot, rig, name) == pytest.approx(value[0], rel=1e-12), name
        numeric = (space.values(np.array([0.501])) - space.values(np.array([0.499]))) / 0.002
        assert space.slopes(np.array([0.5]))[0] == pytest.approx(numeric[0], rel=1e-4)


@pytest.mark.parametrize(
    ("names", "bounds", "said"),
    [
        (["band.colour"], None, "band.stiffness"),
        (["modules"], None, "modules"),
        (["pitch"], None, "bounds"),
        ([], None, "at least one"),
        (["rig.tilt", "rig.tilt"], None, "each name once"),
        (["rig.tilt"], {"rig.tilt": (0.2, 0.1)}, "low < high"),
        (["rig.tilt"], {"rig.tilt": (0.1, 0.2)}, "enclose the nominal value"),
        (["rig.tilt"], {"tilt": (0.0, 0.1)}, "calibrated"),
        (["band.hardness"], {"band.hardness": (30.0, 500.0)}, "Shore A"),
    ],
)
def test_bad_parameters_are_refused_by_name(names, bounds, said):
    with pytest.raises(InvalidInput, match=said) as error:
        ParameterSpace(FOOT, PressRig(), names, bounds)
    assert "\n" not in str(error.value)


def test_bad_noise_and_columns_are_refused():
    table = Table([{"load": 12.0, "height": 0.011, "position": 2, **dict.fromkeys(FORCES, 4.0)}])
    for field in ({"force": -0.1}, {"force_floor": 0.0}, {"rotation": 2.0}, {"factors": {"force_heel": 0.0}}):
        with pytest.raises(InvalidInput, match=r"noise\."):
            Noise(**field)
    with pytest.raises(InvalidInput, match="rotation_1"):
        calibrate(table, columns=["rotation_1"])
    with pytest.raises(InvalidInput, match="at least 6 for 4"):
        calibrate(table)
    with pytest.raises(InvalidInput, match="'position'"):
        calibrate(Table([{"load": 12.0, "height": 0.011, **dict.fromkeys(FORCES, 4.0)}]))
    with pytest.raises(InvalidInput, match="a number in every cell"):
        calibrate(Table([dict(table[0], force_heel=math.nan)] * 4))
    with pytest.raises(InvalidInput, match="at least one row"):
        calibrate(Table([]))
    with pytest.raises(InvalidInput, match="folds"):
        calibrate(table, folds=1)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(EXTRAS, "calibrate", replace(EXTRAS["calibrate"], modules=("no_such_module",)))
    with pytest.raises(MissingExtra, match=r"plantar\[calibrate\]"):
        calibrate(Table([]))


# Presses of many parameter sets at once


def test_many_sets_in_one_batch_are_the_presses_one_by_one():
    todo = [Trial(24.0, 0.011, 2), Trial(12.0, 0.015, 5)]
    pairs = [(FOOT, PressRig()), (FOOT.with_(band__stiffness=0.5), PressRig(tilt=0.05, heel_shift=0.002))]
    columns = [*FORCES, "rotation_3"]
    answers = simulate(pairs, todo, columns)
    for (foot, rig), answer in zip(pairs, answers, strict=True):
        alone = run_trials(foot, rig, todo).block(columns)
        assert np.allclose(answer.readings, alone, atol=1e-6)
        # and a press that starts where it came to rest stays there
        warm = simulate([(foot, rig)], todo, columns, rest=answer.rest)[0]
        assert np.allclose(warm.readings, alone, atol=1e-5)


def test_slopes_are_those_of_the_presses():
    trials = {"loads": (24.0,), "heights": (0.011,), "positions": (3, 4)}
    space = ParameterSpace(FOOT, PressRig(), ["band.stiffness"], None)
    problem = fit.Problem(space, MeasuredTrials(measure(FOOT, PressRig(), **trials), list(FORCES), Noise(), True))
    u, free = np.array([0.6]), np.array([True])
    slopes = problem.slopes(u, free)
    numeric = (problem.residual(u + 0.01) - problem.residual(u - 0.01)) / 0.02
    assert slopes.smooth.all()
    assert np.allclose(slopes.jacobian[:, 0], numeric, rtol=0.03, atol=0.05)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_search_goes_over_edges_at_which_a_descent_stops(monkeypatch, seed):
    # Readings that rise with the first parameter over all but fall between jumps, like those of a slipping sole.
    rng = np.random.default_rng(seed)
    (a, b), phase = rng.normal(size=(2, 24, 3)), rng.uniform(size=(24, 1))

    def pressed(space, data, us, *_):
        values = [a * (10 * u[0] - 0.75 * ((20 * u[0] + phase) % 1)) + 10 * b * u[1] for u in us]
        return [SimulatedReadings(readings=v, rest=np.zeros((24, 1)), unsettled=0) for v in values]

    monkeypatch.setattr(fit, "press_sets", pressed)
    truth, free = np.array([0.22, 0.71]), np.array([True, True])
    readings = pressed(None, None, [truth])[0].readings + 0.1 * rng.normal(size=(24, 3))
    rows = [{"load": 24.0, "height": 0.011, "position": 1, **dict(zip(FORCES, r, strict=True))} for r in readings]
    space = ParameterSpace(FOOT, PressRig(), ["band.stiffness", "rig.tilt"], None)
    problem = fit.Problem(space, MeasuredTrials(Table(rows), None, Noise(force=0.0, force_floor=0.1), True))
    stuck, _ = fit.descend(problem, space.centre, free)
    found, _ = fit.descend(problem, search(problem, space.centre, free, 0), free)
    assert np.abs(stuck - truth).max() > 0.3
    assert np.abs(found - truth).max() < 0.01


# Calibrations


@pytest.fixture(scope="module")
def hidden() -> Table:
    """6 trials of a foot with softer bands, tilted more than the nominal one."""
    return measure(FOOT.with_(band__stiffness=0.62), PressRig(tilt=TILT), **SMALL)


@pytest.fixture(scope="module")
def found(hidden) -> Calibration:
    return calibrate(hidden, parameters=("band.stiffness", "rig.tilt"))


def test_hidden_parameters_are_recovered(found):
    assert found.status is Status.DONE, found.text()
    for name, truth in {"band.stiffness": 0.62, "rig.tilt": TILT}.items():
        row = found.parameters.where(name=name)[0]
        assert row["value"] == pytest.approx(truth, rel=0.05)
        assert row["low"] < row["value"] < row["high"]
        assert abs(row["value"] - truth) < 4 * row["standard_error"]
        assert row["standard_error"] < 0.02 * truth
    assert band(found.foot).stiffness == found.values["band.stiffness"]
    assert found.rig.tilt == found.values["rig.tilt"]


def test_noise_offsets_and_prediction_are_reported(found):
    assert found.noise_estimated
    assert 0.01 < found.noise.force < 0.04 and 0.001 < found.noise.rotation < 0.005
    offsets = found.residuals.column("offset")
    assert np.allclose(offsets[3:], -0.1 * np.arange(1, 7), atol=0.005) and not offsets[:3].any()
    assert found.holdout is not None and found.holdout.folds == 4
    assert found.holdout.force < 0.5 and (found.holdout.rotation or 1) < 0.006
    assert found.correlation.shape == (2, 2) and np.allclose(np.diag(found.correlation), 1)


def test_results_are_saved_and_load_again(found, tmp_path):
    folder = found.write(tmp_path / "out").parent
    assert feet.load(folder / "foot.json") == found.foot
    assert load_rig(folder / "rig.json") == found.rig
    names = {p.name for p in folder.iterdir()}
    assert {"calibration.json", "parameters.csv", "residuals.csv", "trials.csv", "config.json"} <= names
    with pytest.raises(InvalidInput, match="already holds files"):
        found.write(folder)
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_rig(folder / "none.json")
    for name, figure in plot_all(found).items():
        assert save(figure, tmp_path / f"{name}.png").stat().st_size > 10_000


def test_confounded_parameters_are_named_and_what_they_share_is_found():
    hidden = measure(FOOT.with_(band__width=0.004), PressRig(), loads=(24.0,), heights=(0.015,), positions=(2, 4, 5))
    done = []
    found = calibrate(hidden, parameters=("band.hardness", "band.width"), folds=0, progress=done.append)
    assert found.status is Status.UNIDENTIFIABLE
    assert found.identifiable == {"band.hardness": False, "band.width": False}
    assert all(row["low"] is None and row["standard_error"] is None for row in found.parameters)
    (sentence,) = found.advice
    assert "band.hardness and band.width cannot be told apart" in sentence and "calliper" in sentence
    assert band(found.foot).width == FOOT.band.width, "one of them is held"
    # width 4 mm in place of 5 mm: hinges 0.8 times as stiff, whatever it came from
    assert band(found.foot).hinge_stiffness == pytest.approx(0.8 * FOOT.band.hinge_stiffness, rel=0.05)
    assert 0.3 < sum(done) / expected_presses(2, len(hidden), folds=0) < 3


def test_fewer_trials_than_parameters_determine_nothing_by_a_wide_interval():
    hidden = measure(FOOT.with_(band__stiffness=0.62), PressRig(), loads=(24.0,), heights=(0.015,), positions=(3, 4))
    names = ("band.stiffness", "rig.tilt", "rig.heel_shift", "rig.metatarsus_shift")
    found = calibrate(hidden, parameters=names, folds=0)
    for row in found.parameters:
        if row["identifiable"]:
            assert row["high"] - row["low"] < 0.6 * (row["upper_bound"] - row["lower_bound"]), found.text()
    assert not all(found.identifiable.values()) and found.status is not Status.DONE, found.text()


def test_a_wide_interval_is_not_called_determined():
    fitted = report.Fit(
        u=np.array([0.4]),
        slopes=None,  # type: ignore[arg-type]
        free=np.array([True]),
        found=analyse(np.array([[30.0], [20.0]]), [0]),
        converged=True,
    )
    assert report._verdict(fitted, 0, 0.05) is Verdict.IDENTIFIED
    for half in (0.25, 3.0, math.nan):
        assert report._verdict(fitted, 0, half) is Verdict.WIDE
    row = {"name": "rig.tilt", "low": 0.01, "high": 0.08, "unit": "rad"}
    said = explain_wide(row, 2, 4)
    assert "between 0.01 and 0.08 rad" in said and "2 trials for 4 parameters" in said


def test_a_slack_tendon_cannot_be_calibrated_from_presses():
    hidden = measure(FOOT.with_(tendon__slack=0.002), PressRig(), loads=(24.0,), heights=(0.015,), positions=(2, 4, 5))
    found = calibrate(hidden, parameters=("tendon.slack",), noise=Noise(), folds=0)
    assert found.identifiable == {"tendon.slack": False} and found.status is Status.UNIDENTIFIABLE
    assert found.advice[0].startswith("tendon.slack cannot be identified")
    assert found.correlation.shape == (0, 0) and found.fitted == ()


def test_the_example_runs(tmp_path, capsys):
    example = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "06_calibrate.py"))
    file = example["stand_in"](tmp_path / "stand_in.csv", loads=(24.0,), heights=(0.011,), positions=(3, 4))
    # Two trials cannot tell the bench from the bands; one parameter is enough to see that the example works.
    found = example["main"](file, tmp_path / "out", parameters=("band.stiffness",))
    assert feet.load(tmp_path / "out" / "foot.json") == found.foot
    assert "band.stiffness" in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_four_are_recovered_from_48_noisy_trials(seed, record_property):
    truth = dict(zip(DEFAULT, (0.62, math.radians(1.9), 0.004, -0.004), strict=True))
    space = ParameterSpace(FOOT, PressRig(), DEFAULT, None)
    foot, rig = space.build(space.fractions(list(truth.values())))
    found = calibrate(measure(foot, rig, seed, loads=LOADS, heights=HEIGHTS))
    errors = {name: abs(found.values[name] / value - 1) for name, value in truth.items()}
    record_property(f"softfoot.calibration.errors_{seed}", errors)
    assert found.status is Status.DONE, found.text()
    for name, value in truth.items():
        assert found.values[name] == pytest.approx(value, rel=0.05), found.text()


@pytest.mark.long
def test_the_rest_is_recovered_beside_a_confounded_pair(record_property):
    foot, rig = FOOT.with_(band__width=0.004), PressRig(tilt=math.radians(1.9))
    names = ("rig.tilt", "band.hardness", "band.width", "tendon.slack")
    found = calibrate(measure(foot, rig, loads=LOADS, heights=HEIGHTS), parameters=names)
    record_property("softfoot.calibration.advice", list(found.advice))
    assert [name for name, ok in found.identifiable.items() if ok] == ["rig.tilt"]
    assert found.values["rig.tilt"] == pytest.approx(rig.tilt, rel=0.05)
    assert band(found.foot).hinge_stiffness == pytest.approx(foot.band.hinge_stiffness, rel=0.05)
    assert any("band.hardness and band.width cannot be told apart" in s for s in found.advice)
    assert any("tendon.slack cannot be identified" in s for s in found.advice)
