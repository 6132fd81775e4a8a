"""The centroidal plan: its equations are those of Newton and Euler, and it catches a push."""

import numpy as np
import pytest

from plantar import feet, robots, walk
from plantar.errors import InvalidInput
from plantar.walk.plans.dcm import DcmPlan
from plantar.walk.plans.predictive.config import PredictiveConfig
from plantar.walk.plans.predictive.horizon import Phase, Stance, horizon
from plantar.walk.plans.predictive.problem import Aim, build
from plantar.walk.plans.predictive.solve import solve

G = 9.81
HEIGHT = 0.8
OMEGA = np.sqrt(G / HEIGHT)
CONFIG = PredictiveConfig()


def sole(x, y):
    return np.array([[x + a, y + b, 0.0] for a in (-0.1, 0.1) for b in (-0.05, 0.05)])


def both(x=0.0):
    return (Stance(foot=0, corners=sole(x, 0.1)), Stance(foot=1, corners=sole(x, -0.1)))


def standing(seconds=5.0):
    return [Phase(start=0.0, end=seconds, stances=both())]


def stepping(first=0):
    """Single support on the right foot, the left foot lands, then single support on it."""
    landed = Stance(foot=0, corners=sole(0.2, 0.1), step=0)
    right, again = Stance(foot=1, corners=sole(0, -0.1)), Stance(foot=1, corners=sole(0.2, -0.1), step=1)
    if first:  # the mirror image
        landed, right, again = (
            Stance(foot=1 - s.foot, corners=s.corners * [1, -1, 1], step=s.step) for s in (landed, right, again)
        )
    return [
        Phase(start=0.0, end=0.7, stances=(right,)),
        Phase(start=0.7, end=0.95, stances=(right, landed)),
        Phase(start=0.95, end=1.65, stances=(landed,)),
        Phase(start=1.65, end=9.0, stances=(landed, again)),
    ]


def aim_of(ahead):
    """The divergent component of a centre of pressure that goes from the middle of one support to that of the next."""
    times, points = [], []
    for phase in ahead.phases:
        if len(phase.stances) == 1 or phase is ahead.phases[-1]:
            middle = np.mean([s.corners.mean(0)[:2] for s in phase.stances], axis=0)
            times += [max(phase.start, ahead.times[0]), min(phase.end, ahead.times[-1] + 0.4)]
            points += [middle, middle]
    reference = DcmPlan(OMEGA, times, points)
    divergent = np.array([reference.at(t)[0] for t in ahead.times[1:]])
    return Aim(divergent=divergent, height=np.full(len(divergent), HEIGHT), omega=OMEGA)


def plan(phases, state, config=CONFIG, iterations=1, now=0.0):
    ahead = horizon(phases, now, config.seconds, config.longest)
    forecast = solve(build(ahead, np.asarray(state, float), aim_of(ahead), config))
    for _ in range(iterations - 1):
        guess = forecast.guess(ahead)
        forecast = solve(build(ahead, np.asarray(state, float), aim_of(ahead), config, guess))
    return forecast


def at_rest(x=0.0, y=0.0):
    return np.array([x, y, HEIGHT, 0, 0, 0, 0, 0, 0.0])


def integrate(forecast):
    """Newton and Euler under the planned forces, with small steps, the steps moved as planned."""
    states = [forecast.states[0]]
    ahead = forecast.horizon
    for i, length in enumerate(ahead.lengths):
        stances = ahead.phases[ahead.phase[i]].stances
        points = np.concatenate([s.corners + _moved(forecast, s) for s in stances])
        c, v, k = states[-1][:3].copy(), states[-1][3:6].copy(), states[-1][6:].copy()
        acceleration = G * forecast.forces[i].sum(0) - [0, 0, G]
        pieces = 200
        h = length / pieces
        for _ in range(pieces):
            middle = c + 0.5 * h * v + 0.125 * h * h * acceleration
            k += h * G * np.cross(points - middle, forecast.forces[i]).sum(0)
            c += h * v + 0.5 * h * h * acceleration
            v += h * acceleration
        states.append(np.concatenate([c, v, k]))
    return np.array(states)


def _moved(forecast, stance):
    return np.append(forecast.moved[stance.step], 0.0) if stance.step >= 0 else np.zeros(3)


def test_intervals_begin_and_end_with_contacts():
    ahead = horizon(stepping(), 0.33, 1.6, 0.1)
    assert ahead.times[0] == 0.33 and ahead.times[-1] == pytest.approx(1.93)
    for change in (0.7, 0.95, 1.65):
        assert np.abs(ahead.times - change).min() < 1e-12
    assert ahead.lengths.max() <= 0.1 + 1e-12 and ahead.lengths.min() > 0.02
    assert ahead.steps == 2


def test_phases_that_end_too_early_are_refused():
    with pytest.raises(InvalidInput, match="cover the time from 0 to 1.6 s"):
        horizon(standing(seconds=1.0), 0.0, 1.6, 0.1)


def test_a_robot_at_rest_over_its_feet_stays_there():
    forecast = plan(standing(), at_rest())
    assert np.abs(forecast.states - at_rest()).max() < 1e-5
    for forces in forecast.forces:
        np.testing.assert_allclose(forces, np.tile([0, 0, 1 / 8], (8, 1)), atol=1e-5)


