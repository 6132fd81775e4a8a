"""Names of gaits from footfalls; patterns to start from; a biped solved with rubber feet; halves mirrored."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

ca = pytest.importorskip("casadi")

from plantar.errors import InvalidInput  # noqa: E402
from plantar.gait import (  # noqa: E402
    PATTERNS,
    Biped,
    Effort,
    Hopper,
    Quadruped,
    Request,
    RubberContact,
    check,
    family,
    gait_name,
    replay,
)
from plantar.gait._boundary import mirrored_rows  # noqa: E402
from plantar.gait._cushion import cushioned  # noqa: E402
from plantar.gait._dynamics import Dynamics  # noqa: E402
from plantar.gait._guess import pack, patterned  # noqa: E402
from plantar.gait._layout import Phase  # noqa: E402
from plantar.gait._program import Program  # noqa: E402
from plantar.gait.footfalls import contacts  # noqa: E402
from plantar.gait.patterns import stride  # noqa: E402


def made_up(robot, down: list[tuple[float, float]]):
    """A result whose feet are down between two shares of the stride; a start after the end wraps round."""
    times = np.linspace(0, 1, 401)
    force = np.zeros((401, 2 * robot.legs))
    for i, (start, end) in enumerate(down):
        on = (times >= start) & (times <= end) if start <= end else (times >= start) | (times <= end)
        force[:, 2 * i + 1] = on
    return SimpleNamespace(
        robot=robot, times=times, force=force, stride_time=1.0, request=SimpleNamespace(symmetric=False)
    )


@pytest.mark.parametrize(
    ("robot", "down", "name"),
    [
        (Biped(), [(0.0, 0.6), (0.5, 0.1)], "walk"),
        (Biped(), [(0.0, 0.35), (0.5, 0.85)], "run"),
        (Biped(), [(0.1, 0.5), (0.1, 0.52)], "hop"),
        (Quadruped(), [(0.0, 0.4), (0.5, 0.9), (0.5, 0.9), (0.0, 0.4)], "trot"),
        (Quadruped(), [(0.0, 0.52), (0.5, 0.02), (0.5, 0.02), (0.0, 0.52)], "walking trot"),
        (Quadruped(), [(0.0, 0.3), (0.0, 0.3), (0.5, 0.8), (0.5, 0.8)], "bound"),
        (Quadruped(), [(0.0, 0.4), (0.5, 0.9), (0.0, 0.4), (0.5, 0.9)], "pace"),
        (Quadruped(), [(0.1, 0.5)] * 4, "pronk"),
        (Quadruped(), [(0.25, 0.95), (0.75, 0.45), (0.0, 0.7), (0.5, 0.2)], "walk"),
    ],
)
def test_footfalls_are_named(robot, down, name):
    assert gait_name(made_up(robot, down)) == name


def test_a_biped_that_lands_twice_on_each_foot_skips():
    gait = made_up(Biped(), [(0.06, 0.26), (0.26, 0.46)])
    gait.force[:, 1] += (gait.times > 0.76) & (gait.times < 0.96)
    gait.force[:, 3] += (gait.times > 0.56) & (gait.times < 0.76)
    assert gait_name(gait) == "skip", "left, right, flight, right, left, flight"


def test_mirroring_twice_changes_nothing():
    for robot in (Biped(), Quadruped()):
        rows = np.array(mirrored_rows(robot))
        assert (rows[rows] == np.arange(len(rows))).all() and (rows != np.arange(len(rows))).any()
        assert (rows[:3] == [0, 1, 2]).all()


def test_a_half_with_both_sides_in_step_is_a_whole_stride():
    bound = made_up(Quadruped(), [(0.0, 0.3), (0.0, 0.3), (0.5, 0.8), (0.5, 0.8)])
    trot = made_up(Quadruped(), [(0.0, 0.8), (0.9, 0.95), (0.9, 0.95), (0.0, 0.8)])
    for result, whole in ((bound, 1.0), (trot, 2.0)):
        result.request.symmetric = True
        assert contacts(result)[0][-1] == pytest.approx(whole)


@pytest.mark.parametrize(
    ("robot", "name"), [(robot, name) for robot in (Biped(), Quadruped()) for name in PATTERNS[robot.legs]]
)
def test_a_pattern_carries_the_weight_and_changes_sides(robot, name):
    order = PATTERNS[robot.legs][name]
    found = stride(robot, Request(speed=0.4, apex=None, symmetric=True), order)
    q, v, a = found.motion(0.4, np.array([0.0, found.duration]))
    rows = np.array(mirrored_rows(robot))
    assert np.abs(q[1, 1:] - q[0, rows[1:]]).max() < 1e-9, "the end is the start with sides changed"
    assert q[1, 0] == pytest.approx(0.4 * found.duration)
    times = np.linspace(0, found.duration, 4001)
    q, v, a = found.motion(0.4, times)
    assert q[:, 1].max() == pytest.approx(q[0, 1], abs=1e-5), "it begins at the top, to a sample"
    assert np.allclose(np.gradient(q[:, 1], times)[2:-2], v[2:-2, 1], atol=1e-3)
    place = Dynamics(robot).terms(q, v)["place"][:, 1::2]
    load = robot.law.force(np.fmax(-place, 0)).sum(axis=1)
    assert load.mean() == pytest.approx(robot.mass, rel=0.05), "on average the feet bear the weight"
    assert np.corrcoef(load, a[:, 1])[0, 1] > 0.9, "and the torso moves as that load pushes it"


def test_the_motion_nearest_to_a_guess_has_exact_derivatives():
    robot, request = Biped(), Request(apex=None, objective="transport", symmetric=True)
    program = Program(robot, (Phase("soft"),), request, [np.array([0.5, 0.5])])
    near = pack(program, patterned(robot, request, PATTERNS[2]["run"]))
    built, x = program.build(near), near + 0.01 * np.random.default_rng(0).normal(size=program.unknowns)
    nlp, weight = built["nlp"], np.zeros(program.constraints)
    f = ca.Function("f", [nlp["x"]], [nlp["f"], ca.gradient(nlp["f"], nlp["x"]), ca.hessian(nlp["f"], nlp["x"])[0]])
    value, steep, curve = (np.asarray(part) for part in f(x))
    assert float(f(near)[0]) < value.item()
    assert np.abs(np.asarray(built["grad_f"](x, [])[1]) - steep).max() < 1e-12
    assert np.abs(np.asarray(built["hess_lag"](x, [], 1.0, weight)) - np.triu(curve)).max() < 1e-9


def test_a_cushion_bears_the_same_load_deeper_and_feels_the_ground_early():
    law, soft = RubberContact(), cushioned(Hopper(), 4.0).contact
    depth = 0.008
    at = [float(c.symbolic(ca.DM(d), ca.DM(0), ca.DM(0), ca.DM(0))[0]) for c, d in ((law, depth), (soft, 4 * depth))]
    assert at[1] == pytest.approx(at[0], rel=0.2)
    above = [float(c.symbolic(ca.DM(-0.01), ca.DM(0), ca.DM(0), ca.DM(0))[0]) for c in (law, soft)]
    assert above[0] == 0 and above[1] > 0


def test_bad_starts_are_named():
    with pytest.raises(InvalidInput, match="speeds"):
        family(Biped(), [])
    with pytest.raises(InvalidInput, match="walk, run, hop"):
        family(Biped(), [0.4], starts=["trot"])


def test_a_biped_runs_from_a_pattern_and_replays_in_mujoco():
    effort = Effort(intervals=12, tolerance=1e-3, refinements=2, explain=False)
    found = family(Biped(), [0.5], starts=["run"], cost="thermal", effort=effort)
    gait = found.results[0]
    assert found.names == ["run"] and gait.violation < 1e-6 and gait.defect < 5e-3
    left, right = gait.q[0, 3], gait.q[-1, 5]
    assert left == pytest.approx(right, abs=1e-6), "half a stride later the legs have changed places"
    assert check(gait).return_error < 0.05
    assert replay(gait, step=2e-4).error < 0.05
    assert [row["softness"] for row in gait.history[:3]] == [4.0, 2.0, 1.0]


@pytest.mark.long
def test_a_quadruped_trots_and_bounds(record_property):
    effort = Effort(intervals=14, tolerance=1e-3, refinements=4, seconds=300, explain=False)
    found = family(Quadruped(), [0.5], starts=["trot", "bound"], cost="thermal", effort=effort)
    assert found.names == ["trot", "bound"]
    for name, gait in zip(found.names, found.results, strict=True):
        back, played = check(gait).return_error, replay(gait, step=1e-4).error
        numbers = {"transport": gait.transport, "defect": gait.defect, "return_error": back, "replay_error": played}
        record_property(f"gait.quadruped.{name}", numbers)
        assert gait.violation < 1e-6 and gait.defect < 1e-3
        assert back < 1e-2 and played < 1e-2
