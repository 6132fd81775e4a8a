"""A policy as a controller of walks: what it is told and asked, where it is sent, and what its servos do."""

from __future__ import annotations

import importlib
import math
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from learn_policies import Still

from plantar import feet, robots, walk
from plantar.errors import InvalidInput
from plantar.learn import Policy, PolicyMaker, TaskConfig, subject_of
from plantar.learn.config import LOCKED
from plantar.learn.controller import found_file, of_file
from plantar.learn.errand import ARRIVED, Errand, Pace
from plantar.learn.springs import springs_of
from plantar.learn.walker import restrung, walker_of
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
    names = springs_of(walker).sprung

    def stiffness(robot):
        return [robot.spec.joint(name).stiffness[0] for name in names]

    before = stiffness(walker)
    assert len(names) == len(set(names)) == 20
    assert stiffness(restrung(walker, 4.0)) == pytest.approx([4 * k for k in before])
    locked = restrung(walker, LOCKED, tendons=False)
    assert set(stiffness(locked)) == {LOCKED * max(before)}
    slack = [t.range[1] for t in locked.spec.tendons if t.name.startswith(("left/", "right/"))]
    assert slack and set(slack) == {1.0}
    assert stiffness(walker) == before, "the robot itself is not changed"


def largest_turn(robot, toward):
    """Largest angle of a joint of the first foot after a second, its rim pushed by 100 N [rad]."""
    model = robot.model()
    model.opt.timestep, model.opt.gravity[:] = 0.005, 0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    place, data = robot.places[0], mujoco.MjData(model)
    mine = [j for j in range(model.njnt) if model.joint(j).name.startswith(place.prefix)]
    for j in range(model.njnt):  # the robot itself is held: only its feet give way
        if j not in mine:
            at, size = model.jnt_dofadr[j], 6 if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 1
            model.dof_armature[at : at + size] = 1e6
    sole = place.foot.sole
    for _ in range(200):
        rim = np.array(toward) * (sole.length / 2, sole.width / 2, 0)
        mujoco.mj_kinematics(model, data)
        body = model.body(place.prefix + place.foot.contact_bodies[-1]).id
        at = data.site(place.site).xpos + data.site(place.site).xmat.reshape(3, 3) @ rim
        mujoco.mj_comPos(model, data)
        data.qfrc_applied[:] = 0
        mujoco.mj_applyFT(model, data, np.array([0, 0, 100.0]), np.zeros(3), at, body, data.qfrc_applied)
        mujoco.mj_step(model, data)
    hinges = [j for j in mine if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]
    return float(np.abs(data.qpos[model.jnt_qposadr[hinges]]).max())


@pytest.mark.parametrize("toward", [(1, 0), (0, 1)], ids=["tip", "side"])
@pytest.mark.parametrize("name", ["softfoot_q:fast", "softfoot_q:hinge", "softfoot:hinge"])
def test_locked_feet_turn_on_no_joint(name, toward):
    """The arches and roll links of a SoftFoot-Q have no springs: stiffer pins alone leave a foot that swings freely."""
    walker = robots.mount("biped" if name.startswith("softfoot:") else "quadruped", name)
    angles = [largest_turn(restrung(walker, factor), (*toward, 0)) for factor in (1.0, LOCKED)]
    assert angles[0] > np.radians(5) and angles[1] < np.radians(1)


def test_springs_between_arches_are_stiffer_by_the_factor_too():
    walker = robots.mount("quadruped", "softfoot_q:fast")
    names = springs_of(walker).tendons
    assert [name.partition("/")[2] for name in names] == ["arch_spring"] * 4
    for factor, then in ((4.0, 20.0), (LOCKED, 5.0)):
        made = restrung(walker, factor)
        assert [made.spec.tendon(name).stiffness[0] for name in names] == [then] * 4


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
