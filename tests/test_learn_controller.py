"""A policy as a controller of walks: what it is told and asked, where it is sent, and what its servos do."""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy import stats

from plantar import feet, robots, walk
from plantar._files import to_json
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.learn import EvaluateConfig, Evaluation, Policy, PolicyMaker, TaskConfig, TrainConfig, evaluate, subject_of
from plantar.learn.card import SEEN, Card, card_of, read_card
from plantar.learn.config import LOCKED
from plantar.learn.controller import SHIPPED, found_file, of_file
from plantar.learn.errand import ARRIVED, Errand, Pace
from plantar.learn.evaluation import CELL, FIGURES
from plantar.learn.intervals import student
from plantar.learn.plots import plot_stiffness
from plantar.learn.policy import KEY
from plantar.learn.walker import restrung, springs_of, walker_of
from plantar.learn.walks import Walks, course_of, trials_of
from plantar.walk.control.controllers import GROUP, find
from plantar.walk.control.protocol import Observation
from plantar.walk.control.tuning import Tuning
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.gaits import Trot
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Stance

FELT = {"loads": np.full(2, 200.0), "pressure": np.zeros((2, 2))}
"""What the soles of a robot that stands feel."""
SOFT = feet.get("softfoot:fast")


class Still:
    """A policy that asks for the standing posture, and counts how often it is asked."""

    def __init__(self, subject, **more):
        self.card = Card(
            robot="biped",
            seen=SEEN,
            drives=subject.drives[::-1],  # in another order than the robot has them
            posture=subject.posture,
            period=0.02,
            timestep=0.005,
            task=TaskConfig(),
            training=TrainConfig(),
            **{"feet": ("softfoot:fast",), "foot": 2, **more},
        )
        self.seen: list[np.ndarray] = []

    def __call__(self, seen):
        self.seen.append(seen)
        return np.zeros(len(self.card.drives))


@pytest.fixture(scope="module")
def subject():
    return subject_of("biped", SOFT)


@pytest.fixture(scope="module")
def walker(subject):
    return walker_of("biped", "softfoot:fast", subject.drives)


