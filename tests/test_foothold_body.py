"""The parts of a walking quadruped: measures, dynamics, the program of its forces, its plan and its swings."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from foothold_cases import crossing_on, flat_map

from plantar.foothold import ElevationMap, Quadruped
from plantar.foothold.walking import (
    Crawl,
    Crossing,
    Eyes,
    Trot,
    TrotController,
    Tuning,
)
from plantar.foothold.walking.chooser import analytic
from plantar.foothold.walking.dynamics import Dynamics
from plantar.foothold.walking.plan import Planner, within
from plantar.foothold.walking.program import Program, Targets
from plantar.foothold.walking.swing import LANDING, Swing, smooth


@pytest.fixture(scope="module")
def soft() -> Crossing:
    return crossing_on("softfoot_q")


@pytest.fixture(scope="module")
def ball() -> Crossing:
    return crossing_on("ball")


def test_measures_are_those_of_anymal(soft, ball):
    for walk in (soft, ball):
        found, wanted = walk.legs, Quadruped()
        for name in ("hip", "hip_forward", "thigh_out", "knee_out", "foot_out", "thigh", "shank"):
            assert getattr(found, name) == pytest.approx(getattr(wanted, name), abs=1e-4), name


def test_point_of_a_soft_foot_is_the_hinge_it_tips_about(soft, ball):
    assert soft.legged.point_height == pytest.approx(soft.legged.ankle_height - 0.022, abs=1e-3)
    assert ball.legged.point_height == pytest.approx(0.03)


def test_points_and_their_jacobians(ball):
    lg = ball.legged
    rng = np.random.default_rng(0)
    dyn = Dynamics(lg)
    qpos, qvel = lg.nominal.copy(), rng.normal(size=lg.nv)
    qpos[lg.q_joint] += rng.uniform(-0.2, 0.2, 12)
    dyn.update(qpos, qvel)
    before, rate, drift = dyn.points.copy(), dyn.velocity.copy(), dyn.drift.copy()
    com, speed = dyn.com.copy(), dyn.com_velocity.copy()
    step = 1e-6
    moved = qpos.copy()
    mujoco.mj_integratePos(lg.model, moved, qvel, step)
    dyn.update(moved, qvel)
    assert (dyn.points - before) / step == pytest.approx(rate, abs=1e-4)
    assert (dyn.com - com) / step == pytest.approx(speed, abs=1e-4)
    # at constant generalised velocity the points accelerate by the drift alone
    assert (dyn.velocity - rate) / step == pytest.approx(drift, abs=1e-3)


def test_program_obeys_newton_and_euler(ball):
    lg = ball.legged
    dyn, program = Dynamics(lg), Program(lg, Tuning())
    dyn.update(lg.nominal, np.zeros(lg.nv))
    rest = Targets(
        com=np.zeros(2),
        height=0.0,
        turn=np.zeros(3),
        feet=np.zeros((4, 3)),
        standing=np.ones(4, bool),
        most=np.full(4, 1e4),
        shares=np.full(4, 0.25),
        normals=np.tile([0.0, 0.0, 1.0], (4, 1)),
    )
    still = program.solve(dyn, rest)
    assert still.found
    assert still.forces.sum(axis=0) == pytest.approx([0, 0, lg.mass * lg.gravity], abs=0.05 * lg.mass)
    # the whole equation of motion, with the base's six rows free of torque
    left = dyn.mass_matrix @ still.acceleration + dyn.bias
    pushed = np.einsum("kin,ki->n", dyn.jacobian, still.forces)
    assert (left - pushed)[:6] == pytest.approx(np.zeros(6), abs=1e-6)
    three = Targets(**{**vars(rest), "standing": np.array([True, True, True, False])})
    lifted = program.solve(dyn, three)
    assert lifted.forces[3] == pytest.approx([0, 0, 0])
    assert np.abs(lifted.forces[:, :2]).max() <= 0.5 * lifted.forces[:, 2].max() + 1e-6


def test_forces_stay_in_the_friction_cone(ball):
    lg = ball.legged
    dyn, program = Dynamics(lg), Program(lg, Tuning(friction=0.3))
    dyn.update(lg.nominal, np.zeros(lg.nv))
    normal = np.array([0.2, 0.0, 1.0]) / math.hypot(0.2, 1.0)
    hard = Targets(
        com=np.array([20.0, 0.0]),
        height=0.0,
        turn=np.zeros(3),
        feet=np.zeros((4, 3)),
        standing=np.ones(4, bool),
        most=np.full(4, 1e4),
        shares=np.full(4, 0.25),
        normals=np.tile(normal, (4, 1)),
    )
    for force in program.solve(dyn, hard).forces:
        along = force @ normal
        assert along >= -1e-9
        assert np.linalg.norm(force - along * normal) <= 0.3 * along + 1e-6


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
    planner = Planner(crawl, ball.legs, 0.03, 0.03, np.zeros(2))
    points = np.c_[planner.places, np.full(4, 0.03)]
    ways = []
    for _ in range(40):
        there = planner.nominal(points)
        ways.append(there[0] - points[planner.leg, 0])
        points[planner.leg, :2] = there
        planner.turn += 1
    assert ways[-4:] == pytest.approx([crawl.stride] * 4, abs=1e-3)
    assert points[:, 1] == pytest.approx(planner.places[:, 1])


def test_body_stays_within_reach_and_leans_with_the_slope(ball):
    planner = Planner(Crawl(lean=1.0), ball.legs, 0.03, 0.03, np.zeros(2))
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
    eyes = Eyes(grid, 0.04, 0.04)
    swing = Swing(np.array([0, 0, 0.03]), np.array([0.25, 0, 0.03]), 0.5, 0.05, 0.03, eyes)
    assert swing.duration > 0.5  # the way is longer than it can be gone in that time
    times = np.linspace(0, swing.duration, 400)
    places = np.array([swing.at(t)[0] for t in times])
    room = places[:, 2] - 0.03 - eyes.tops(places[:, 0], places[:, 1])
    assert room[(places[:, 0] > 0.06) & (places[:, 0] < 0.16)].min() > 0
    assert places[-1] == pytest.approx([0.25, 0, 0.03], abs=1e-6)
    rates = np.array([swing.at(t)[1] for t in times])
    slopes = np.gradient(places[:, 0], times)
    assert rates[5:-5, 0] == pytest.approx(slopes[5:-5], abs=0.05)
    heights = np.gradient(places[:, 2], times)
    assert rates[5:-5, 2] == pytest.approx(heights[5:-5], abs=0.05)
    late = swing.at(swing.duration + 0.2)[0]
    assert late[2] < 0.03 and swing.late == pytest.approx(0.03 - late[2])


def test_swing_takes_as_long_as_its_way_needs():
    """However far and high a foothold is, legs are not thrown about, and soles come down slowly."""
    eyes = Eyes(flat_map(), 0.04, 0.04)
    for way, rise in ((0.02, 0.0), (0.3, 0.0), (0.45, 0.3), (0.1, -0.3), (0.3, 0.5)):
        target = np.array([way, 0.0, 0.03 + rise])
        swing = Swing(np.array([0, 0, 0.03]), target, 0.42, 0.06, 0.03, eyes, 8.0)
        times = np.arange(0.0, swing.duration, 0.001)
        states = [swing.at(float(t)) for t in times]
        bends = np.array([bend for _, _, bend in states])
        assert np.abs(bends[:, 0]).max() <= 8.0 + 1e-9
        assert np.abs(bends[:, 2]).max() <= 8.0 * 1.5  # the last bit is gone at a speed of its own
        assert swing.duration >= 0.42 - 1e-9
        last = np.array([rate[2] for place, rate, _ in states if place[2] < target[2] + 0.01][-5:])
        assert last == pytest.approx(np.full(5, -LANDING))
        assert swing.at(swing.duration)[0] == pytest.approx(target, abs=1e-9)


def test_smooth_starts_and_ends_at_rest():
    for s, value in ((0.0, 0.0), (1.0, 1.0)):
        assert smooth(s) == pytest.approx((value, 0.0, 0.0))


def test_trot_steps_towards_where_it_falls(ball):
    """Pushed aside, a foot is put further out by the capture point's offset."""
    trot = Trot()
    robot = TrotController(ball.legged, ball.legs, Eyes(flat_map(), 0.06, 0.06), analytic, trot, trot.tuning(), 1.0)
    qpos, qvel = robot.start(), np.zeros(ball.legged.nv)
    robot.reset(0.0, qpos, qvel)
    still = robot._wanted(0)
    qvel[1] = 0.2
    robot.reset(0.0, qpos, qvel)
    moved = robot._wanted(0) - still
    offset = trot.capture * math.sqrt(trot.height / ball.legged.gravity) * 0.2
    assert moved == pytest.approx([0.0, offset + 0.5 * trot.swing_time * 0.2], abs=1e-9)
