"""Walks of the built-in biped: steps, pushes, bars, sensors, studies and commands."""

from __future__ import annotations

import json
import math
import runpy
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import feet, robots, walk
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.walk.course import Course
from plantar.walk.sim.parts import HIDDEN, hide_doubles
from plantar.walk.study.feet import find_walker


@pytest.fixture(scope="module")
def biped():
    return robots.load("biped")


@pytest.fixture(scope="module")
def soft(biped):
    return robots.mount(biped, feet.get("softfoot", fidelity="fast"))


@pytest.fixture(scope="module")
def stroll(biped):
    return Course(biped, gait=walk.Gait(steps=4))


def test_walks_straight_with_its_weight_on_its_feet(stroll):
    result = stroll.run(seed=1, record=True)
    assert result.success and result.steps == 4 and result.failures == 0
    assert result.metrics.drift < 0.05
    planned = stroll.footsteps()[-1].position[0]
    assert result.distance == pytest.approx(planned, abs=0.02)
    assert result.record is not None
    loads = result.record.table[-200:, 5:7].sum(axis=1).mean()
    weight = stroll.scene.legged.mass * stroll.scene.legged.gravity
    assert loads == pytest.approx(weight, rel=0.01)
    assert result.metrics.support_area == pytest.approx(0.21 * 0.11, rel=0.15)  # one sole of 21 by 11 cm
    assert result.metrics.dcm_error < 0.01 and result.metrics.slip < 0.1


def test_one_seed_gives_the_same_bits_and_another_does_not(stroll, biped):
    first = stroll.run(seed=5, record=True, rest=0.2)
    again = Course(biped, gait=walk.Gait(steps=4)).run(seed=5, record=True, rest=0.2)
    other = stroll.run(seed=6, record=True, rest=0.2)
    assert first.record is not None and again.record is not None and other.record is not None
    assert np.array_equal(first.record.table, again.record.table)
    assert first.row() == again.row()
    assert not np.array_equal(first.record.table, other.record.table)


@pytest.mark.parametrize("mode", ["torque", "impedance"])
def test_walks_on_soft_feet(soft, mode):
    result = walk.trial(soft, gait=walk.Gait(steps=3), mode=mode, seed=2)
    assert result.success and result.metrics.drift < 0.05
    assert result.foot == "softfoot:fast" and result.mode == mode


def test_soft_feet_take_a_push_without_a_step_and_a_hard_one_with_steps(soft):
    course = Course(soft, gait=walk.Gait(steps=0, settle=0.3))
    for direction in (0.0, math.pi / 2):
        result = course.run(pushes=[walk.Push(impulse=8, direction=direction, time=0.5)], rest=2.0)
        assert result.success and result.steps == 0
    hard = course.run(pushes=[walk.Push(impulse=20, time=0.5)], rest=1.5)
    assert hard.success and hard.steps >= 1 and hard.recoveries >= 1


def test_stands_without_knowing_the_truth(biped):
    sensing = walk.Sensing(state="estimate", delay=0.004)
    course = Course(biped, gait=walk.Gait(steps=0), sensing=sensing)
    sim = course.simulation(seed=4)
    for _ in range(1000):
        sim.tick()
    assert not sim.fallen and sim.tilt < 0.05
    told, true = sim.observation, sim.data.qpos[course.scene.q_index]
    np.testing.assert_allclose(told.qpos[:3], true[:3], atol=0.02)
    np.testing.assert_allclose(told.qpos[3:7], true[3:7], atol=0.02)
    assert not np.array_equal(told.qpos[7:], true[7:])
    for delay in (0.001, 0.003):  # half a control step, which was none, and one and a half, which were two
        with pytest.raises(InvalidInput, match="whole control steps of 0.002 s"):
            Course(biped, gait=walk.Gait(steps=0), sensing=walk.Sensing(delay=delay))
    with pytest.raises(InvalidInput, match="imu"):
        walk.Simulation(Course(biped, gait=walk.Gait(steps=0)).scene, course.controller(), sensing=sensing)


def test_a_high_wall_makes_it_fall(biped):
    result = walk.trial(biped, obstacle=0.2, gait=walk.Gait(steps=6), seed=0)
    assert not result.success and result.status is not walk.WalkStatus.WALKED


def test_bar_lies_where_it_was_put_and_can_be_felt(stroll):
    sim = stroll.simulation(bars=[walk.Bar(x=0.3, height=0.02)])
    data, scene = sim.data, stroll.scene
    geom = scene.bar_geoms[0]
    assert data.geom_xpos[geom][2] + sim.model.geom_size[geom, 2] == pytest.approx(0.02)
    assert data.geom_xpos[geom][0] == pytest.approx(0.3)
    assert data.geom_xpos[scene.bar_geoms[1]][2] < -5
    with pytest.raises(InvalidInput, match="at most"):
        scene.set_bars(sim.model, data, [walk.Bar(x=0.3, height=0.02)] * 9)


def test_bad_requests_are_refused(stroll, biped):
    with pytest.raises(InvalidInput, match="mode = 'fly'"):
        walk.trial(biped, mode="fly")
    with pytest.raises(InvalidInput, match="obstacle"):
        stroll.run(obstacle=0.5)
    with pytest.raises(InvalidInput, match="seed"):
        stroll.run(seed=-1)
    with pytest.raises(InvalidInput, match="push body 'tail'"):
        stroll.run(pushes=[walk.Push(impulse=1, body="tail")])
    with pytest.raises(InvalidInput, match="fidelity = 'quick'"):
        find_walker("biped", "softfoot:quick")


