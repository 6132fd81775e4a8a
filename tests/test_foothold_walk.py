"""The walking quadruped: crawls and trots on both feet, its grounds, its study and the command."""

from __future__ import annotations

import json
import math
import runpy
from pathlib import Path

import mujoco
import numpy as np
import pytest
from foothold_cases import crossing_on, flat_map

from plantar import feet, robots
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.foothold.walking import (
    Crossing,
    CrossStatus,
    FourLegged,
    Trot,
    find_chooser,
    legs_of,
    make_terrain,
    map_of,
)
from plantar.foothold.walking.controller import FLAT
from plantar.foothold.walking.study import best_of, summarise
from plantar.foothold.walking.terrains import START, TERRAINS
from plantar.ground import ElevationMap, Flat, HeightField

ROOT = Path(__file__).parents[1]
XBODY = mujoco.mjtObj.mjOBJ_XBODY


@pytest.fixture(scope="module")
def soft() -> Crossing:
    return crossing_on("softfoot_q")


@pytest.fixture(scope="module")
def ball() -> Crossing:
    return crossing_on("ball")


def test_a_soft_sole_lies_flat_before_it_carries(soft):
    """Feet touch gently and carry little until their sole has tipped: that is what keeps them from sliding."""
    sim = soft.simulation(Flat(), find_chooser("nominal"), distance=0.25, scatter=0.0)
    controller, most = sim.controller, []
    while not controller.done:
        sim.tick()
        since = sim.data.time - controller.loaded
        fresh = (since > 0.02) & (since < FLAT - 0.01)
        most.append(float((sim.loads * fresh).max()))
    # a sole that slaps down pushes for a moment; the weight does not
    assert np.mean(np.array(most)[np.array(most) > 0]) < 0.1 * controller.weight
    assert soft.run("flat", "nominal", distance=0.3).figures.slip < 0.012


@pytest.mark.parametrize("foot", ["soft", "ball"])
def test_crawls_on_level_ground(foot, soft, ball):
    walk = soft if foot == "soft" else ball
    result = walk.run("flat", "nominal", distance=0.3, frames=True)
    assert result.status is CrossStatus.CROSSED and result.distance >= 0.3
    assert result.figures.collisions == 0 and result.figures.tilt < math.radians(4)
    assert result.figures.com_error < 0.015 and result.failures == 0
    assert result.record is not None
    heights = result.record.path[:, 3]
    stand = walk.crawl.height + walk.legged.ankle_height
    # the plan may be one notch of 2 cm lower where a leg trails far behind; it is followed within 1 cm
    assert heights.max() < stand + 0.01 and heights.min() > stand - 0.03
    again = walk.run("flat", "nominal", distance=0.3)
    assert again.row() == result.row()


def test_stands_still(ball):
    sim = ball.simulation(Flat(), find_chooser("nominal"), distance=0.05, scatter=0.0)
    while sim.data.time < 0.5:
        sim.tick()
    weight = ball.legged.mass * ball.legged.gravity
    assert sim.loads.sum() == pytest.approx(weight, rel=0.02)
    assert sim.loads == pytest.approx(np.full(4, weight / 4), rel=0.1)
    assert np.abs(sim.data.qvel[:6]).max() < 0.01 and not sim.fallen


def test_late_ground_is_found(ball):
    """The map says 4 cm higher than the ground is: feet go on down until they carry."""
    result = ball.run(Flat(), "nominal", distance=0.12, elevation=flat_map(0.0).shifted(dz=0.0), seed=1)
    assert result.figures.late == 0
    heights = np.where(np.add.outer(np.zeros(101), np.arange(181) * 0.02 - 1.2) > 0.45, 0.04, 0.0)
    wrong = ElevationMap(heights=heights, cell=0.02, origin=(-1.2, -1.0))
    fooled = ball.run(Flat(), "nominal", distance=0.12, elevation=wrong, seed=1)
    assert fooled.success and fooled.figures.late >= 1


def test_unseen_step_is_met_early(ball):
    """The ground is 3 cm higher than the map says: feet stop where they touch."""
    heights = np.tile(np.where(np.arange(251) * 0.02 - 1.4 > 0.5, 0.03, 0.0), (121, 1))
    grid = ElevationMap(origin=(-1.4, -1.2), cell=0.02, heights=heights)
    result = ball.run(HeightField(grid=grid), "nominal", distance=0.25, elevation=flat_map())
    assert result.success and result.figures.tilt < math.radians(8)


def test_grounds_are_level_at_the_start_and_drawn_by_their_seed():
    for kind in TERRAINS:
        one, same, other = make_terrain(kind, 3), make_terrain(kind, 3), make_terrain(kind, 4)
        grid = map_of(one)
        assert map_of(same) == grid
        if kind != "flat":
            assert map_of(other) != grid
            assert np.abs(map_of(make_terrain(kind, 3, 0.5)).heights).sum() < 0.8 * np.abs(grid.heights).sum()
        assert np.abs(grid.heights[:, grid.x < START - 0.03]).max() == 0