@pytest.mark.parametrize("velocity", [(0.2, 0.0), (0.1, -0.15)])
def test_the_plan_obeys_newton_and_euler(velocity, record_property):
    state = at_rest(0.02, -0.07)
    state[3:5] = velocity
    forecast = plan(stepping(), state, iterations=8)
    true = integrate(forecast)
    side = "sideways" if velocity[1] else "ahead"
    record_property(f"softfoot.predictive.{side}", float(np.abs(forecast.states - true).max()))
    np.testing.assert_allclose(forecast.states, true, atol=1e-6)


def test_linearisation_converges_to_the_bilinear_moment():
    state = at_rest(0.0, -0.06)
    state[4] = 0.3
    errors = []
    for iterations in (1, 2, 4):
        forecast = plan(stepping(), state, iterations=iterations)
        errors.append(np.abs(forecast.states[:, 6:] - integrate(forecast)[:, 6:]).max())
    assert errors[1] < 0.3 * errors[0] and errors[2] < errors[1] + 1e-6


def test_forces_stay_in_their_cones():
    state = at_rest()
    state[3:5] = (0.4, 0.1)
    for forces in plan(stepping(), state, iterations=3).forces:
        assert forces[:, 2].min() > -1e-6
        assert (np.linalg.norm(forces[:, :2], axis=1) <= CONFIG.friction * forces[:, 2] + 1e-6).all()


def test_the_mirror_image_of_a_plan_is_the_plan_of_the_mirror_image():
    state = at_rest(0.01, -0.05)
    state[3:5] = (0.2, 0.1)
    mirror = np.array([1, -1, 1, 1, -1, 1, -1, 1, -1.0])
    one = plan(stepping(), state, iterations=4)
    other = plan(stepping(first=1), mirror * state, iterations=4)
    np.testing.assert_allclose(one.states * mirror, other.states, atol=2e-5)
    np.testing.assert_allclose(one.moved * [1, -1], other.moved, atol=2e-5)


def test_a_push_moves_the_next_step_to_its_side():
    still, pushed = at_rest(0.0, -0.08), at_rest(0.0, -0.08)
    pushed[4] = 0.3
    way = plan(stepping(), pushed, iterations=3).moved[0] - plan(stepping(), still, iterations=3).moved[0]
    assert way[1] > 0.02


def follow(push, config, seconds=4.0, tick=0.05):
    """Let a point with angular momentum follow the plan, made anew every tick; how it ends, and its largest spin."""
    state, moved, forecast, landed_before = at_rest(0.0, -0.08), {}, None, -1
    state[4], spin = push, 0.0
    for now in np.arange(0.0, seconds, tick):
        landed = max(s.step for p in stepping() if p.start <= now + 1e-9 for s in p.stances)
        phases = [_seen(p, landed, moved) for p in stepping()]
        ahead = horizon(phases, now, config.seconds, config.longest)
        guess = forecast.guess(ahead, landed - landed_before) if forecast else None
        forecast, landed_before = solve(build(ahead, state, aim_of(ahead), config, guess)), landed
        moved.update({landed + 1 + i: np.append(m, 0.0) for i, m in enumerate(forecast.moved)})
        points = np.concatenate([s.corners for s in ahead.phases[0].stances])
        acceleration = G * forecast.forces[0].sum(0) - [0, 0, G]
        middle = state[:3] + 0.5 * tick * state[3:6]
        turn = G * np.cross(points - middle, forecast.forces[0]).sum(0)
        shift = tick * state[3:6] + 0.5 * tick**2 * acceleration
        state = state + np.concatenate([shift, tick * acceleration, tick * turn])
        spin = max(spin, np.abs(state[6:]).max())
    return state, spin


def _seen(phase, landed, moved):
    """A phase as it looks when `landed` is the last step taken."""
    stances = []
    for s in phase.stances:
        here = s.corners + (moved.get(s.step, 0.0) if 0 <= s.step <= landed else 0.0)
        stances.append(Stance(foot=s.foot, corners=here, step=s.step - landed - 1 if s.step > landed else -1))
    return Phase(start=phase.start, end=phase.end, stances=tuple(stances))


def test_moving_steps_catches_a_push_with_less_spin_of_the_body():
    caught, spin = follow(0.5, CONFIG)
    assert np.abs(caught[3:]).max() < 0.02 and abs(caught[2] - HEIGHT) < 0.02
    _, more = follow(0.5, PredictiveConfig(reach=1e-6))
    assert spin < 0.9 * more


def test_acceleration_and_momentum_rate_are_those_of_the_first_forces():
    state = at_rest(0.0, -0.06)
    state[4] = 0.1
    forecast = plan(stepping(), state, iterations=6)
    np.testing.assert_allclose(forecast.acceleration(), G * forecast.forces[0].sum(0) - [0, 0, G], atol=1e-7)
    rate = (integrate(forecast)[1, 6:] - state[6:]) / forecast.horizon.lengths[0]
    np.testing.assert_allclose(forecast.momentum_rate(), rate, atol=1e-5)


@pytest.fixture(scope="module")
def soft_walker():
    return robots.mount(robots.load("biped"), feet.get("softfoot", fidelity="fast"))


def test_a_robot_on_soft_feet_walks_by_it(soft_walker):
    result = walk.Course(soft_walker, mode="predictive", gait=walk.Gait(steps=4)).run(seed=1)
    assert result.success, result.status
    assert result.steps == 4 and result.failures == 0
    assert result.metrics.drift < 0.05


def test_a_push_on_the_way_is_caught_by_moving_steps(soft_walker):
    push = walk.Push(impulse=8.0, direction=np.pi / 2, time=2.2)
    course = walk.Course(soft_walker, mode="predictive", gait=walk.Gait(steps=6))
    result = course.run(seed=1, pushes=[push])
    assert result.success, result.status
