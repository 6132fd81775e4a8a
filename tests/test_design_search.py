"""The search: known fronts, rounds that any engine and any number of kills bring to the same place."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("optuna", reason="needs the extra design")
import optuna
from design_functions import bnh, zdt1

from plantar import InvalidInput, design, feet, sweep
from plantar.design import Dimension, Space, explore
from plantar.design.front import bend_of, front_of, losses, ranked, usable
from plantar.design.refine import lowest
from plantar.design.result import DesignResult
from plantar.design.sampler import Proposer
from plantar.design.subject import Setting

Keep = Callable[[str, object], None]
TWO = {"a": 1.0, "b": 1.0}


def space_of(count: int, low: float = 0.0, high: float = 1.0) -> Space:
    return Space(
        foot=feet.BallFoot(), dimensions=tuple(Dimension(name=f"x{i}", low=low, high=high) for i in range(count))
    )


def volume(points: np.ndarray, corner: tuple[float, float]) -> float:
    """Area between a front and a corner, both goals to be small."""
    inside = points[(points < corner).all(axis=1)]
    total, top = 0.0, corner[1]
    for x, y in sorted(map(tuple, inside)):
        if y < top:
            total += (corner[0] - x) * (top - y)
            top = y
    return total


def alone(problem: Any, dimensions: Space, sampler: Any, count: int) -> np.ndarray:
    """The library's sampler run by itself, one foot at a time."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(directions=["minimize"] * 2, sampler=sampler)

        def objective(trial: Any) -> tuple[float, float]:
            values = {d.name: trial.suggest_float(d.name, d.low, d.high) for d in dimensions.dimensions}
            record = problem({"values": values}, 0)
            return record["a"], record["b"]

        study.optimize(objective, n_trials=count)
    return np.array([trial.values for trial in study.trials])


def test_nsga2_in_rounds_is_the_library_alone(tmp_path: Path, record_property: Keep):
    dimensions = space_of(4)
    rows = explore(zdt1, dimensions, TWO, evaluations=96, out=tmp_path / "a", sampler="nsga2", seed=5, workers=1)
    expected = alone(zdt1, dimensions, optuna.samplers.NSGAIISampler(seed=5, population_size=24), 96)
    record_property("design.nsga2.equal_points", int((losses(rows, TWO) == expected).all(axis=1).sum()))
    record_property("design.nsga2.points", len(expected))
    assert np.array_equal(losses(rows, TWO), expected)


@pytest.mark.long
@pytest.mark.parametrize("problem", [zdt1, bnh], ids=["zdt1", "bnh"])
def test_fronts_are_as_large_as_those_of_the_library_alone(tmp_path: Path, problem: Any, record_property: Keep):
    dimensions = space_of(4) if problem is zdt1 else space_of(2, 0.0, 5.0)
    corner = (1.1, 1.1) if problem is zdt1 else (140.0, 50.0)
    mine, theirs = [], []
    for seed in range(3):
        rows = explore(problem, dimensions, TWO, evaluations=160, out=tmp_path / f"{seed}", sampler="tpe", seed=seed)
        mine.append(volume(losses(usable(rows), TWO), corner))
        found = alone(problem, dimensions, optuna.samplers.TPESampler(seed=seed), 160)
        theirs.append(volume(found, corner))
    record_property(f"design.fronts.{problem.__name__}", float(np.mean(mine) / np.mean(theirs)))
    assert np.mean(mine) > 0.95 * np.mean(theirs)


def test_limits_are_kept_and_reasons_told(tmp_path: Path):
    rows = explore(bnh, space_of(2, 0.0, 5.0), TWO, evaluations=48, out=tmp_path / "a", sampler="tpe", workers=1)
    broken = [row for row in rows if row["violation"] > 0]
    assert broken and all(row["reason"] for row in broken)
    front = front_of(rows, TWO)
    assert all(row["violation"] == 0 for row in front)
    assert losses(front, TWO)[:, 0].min() < 20  # the end of the true front is (0, 50)


def test_a_front_is_what_nothing_beats():
    points = [(1, 5), (2, 2), (5, 1), (3, 3), (2, 2), (0, 9)]
    rows = [{"trial": i, "a": a, "b": b, "violation": 0.0} for i, (a, b) in enumerate(points)]
    rows.append({"trial": 6, "a": 0.0, "b": 0.0, "violation": 1.0})
    assert [row["trial"] for row in front_of(rows, TWO)] == [0, 1, 2, 5]
    assert bend_of(front_of(rows, TWO), TWO)["trial"] == 1
    two = [row for row in rows if row["trial"] in (1, 5)]
    assert bend_of(two, TWO, [*rows, {"trial": 7, "a": 50, "b": 9, "violation": 0.0}])["trial"] == 1
    assert ranked(rows, TWO)[0]["trial"] == 1 and len(ranked(rows, TWO)) == 5
    assert [row["trial"] for row in front_of(rows, {"a": 1.0, "b": -1.0})] == [5]