def test_summary_counts_and_ranks():
    rows = [
        {"terrain": "stairs", "foot": f, "choose": "analytic", "success": ok, "slip": 0.1 + 0.01 * k, "collisions": k}
        for f, oks in (("a", (True, True, False)), ("b", (True, True, True)))
        for k, ok in enumerate(oks)
    ]
    summary = summarise(rows)
    assert [(r["foot"], r["successes"], r["walks"]) for r in summary] == [("a", 2, 3), ("b", 3, 3)]
    assert summary[0]["slip"] == pytest.approx(0.11) and summary[0]["slip_low"] < 0.11 < summary[0]["slip_high"]
    assert best_of(summary)[0]["foot"] == "b"


def test_study_command(tmp_path, capsys):
    out = tmp_path / "study"
    args = ["foothold", "walk", "flat", "--feet", "ball", "--choose", "analytic", "--draws", "1"]
    args += ["--distance", "0.05", "--workers", "1", "--out", str(out), "--json"]
    assert run(args) == 0
    record = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert [row["successes"] for row in record["summary"]] == [1]
    names = {p.name for p in out.iterdir()}
    assert names >= {"report.html", "summary.csv", "walks.csv", "study.png", "photos_flat.png", "watch_flat.html"}
    assert names >= {"footholds_flat.png", "config.json", "best.csv"}
    assert run([*args, "--no-photos"]) == 0  # nothing is walked again
    again = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert again["summary"] == record["summary"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["lava"], "terrain"),
        (["flat", "--choose", "magic"], "magic"),
        (["flat", "--feet", "softfoot"], "softfoot"),
        (["flat", "--robot", "biped"], "quadruped"),
        (["flat", "--difficulty", "-1"], "difficulty"),
        (["flat", "--stride", "2"], "stride"),
        (["flat", "--gait", "gallop"], "gallop"),
        (["flat", "--gait", "trot", "--speed", "9"], "speed"),
        (["flat", "--sole", "nothing.json"], "nothing.json"),
        (["nothing.json"], "nothing.json"),
    ],
)
def test_bad_input_is_one_line(args, said, tmp_path, capsys):
    out = tmp_path / "none"
    assert run(["foothold", "walk", *args, "--out", str(out)]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error and len(error.splitlines()) == 1
    assert not out.exists()


def test_anymal_c_crawls(shared, monkeypatch):
    monkeypatch.setenv("MENAGERIE_ROOT", str(shared / "models" / "menagerie"))
    walk = Crossing(robots.mount("anybotics_anymal_c", feet.get("softfoot_q", fidelity="fast")))
    assert walk.legs.thigh == pytest.approx(0.285, abs=1e-3)
    assert walk.legs.roll_range == pytest.approx((-0.72, 0.49))  # inwards and outwards
    result = walk.run("flat", "analytic", distance=0.1)
    assert result.success and result.figures.collisions == 0


def test_two_legs_are_refused():
    with pytest.raises(InvalidInput, match="quadruped"):
        FourLegged(robots.load("biped"))
    assert legs_of is not None


def test_example():
    found = runpy.run_path(str(ROOT / "examples" / "16_foothold_walk.py"))["main"](distance=0.1)
    assert found["distance"] >= 0.1 and found["crossed"]


@pytest.mark.parametrize("foot", ["soft", "ball"])
def test_a_shank_on_an_edge_is_no_load_of_its_foot(foot, soft, ball):
    """A leg whose shank or knee hits a stair has not landed."""
    walk = soft if foot == "soft" else ball
    sim = walk.simulation(Flat(), find_chooser("nominal"), distance=0.1)
    m, d = sim.scene.model, sim.data
    shanks = {m.body(place.body).id for place in sim.scene.robot.places}
    names = {m.body(int(b)).name for s in range(m.nsensor) for b in [m.sensor_refid[s]] if m.sensor_reftype[s] == XBODY}
    assert len(names) == 4 and not names & {m.body(b).name for b in shanks}
    while d.time < 0.3:
        sim.tick()
    assert sim.loads.sum() == pytest.approx(walk.legged.mass * walk.legged.gravity, rel=0.1)


@pytest.mark.parametrize("name", ["softfoot_q", "ball"])
def test_trots_on_level_ground(name):
    foot = feet.get("softfoot_q", fidelity="fast") if name == "softfoot_q" else name
    walk = Crossing(robots.mount("quadruped", foot), trot=Trot(speed=0.3))
    result = walk.run("flat", "analytic", distance=0.8, frames=True)
    assert result.success and result.figures.collisions == 0 and result.failures == 0
    assert result.figures.tilt < math.radians(3)
    legs = [step.leg for step in result.steps]
    assert legs[:4] == ["LF", "RH", "RF", "LH"]
    assert result.steps[0].time == result.steps[1].time
    assert result.record is not None
    times, way = result.record.path[:, 0], result.record.path[:, 1]
    going = (times > 1.6) & (way < 0.8)
    assert np.polyfit(times[going], way[going], 1)[0] == pytest.approx(0.3, rel=0.15)
