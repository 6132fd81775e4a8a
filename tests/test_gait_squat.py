"""Squats through hard and soft feet: statics, complementarity, and which model a recording is nearer to."""

from __future__ import annotations

import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.table import Table

pytest.importorskip("casadi")

from plantar.gait import Ramone, RigidContact, RubberContact, Squat, compare_contact, simulate, synthetic_squat  # noqa: E402
from plantar.gait.compare_plots import plot_comparison  # noqa: E402

SHORT = Squat(count=1, period=0.8, settle=0.6)


@pytest.fixture(scope="module")
def compared():
    robot = Ramone.quadruped()
    return compare_contact(robot, synthetic_squat(robot, SHORT), SHORT)


def test_ramone_weighs_what_its_model_files_say():
    assert Ramone().mass == pytest.approx(10.5)
    assert Ramone.quadruped().mass == pytest.approx(21.0)


def test_the_feet_carry_the_weight_and_sink_by_the_static_depth():
    robot = Ramone.leg()
    motion = simulate(robot, Squat(count=1, period=0.5), RubberContact(), samples=50)
    at_rest = motion.force[0, :, 1].sum()
    assert at_rest == pytest.approx(robot.mass * 9.81, rel=0.02)
    sunk = robot.foot_radius - motion.feet[0, 0, 1]
    assert sunk == pytest.approx(RubberContact().static_depth(robot.mass * 9.81), rel=0.03)


def test_rigid_feet_stay_on_the_ground_and_roll():
    robot = Ramone.leg()
    motion = simulate(robot, Squat(count=1, period=0.5, settle=0.5), RigidContact(), samples=50)
    assert np.abs(motion.feet[:, 0, 1] - robot.foot_radius).max() < 1e-4
    along, across = motion.force[:, 0].T
    assert (across >= 0).all() and (np.abs(along) <= 0.8 * across + 1e-9).all()


def test_impulses_obey_signorini_and_coulomb():
    rng, law = np.random.default_rng(2), RigidContact(friction=0.5)
    seen = set()
    for _ in range(200):
        root = rng.normal(size=(4, 4))
        compliance, velocity = root @ root.T + np.eye(4), rng.normal(size=4)
        impulse = law.impulses(compliance, velocity)
        after = velocity + compliance @ impulse
        for i in (0, 2):
            along, across = impulse[i], impulse[i + 1]
            assert law.complementarity(np.array(across), np.array(after[i + 1])) < 1e-6
            assert abs(along) <= 0.5 * across + 1e-9
            if across > 1e-6 and abs(along) < 0.5 * across - 1e-6:
                assert abs(after[i]) < 1e-6, "it sticks"
                seen.add("stick")
            elif across > 1e-6:
                assert after[i] * along <= 1e-9, "it slides against its friction"
                seen.add("slide")
            else:
                seen.add("off")
    assert seen == {"stick", "slide", "off"}


def test_a_recording_with_rubber_feet_is_told_from_rigid_ones(compared):
    assert compared.better == "soft"
    assert compared.errors["soft"] < 1e-3 < compared.errors["hard"]
    assert len(compared.rows) == 8
    assert len(plot_comparison(compared).axes) == 8


def test_a_symmetric_robot_squats_symmetrically(compared):
    left, right = compared.soft.feet[:, 0], compared.soft.feet[:, 1]
    assert np.allclose(left, right, atol=1e-5)
    assert np.abs(compared.soft.body[:, 2]).max() < 0.02, "front and hind legs are mirrored, so it hardly pitches"


def test_a_recording_without_a_foot_is_named():
    with pytest.raises(InvalidInput, match="foot_x_LF"):
        compare_contact(Ramone.quadruped(), Table([{"time": 0.0}]), SHORT)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("foot_x_LH", float("nan"), "foot_x_LH = nan"),
        ("time", float("inf"), "time = inf"),
        ("time", -1.0, "begins at -1 s"),
        ("foot_z_RF", 28.2, "foot_z_RF goes to 28.2 m: is it millimetres"),
    ],
)
def test_a_recording_that_says_nothing_gets_no_verdict(compared, column, value, said):
    rows = [dict(row) for row in compared.recorded]
    rows[7][column] = value
    with pytest.raises(InvalidInput, match=said):
        compare_contact(compared.robot, Table(rows), SHORT)


@pytest.mark.parametrize("field", ["period", "settle"])
def test_times_that_no_sample_can_be_taken_in_are_refused(field):
    with pytest.raises(InvalidInput, match=f"{field} = 1e-300"):
        Squat(**{field: 1e-300})