def test_trial_command(tmp_path, capsys):
    out = tmp_path / "walk"
    assert run(["walk", "trial", "biped", "--steps", "2", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["success"] and record["steps"] == 2
    for name in ("result.csv", "time_series.csv", "walk.png", "photos.png", "watch.html", "report.html", "config.json"):
        assert (out / name).exists()


@pytest.mark.parametrize(
    "words",
    [
        ["trial", "no_such_robot"],
        ["trial", "biped", "--foot", "hoof"],
        ["trial", "biped", "--mode", "fly"],
        ["trial", "biped", "--obstacle", "3"],
        ["trial", "biped", "--place", "ear", "--obstacle", "0.01"],
        ["trial", "biped", "--terrain", "lava"],
        ["trial", "biped", "--terrain-set", "angle=1"],
        ["trial", "biped", "--set", "chains=1"],
        ["trial", "biped", "--push", "1,2,3,4"],
        ["trial", "quadruped", "--foot", "ball", "--plan", "dcm"],
    ],
)
def test_bad_commands_end_with_2_one_line_and_nothing_written(words, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["walk", *words, "--out", str(out)]) == 2
    text = capsys.readouterr().err.strip()
    assert text.count("\n") == 0 and text.startswith("plantar: error: ")
    assert not out.exists()


@pytest.mark.long
@pytest.mark.parametrize("foot", ["own", "softfoot:fast"])
@pytest.mark.parametrize("mode", ["torque", "impedance"])
def test_twenty_steps_from_twenty_starts(foot, mode):
    course = Course(find_walker("biped", foot), mode=mode)
    results = [course.run(seed=seed) for seed in range(20)]
    assert all(r.success and r.steps == 20 and r.metrics.drift < 0.05 for r in results)


@pytest.mark.long
@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_thirty_seconds_and_a_push_from_each_side(soft, degrees):
    course = Course(soft, gait=walk.Gait(steps=0, settle=0.3))
    light = walk.Push(impulse=8, direction=math.radians(degrees), time=15.0)
    result = course.run(pushes=[light], rest=30.0)
    assert result.success and result.steps == 0 and result.duration >= 30
    hard = walk.Push(impulse=15, direction=math.radians(degrees), time=1.0)
    assert course.run(pushes=[hard], rest=3.0).success


def test_example_compares_feet():
    example = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "10_walk.py"))
    results = example["compare"]("biped", 0.005, steps=5, mode="torque")
    assert [r.foot for r in results] == ["own", "softfoot:fast"]
    assert all(r.success for r in results) and results[0].bars == results[1].bars


def test_no_mesh_is_shown_twice():
    mesh = '<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'
    body = '<geom type="mesh" mesh="m"/>{seen}<geom type="sphere" size="1" group="1"/>'
    seen = '<geom type="mesh" mesh="m" contype="0" conaffinity="0" group="{group}"/>'
    bodies = "".join(f"<body>{body.format(seen=s)}</body>" for s in ("", seen.format(group=2), seen.format(group=4)))
    model = mujoco.MjModel.from_xml_string(f"<mujoco><asset>{mesh}</asset><worldbody>{bodies}</worldbody></mujoco>")
    hide_doubles(model)
    assert model.geom_group.tolist() == [0, 1, HIDDEN, 2, 1, 0, 4, 1]


def test_a_walk_tells_how_far_it_is(biped):
    told: list[float] = []
    result = walk.Course(biped, gait=walk.Gait(steps=0, settle=0.2)).run(rest=0.6, progress=told.append)
    assert len(told) >= 6 and max(told) < 0.11 and result.duration - 0.11 < sum(told) <= result.duration


def test_a_robot_that_was_asked_for_no_step_stood_and_did_not_walk(biped):
    result = Course(biped, gait=walk.Gait(steps=0, settle=0.3)).run(rest=0.3)
    assert result.status is walk.WalkStatus.STOOD and result.success
    assert "no step was requested" in result.text() and result.row()["status"] == "stood"


def test_models_made_for_one_iteration_of_the_solver_do_not_slide(biped):
    """Robots for GPUs come with one or three iterations, in which contacts do not hold."""
    hurried = robots.load("biped")
    hurried.spec.option.iterations, hurried.spec.option.ls_iterations = 1, 4
    hurried.spec.option.solver = mujoco.mjtSolver.mjSOL_CG
    option = Course(hurried).scene.model.opt
    assert (option.solver, option.iterations, option.ls_iterations) == (mujoco.mjtSolver.mjSOL_NEWTON, 100, 50)


def test_motors_of_a_walk_take_nothing_from_the_defaults_of_the_model():
    """Those of OP3 are made for servos: their range of angles cut off the torques that hold stiff joints."""
    robot = robots.load("biped")
    default = robot.spec.default.actuator
    default.ctrllimited, default.ctrlrange = mujoco.mjtLimited.mjLIMITED_TRUE, [-3.14, 3.14]
    default.gear, default.gainprm[0], default.biasprm[1] = [2.0, 0, 0, 0, 0, 0], 21.1, -21.1
    for mode in ("torque", "impedance"):
        scene = Course(robot, mode=mode).scene
        motors, m = scene.motors, scene.model
        assert not m.actuator_ctrllimited[motors].any() and (m.actuator_gear[motors, 0] == 1).all()
        assert (m.actuator_gainprm[motors, 0] == 1).all() and (m.actuator_biasprm[motors] == 0).all()
