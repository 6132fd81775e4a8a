"""The controller's model, its dynamics and its quadratic program, against MuJoCo and statics."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar import feet, robots
from plantar.errors import InvalidInput
from plantar.walk import Course
from plantar.walk.control.contacts import SoleContact
from plantar.walk.control.controller import WalkController
from plantar.walk.control.program import Targets
from plantar.walk.control.tuning import Contact, Gains, Tuning, Weights
from plantar.walk.control.wholebody import WholeBody
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.pendulum import PendulumPlan
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged, torque_limits
from plantar.walk.robot.posture import find_stance

RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def biped():
    return robots.load("biped")


@pytest.fixture(scope="module")
def legged(biped):
    return Legged(biped)


@pytest.fixture(scope="module")
def stance(legged):
    return find_stance(legged)


def test_a_robot_that_is_made_where_its_joints_cannot_be_finds_its_stance(biped):
    # iCub's elbows are bent by 6 degrees or more, and 0 in its file: what was clipped after each step never converged
    spec = biped.spec.copy()
    for side in ("left", "right"):
        spec.joint(f"{side}_elbow_joint").range = (-0.4, 0.3)  # they are at -1.6 in the keyframe
    legged = Legged(robots.load(spec))
    stance = find_stance(legged)
    angles = stance.qpos[legged.q_joint]
    assert np.all(angles >= legged.lower) and np.all(angles <= legged.upper)
    placed = legged.place(stance.qpos)
    off = placed.subtree_com[legged.base][:2] - legged.points(placed)[:, :2].mean(axis=0)
    assert np.abs(off).max() < 1e-4


def test_stiff_joints_of_a_robot_without_rotors_are_no_stiffer_than_light_feet_bear(biped):
    # G1's URDF file fell within seven steps on stiff joints, where the same robot with rotors walked
    def stiff(robot) -> tuple[np.ndarray, np.ndarray]:
        plan = PendulumPlan(Legged(robot), Gait(), Tuning(damping=0.05))
        walks = WalkController(plan, "impedance")
        walks.dynamics.update(plan.stance.qpos, np.zeros(plan.legged.nv))
        felt = 1 / np.diag(np.linalg.inv(walks.dynamics.mass_matrix))[6:]
        return walks.stiffness, walks.damping / felt

    spec = biped.spec.copy()
    for joint in spec.joints:
        joint.armature = 0.0
    for place in biped.places:
        body = spec.body(place.body)
        body.mass, body.inertia = 0.1 * body.mass, 0.02 * np.array(body.inertia)
    (usual, rates), (light, slow) = stiff(biped), stiff(robots.load(spec))
    assert rates.max() < 2e3  # with rotors there is nothing to do
    assert slow.max() <= 2e3 * (1 + 1e-6) and light.min() < 0.2 * usual.min() and light.max() > 0.5 * usual.max()


def random_state(legged: Legged, stance) -> tuple[np.ndarray, np.ndarray]:
    qpos, qvel = stance.qpos.copy(), RNG.normal(size=legged.nv) * 0.5
    mujoco.mj_integratePos(legged.model, qpos, RNG.normal(size=legged.nv) * 0.1, 1.0)
    return qpos, qvel


def test_skeleton_has_the_mass_matrix_of_the_robot(biped):
    whole = Legged(biped, locked=())
    source = biped.model()
    assert whole.nv == source.nv
    data, twin = mujoco.MjData(source), mujoco.MjData(whole.model)
    data.qpos[:] = twin.qpos[:] = source.key(biped.keyframe).qpos + 0.0
    data.qpos[7:] += 0.1
    twin.qpos[7:] += 0.1
    full, thin = np.zeros((source.nv, source.nv)), np.zeros((source.nv, source.nv))
    for m, d, out in ((source, data, full), (whole.model, twin, thin)):
        mujoco.mj_forward(m, d)
        mujoco.mj_fullM(m, d, out)
    np.testing.assert_allclose(thin, full, atol=1e-10)


def test_locked_joints_leave_everything_where_it_was(biped):
    source = biped.model()
    some = [source.joint(j).name for j in range(1, source.njnt)][12:16]
    legged = Legged(biped, locked=some)
    assert legged.nv == source.nv - len(some) and set(legged.locked) == set(some)
    data = mujoco.MjData(source)
    data.qpos[:] = source.key(biped.keyframe).qpos
    mujoco.mj_forward(source, data)
    placed = legged.place(legged.nominal)
    np.testing.assert_allclose(placed.subtree_com[legged.base], data.body(biped.base).subtree_com, atol=1e-9)


def test_soft_feet_are_rigid_for_the_controller(biped):
    walker = robots.mount(biped, feet.get("softfoot", fidelity="fast"))
    legged = Legged(walker)
    assert not any(name.startswith("left/") for name in legged.joints)
    assert legged.mass == pytest.approx(float(walker.model().body_subtreemass[0]))
    stance = find_stance(legged)
    placed = legged.place(stance.qpos)
    ankle = placed.xanchor[legged.model.joint(legged.joints[legged.soles[0].joints[-1]]).id]
    # the weight goes over what carries, which is near the ankle and not under the toes
    assert abs(float(placed.subtree_com[legged.base][0] - ankle[0])) < 0.02


def test_stance_is_level_and_balanced(legged, stance):
    placed = legged.place(stance.qpos)
    soles = np.array([placed.site_xpos[s.site] for s in legged.soles])
    np.testing.assert_allclose(soles[:, 2], 0.0, atol=2e-4)
    np.testing.assert_allclose(soles[:, 0], 0.0, atol=2e-4)
    for sole in legged.soles:
        np.testing.assert_allclose(placed.site_xmat[sole.site], np.eye(3).ravel(), atol=1e-3)
    np.testing.assert_allclose(placed.subtree_com[legged.base][:2], 0.0, atol=2e-4)
    with pytest.raises(InvalidInput, match="has no stance"):
        find_stance(legged, width=0.9)


def test_centroid_and_momentum_are_those_of_mujoco(legged, stance):
    dyn = Dynamics(legged)
    for _ in range(3):
        qpos, qvel = random_state(legged, stance)
        dyn.update(qpos, qvel)
        jacobian = np.zeros((3, legged.nv))
        mujoco.mj_jacSubtreeCom(legged.model, dyn.data, jacobian, legged.base)
        np.testing.assert_allclose(dyn.com_jacobian, jacobian, atol=1e-10)
        mujoco.mj_subtreeVel(legged.model, dyn.data)
        np.testing.assert_allclose(dyn.com_velocity, dyn.data.subtree_linvel[legged.base], atol=1e-10)
        np.testing.assert_allclose(dyn.momentum()[0] @ qvel, dyn.data.subtree_angmom[legged.base], atol=1e-9)


def test_drifts_are_the_rates_at_constant_velocity(legged, stance):
    dyn = Dynamics(legged)
    qpos, qvel = random_state(legged, stance)
    step, values = 1e-6, []
    for sign in (-1, 1):
        there = qpos.copy()
        mujoco.mj_integratePos(legged.model, there, qvel, sign * step)
        dyn.update(there, qvel)
        values.append(
            np.concatenate([dyn.com_velocity, dyn.momentum()[0] @ qvel, dyn.sole_velocity(0), dyn.sole_velocity(1)])
        )
    dyn.update(qpos, qvel)
    rate = (values[1] - values[0]) / (2 * step)
    drift = np.concatenate([dyn.com_drift, dyn.momentum()[1], *dyn.sole_drift])
    np.testing.assert_allclose(drift, rate, atol=1e-5)


def standing_targets(legged: Legged, **changes) -> Targets:
    wishes = {
        "contacts": tuple(SoleContact(sole=i, share=0.5) for i in range(2)),
        "com_acceleration": np.zeros(3),
        "base_acceleration": np.zeros(3),
        "soles": [None, None],
        "posture_acceleration": np.zeros(len(legged.joints)),
    }
    return Targets(**{**wishes, **changes})


def solved(legged: Legged, stance, **changes):
    dyn = Dynamics(legged)
    dyn.update(stance.qpos, np.zeros(legged.nv))
    body = WholeBody(legged, Weights(), Gains(), Contact())
    targets = standing_targets(legged, **changes)
    program = body.build(dyn, targets)
    return dyn, program, body.solve(program, dyn)


def test_standing_program_is_statics(legged, stance):
    dyn, _, solution = solved(legged, stance)
    weight = legged.mass * legged.gravity
    assert solution.found
    np.testing.assert_allclose(solution.wrenches[:, :3].sum(axis=0), [0, 0, weight], atol=1e-3 * weight)
    np.testing.assert_allclose(solution.wrenches[:, 2], weight / 2, rtol=0.02)
    # torques of the legs hold the robot: inverse dynamics with those forces and no acceleration
    tau = dyn.bias.copy()
    for i in range(2):
        tau -= dyn.jacobian[i].T @ solution.wrenches[i]
    np.testing.assert_allclose(solution.torque, tau[legged.v_joint], atol=0.02 * np.abs(tau).max())


def test_program_obeys_dynamics_friction_and_soles(legged, stance):
    push = np.array([20.0, 5.0, 0.0])  # more than feet and friction can give
    dyn, program, solution = solved(legged, stance, com_acceleration=push)
    rest = dyn.mass_matrix[:6] @ solution.acceleration + dyn.bias[:6]
    for i in range(2):
        rest -= dyn.jacobian[i][:, :6].T @ solution.wrenches[i]
    np.testing.assert_allclose(rest, 0, atol=1e-4)
    for i, sole in enumerate(legged.soles):
        force, moment = solution.wrenches[i, :3], solution.wrenches[i, 3:]
        assert np.hypot(*force[:2]) <= 0.6 * force[2] + 1e-6
        if force[2] < 1.0:
            continue  # a foot without load has no centre of pressure
        x, y = -moment[1] / force[2], moment[0] / force[2]
        assert sole.extent[0] + 0.01 - 1e-6 <= x <= sole.extent[1] - 0.01 + 1e-6
        assert sole.extent[2] + 0.01 - 1e-6 <= y <= sole.extent[3] - 0.01 + 1e-6
    assert solution.wrenches[:, 2].sum() > 100
    assert program.H.shape[0] == 32 + legged.nv
    assert np.linalg.eigvalsh(program.H).min() > 0


def test_program_keeps_torque_limits(legged, stance, monkeypatch):
    free = solved(legged, stance)[2].torque
    knee = legged.soles[0].joints[3]
    limit = legged.torque_limit.copy()
    limit[knee] = 0.5 * abs(free[knee])
    monkeypatch.setattr(legged, "torque_limit", limit)
    assert abs(solved(legged, stance)[2].torque[knee]) <= limit[knee] + 1e-4


def test_torque_limits_come_from_joints_and_motors():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><worldbody><body><joint name="a" actuatorfrcrange="-5 5"/><geom size="1"/>
        <body><joint name="b"/><geom size="1"/><body><joint name="c"/><geom size="1"/></body></body></body></worldbody>
        <actuator><motor joint="a" ctrlrange="-9 9" ctrllimited="true"/>
        <motor joint="b" ctrlrange="-3 3" ctrllimited="true" gear="2"/><position joint="c" kp="100" ctrlrange="-1 1"/>
        </actuator></mujoco>"""
    )
    np.testing.assert_array_equal(torque_limits(spec.compile(), ("a", "b", "c")), [5, 6, np.inf])


