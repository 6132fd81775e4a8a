"""Evaluations of policies: walks, and what is told of them with controls and intervals."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from plantar.cli.app import run
from plantar.learn import EvaluateConfig, Evaluation, evaluate
from plantar.learn.config import LOCKED
from plantar.learn.controller import found_file
from plantar.learn.evaluation import CELL, FIGURES
from plantar.learn.intervals import student
from plantar.learn.plots import plot_stiffness
from plantar.learn.walks import Walks


def test_policies_and_feet_are_compared_with_the_first_foot_locked():
    """Walks that share a draw are subtracted from each other; falls count, but not in the means."""
    cells = [("a", "softfoot:fast", 1.0), ("a", "softfoot:fast", LOCKED), ("b", "own", 1.0)]
    figures = dict.fromkeys(("arrived", "lasted", "way", *FIGURES), 1.0)
    rows = [
        {
            **dict(zip(CELL, (*who, True, 0.5, 0.0, 0.0), strict=True)),
            "draw": k,
            **figures,
            "fallen": float(who[0] == "b" and k == 2),
        }
        | {"transport": 0.4 + 0.1 * k + 0.2 * (who[2] == LOCKED)}
        for who in cells
        for k in range(3)
    ]
    found = Evaluation(policies=("a.onnx", "b.onnx"), config=EvaluateConfig(), rows=rows)
    assert found.control == ("a", "softfoot:fast", LOCKED, True)
    soft, own = found.pairs()
    assert (soft["policy"], soft["stiffness"], own["policy"], own["foot"]) == ("a", 1.0, "b", "own")
    assert soft["transport"] == pytest.approx(-0.2) and soft["transport_high"] < 0
    assert soft["transport_percent"] == pytest.approx(-100 * 0.2 / 0.7)
    assert (soft["walks"], soft["fallen"], own["fallen"]) == (3, 0, 1)
    assert own["transport_percent"] == pytest.approx(-100 * 0.2 / 0.65), "the draw in which one fell is left out"
    assert "-28.6*" in found.text()
    ticks = [text.get_text() for text in plot_stiffness(found).axes[0].get_xticklabels()]
    assert ticks == ["1", "locked", "own"]
    raised = [row | {"level": 0.02} for row in rows]
    both = plot_stiffness(Evaluation(policies=("a.onnx",), config=EvaluateConfig(), rows=rows + raised))
    assert [text.get_text() for text in both.legends[0].get_texts()] == ["bars 0 mm", "bars 20 mm"]


def test_each_training_is_compared_with_itself_locked_and_trainings_are_the_sample():
    """Draws of one policy say nothing about another training: the interval is over the policies."""
    rows = [
        dict.fromkeys(FIGURES, 1.0)
        | dict(zip(CELL, (name, "softfoot:fast", stiffness, True, 0.5, 0.0, 0.0), strict=True))
        | {"draw": k, "fallen": float(stiffness == LOCKED and k < fell), "arrived": 1.0}
        | {"transport": base * (1.0 if stiffness == LOCKED else 1.0 - saved) + 0.001 * k}
        for name, base, saved, fell in (("one", 0.5, 0.1, 0), ("two", 0.8, 0.2, 1), ("three", 1.0, 0.3, 2))
        for stiffness in (1.0, LOCKED)
        for k in range(4)
    ]
    found = Evaluation(policies=("one.onnx", "two.onnx", "three.onnx"), config=EvaluateConfig(), rows=rows)
    pairs = found.pairs()
    assert [(row["policy"], row["against"]) for row in pairs] == [
        (name, f"softfoot:fast x 1000 by {name}") for name in ("one", "two", "three")
    ]
    (over,) = found.trainings()
    assert (over["foot"], over["stiffness"], over["policies"]) == ("softfoot:fast", 1.0, 3)
    assert over["fallen"] == -3
    falls = [over[f"fallen_points{end}"] for end in ("", "_low", "_high")]
    assert falls == pytest.approx([-25, -25 - 62.1, -25 + 62.1], abs=0.1)  # 0, 25 and 50 points fewer; Student's t, 2
    assert over["transport_percent"] == pytest.approx(-20, abs=0.1)
    assert over["transport_percent_high"] - over["transport_percent_low"] == pytest.approx(2 * 24.84, rel=0.01)  # t, 2
    assert over["slip_percent"] == 0 and "3 trainings" in found.text()
    builds = [
        {**row, "foot": "softfoot:full" if row["stiffness"] == 1 else "softfoot:fast", "stiffness": 1.0} for row in rows
    ]
    (full,) = Evaluation(policies=("one.onnx",), config=EvaluateConfig(), rows=builds[::-1]).trainings()
    assert full["foot"] == "softfoot:full" and full["policies"] == 3, "builds of a foot, too, by the same policy"
    assert (over["stood"], over["compared"]) == (4 + 3 + 2, 3)
    rigid = [row | {"policy": "rigid", "foot": foot, "stiffness": 1.0} for row in rows[:4] for foot in ("own", "plate")]
    mixed = Evaluation(policies=("rigid.onnx", "one.onnx"), config=EvaluateConfig(), rows=rigid + rows)
    assert mixed.trainings() == found.trainings(), "rigid feet in front of soft ones are no control of those"
    assert mixed.pairs()[0]["against"] == "softfoot:fast x 1000 by one"
    falls: list[Any] = plot_stiffness(found).axes[1].containers
    assert len(falls) == 1 and list(falls[0].lines[0].get_ydata()) == [0, 25], "one line, of the means over trainings"
    nobody = [{**row, "fallen": 0.0} for row in rows]
    (even,) = Evaluation(policies=("one.onnx",), config=EvaluateConfig(), rows=nobody).trainings()
    assert even["fallen_points"] == 0 and np.isnan(even["fallen_points_high"]), "three without a fall promise nothing"
    single = Evaluation(policies=("one.onnx",), config=EvaluateConfig(), rows=rows[:8])
    assert not single.trainings() and not single.feet(), "one training is no sample of trainings"


def test_feet_of_different_trainings_are_compared_as_two_samples():
    """Rigid feet have policies of their own, so that no walk of theirs is paired with one on soft feet."""
    rng, soft, plate = np.random.default_rng(7), [0.52, 0.60, 0.47, 0.55], [0.75, 0.66, 0.70]
    rows = [
        dict.fromkeys(FIGURES, 1.0)
        | dict(zip(CELL, (f"{foot[0]}{i}", foot, 1.0, True, 0.5, 0.0, 0.0), strict=True))
        | {"draw": k, "fallen": float(k == 2 and i == 0), "arrived": 1.0, "transport": mean + shift}
        for foot, means in (("softfoot:fast", soft), ("plate", plate))
        for i, mean in enumerate(means)
        for k, shift in enumerate((0.01, -0.01, 0.5 if i == 0 else 0.0))
    ]
    rng.shuffle(rows)
    names = tuple(f"{name}.onnx" for name in ("s0", "s1", "s2", "s3", "p0", "p1", "p2"))
    found = Evaluation(policies=names, config=EvaluateConfig(), rows=rows)
    feet = {row["foot"]: row for row in found.feet()}
    assert feet["softfoot:fast"]["transport"] == pytest.approx(np.mean(soft)) and feet["plate"]["policies"] == 3
    assert feet["softfoot:fast"]["fallen"] == feet["plate"]["fallen"] == 1 and feet["plate"]["walks"] == 9
    expected = stats.ttest_ind(soft, plate, equal_var=False).confidence_interval(0.95)
    falls = [feet["softfoot:fast"][f"fallen_points{end}"] for end in ("", "_low", "_high")]
    fell = stats.ttest_ind([100 / 3, 0, 0, 0], [100 / 3, 0, 0], equal_var=False).confidence_interval(0.95)
    assert falls == pytest.approx([100 / 12 - 100 / 9, *fell]) and feet["plate"]["fallen_percent"] == pytest.approx(
        100 / 9
    )
    ends = [feet["softfoot:fast"][f"transport_percent_{end}"] for end in ("low", "high")]
    assert ends == pytest.approx([100 * value / np.mean(plate) for value in expected])
    assert np.isnan(feet["plate"]["transport_percent"]) and feet["softfoot:fast"]["slip_percent"] == 0
    assert "against the plate" in found.text() and "feet" in found.record()


def test_intervals_over_few_draws_hold_what_they_promise():
    """A bootstrap of five draws covers the true mean in 84 % of the cases."""
    rng, inside = np.random.default_rng(11), 0
    for _ in range(400):
        found = student("x", rng.normal(size=5))
        inside += found["x_low"] <= 0 <= found["x_high"]
    assert 0.92 < inside / 400 < 0.98
    rows = [
        dict.fromkeys(FIGURES, 1.0)
        | dict(zip(CELL, ("one", "softfoot:fast", stiffness, True, 0.5, 0.0, 0.0), strict=True))
        | {"draw": k, "fallen": 0.0, "arrived": 1.0, "slip": 1.0 + (stiffness == 1) * 0.1 * k}
        for stiffness in (1.0, LOCKED)
        for k in range(5)
    ]
    found = Evaluation(policies=("one.onnx",), config=EvaluateConfig(), rows=rows)
    (pair,) = found.pairs()
    low, high = stats.ttest_1samp(0.1 * np.arange(5), 0.0).confidence_interval(0.95)
    assert (pair["slip_low"], pair["slip_high"], pair["stood"]) == pytest.approx((low, high, 5))
    assert found.summary()[0]["slip_high"] == pytest.approx(1 + high)


def test_policies_that_walked_on_a_plate_too_are_no_second_sample():
    rows = [
        dict.fromkeys(FIGURES, 1.0)
        | dict(zip(CELL, (policy, foot, 1.0, True, 0.5, 0.0, 0.0), strict=True))
        | {"draw": 0, "fallen": 0.0, "arrived": 1.0, "slip": 1.0 + i}
        for i, policy in enumerate(("one", "two"))
        for foot in ("softfoot:fast", "plate")
    ]
    found = Evaluation(policies=("one.onnx", "two.onnx"), config=EvaluateConfig(), rows=rows)
    assert all(np.isnan(row["slip_percent"]) for row in found.feet())


def test_walks_of_one_foot_are_written_and_go_on_where_they_stopped(shared, tmp_path, monkeypatch, capsys):
    """With a single foot there is nothing to compare; its walks are written all the same."""
    robot = str(shared / "models" / "menagerie" / "unitree_g1" / "g1.xml")
    cell = ["--feet", "softfoot:fast", "--stiffness", "1", "--levels", "0", "--draws", "1", "--seconds", "0.1"]
    command = ["learn", "evaluate", "g1_softfoot.onnx", "--robot", robot, *cell, "--processes", "1", "--json"]
    assert run([*command, "--out", str(tmp_path / "e")]) == 0
    first = json.loads(capsys.readouterr().out)
    assert [row["walks"] for row in first["summary"]] == [1] and first["pairs"] == []
    monkeypatch.setattr(Walks, "__call__", None)  # nothing is walked again
    assert run([*command, "--out", str(tmp_path / "e")]) == 0
    assert json.loads(capsys.readouterr().out) == first
    names = {file.name for file in (tmp_path / "e").iterdir()}
    assert {"walks.csv", "summary.csv", "report.html", "stiffness.png"} <= names and "pairs.csv" not in names


def test_feet_walk_with_their_tendons_and_without(shared, capsys):
    robot = str(shared / "models" / "menagerie" / "unitree_g1" / "g1.xml")
    config = EvaluateConfig(stiffness=(1.0,), tendons=(False, True), levels=(0.0,), draws=1, seconds=0.1)
    found = evaluate(found_file("g1_softfoot.onnx"), config=config, robot=robot)
    slack, strung = found.rows
    assert (slack["tendons"], strung["tendons"]) == (False, True) and slack["transport"] != strung["transport"]
    assert found.control == ("g1_softfoot", "softfoot:fast", 1.0, True), "with tendons, if both walked"
    assert len(found.pairs()) == 1 and len(plot_stiffness(found).axes[0].get_xticklabels()) == 2
    assert run(["learn", "evaluate", "g1_softfoot.onnx", "--tendons", "slack"]) == 2
    assert "--tendons 'slack' is not allowed: give on, off, or on,off" in capsys.readouterr().err
