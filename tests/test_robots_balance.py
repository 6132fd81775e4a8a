"""Mounted feet balance their robot: offset and pitch are solved so that the pressure is under the centre of mass."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from robots_made import Made, spec

from plantar import feet, robots
from plantar.errors import Diverged
from plantar.robots.export.export import scene_spec
from plantar.robots.mount import balance as _balance
from plantar.robots.mount.balance import pressure_at

FLAT, SOFT = feet.FlatFoot(), feet.SoftFoot(fidelity="fast")
BIPED = Made()


@pytest.mark.parametrize("foot", [SOFT, feet.SoftFoot(fidelity="hinge", chains=3)], ids=["fast", "hinge"])
def test_a_soft_foot_is_mounted_so_that_its_pressure_is_under_the_centre_of_mass(foot):
    mounted = robots.mount("biped", foot)
    change = mounted.report()
    assert change.balance["centre_of_pressure"] == pytest.approx(change.balance["centre_of_mass"], abs=3e-3)
    assert change.balance["support_middle"] == pytest.approx(change.balance["centre_of_mass"], abs=1e-9)
    assert 0 < math.degrees(change.pitch) < 2
    place = mounted.places[0]
    assert place.support is not None
    back, front = place.support[:2]
    assert back + front == pytest.approx(change.balance["support_front"] - change.balance["support_rear"])


def test_pressure_moves_forward_with_pitch_and_stays_within_the_sole():
    pressures = [pressure_at(SOFT, 300.0, p) for p in np.radians([0, 0.4, 2])]
    assert pressures == sorted(pressures)
    assert -0.09 < pressures[0] < -0.03
    assert 0.03 < pressures[-1] < 0.17


def test_a_robot_on_the_moon_is_balanced_under_its_weight_there():
    made = spec(Made())
    made.option.gravity = [0, 0, -1.62]
    mass = robots.load(made).model().body_subtreemass[1]
    moon, ends = robots.mount(made, SOFT).report(), (-_balance.PITCHES, _balance.PITCHES)
    middle = sum(pressure_at(SOFT, mass * 1.62 / 2, pitch) for pitch in ends) / 2
    assert moon.offset + middle == pytest.approx(moon.balance["centre_of_mass"], abs=1e-6)
    made.option.gravity = [0, 0, 0]
    assert robots.mount(made, SOFT).report().offset == robots.mount(spec(Made()), SOFT).report().offset


def test_a_foot_that_turns_freely_at_its_ankle_is_not_pitched():
    change = robots.mount("biped", "softfoot_q").report()
    assert change.pitch == 0
    assert change.balance["centre_of_pressure"] == pytest.approx(change.balance["centre_of_mass"], abs=3e-3)


def test_a_foot_that_does_not_settle_is_named(monkeypatch):
    monkeypatch.setattr(_balance, "STEPS", (0.08, 0.06))
    foot = feet.SoftFoot(fidelity="fast", chains=2)
    with pytest.raises(Diverged, match="give offset and pitch"):
        robots.mount("biped", foot)
    assert robots.mount("biped", foot, offset=0.0, pitch=0.0).report().solved == ()


@pytest.mark.long
def test_the_released_foot_wants_the_pitch_that_was_found_by_hand():
    """A walking Talos on the released foot with stiff joints was best at +1.4 degrees."""
    change = robots.mount("biped", feet.SoftFoot.published()).report()
    assert math.degrees(change.pitch) == pytest.approx(1.4, abs=0.4)


def test_a_rigid_sole_moves_only_if_the_centre_of_mass_is_near_its_end():
    heavy = spec(BIPED)
    assert robots.mount(heavy, FLAT).report().offset == 0
    heavy.geom("chest").pos = [0.4, 0, 0.15]
    change = robots.mount(heavy, FLAT).report()
    place = change.balance
    assert change.offset > 0.05
    inner = place["support_front"] - place["centre_of_mass"]
    assert inner == pytest.approx(0.25 * FLAT.length, abs=1e-6)


def pitched(degrees: float) -> mujoco.MjSpec:
    """A biped whose feet are turned about their ankles in the reference posture, toes down."""
    made = spec(BIPED.but(keyframes=False))
    half = math.radians(degrees) / 2
    turn = np.array([math.cos(half), 0, math.sin(half), 0])
    for side in ("left", "right"):
        for geom in made.body(f"{side}_foot").geoms:
            place = np.zeros(3)
            mujoco.mju_rotVecQuat(place, np.array(geom.pos), turn)
            geom.pos, geom.quat = place, turn
    return made


@pytest.mark.parametrize("degrees", [-2.2, 2.2])
def test_the_centre_of_mass_is_projected_straight_down_whatever_the_old_soles_pitch(degrees):
    level, tilted = (robots.mount(pitched(d), SOFT).report() for d in (0.0, degrees))
    assert tilted.offset == pytest.approx(level.offset, abs=1e-3)
    assert tilted.balance["centre_of_mass"] == pytest.approx(level.balance["centre_of_mass"], abs=1e-3)
    # the foot itself comes to the same pitch over the ground, where its pressure is under the centre of mass
    assert math.degrees(tilted.pitch - level.pitch) == pytest.approx(-degrees, abs=0.05)
    assert tilted.balance["centre_of_pressure"] == pytest.approx(tilted.balance["centre_of_mass"], abs=3e-3)


def test_a_rigid_sole_stays_parallel_to_the_one_it_replaces():
    change = robots.mount(pitched(2.2), FLAT).report()
    assert (change.offset, change.pitch) == (0, 0)


@pytest.mark.parametrize("foot", [FLAT, SOFT], ids=["flat", "soft"])
def test_a_robot_with_stiff_joints_stands(foot):
    """Nothing balances it but its feet: joints are springs about the keyframe."""
    robot = robots.mount("biped", foot)
    made, reference = scene_spec(robot), robot.model()
    key = reference.key(robot.keyframe).qpos
    for joint in made.joints:
        if joint.name.endswith("_joint"):
            joint.stiffness, joint.damping = [5000, 0, 0], [200, 0, 0]
            joint.springref = float(key[reference.joint(joint.name).qposadr[0]])
    model = made.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    height = data.qpos[2]
    while data.time < 3.0:
        mujoco.mj_step(model, data)
    tilt = math.degrees(math.acos(min(1.0, data.body(robot.base).xmat[8])))
    assert tilt < 1.0
    assert data.qpos[2] == pytest.approx(height, abs=5e-3)
