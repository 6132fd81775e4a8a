"""The plan of a walk: pendulum, footholds, swing, polygons, statistics."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plantar import robots
from plantar.errors import InvalidInput
from plantar.model.polygon import convex_hull
from plantar.model.polygon import polygon_area as area
from plantar.walk import Course
from plantar.walk.control.swing import Swing, quintic_step, shared
from plantar.walk.plans.adaptation import Adaptation
from plantar.walk.plans.dcm import DcmPlan, desired_pressure, missed_capture
from plantar.walk.plans.footsteps import Foothold, plan_footsteps
from plantar.walk.plans.gait import LEG, Gait
from plantar.walk.plans.polygons import nearest_inside, outside, sole_corners
from plantar.walk.plans.stepper import Stepper
from plantar.walk.robot.posture import find_stance
from plantar.walk.robot.soles import carrying
from plantar.walk.sim.obstacles import BANDS, Bar, draw_bar
from plantar.walk.sim.simulation import substeps

OMEGA = 3.4
STANCE = [
    Foothold(side=0, position=(0.0, 0.1, 0.0), yaw=0.0),
    Foothold(side=1, position=(0.0, -0.1, 0.0), yaw=0.0),
]
FOOT = (-0.1, 0.1, -0.05, 0.05)


def test_dcm_plan_obeys_the_pendulum_and_ends_at_rest():
    plan = DcmPlan(OMEGA, [0, 0.8, 1.5, 1.75, 2.45], [[0, 0], [0, -0.1], [0, -0.1], [0.2, 0.1], [0.2, 0.1]])
    step = 1e-5
    for time in np.linspace(0.01, 2.4, 57):
        dcm, pressure = plan.at(time)
        rate = (plan.at(time + step)[0] - plan.at(time - step)[0]) / (2 * step)
        if np.abs(plan.times - time).min() > 2 * step:
            np.testing.assert_allclose(rate, OMEGA * (dcm - pressure), atol=1e-7)
    for knot in plan.times:
        np.testing.assert_allclose(plan.at(knot - 1e-9)[0], plan.at(knot + 1e-9)[0], atol=1e-7)
    np.testing.assert_allclose(plan.at(9.0)[0], [0.2, 0.1])


def test_feedback_makes_the_error_die_out_at_its_rate():
    plan = DcmPlan(OMEGA, [0.0, 5.0], [[0.0, 0.0], [0.0, 0.0]])
    dcm, gain, dt = np.array([0.03, -0.02]), 3.0, 1e-4
    for k in range(10_000):
        reference, point = plan.at(k * dt)
        dcm = dcm + dt * OMEGA * (dcm - desired_pressure(reference, point, dcm, OMEGA, gain))
    np.testing.assert_allclose(dcm, np.array([0.03, -0.02]) * math.exp(-gain), rtol=1e-3)


@given(st.floats(-0.2, 0.2), st.floats(-0.3, 0.3), st.floats(0.01, 0.15), st.floats(0.05, 1.0))
def test_missed_capture_is_what_the_best_constant_pressure_leaves(dcm, goal, reach, left):
    missed = missed_capture(dcm, goal, (-reach, reach), OMEGA, left)
    growth = math.exp(OMEGA * left)
    ends = [point + (dcm - point) * growth - goal for point in np.linspace(-reach, reach, 201)]
    assert abs(missed) <= min(map(abs, ends)) + 1e-9
    assert abs(missed) < 1e-9 or min(ends) - 1e-9 <= missed <= max(ends) + 1e-9
    assert missed_capture(dcm, goal, (0.0, 0.0), OMEGA, left) == pytest.approx(dcm * growth - goal)


def test_quintic_meets_its_ends():
    state = (0.1, -0.2, 0.5)
    dt, left = 1e-3, 0.4
    for k in range(399):
        state = quintic_step(*state, 0.3, 0.05, left - k * dt, dt)
    x, v, a = quintic_step(*state, 0.3, 0.05, dt, dt)
    assert (x, v, a) == pytest.approx((0.3, 0.05, 0.0), abs=2e-6)


def test_swing_follows_a_target_that_moves_without_a_jump():
    swing = Swing(np.zeros(4), np.array([0.2, 0, 0, 0.1]), shared(0.7), 0.06)
    dt, track = 1e-3, []
    for k in range(699):
        if k == 300:
            swing.target[:2] += [0.08, -0.03]
        value, rate, curve = swing.advance(dt)
        track.append(np.concatenate([value, rate, curve]))
    track = np.array(track)
    np.testing.assert_allclose(track[-1, :4], [0.28, -0.03, 0, 0.1], atol=5e-4)
    assert np.abs(np.diff(track[:, 8:], axis=0)).max() < 0.8  # acceleration has no steps but the kink at the apex
    assert track[:, 2].max() == pytest.approx(0.06, abs=1e-3)
    assert track[-1, 6] == pytest.approx(-swing.landing, abs=1e-2)
    swing.advance(0.01)
    before = swing.value[2]
    swing.advance(0.01)
    assert swing.value[2] < before  # the ground is sought further down


def test_swing_clears_a_bar_close_to_toe_or_heel():
    swing = Swing(np.zeros(4), np.array([0.4, 0, 0, 0]), shared(0.7), 0.06)
    path = np.array([swing.advance(1e-3)[0].copy() for _ in range(699)])
    for gap, height in ((0.01, 0.02), (0.02, 0.03)):
        away, near = path[:, 0] > gap, path[:, 0] < 0.4 - gap
        assert path[np.argmax(away), 2] > height, "the toe meets a bar ahead of it"
        assert path[len(near) - 1 - np.argmax(near[::-1]), 2] > height / 2, "the heel drags over a bar behind it"


def test_footsteps_go_straight_and_close():
    steps = plan_footsteps(STANCE, Gait(steps=6, step_length=0.2, scaled=False))
    assert [s.side for s in steps] == [0, 1, 0, 1, 0, 1]
    np.testing.assert_allclose([s.position[0] for s in steps], [0.1, 0.3, 0.5, 0.7, 0.9, 0.9])
    np.testing.assert_allclose([s.position[1] for s in steps], [0.1, -0.1] * 3)


def test_footsteps_turn_on_a_circle():
    turn, length = 0.1, 0.2
    steps = plan_footsteps(STANCE, Gait(steps=41, step_length=length, turn=turn, scaled=False))
    assert steps[-1].yaw == pytest.approx(40 * turn)
    middles = np.array([(a.xy + b.xy) / 2 for a, b in zip(steps[10:30], steps[11:31], strict=True)])
    centre = np.linalg.lstsq(np.c_[2 * middles, np.ones(20)], (middles**2).sum(axis=1), rcond=None)[0]
    radius = math.sqrt(centre[2] + centre[:2] @ centre[:2])
    assert radius == pytest.approx(length / (2 * math.sin(turn / 2)), rel=0.02)


def test_footsteps_sideways_never_cross():
    steps = plan_footsteps(STANCE, Gait(steps=8, step_length=0.0, side_step=0.1, scaled=False))
    feet = {0: 0.1, 1: -0.1}
    for step in steps:
        feet[step.side] = step.position[1]
        assert feet[0] - feet[1] >= 0.2 - 1e-9
    assert feet[0] > 0.35 and feet[0] - feet[1] == pytest.approx(0.2)


def test_gait_scales_as_a_pendulum_and_refuses_what_cannot_be():
    small = Gait().for_legs(LEG / 4)
    assert small.step_length == pytest.approx(0.05)
    assert small.single_support == pytest.approx(0.35)
    assert Gait(scaled=False).for_legs(0.1) == Gait(scaled=False)
    assert Gait().with_speed(0.3).speed == pytest.approx(0.3)
    for bad in ({"steps": -1}, {"apex": 0.0}, {"turn": 2.0}, {"width": 0.01}, {"single_support": -1.0}):
        with pytest.raises(InvalidInput, match=next(iter(bad))):
            Gait(**bad)
    with pytest.raises(InvalidInput, match="speed"):
        Gait().with_speed(3.0)


def test_hull_keeps_corners_that_differ_by_rounding():
    # sorted by their rounding errors alone these would lose a corner
    base = np.array([[x, y] for x in (-0.133, 0.133) for y in (-0.154, -0.038, 0.038, 0.154)])
    noise = np.random.default_rng(0).normal(size=(50, 8, 2)) * 1e-13
    for shake in noise:
        assert area(convex_hull(base + shake)) == pytest.approx(0.266 * 0.308)


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(-3, 3))
def test_nearest_inside_is_inside_and_nearest(x, y, yaw):
    hold = Foothold(side=0, position=(0.05, -0.02, 0.0), yaw=yaw)
    corners = sole_corners(hold, FOOT)
    point = np.array([x, y])
    found = nearest_inside(point, corners)
    assert outside(found, corners) < 1e-7
    c, s = math.cos(yaw), math.sin(yaw)
    local = np.array([[c, s], [-s, c]]) @ (point - hold.xy)
    best = np.clip(local, [FOOT[0], FOOT[2]], [FOOT[1], FOOT[3]])  # a box is the exact case
    assert np.linalg.norm(found - point) == pytest.approx(np.linalg.norm(best - local), abs=1e-7)


def test_bars_are_the_same_for_every_foot_and_under_the_part_asked_for():
    steps = plan_footsteps(STANCE, Gait(steps=8, scaled=False))
    long = (-0.09, 0.17, -0.05, 0.05)
    for chance in (0.0, 0.3, 0.99):
        assert draw_bar(0.01, "random", steps, [FOOT] * 2, chance) == draw_bar(
            0.01, "random", steps, [long] * 2, chance
        )
        for place, (low, high) in BANDS.items():
            bar = draw_bar(0.01, place, steps, [long] * 2, chance)  # type: ignore[arg-type]
            share = (bar.x - steps[3].position[0] - long[0]) / (long[1] - long[0])
            assert low - 1e-9 <= share <= high + 1e-9
            assert bar.y * steps[3].position[1] > 0 and abs(bar.y) - bar.length / 2 > 0  # under that foot alone
    with pytest.raises(InvalidInput, match="steps"):
        draw_bar(0.01, "random", steps[:2], [FOOT] * 2, 0.5)
    with pytest.raises(InvalidInput, match="obstacle"):
        Bar(x=0.0, height=-1.0)


def test_soft_soles_carry_between_heel_and_metatarsus():
    place = SimpleNamespace(extent=(0.13, 0.13, 0.05, 0.05), support=(0.09, 0.015, 0.05, 0.05), foot=object())
    middle, extent, outline = carrying(place)
    assert middle == pytest.approx(-0.0375)
    assert extent[1] == pytest.approx(-extent[0]) and 0.0525 < extent[1] < 0.09
    assert (outline[0] + middle, outline[1] + middle) == pytest.approx((-0.13, 0.13))
    rigid = SimpleNamespace(extent=(0.1, 0.12, 0.05, 0.05), support=None, foot=None)
    middle, extent, _ = carrying(rigid)
    assert (middle, extent[1]) == pytest.approx((0.01, 0.11))


def walked(adaptation: Adaptation, kick: np.ndarray, until: float = 9.0) -> tuple[Stepper, float]:
    """A pendulum on perfect feet that follows the stepper, pushed at 2.2 s; and how far its DCM ends from the feet."""
    gait = Gait(steps=6, step_length=0.2, scaled=False)
    stepper = Stepper(OMEGA, gait, [FOOT] * 2, 0.2, 1.0, adaptation)
    stepper.reset(STANCE, 0.0)
    holds, dcm, dt, time = list(STANCE), np.zeros(2), 4e-3, 0.0
    while time < until and np.linalg.norm(dcm - stepper.middle) < 1.0:
        touching = [stepper.swing is None or stepper.swing.left <= dt or stepper.swinging != i for i in range(2)]
        stepper.update(time, dt, dcm, touching, holds)
        if stepper.swing is not None and stepper.swinging is not None:
            x, y, z, yaw = stepper.swing.value
            holds[stepper.swinging] = Foothold(side=stepper.swinging, position=(x, y, max(z, 0.0)), yaw=yaw)
        reference, point = stepper.plan.at(time)
        standing = [h for i, h in enumerate(holds) if stepper.swinging != i]
        corners = np.concatenate([sole_corners(h, FOOT) for h in standing])
        pressure = nearest_inside(desired_pressure(reference, point, dcm, OMEGA, 3.0), corners)
        dcm = dcm + dt * OMEGA * (dcm - pressure)
        if abs(time - 2.2) < dt / 2:
            dcm = dcm + kick
        time += dt
    return stepper, float(np.linalg.norm(dcm - stepper.middle))


def test_stepper_takes_all_steps_and_stands():
    stepper, off = walked(Adaptation(enabled=False), np.zeros(2))
    assert stepper.done and stepper.taken == 6 and off < 0.01
    assert [h.position[0] for h in stepper.holds] == pytest.approx([0.9, 0.9], abs=2e-3)


@pytest.mark.parametrize("kick", [(0.13, 0.0), (0.2, 0.0), (-0.13, 0.0)])
def test_steps_that_adapt_catch_a_push_that_fixed_ones_do_not(kick):
    _, lost = walked(Adaptation(enabled=False), np.array(kick))
    stepper, off = walked(Adaptation(), np.array(kick), until=14.0)
    assert lost >= 1.0
    assert off < 0.02 and stepper.done


@pytest.mark.parametrize("kick", [(0.05, 0.05), (0.0, 0.07), (0.0, -0.08), (-0.05, 0.0)])
def test_steps_that_adapt_survive_what_fixed_ones_do(kick):
    for adaptation in (Adaptation(enabled=False), Adaptation()):
        stepper, off = walked(adaptation, np.array(kick), until=14.0)
        assert off < 0.02 and stepper.done


def test_control_steps_are_whole_time_steps():
    assert substeps(250.0, 0.002) == 2 and substeps(125.0, 0.008) == 1
    with pytest.raises(InvalidInput, match="rate = 300"):  # 1.67 time steps
        substeps(300.0, 0.002)


def test_legs_that_stand_astride_walk_below_their_hips():
    """As those of robots whose zero angles are not a stance: hips and ankles cannot carry them on one foot."""
    astride = Course(robots.load("biped")).scene.legged
    for sole, side in zip(astride.soles, (1, -1), strict=True):
        astride.nominal[astride.q_joint[sole.joints[0]]] += 0.25 * side
    placed = astride.place(astride.nominal)
    hips = [placed.xanchor[astride.model.joint(astride.joints[sole.joints[2]]).id] for sole in astride.soles]
    left, right = astride.points(placed)
    width = find_stance(astride).width
    assert width == pytest.approx(hips[0][1] - hips[1][1]) and width < 0.6 * (left[1] - right[1])


def test_weak_hips_walk_with_quick_steps():
    legged = Course(robots.load("biped")).scene.legged
    assert find_stance(legged).strength > 2.5
    weak = Course(robots.load("biped")).scene.legged
    for sole in weak.soles:
        weak.torque_limit[sole.joints[0]] = 0.9 * weak.mass * weak.gravity * 0.112
    strength = find_stance(weak).strength
    assert strength == pytest.approx(0.9, rel=0.02)
    quick, usual = Gait().for_legs(LEG, strength), Gait().for_legs(LEG)
    assert quick.single_support == pytest.approx(usual.single_support * strength / 1.25)
    assert quick.double_support == usual.double_support and Gait().for_legs(LEG, 1.3) == usual