def test_springs_in_joints_are_held_against():
    """A robot with springs of 200 N m/rad in its knees stands and is driven as one without."""
    torques, angles = [], np.zeros(2)
    for stiffness in (0.0, 200.0):
        spec = robots.load("biped").spec.copy()
        for name in ("left_shank_joint", "right_shank_joint"):
            spec.joint(name).stiffness, spec.joint(name).springref = [stiffness, 0.0, 0.0], 0.1
        course = Course(robots.load(spec), gait=Gait(steps=0, settle=0.1), tuning=Tuning(rate=250.0))
        sim, legged = course.simulation(scatter=0.0), course.scene.legged
        knees = [legged.joints.index(f"{side}_shank_joint") for side in ("left", "right")]
        sim.act()
        torques.append(sim.data.ctrl[course.scene.motors][knees].copy())
        angles = sim.data.qpos[course.scene.q_index][legged.q_joint][knees]
        for _ in range(75):
            sim.tick()
        assert sim.tilt < 0.02
    np.testing.assert_allclose(torques[1] - torques[0], 200.0 * (angles - 0.1), atol=1e-6)


def test_a_robot_whose_joints_are_tied_to_each_other_is_said_to_walk_without_that():
    spec = robots.load("biped").spec.copy()
    joint, bodies = mujoco.mjtEq.mjEQ_JOINT, ("left_foot", "right_foot")
    spec.add_equality(name="coupled", type=joint, name1="left_shank_joint", name2="left_ankle_joint")
    loop = {"type": mujoco.mjtEq.mjEQ_CONNECT, "objtype": mujoco.mjtObj.mjOBJ_BODY}
    spec.add_equality(name="loop", name1=bodies[0], name2=bodies[1], active=False, **loop)
    spec.add_equality(name="bar", name1=bodies[0], name2="left_shank", **loop)
    notes = PendulumPlan(Legged(robots.load(spec)), Gait(), Tuning()).notes
    assert len(notes) == 1 and "left out (coupled, bar)" in notes[0]
    for whole in (robots.load("biped"), robots.mount("biped", feet.get("softfoot:fast"))):
        assert not Legged(whole).notes


def test_a_plan_for_two_feet_refuses_four():
    with pytest.raises(InvalidInput, match="4 feet"):
        PendulumPlan(Legged(robots.load("quadruped")), Gait(), Tuning())


def test_tasks_contacts_and_limits_can_be_looked_at(legged, stance):
    """The program says what it wishes, which soles push and how; the solution keeps to all of it."""
    weight = legged.mass * legged.gravity
    steep = np.array([0.2, 0.0, 1.0]) / np.hypot(0.2, 1.0)
    contacts = (
        SoleContact(sole=0, share=0.5, normal=steep, most=0.3 * weight),
        SoleContact(sole=1, share=0.5),
    )
    dyn, program, solution = solved(legged, stance, contacts=contacts)
    assert [task.name for task in program.tasks] == ["com", "momentum", "base", "left", "right"]
    base = program.tasks[2]
    assert base.rows @ solution.acceleration == pytest.approx(base.wish, abs=0.05)
    assert program.contacts == contacts
    force = solution.wrenches[0, :3]
    along = force @ steep
    # the largest force is what it says, and not twice that
    assert along <= 0.3 * weight + 1e-6 and along > 0.25 * weight
    assert np.linalg.norm(force - along * steep) <= Contact().friction * along + 1e-6