def maker_of(subject, **more) -> Any:
    return PolicyMaker(policy=Still(subject, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", [500.0, 250.0])
def test_motors_are_the_servos_of_the_training_and_the_policy_is_asked_as_often(subject, walker, rate):
    maker = maker_of(subject)
    course = walk.Course(walker, gait=Pace(), controller=maker, tuning=Tuning(rate=rate))
    sim, lg = course.simulation(seed=3), course.scene.legged
    by_joint = {drive.joint: drive for drive in subject.drives}
    drives = [by_joint[name] for name in lg.joints]
    rest, limit = np.array([subject.posture[n] for n in lg.joints]), np.array([d.effort for d in drives])
    pull, slow = np.array([d.stiffness for d in drives]), np.array([d.damping for d in drives])
    maker.policy.seen.clear()
    for _ in range(round(0.2 * rate)):
        sim.act()
        for part in range(sim.substeps):
            q, v = sim.data.qpos[sim.scene.q_index[lg.q_joint]], sim.data.qvel[sim.scene.v_index[lg.v_joint]]
            wanted = np.clip(pull * (rest - q) - slow * v, -limit, limit)
            mujoco.mj_step(sim.model, sim.data)
            assert sim.data.actuator_force[sim.scene.motors] == pytest.approx(wanted, abs=1e-6), part
    assert len(maker.policy.seen) == 10
    armature = course.scene.model.dof_armature[course.scene.v_index[lg.v_joint]]
    assert armature == pytest.approx([d.armature for d in drives])


def test_it_sees_the_base_in_its_own_axes_and_its_joints_in_its_own_order(subject, walker):
    maker = maker_of(subject)
    controller = walk.Course(walker, gait=Pace(), controller=maker).controller()
    lg = controller.legged
    state = Observation(time=0.0, qpos=controller.stance.qpos.copy(), qvel=np.zeros(lg.nv), **FELT)
    half = math.pi / 4
    state.qpos[3:7] = [math.cos(half), 0, 0, math.sin(half)]  # to the left by a right angle
    state.qvel[:6] = [0, 2, 0, 0.1, 0.2, 0.3]
    state.qpos[lg.q_joint[0]] += 0.5
    seen = controller.see(state, np.array([7.0, 8.0, 9.0]))  # type: ignore[attr-defined]
    n = len(lg.joints)
    assert seen[:9] == pytest.approx([2, 0, 0, 0.1, 0.2, 0.3, 0, 0, -1])
    assert lg.joints[0] == maker.policy.card.drives[-1].joint
    assert seen[9 : 9 + n] == pytest.approx([0.0] * (n - 1) + [0.5])
    assert seen[9 + 3 * n :] == pytest.approx([7, 8, 9, 0, 1])


def observation(lg: Legged, x=0.0, y=0.0, yaw=0.0, time=5.0) -> Observation:
    qpos = lg.nominal.copy()
    qpos[:2], qpos[3:7] = (x, y), (math.cos(yaw / 2), 0, 0, math.sin(yaw / 2))
    return Observation(time=time, qpos=qpos, qvel=np.zeros(lg.nv), **FELT)


def errand_of(walker, gait) -> tuple[Errand, Legged]:
    lg = Legged(walker)
    stance = Stance(qpos=lg.nominal, com_height=0.8, leg=0.8, width=0.2, attitude=lg.nominal[3:7])
    return Errand(lg, stance, gait, Tuning(), TaskConfig()), lg


def test_commands_lead_back_to_the_path_and_end_with_it(walker):
    errand, lg = errand_of(walker, Pace(distance=0.3, speed=0.5))
    assert errand.command(observation(lg, time=0.1)) == pytest.approx([0, 0, 0]), "it stands first"
    assert errand.command(observation(lg)) == pytest.approx([0.5, 0, 0])
    assert errand.command(observation(lg, y=0.1)) == pytest.approx([0.5, -0.1, 0])
    assert errand.command(observation(lg, yaw=0.2)) == pytest.approx([0.5 * math.cos(0.2), -0.5 * math.sin(0.2), -0.2])
    assert errand.command(observation(lg, y=-3.0, yaw=-2.0)) == pytest.approx([-1.0, -0.5, 0.5]), "as trained"
    assert not errand.done
    assert errand.command(observation(lg, x=0.31, time=6.0)) == pytest.approx([0, 0, 0])
    errand.command(observation(lg, x=0.31, time=6.0 + ARRIVED))
    assert errand.done and errand.row()[-1] == 0


def test_backwards_and_round_bends_the_robot_faces_where_it_should(walker):
    back, lg = errand_of(walker, Pace(distance=1.0, speed=-0.4))
    assert back.command(observation(lg, x=-0.2)) == pytest.approx([-0.4, 0, 0])
    bend, lg = errand_of(walker, Gait(steps=12, turn=0.2))
    x, y = bend.path()[6]
    for _ in range(60):  # it finds out where it is on the path
        bend.command(observation(lg, x=x, y=y))
    assert bend.command(observation(lg, x=x, y=y))[2] == pytest.approx(0.5), (
        "the path has turned to the left, the robot has not"
    )


def test_landings_are_counted_and_phases_told(walker):
    errand, lg = errand_of(walker, Pace())
    weight, phases = lg.mass * lg.gravity, []
    for k, shares in enumerate([(0.5, 0.5), (1.0, 0.0), (1.0, 0.05), (0.5, 0.5), (0.0, 1.0), (0.6, 0.4)]):
        state = observation(lg, time=1.0 + k)
        state.loads = weight * np.array(shares)
        errand.command(state)
        phases.append(errand.row()[-1])
    assert errand.taken == 2 and phases == [2, 1, 1, 2, 1, 2]


def test_bars_lie_where_other_modes_meet_them(subject, walker):
    ours = walk.Course(walker, gait=Gait(steps=8), controller=maker_of(subject))
    others = walk.Course(walker, gait=Gait(steps=8))
    assert ours.bars(0.01, "random", 5) == others.bars(0.01, "random", 5)
    assert ours._path().length == pytest.approx(others._path().length)


def test_feet_are_told_as_in_training(subject):
    def told(worn_foot, **more):
        worn = robots.load("biped") if worn_foot is None else robots.mount("biped", worn_foot)
        return maker_of(subject, **more).told(Legged(worn))

    assert told(SOFT) == (0.0, 1.0)
    assert told(SOFT.locked()) == told(feet.FlatFoot()) == told(None) == (1.0, 1.0)
    both = {"feet": ("own", "plate"), "foot": 2}
    assert (told(None, **both), told(feet.FlatFoot(), **both)) == ((1.0, 0.0), (0.0, 1.0))
    with pytest.raises(InvalidInput, match="not trained on 'softfoot': it knows own, plate"):
        told(SOFT, **both)


def test_feet_are_restrung_as_worlds_draw_them(walker):
    before = [j.stiffness[0] for j in springs_of(walker.spec, walker)]
    assert len(before) == len(set(j.name for j in springs_of(walker.spec, walker))) > 0
    stiff = restrung(walker, 4.0)
    assert [j.stiffness[0] for j in springs_of(stiff.spec, stiff)] == pytest.approx([4 * k for k in before])
    locked = restrung(walker, LOCKED, tendons=False)
    assert {j.stiffness[0] for j in springs_of(locked.spec, locked)} == {LOCKED * max(before)}
    slack = [t.range[1] for t in locked.spec.tendons if t.name.startswith(("left/", "right/"))]
    assert slack and set(slack) == {1.0}
    assert [j.stiffness[0] for j in springs_of(walker.spec, walker)] == before, "the robot itself is not changed"


@pytest.mark.parametrize("worn", [SOFT, feet.FlatFoot()], ids=["soft", "rigid"])
def test_feet_of_every_stiffness_walk_with_the_integrator_of_the_training(subject, worn):
    """Forces at landing depend on it: one stiffness with another integrator is not on the same curve."""
    walker = walker_of("biped", worn, subject.drives)
    made = [restrung(walker, factor, tendons) for factor in (0.5, 1.0, LOCKED) for tendons in (True, False)]
    assert {robot.spec.option.integrator for robot in made} == {mujoco.mjtIntegrator.mjINT_DISCRETE}


def test_a_mode_that_is_no_policy_is_one_line(tmp_path):
    with pytest.raises(
        InvalidInput, match="'none.onnx' is not a file: give .* or one of g1_rigid.onnx, g1_softfoot.onnx, quadruped"
    ):
        find("none.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"no policy")
    with pytest.raises(InvalidInput, match="is not a policy"):
        find(str(tmp_path / "bad.onnx"))
    with pytest.raises(InvalidInput, match="FILE.onnx"):
        find("no_such_mode")


def test_policies_are_opened_without_a_trace(tmp_path):
    """ONNX Runtime notes an identifier in the temporary folder unless it is told not to."""
    (tmp_path / "bad.onnx").write_bytes(b"no policy")
    (tmp_path / "tmp").mkdir()
    code = f"from plantar.learn import Policy\ntry:\n    Policy({str(tmp_path / 'bad.onnx')!r})\nexcept Exception: pass"
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_command_line_finds_it_by_its_entry_point():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"][GROUP]["onnx"].partition(":")
    assert getattr(importlib.import_module(module), name) is of_file


def test_a_policy_of_another_robot_is_one_line(subject):
    with pytest.raises(InvalidInput, match="was trained on 'biped': joint '.*' is not in both robots"):
        walk.Course(robots.load("khr3hv"), gait=Pace(), controller=maker_of(subject, feet=("own",), foot=0))


@pytest.fixture(scope="module")
def g1(shared):
    return walker_of(shared / "models" / "menagerie" / "unitree_g1" / "g1.xml", "softfoot:fast", ())


def test_the_policy_that_comes_along_walks_to_the_end_of_its_way(g1):
    course = walk.Course(g1, gait=Pace(distance=1.2, speed=0.5), mode="g1_softfoot.onnx")
    result = course.run(seed=20, rest=0.5)
    assert result.success, result.text()
    assert (result.plan, result.failures) == ("policy", 0) and result.steps > 4
    assert 1.2 < result.distance < 1.6 and abs(result.metrics.tilt) < 0.3
    assert 0 < result.metrics.transport_positive < result.metrics.transport < 2


@pytest.mark.parametrize("foot", ["softfoot_q:fast", "softfoot_q"])
def test_the_quadruped_that_comes_along_trots(foot):
    """Also on the full foot, which it never saw."""
    robot = restrung(walker_of("quadruped", foot, Policy(found_file("quadruped_softfoot_q.onnx")).card.drives), 1.0)
    result = walk.Course(robot, gait=Pace(distance=1.0, speed=0.5), mode="quadruped_softfoot_q.onnx").run(seed=31)
    assert result.success, result.text()
    assert (result.plan, result.failures) == ("policy", 0) and result.steps > 12 and 1.0 < result.distance < 1.4


def test_a_policy_feels_what_it_is_told(g1):
    """With noisy sensors in place of the truth it still stands, and its command goes on as the estimate does."""
    sensing = walk.Sensing(state="estimate")
    course = walk.Course(g1, gait=Pace(distance=0.3, speed=0.5), mode="g1_softfoot.onnx", sensing=sensing)
    sim = course.simulation(seed=1)
    for _ in range(400):
        sim.tick()
    assert not sim.fallen and sim.observation.qpos[2] != sim.data.qpos[2]


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


def test_play_writes_the_walk_as_a_page(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MENAGERIE_ROOT", str(shared / "models" / "menagerie"))
    page = tmp_path / "walk.html"
    short = ["--distance", "0.3", "--html", str(page), "--json"]
    assert run(["learn", "play", "g1_softfoot.onnx", *short]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["plan"] == "policy" and record["html"] == str(page)
    assert page.stat().st_size > 50_000 and "softfoot" in page.read_text()[:200_000]
    assert run(["learn", "play", "g1_softfoot.onnx", *short, "--overwrite", "--stiffness", "1000"]) == 0
    locked = json.loads(capsys.readouterr().out)
    assert locked["transport"] != record["transport"], "the same walk on locked feet"
    config = EvaluateConfig(stiffness=(1000.0,), levels=(0.0,), draws=1, seconds=0.6)
    shown = evaluate(found_file("g1_softfoot.onnx"), config=config).rows[0]
    assert locked["transport"] == pytest.approx(shown["transport"]), "what is shown is what is measured"


TROTS = SHIPPED / "quadruped_softfoot_q.onnx"
SHORT = ["--stiffness", "1", "--levels", "0", "--draws", "1", "--processes", "1", "--json"]
"""One walk."""
GLANCE = ["--distance", "0.2", "--seconds", "0.1", "--no-browser", "--port", "0"]
HARD = feet.get("softfoot_q:fast").with_(friction=0.3)


def altered(path: Path, shift: float = 0.0, **card: Any) -> str:
    """The quadruped's policy with other actions, or with another card."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(TROTS)
    last = next(one for one in model.graph.initializer if list(one.dims) == [12])
    last.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(last) + np.float32(shift), last.name))
    (held,) = (one for one in model.metadata_props if one.key == KEY)
    data = json.loads(held.value) | card
    held.value = json.dumps({name: value for name, value in data.items() if value is not None})
    onnx.save(model, path)
    return str(path)


def network(path: Path, card: Card) -> str:
    """A policy that asks for the standing posture."""
    onnx = pytest.importorskip("onnx")
    still = onnx.numpy_helper.from_array(np.zeros((card.width, len(card.drives)), np.float32), "w")
    ends = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, size])
        for name, size in (("obs", card.width), ("actions", len(card.drives)))
    ]
    node = onnx.helper.make_node("MatMul", ["obs", "w"], ["actions"])
    graph = onnx.helper.make_graph([node], "still", ends[:1], ends[1:], [still])
    model = onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 18)])
    model.metadata_props.add(key=KEY, value=to_json(card))
    onnx.save(model, path)
    return str(path)


def refused(capsys, *command: Any) -> str:
    """The line with which a command is refused."""
    assert run([str(word) for word in command]) == 2
    told = capsys.readouterr().err.strip()
    assert told and "\n" not in told
    return told


def test_a_policy_that_was_trained_further_walks_anew(tmp_path, monkeypatch, capsys):
    file, other = altered(tmp_path / "p.onnx"), altered(tmp_path / "other.onnx", 0.3)
    monkeypatch.chdir(tmp_path)
    command = ["learn", "evaluate", file, *SHORT, "--seconds", "0.5"]

    def walked(*more: str) -> tuple[float, Path]:
        assert run([*command, *more]) == 0
        found = json.loads(capsys.readouterr().out)
        return found["summary"][0]["transport"], Path(found["report"]).parent

    first, _ = walked("--out", "e")
    assert walked()[0] == first
    os.replace(other, file)
    assert "different settings" in refused(capsys, *command, "--out", "e")
    second, folder = walked("--out", "e", "--overwrite")
    assert second != first and folder.name == "e"
    assert walked()[0] == second and evaluate(file, config=EvaluateConfig(**CELLS)).rows[0]["transport"] == second
    monkeypatch.setattr(Walks, "__call__", None)  # nothing is walked again
    assert walked("--out", "e") == (second, folder)
    assert len(list((tmp_path / "runs").iterdir())) == 2, "each policy has its folder"
    assert json.loads((folder / "config.json").read_text())["models"] == {"p": "plantar"}


CELLS: dict[str, Any] = {"stiffness": (1.0,), "levels": (0.0,), "draws": 1, "seconds": 0.5}


def test_a_robot_whose_file_was_changed_walks_anew(tmp_path):
    file, config = tmp_path / "robot.xml", EvaluateConfig(**CELLS)
    text = robots.load("quadruped").spec.to_xml()
    found = []
    for word in ("one", "two"):
        file.write_text(text.replace("<mujoco", f"<!-- {word} --><mujoco", 1))
        (trial,) = trials_of([TROTS], None, config, str(file))
        found.append(trial)
    assert found[0]["body"] != found[1]["body"] and {trial["model"] for trial in found} == {"file"}


def test_feet_with_changed_fields_are_those_of_the_card(subject, tmp_path):
    changed = SOFT.with_(band__hardness=70.0)
    part = SimpleNamespace(
        observation_manager=SimpleNamespace(
            active_terms={"actor": SEEN[-2:]}, group_obs_term_dim={"actor": [(3,), (2,)]}
        ),
        action_manager=SimpleNamespace(get_term=lambda _: SimpleNamespace(target_names=list(subject.posture))),
        physics_dt=0.005,
    )
    worlds: Any = SimpleNamespace(parts=[part], step_dt=0.02)
    hard = subject_of("biped", changed)
    plate = subject_of("biped", "plate")
    card = card_of(worlds, [hard, plate], [changed, "plate"], TaskConfig(), TrainConfig(), "biped")
    assert card.worn == (changed, "plate") and card.feet == ("softfoot:fast", "plate")
    assert read_card(to_json(card)) == card
    file = altered(tmp_path / "p.onnx", described=[HARD.to_dict()])
    assert Policy(file).feet == (HARD,) and Policy(TROTS).feet == (feet.get("softfoot_q:fast"),)
    config = EvaluateConfig(**CELLS)
    (trial,) = trials_of([file], None, config)
    assert json.loads(trial["worn"]) == json.loads(to_json(HARD.to_dict()))
    assert trial["foot"].startswith("softfoot_q:fast@")
    assert trials_of([TROTS], None, config)[0]["foot"] == "softfoot_q:fast"
    assert evaluate(file, config=config).rows[0]["slip"] == evaluate(TROTS, [HARD], config).rows[0]["slip"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--levels", "0,0.0"], "evaluate.levels = (0.0, 0.0) is not allowed"),
        (["--stiffness", "1,1,1000"], "each once"),
        (["--speeds", "0.5,0.5"], "each once"),
        (["--pushes", "0.3,0.3"], "each once"),
        (["--feet", "softfoot_q:fast,softfoot_q:fast"], "each foot once"),
        (["--stiffness", "1,1001"], "0 to 1000"),
        (["--pushes", "-0.3"], "evaluate.pushes"),
        (["--pushes", "0.3", "--seconds", "2"], "the first comes after 2"),
        (["--speeds", "0"], "a speed from 0.02"),
        (["--speeds", "0.5,9"], "a speed from 0.02"),
        (["--speeds", "0.5,1.5"], "from -1 to 1 m/s, as quadruped_softfoot_q.onnx"),
        (["--levels", "-0.01"], "evaluate.levels"),
        (["--levels", "0.5"], "0.2 at most"),
        (["--course", "heel", "--levels", "0.01"], "at least 4 steps"),
        (["--tendons", "on,off"], "none of these feet has tendons"),
    ],
)
def test_walks_that_cannot_be_walked_are_refused_before_any_is(options, told, tmp_path, capsys):
    command = ["learn", "evaluate", TROTS, *SHORT, "--seconds", "2.5", *options, "--out", tmp_path / "e"]
    assert told in refused(capsys, *command)
    assert not (tmp_path / "e").exists()


def test_a_copy_is_no_other_policy_and_other_feet_have_other_names(tmp_path, capsys):
    copies = [tmp_path / name for name in ("a.onnx", "b.onnx")]
    for file in copies:
        file.write_bytes(TROTS.read_bytes())
    assert "'b' is the same policy as 'a'" in refused(capsys, "learn", "evaluate", *copies, *SHORT, "--seconds", "0.1")
    kinds = [feet.get("softfoot_q:fast"), HARD, HARD.with_(friction=0.4)]
    found = trials_of([TROTS], kinds, EvaluateConfig(**CELLS))
    assert len({trial["foot"] for trial in found}) == 3


def test_only_feet_that_have_tendons_walk_without(subject, tmp_path):
    file = network(tmp_path / "p.onnx", Still(subject).card)
    config = EvaluateConfig(**CELLS | {"tendons": (True, False)})
    found = trials_of([file], ["softfoot:fast", "plate"], config)
    assert [(trial["foot"], trial["tendons"]) for trial in found] == [
        ("softfoot:fast", True),
        ("softfoot:fast", False),
        ("plate", True),
    ]


def test_a_speed_that_was_not_trained_is_told(walker):
    lg = Legged(walker)
    stance = Stance(qpos=lg.nominal, com_height=0.8, leg=0.8, width=0.2, attitude=lg.nominal[3:7])
    slow = TaskConfig(forward=(-0.2, 0.4))
    assert Errand(lg, stance, Trot(speed=0.4), Tuning(), slow).notes == []
    (line,) = Errand(lg, stance, Trot(speed=0.6), Tuning(), slow).notes
    assert line == "the policy was trained at -0.2 to 0.4 m/s: it walks at 0.4 m/s instead of 0.6"


def test_feet_of_one_name_are_told_apart(subject):
    hinge, full, hard = feet.get("softfoot:hinge"), feet.get("softfoot"), SOFT.with_(band__hardness=70.0)

    def told(worn, *kinds, **more):
        return maker_of(subject, feet=kinds, foot=len(kinds), **more).told(Legged(robots.mount("biped", worn)))

    builds = ("softfoot:fast", "softfoot:hinge")
    assert (told(SOFT, *builds), told(hinge, *builds)) == ((1.0, 0.0), (0.0, 1.0))
    with pytest.raises(InvalidInput, match="softfoot:fast and softfoot:hinge, and 'softfoot:full' may be either"):
        told(full, *builds)
    assert told(full, "plate", "softfoot:fast") == told(hard, "plate", "softfoot:fast") == (0.0, 1.0)
    assert told(feet.FlatFoot(), "own", "plate") == (0.0, 1.0)
    both = {"described": (SOFT.to_dict(), hard.to_dict())}
    assert told(hard, "softfoot:fast", "softfoot:fast", **both) == (0.0, 1.0)
    with pytest.raises(InvalidInput, match="may be either"):
        told(SOFT.with_(band__hardness=55.0), "softfoot:fast", "softfoot:fast", **both)


def test_a_policy_that_does_not_feel_stiffness_walks_at_that_of_its_training(subject, tmp_path, capsys):
    file = network(tmp_path / "p.onnx", Still(subject, feet=("softfoot:fast", "plate")).card)
    command = ["learn", "evaluate", file, *SHORT, "--seconds", "0.1", "--stiffness", "1,4"]
    assert "give 1: p.onnx was trained on several kinds" in refused(capsys, *command)
    assert "several kinds" in refused(capsys, "learn", "play", file, *GLANCE, "--stiffness", "4")
    slack = EvaluateConfig(**CELLS | {"tendons": (True, False)})
    with pytest.raises(InvalidInput, match="give on: p.onnx was trained .* does not observe their tendons"):
        trials_of([file], None, slack)
    assert len(trials_of([file], None, EvaluateConfig(**CELLS))) == 2


DRIVE = {"joint": "left_front_hip_joint", "stiffness": "x", "damping": 1.0, "effort": 80.0, "armature": 0.05}


@pytest.mark.parametrize(
    ("card", "told"),
    [
        ({"posture": {"left_front_hip_joint": 0.0}}, "card.posture"),
        ({"period": "x"}, "card.period = 'x'"),
        ({"period": 0}, "card.period = 0"),
        ({"feet": []}, "card.feet"),
        ({"feet": "own"}, "card.feet"),
        ({"feet": ["softfoo"]}, "unknown foot 'softfoo'"),
        ({"seen": ["joint_pos", "colour"]}, "card.seen = 'colour'"),
        ({"seen": ["joint_pos"]}, "tells of 12 observations"),
        ({"foot": 3}, "card.foot = 3"),
        ({"drives": [DRIVE]}, "stiffness = 'x'"),
        ({"drives": [DRIVE | {"stiffness": 0.0}]}, "stiffness = 0.0"),
        ({"drives": ["hip"]}, "not the card of a policy"),
        ({"drives": None}, "it has no drives"),
        ({"task": {"terrain": "moon"}}, "task.terrain = 'moon'"),
        ({"colour": "red"}, "colour"),
        ({"described": [{"foot": "softfoot_q", "weight": 1}]}, "unknown field"),
    ],
)
def test_a_damaged_card_is_one_line_that_names_the_file(card, told, tmp_path, capsys):
    file = altered(tmp_path / "p.onnx", **card)
    walks = ["walk", "trial", "quadruped", "--foot", "softfoot_q:fast", "--mode", file, "--out", tmp_path / "w"]
    of_feet = told.startswith("unknown")  # which a trial is given
    short = ["learn", "evaluate", file, *SHORT, "--seconds", "0.1", "--out", tmp_path / "e"]
    for command in (short, ["learn", "play", file, *GLANCE], *([] if of_feet else [walks])):
        line = refused(capsys, *command)
        assert told in line and file in line


def test_play_refuses_what_it_would_ignore(tmp_path, capsys):
    play, page = ["learn", "play", TROTS, *GLANCE], ["--html", tmp_path / "walk.html"]
    assert "course 'nope' is not known" in refused(capsys, *play, "--course", "nope")
    assert "from -1 to 1 m/s" in refused(capsys, *play, "--speed", "1.5")
    assert "--seconds" in refused(capsys, *play, *page, "--seconds", "3")
    assert "no springs" in refused(capsys, *play, "--foot", "own", "--stiffness", "4")
    assert "--foot own" in refused(capsys, *play, "--foot", "own", "--set", "friction=0.3")


def test_a_view_is_called_by_the_policy_that_walks():
    policy = Policy(TROTS)
    walker = walker_of("quadruped", policy.feet[0], policy.card.drives)
    assert course_of(policy, walker, Pace()).mode == "quadruped_softfoot_q.onnx"