def test_conditional_and_whole_fields_are_proposed_where_they_count():
    dimensions = (
        Dimension(name="kind", kind="choice", values=("cord", "none")),
        Dimension(name="slack", low=0.0, high=1.0, when=("kind", "cord")),
        Dimension(name="count", kind="int", low=2, high=4),
        Dimension(name="size", low=1e-3, high=1e3, log=True),
    )
    proposer = Proposer(Space(foot=feet.BallFoot(), dimensions=dimensions), [1.0], "tpe", seed=1)
    for _ in range(6):
        for trial, values in proposer.ask(4):
            assert ("slack" in values) == (values["kind"] == "cord")
            assert values["count"] in (2, 3, 4) and 1e-3 <= values["size"] <= 1e3
            proposer.tell(trial, [abs(math.log10(values["size"]) - 1)], 0.0)


def test_killed_ten_times_it_ends_in_the_same_place(tmp_path: Path, record_property: Keep):
    ask: dict[str, Any] = {"evaluations": 60, "batch": 5, "seed": 2, "workers": 1}
    whole = explore(zdt1, space_of(3), TWO, out=tmp_path / "whole", **ask)
    rounds = []
    for kill in range(10):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                explore(zdt1, space_of(3), TWO, out=tmp_path / "killed", **ask)
            os._exit(0)
        while len(rounds := sorted((tmp_path / "killed").glob("round*"))) <= kill:
            assert os.waitpid(child, os.WNOHANG) == (0, 0), "it ended before it could be killed"
            time.sleep(0.001)
        time.sleep(0.003 * (kill % 4))  # some in the middle of a round, some between two
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert 10 <= len(rounds) < 13
    ended = explore(zdt1, space_of(3), TWO, out=tmp_path / "killed", **ask)
    record_property("design.kills", 10)
    record_property("design.rows_equal_after_kills", [sum(map(dict.__eq__, ended, whole)), len(whole)])
    assert ended == whole


@pytest.mark.parametrize("engine", ["processes", pytest.param("ray", marks=pytest.mark.long)])
def test_engines_give_the_same_table(tmp_path: Path, engine: sweep.EngineName, record_property: Keep):
    if engine == "ray":
        pytest.importorskip("ray")
    space = design.make_space(feet.get("softfoot:fast"), ["band.hardness=40..80", "chains=3..5"])
    problem = design.Problem(space=space, objectives=("mass", "band_stress"), limits=("band_stress<=6e6",))
    how: dict[str, Any] = {"evaluations": 12, "batch": 6, "seed": 4}
    goals = problem.check()
    alone = explore(problem.evaluation(), space, goals, out=tmp_path / "threads", workers=1, **how)
    more: dict[str, Any] = {"engine": engine, "workers": 2, **how}
    ended = explore(problem.evaluation(), space, goals, out=tmp_path / engine, **more)
    equal = sum(repr(row) == repr(other) for row, other in zip(ended, alone, strict=True))
    record_property(f"design.rows_equal_on.{engine}", [equal, len(alone)])
    assert repr(ended) == repr(alone)


def test_another_search_is_not_continued(tmp_path: Path):
    explore(zdt1, space_of(3), TWO, evaluations=5, batch=5, out=tmp_path / "a", seed=0, workers=1)
    with pytest.raises(InvalidInput, match="holds another sweep"):
        explore(zdt1, space_of(3), TWO, evaluations=5, batch=5, out=tmp_path / "a", seed=1, workers=1)


def test_one_goal_over_numbers_takes_cmaes():
    dimensions = space_of(3)
    assert Proposer(dimensions, [1.0]).name == "cmaes"
    assert Proposer(dimensions, [1.0, 1.0]).name == "tpe"
    choice = Dimension(name="kind", kind="choice", values=("a", "b"))
    mixed = Space(foot=feet.BallFoot(), dimensions=(*dimensions.dimensions, choice))
    assert Proposer(mixed, [1.0]).name == "tpe"
    with pytest.raises(InvalidInput, match="one objective over numbers"):
        Proposer(mixed, [1.0], "cmaes")
    assert design.MEASURES["mass"].level == "model"


def test_a_quadratic_through_the_best_finds_the_end_of_a_valley():
    """A bowl a thousand times steeper one way than the other, of which only the distance is told."""
    rng = np.random.default_rng(1)
    best, turn = np.array([0.3, 0.6, 0.45]), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    places = rng.uniform(0.2, 0.8, (24, 3))
    distance = np.sqrt(((places - best) @ turn) ** 2 @ np.array([1.0, 30.0, 1000.0]))
    for found in lowest(places, distance):
        assert found == pytest.approx(best, abs=1e-6)
    assert lowest(places[:11], distance[:11]) == []


