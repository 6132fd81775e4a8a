"""The parts of a walking quadruped: measures, dynamics, the program of its forces, its plan and its swings."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from foothold_cases import crossing_on, flat_map

from plantar import feet
from plantar.ground import ElevationMap
from plantar.walk import Course, Crawl, Trot
from plantar.walk.control.contacts import SoleContact
from plantar.walk.control.program import Targets
from plantar.walk.control.swing import LANDING, smooth, swing_over
from plantar.walk.control.tuning import Contact, Tuning
from plantar.walk.control.wholebody import WholeBody
from plantar.walk.plans.body_pose import Planner, within
from plantar.walk.plans.known_ground import MappedGround
from plantar.walk.plans.trot import TrotPlan
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legs import Quadruped
from plantar.walk.robot.measures import legs_of


@pytest.fixture(scope="module")
def soft() -> Course:
    return crossing_on("softfoot_q")


@pytest.fixture(scope="module")
def ball() -> Course:
    return crossing_on("ball")


def test_measures_are_those_of_anymal(soft, ball):
    for walk in (soft, ball):
        found, wanted = legs_of(walk.scene.legged), Quadruped()
        for name in ("hip", "hip_forward", "thigh_out", "knee_out", "foot_out", "thigh", "shank", "roll_range"):
            assert getattr(found, name) == pytest.approx(getattr(wanted, name), abs=1e-4), name


def test_point_of_a_soft_foot_is_the_hinge_it_tips_about(soft, ball):
    for sole in soft.scene.legged.soles:
        assert sole.point and sole.ankle == pytest.approx(feet.get("softfoot_q:fast").sole_height, abs=1e-6)
        assert sole.height == pytest.approx(sole.ankle - 0.022, abs=1e-3)
    assert [s.height for s in ball.scene.legged.soles] == pytest.approx([0.03] * 4)


def velocities(dyn: Dynamics) -> np.ndarray:
    return np.array([dyn.sole_velocity(k)[:3] for k in range(4)])


def test_points_and_their_jacobians(ball, record_property):
    lg = ball.scene.legged
    rng = np.random.default_rng(0)
    dyn = Dynamics(lg)
    qpos, qvel = lg.nominal.copy(), rng.normal(size=lg.nv)
    qpos[lg.q_joint] += rng.uniform(-0.2, 0.2, 12)
    dyn.update(qpos, qvel)
    rate, speed, drift = velocities(dyn), dyn.com_velocity.copy(), dyn.sole_drift[:, :3].copy()
    step, ends = 1e-5, []
    for way in (1, -1):
        moved = qpos.copy()
        mujoco.mj_integratePos(lg.model, moved, qvel, way * step)
        dyn.update(moved, qvel)
        ends.append((dyn.points.copy(), dyn.com.copy(), velocities(dyn)))
    points, centre, faster = ((after - before) / (2 * step) for after, before in zip(*ends, strict=True))
    errors = {
        "points": float(np.abs(points - rate).max()),
        "centre": float(np.abs(centre - speed).max()),
        # at constant generalised velocity the points accelerate by the drift alone
        "drift": float(np.abs(faster - drift).max()),
    }
    record_property("foothold.quadruped.jacobian_errors", errors)
    record_property("foothold.quadruped.fastest_point", float(np.abs(rate).max()))
    assert max(errors.values()) < 1e-6, errors


def standing(normal: np.ndarray | None = None, feet: int = 4, **changes) -> Targets:
    contacts = tuple(SoleContact(sole=k, share=1 / feet, normal=normal) for k in range(feet))
    wishes = {"com_acceleration": np.zeros(3), "base_acceleration": np.zeros(3), "soles": [None] * 4}
    return Targets(contacts=contacts, **{**wishes, **changes})


def whole_body(lg, tuning: Tuning) -> tuple[Dynamics, WholeBody]:
    dyn = Dynamics(lg)
    dyn.update(lg.nominal, np.zeros(lg.nv))
    return dyn, WholeBody(lg, tuning.weights, tuning.gains, tuning.contact)


def test_program_obeys_newton_and_euler(ball, record_property):
    lg = ball.scene.legged
    dyn, body = whole_body(lg, Crawl.tuning())
    still = body.solve(body.build(dyn, standing()), dyn)
    assert still.found
    forces = still.wrenches[:, :3]
    assert forces.sum(axis=0) == pytest.approx([0, 0, lg.mass * lg.gravity], abs=0.05 * lg.mass)
    assert not still.wrenches[:, 3:].any()
    # the whole equation of motion, with the base's six rows free of torque
    left = dyn.mass_matrix @ still.acceleration + dyn.bias
    pushed = np.einsum("kin,ki->n", dyn.jacobian[:, :3], forces)
    residual = float(np.abs((left - pushed)[:6]).max())
    record_property("foothold.quadruped.base_residual", residual)
    assert residual < 1e-6
    lifted = body.solve(body.build(dyn, standing(feet=3)), dyn).wrenches
    assert lifted[3] == pytest.approx(np.zeros(6))
    assert np.abs(lifted[:, :2]).max() <= 0.5 * lifted[:, 2].max() + 1e-6


def test_forces_stay_in_the_friction_cone(ball, record_property):
    lg = ball.scene.legged
    dyn, body = whole_body(lg, Tuning(weights=Crawl.tuning().weights, contact=Contact(friction=0.3)))
    normal = np.array([0.2, 0.0, 1.0]) / math.hypot(0.2, 1.0)
    hard = standing(normal, com_acceleration=np.array([20.0, 0.0, 0.0]))
    forces = body.solve(body.build(dyn, hard), dyn).wrenches[:, :3]
    along = forces @ normal
    beyond = np.linalg.norm(forces - np.outer(along, normal), axis=1) - 0.3 * along
    record_property("foothold.quadruped.cone", {"least": float(along.min()), "beyond": float(beyond.max())})
    record_property("foothold.quadruped.largest_force", float(along.max()))
    assert along.min() >= -1e-9
    assert beyond.max() <= 1e-6


def test_the_largest_force_is_what_it_says(ball):
    lg = ball.scene.legged
    dyn, body = whole_body(lg, Crawl.tuning())
    weight = lg.mass * lg.gravity
    contacts = tuple(SoleContact(sole=k, share=0.25, most=0.1 * weight if k == 0 else 2 * weight) for k in range(4))
    # the body is wished to jump, so that every foot pushes as hard as it may
    jump = standing(com_acceleration=np.array([0.0, 0.0, 30.0]))
    jump.contacts = contacts
    forces = body.solve(body.build(dyn, jump), dyn).wrenches[:, 2]
    assert forces[0] == pytest.approx(0.1 * weight, rel=1e-3)


def test_centre_of_mass_goes_into_the_support():
    corners = np.array([[0.4, 0.3], [0.4, -0.3], [-0.4, -0.3]])
    inside = np.array([0.2, -0.1])
    assert within(inside, corners, 0.02) == pytest.approx(inside)
    moved = within(np.array([-0.4, 0.3]), corners, 0.05)
    # on the inner parallel of the long side, opposite to where it came from
    normal = np.array([-0.6, 0.8])
    assert normal @ (moved - corners[0]) == pytest.approx(-0.05, abs=1e-9)
    assert within(inside, corners, 0.4) == pytest.approx(within(np.zeros(2), corners, 0.4))


def test_nominal_steps_make_the_stride(ball):
    crawl = Crawl()
    planner = Planner(crawl, legs_of(ball.scene.legged), 0.03, 0.03, np.zeros(2))
    points = np.c_[planner.places, np.full(4, 0.03)]
    ways = []
    for _ in range(40):
        there = planner.nominal(points)
        ways.append(there[0] - points[planner.leg, 0])
        points[planner.leg, :2] = there
        planner.step_index += 1
    assert ways[-4:] == pytest.approx([crawl.stride] * 4, abs=1e-3)
    assert points[:, 1] == pytest.approx(planner.places[:, 1])


def test_body_stays_within_reach_and_leans_with_the_slope(ball):
    planner = Planner(Crawl(lean=1.0), legs_of(ball.scene.legged), 0.03, 0.03, np.zeros(2))
    points = np.c_[planner.places, np.full(4, 0.03)]
    points[:, 2] += 0.3 * points[:, 0]
    pose = planner.pose(points)
    assert pose.pitch == pytest.approx(-math.atan(0.3), abs=1e-6)
    assert pose.matrix[:, 0] @ [0, 0, 1] == pytest.approx(math.sin(math.atan(0.3)))
    quat = np.zeros(9)
    mujoco.mju_quat2Mat(quat, pose.quat)
    assert quat.reshape(3, 3) == pytest.approx(pose.matrix)
    far = np.c_[planner.places, np.full(4, 0.03)]
    far[2, 0] -= 0.32  # a leg that trails far behind
    assert planner.pose(far, lifted=2).height < planner.pose(points * [1, 1, 0] + [0, 0, 0.03]).height


def test_swing_clears_what_is_in_the_way():
    def wall(x, y):
        return np.where((x > 0.08) & (x < 0.14), 0.10, 0.0)

    grid = ElevationMap.from_function(wall, x=(-0.5, 1), y=(-0.5, 0.5), cell=0.01)
    eyes = MappedGround(grid, 0.04, 0.04)
    start, target = np.array([0, 0, 0.03, 0]), np.array([0.25, 0, 0.03, 0])
    swing = swing_over(start, target, eyes, 0.03, clearance=0.05, duration=0.5)
    assert swing.timing.duration > 0.5  # the way is longer than it can be gone in that time
    times, states = swung(swing, swing.timing.duration)
    places, rates = states[:, 0], states[:, 1]
    room = places[:, 2] - 0.03 - eyes.tops(places[:, 0], places[:, 1])
    assert room[(places[:, 0] > 0.06) & (places[:, 0] < 0.16)].min() > 0
    assert places[-1, :3] == pytest.approx([0.25, 0, 0.03], abs=3e-4)
    for axis in (0, 2):
        slopes = np.gradient(places[:, axis], times)
        assert rates[5:-5, axis] == pytest.approx(slopes[5:-5], abs=0.05)
    late = swung(swing, 0.2)[1][-1, 0]
    assert late[2] < 0.03 and swing.late == pytest.approx(0.03 - late[2], abs=3e-4)


def swung(swing, seconds: float, dt: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """Times, and place, velocity and acceleration of a swing then (n, 3, 4)."""
    times = np.arange(dt, seconds + dt / 2, dt)
    return times, np.array([[part.copy() for part in swing.advance(dt)] for _ in times])


def test_swing_takes_as_long_as_its_way_needs():
    """However far and high a foothold is, legs are not thrown about, and soles come down slowly."""
    eyes = MappedGround(flat_map(), 0.04, 0.04)
    for way, rise in ((0.02, 0.0), (0.3, 0.0), (0.45, 0.3), (0.1, -0.3), (0.3, 0.5)):
        target = np.array([way, 0.0, 0.03 + rise, 0.0])
        start = np.array([0, 0, 0.03, 0])
        swing = swing_over(start, target, eyes, 0.03, clearance=0.06, duration=0.42, acceleration=8.0)
        _, states = swung(swing, swing.timing.duration)
        assert np.abs(states[:, 2, 0]).max() <= 8.0 * 1.03  # it begins up to a control step late
        assert np.abs(states[:, 2, 2]).max() <= 8.0 * 1.5  # the last bit is gone at a speed of its own
        assert swing.timing.duration >= 0.42 - 1e-9
        last = states[states[:, 0, 2] < target[2] + 0.01, 1, 2][-5:]
        assert last == pytest.approx(np.full(5, -LANDING))
        assert states[-1, 0] == pytest.approx(target, abs=3e-4)


def test_smooth_starts_and_ends_at_rest():
    for s, value in ((0.0, 0.0), (1.0, 1.0)):
        assert smooth(s) == pytest.approx((value, 0.0, 0.0))


def test_trot_steps_towards_where_it_falls(ball):
    """Pushed aside, a foot is put further out by the capture point's offset."""
    trot, lg = Trot(), ball.scene.legged
    plan, dyn = TrotPlan(lg, trot, trot.tuning()), Dynamics(lg)
    qvel = np.zeros(lg.nv)
    dyn.update(plan.stance.qpos, qvel)
    plan.reset(dyn, 0.0)
    still = plan._wanted(dyn, 0)
    # under its hip in the middle of its stance: the other diagonal's swing and all feet before and after it
    ahead = still - dyn.data.qpos[:2] - plan.planner.places[0] - 0.5 * trot.swing_time * plan.ahead
    catch = trot.capture * math.sqrt(trot.height / lg.gravity) * -plan.ahead
    centred = [0.0, trot.centring * dyn.com[1]]
    assert ahead - catch + centred == pytest.approx(0.5 * (trot.swing_time + 2 * trot.both_time) * plan.ahead)
    qvel[1] = 0.2
    dyn.update(plan.stance.qpos, qvel)
    moved = plan._wanted(dyn, 0) - still
    offset = trot.capture * math.sqrt(trot.height / lg.gravity) * 0.2
    assert moved == pytest.approx([0.0, offset + 0.5 * trot.swing_time * 0.2], abs=1e-9)
