"""The ground that a foot feels: a known law lies in the intervals, and what a log cannot tell is said."""

from __future__ import annotations

import json

import numpy as np
import pytest

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.ground.soil.sense import FootLog, sense
from plantar.ground.soil.stepping import Stepping
from plantar.ground.soil.yielding import YieldingGround

WHERE = {"origin": (-0.2, -0.2), "size": (2.4, 0.4), "cell": 0.01}
SAND = YieldingGround.of("testbed_sand", **WHERE)


def truth(ground, log, found):
    return {"pressure": float(ground.law(area=1.0, diameter=log.diameter).force(found.depth)), "n": ground.n}


def test_noise_free_steps_tell_the_law():
    log = Stepping(steps=4, noise=0.0).walk(SAND, 0)
    found = sense(log)
    values = {row["parameter"]: row["value"] for row in found.parameters}
    want = truth(SAND, log, found)
    assert values["pressure"] == pytest.approx(want["pressure"], rel=2e-3)
    assert values["n"] == pytest.approx(want["n"], abs=5e-3)
    assert values["damping"] == pytest.approx(SAND.damping, abs=0.05)
    assert any("size" in note for note in found.notes)


@pytest.mark.parametrize("material", ["testbed_sand", "dry_sand", "upland_loam"])
def test_a_known_law_lies_in_the_intervals(material):
    ground = YieldingGround.of(material, **WHERE)
    held = []
    for seed in range(4):
        log = Stepping().walk(ground, 100 + seed)
        found = sense(log)
        held.append(found.holds(**truth(ground, log, found)))
        assert all(row["told"] for row in list(found.parameters)[:2])
    assert sum(held) >= 3


def test_ground_in_which_feet_hardly_sink_is_said_to_be_untold():
    clay = YieldingGround.of("clayey_soil", **WHERE)
    assert any("less than 1 mm" in note for note in sense(Stepping(steps=3).walk(clay, 0)).notes)


def test_the_stiffness_of_the_foot_is_told_apart_from_the_soil():
    log = Stepping(stiffness=15e3).walk(SAND, 5)
    found = sense(log, stiffness=True)
    assert found.holds(**truth(SAND, log, found), foot_stiffness=15e3)
    assert found.foot_stiffness == pytest.approx(15e3, rel=0.3)
    # who takes a foot that gives way for a rigid one finds soil that is softer than it is
    assert not sense(log).holds(**truth(SAND, log, sense(log)))


def test_logs_are_read_and_refused(tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["ground", "sense", "--steps", "3", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["steps"] == 3 and {"sense.png", "log.csv", "ground.json"} <= {p.name for p in out.iterdir()}
    assert run(["ground", "sense", str(out / "log.csv"), "--out", str(tmp_path / "again"), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["parameters"][1]["value"] == pytest.approx(record["parameters"][1]["value"], rel=1e-6)
    (tmp_path / "bad.csv").write_text("step,depth\n0,1\n")
    assert run(["ground", "sense", str(tmp_path / "bad.csv")]) == 2
    assert "lacks speed, force" in capsys.readouterr().err
    few = {name: np.ones(3) for name in ("step", "depth", "speed", "force")}
    with pytest.raises(InvalidInput, match="no step"):
        sense(FootLog(**few, area=1e-3, diameter=0.03))


@pytest.mark.parametrize("factor", [1e3, -1.0], ids=["millimetres", "upwards"])
def test_depths_that_are_no_metres_downwards_are_refused(factor):
    depth = np.linspace(0.001, 0.02, 40)
    with pytest.raises(InvalidInput, match="depth"):
        FootLog(step=np.zeros(40), depth=factor * depth, speed=0 * depth, force=1e3 * depth, area=0.006, diameter=0.08)
