"""The rubber foot's law: published numbers, exact derivatives, no pull, no energy from nothing, the same in CasADi."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from plantar.errors import InvalidInput
from plantar.gait import RubberContact

Keep = Callable[[str, object], None]
STATES = 100_000
LAW = RubberContact()


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, ...]:
    """Depth, speed, slip and deflection around and beyond what a foot sees."""
    rng = np.random.default_rng(7)
    depth = np.where(rng.random(STATES) < 0.5, rng.uniform(-0.01, 0.03, STATES), rng.uniform(0, 0.008, STATES))
    return depth, rng.normal(0, 1.0, STATES), rng.normal(0, 0.7, STATES), rng.normal(0, 0.004, STATES)


def central(function, values, index: int, step: float) -> np.ndarray:
    """Derivative by differences of fourth order."""
    total = 0.0
    for times, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
        moved = list(values)
        moved[index] = moved[index] + times * step
        total = total + weight * np.asarray(function(*moved))
    return np.asarray(total) / (12 * step)


def worst(got, want, smooth) -> float:
    """Largest error over the largest value, where the differences do not straddle a kink of the slope."""
    got, want = np.asarray(got)[smooth], np.asarray(want)[smooth]
    return float(np.abs(got - want).max() / np.abs(want).max())


def test_stiffness_of_the_racquetball_is_the_published_one():
    assert LAW.stiffness == pytest.approx(1282 * 0.075 * 9.81 / 0.0282**2, rel=1e-12)
    assert LAW.stiffness == pytest.approx(1.186e6, rel=1e-3)
    assert LAW.force(0.010) == pytest.approx(118.6, rel=1e-3)


def test_normal_derivatives_equal_differences(states, record_property: Keep):
    depth, speed = states[:2]
    # the second derivative jumps at first touch and at the end of the transition
    smooth = (abs(depth) > 1e-5) & (abs(depth - LAW.transition_depth) > 1e-5)
    stiffness = worst(LAW.stiffness_at(depth, speed), central(LAW.force, (depth, speed), 0, 1e-6), smooth)
    damping = worst(LAW.damping_at(depth, speed), central(LAW.force, (depth, speed), 1, 1e-4), smooth)
    record_property("gait.rubber.normal_slope_error", max(stiffness, damping))
    assert stiffness < 1e-6
    assert damping < 1e-6


def test_tangential_derivatives_equal_differences(states, record_property: Keep):
    depth = states[0]
    smooth = abs(depth) > 1e-4
    for kink in (LAW.transition_depth, LAW.smoothing_depth):
        smooth &= abs(depth - kink) > 1e-4
    slopes = LAW.tangential_slopes(*states)
    steps = (2e-7, 2e-5, 2e-5, 1e-7)
    errors = [worst(slopes[i], central(LAW.tangential_force, states, i, step), smooth) for i, step in enumerate(steps)]
    record_property("gait.rubber.tangential_slope_error", max(errors))
    assert max(errors) < 1e-6, dict(zip(slopes._fields, errors, strict=True))


def test_the_slope_is_continuous_where_branches_meet():
    for depth in (0.0, LAW.transition_depth):
        left, right = LAW.stiffness_at(depth - 1e-9, 0.3), LAW.stiffness_at(depth + 1e-9, 0.3)
        assert right - left == pytest.approx(0, abs=0.05)  # 1e-9 m times a finite second derivative


def test_the_ground_never_pulls_and_friction_keeps_its_limit(states, record_property: Keep):
    depth, speed, slip, deflection = states
    normal = LAW.force(depth, speed)
    along = LAW.tangential_force(*states)
    record_property("gait.rubber.least_force", float(normal.min()))
    assert normal.min() >= 0
    assert (normal[depth <= 0] == 0).all() and (along[depth <= 0] == 0).all()
    assert (np.abs(along) <= LAW.friction * normal + 1e-12).all()
    pull = LAW.tangential_stiffness * deflection + LAW.tangential_damping * slip
    assert (along * pull <= 0).all(), "the force opposes deflection and slip"


def test_heat_is_never_negative(states, record_property: Keep):
    record_property("gait.rubber.least_heat", float(LAW.dissipation(*states).min()))
    record_property("gait.rubber.states", len(states[0]))
    assert LAW.dissipation(*states).min() >= 0
    assert LAW.dissipation(*states).max() > 1


def test_a_closed_cycle_of_depth_loses_energy():
    rng = np.random.default_rng(1)
    time = np.linspace(0, 2 * math.pi, 4001)
    for _ in range(20):
        a, b, w = rng.uniform(0.001, 0.01, 2).tolist() + [rng.uniform(1, 100)]
        depth, speed = a * np.sin(time) + b * np.cos(2 * time), w * (a * np.cos(time) - 2 * b * np.sin(2 * time))
        lost = np.trapezoid(LAW.force(depth, speed) * speed / w, time)
        spring = np.trapezoid(LAW.stiffness * np.fmax(depth, 0) ** 2 * speed / w, time)
        assert lost > 0 and abs(spring) < 1e-6 * lost, "the spring gives back what it took; the damper keeps"


def test_a_racquetball_bounces_as_its_rule_asks():
    """Rule 2.2 of USA Racquetball: 68 to 72 inches after a fall of 100; a ball weighs about 1.4 ounces."""
    inch, mass = 0.0254, 1.4 * 0.0283495

    def out(t, y):
        return y[0]

    out.terminal, out.direction = True, -1  # type: ignore[attr-defined]
    fall = solve_ivp(
        lambda t, y: [y[1], 9.81 - float(LAW.force(y[0], y[1])) / mass],
        (0, 1),
        [0, math.sqrt(2 * 9.81 * 100 * inch)],
        events=out,
        rtol=1e-9,
        atol=1e-12,
    )
    height = fall.y[1, -1] ** 2 / (2 * 9.81) / inch
    assert height == pytest.approx(70, abs=0.05)


def test_casadi_has_the_same_law_and_its_derivatives(states):
    ca = pytest.importorskip("casadi")
    symbols = [ca.SX.sym(name) for name in ("depth", "speed", "slip", "deflection")]
    normal, along, rate = LAW.symbolic(*symbols)
    every = ca.vertcat(normal, along, rate)
    law = ca.Function("law", symbols, [every, ca.jacobian(ca.vertcat(normal, along), ca.vertcat(*symbols))])
    some = [values[:2000] for values in states]
    got, jacobian = (np.asarray(x) for x in law(*[ca.DM(v).T for v in some]))
    assert np.allclose(got[0], LAW.force(*some[:2]), rtol=1e-12, atol=1e-12)
    assert np.allclose(got[1], LAW.tangential_force(*some), rtol=1e-10, atol=1e-12)
    assert np.allclose(got[2], LAW.deflection_rate(*some), rtol=1e-10, atol=1e-12)
    blocks = jacobian.reshape(2, len(some[0]), 4)
    assert np.allclose(blocks[0, :, 0], LAW.stiffness_at(*some[:2]), rtol=1e-9, atol=1e-9)
    assert np.allclose(blocks[0, :, 1], LAW.damping_at(*some[:2]), rtol=1e-9, atol=1e-9)
    for i, slope in enumerate(LAW.tangential_slopes(*some)):
        scale = np.abs(slope).max()
        assert np.allclose(blocks[1, :, i], slope, rtol=1e-7, atol=1e-9 * scale)


def test_normalised_law_gives_normalised_forces(states):
    mass, length, g = 10.5, 0.564, 9.81
    small, speed = LAW.normalised(mass=mass, length=length, gravity=g), math.sqrt(g * length)
    depth, sink, slip, deflection = states
    units = (depth / length, sink / speed, slip / speed, deflection / length)
    assert np.allclose(small.force(*units[:2]) * mass * g, LAW.force(depth, sink), rtol=1e-12)
    assert np.allclose(small.tangential_force(*units) * mass * g, LAW.tangential_force(*states), rtol=1e-9, atol=1e-12)
    assert np.allclose(small.deflection_rate(*units) * speed, LAW.deflection_rate(*states), rtol=1e-9, atol=1e-12)


def test_static_depth_is_that_of_the_spring():
    assert LAW.static_depth(10.5 * 9.81) == pytest.approx(math.sqrt(10.5 * 9.81 / LAW.stiffness), rel=1e-9)


@pytest.mark.parametrize("field", ["stiffness", "damping", "damping_speed", "smoothing_depth"])
def test_a_field_that_is_not_positive_is_named(field):
    with pytest.raises(InvalidInput, match=field):
        RubberContact(**{field: 0.0})
