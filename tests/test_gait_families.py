"""Names of gaits from footfalls; a biped solved with rubber feet; halves mirrored to whole strides."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("casadi")

from plantar.errors import InvalidInput  # noqa: E402
from plantar.gait import Biped, Effort, Quadruped, family, gait_name  # noqa: E402
from plantar.gait._boundary import mirrored_rows  # noqa: E402


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


def test_mirroring_twice_changes_nothing():
    for robot in (Biped(), Quadruped()):
        rows = np.array(mirrored_rows(robot))
        assert (rows[rows] == np.arange(len(rows))).all() and (rows != np.arange(len(rows))).any()
        assert (rows[:3] == [0, 1, 2]).all()


def test_no_speed_is_no_family():
    with pytest.raises(InvalidInput, match="speeds"):
        family(Biped(), [])


@pytest.mark.long
def test_a_biped_is_followed_over_speed():
    found = family(Biped(), [0.4, 0.5], guesses=1, seed=1, effort=Effort(intervals=14, refinements=0))
    assert len(found.results) == 2
    assert all(r.violation < 1e-6 for r in found.results)
    assert [r.speed for r in found.results] == pytest.approx([0.4, 0.5])
    left, right = found.results[0].q[0, 3], found.results[0].q[-1, 5]
    assert left == pytest.approx(right, abs=1e-6), "half a stride later the legs have changed places"