def test_downhill_all_the_way_a_step_leaves_the_box_by_a_quarter():
    """The best foot lies on the edge of what was tried, beyond which steps were three times shorter."""
    places = np.random.default_rng(0).uniform(0.5, 0.9, (12, 2))
    found = lowest(places, 1.5 + places[:, 0])[0]
    assert found[0] == pytest.approx(places[:, 0].min() - np.ptp(places[:, 0]) / 4)


def test_no_foot_is_proposed_twice_where_quadratics_agree():
    proposer = Proposer(space_of(2), [1.0], seed=0)
    tried = [values for _ in range(4) for values in _told(proposer, lambda values: 1.5 + values["x0"])]
    assert len({tuple(values.values()) for values in tried}) == len(tried)


def _told(proposer: Proposer, loss: Any) -> list[dict[str, Any]]:
    asked = proposer.ask(8)
    for trial, values in asked:
        proposer.tell(trial, [loss(values)], 0.0)
    return [values for _, values in asked]


def test_parts_of_a_goal_lead_to_hidden_values_soon():
    """A curve of five points that bends, from three hidden values; one of them hardly changes it."""
    loads = np.array([10.0, 40.0, 80.0, 160.0, 320.0])

    def curve(values: dict[str, Any]) -> np.ndarray:
        free = 0.0135 + 0.02 * loads / (loads + 200 * values["x0"])
        stop, soft = 0.012 + 0.02 * values["x1"], 4e-4
        return stop - soft * np.log1p(np.exp((stop - free) / soft)) + 2e-6 * loads * values["x2"]

    dimensions = space_of(3, 0.2, 2.0)
    hidden = {"x0": 0.9, "x1": 0.33, "x2": 0.7}
    proposer, best = Proposer(dimensions, [1.0], seed=3), {}
    for _ in range(10):
        for trial, values in proposer.ask(8):
            parts = curve(values) / curve(hidden) - 1
            loss = float(np.sqrt(np.mean(parts**2)))
            proposer.tell(trial, [loss], 0.0, parts.tolist())
            best = min(best or {"loss": 9.0}, {**values, "loss": loss}, key=lambda row: row["loss"])
    assert [best[name] for name in hidden] == pytest.approx(list(hidden.values()), rel=0.05)


def test_small_rounds_are_left_to_the_sampler(monkeypatch: pytest.MonkeyPatch):
    """Three of four proposals are the sampler's own, which would else never be asked in rounds of one."""
    steps: list[int] = []
    monkeypatch.setattr("plantar.design.sampler.lowest", lambda places, *_: steps.append(1) or [places[0], places[-1]])
    proposer = Proposer(space_of(2), [1.0], seed=1)
    for _ in range(40):
        ((trial, values),) = proposer.ask(1)
        proposer.tell(trial, [math.hypot(values["x0"] - 0.3, values["x1"] - 0.7)], 0.0)
    assert 8 <= len(steps) <= 10


def test_reasons_are_counted_together_and_names_stay_whole():
    """A name with a digit in it was cut there, and nobody learnt what was wrong."""
    rows = [{"violation": 1.0, "reason": f"robot 'khr3hv' has no stance {width} mm wide"} for width in (56, 57)]
    rows += [{"violation": 1.0, "reason": "coupling_length = -0.03 is not allowed"}]
    found = DesignResult(
        problem=None, goals=(), rows=rows, pressed=[], front=[], values={}, verified=[], sensitivity=[], judgement=None
    )  # type: ignore[arg-type]
    assert found.broken == {"robot 'khr3hv' has no stance ...": 2, "coupling_length ...": 1}


def test_a_search_in_a_program_knows_the_files_it_reads(tmp_path: Path):
    file = tmp_path / "wanted.csv"
    file.write_text("load,deflection\n10,0.015\n40,0.017\n")
    space = design.make_space(feet.get("softfoot:fast"), ["band.hardness=40..80"])
    problem = design.Problem(space=space, objectives=(f"curve:file={file}",))
    before = problem.evaluation(), problem.record()
    assert before == (problem.evaluation(), problem.record())
    file.write_text("load,deflection\n10,0.011\n40,0.013\n")
    assert before[0] != problem.evaluation() and before[1] != problem.record()


def test_feet_of_a_judgement_are_told_apart(tmp_path: Path):
    """Names that make the same file were one foot, and a ground given twice doubled the walks behind an interval."""
    ball, setting = feet.BallFoot(), Setting(robot="biped", grounds=("flat",))
    with pytest.raises(InvalidInput, match="chosen"):
        design.judge({"a b": ball, "a/b": ball.with_(radius=0.03)}, setting, tmp_path)
    with pytest.raises(InvalidInput, match="each ground once"):
        design.judge({"a": ball}, setting, tmp_path, grounds=["bars:0.01", "bars:0.010"])
