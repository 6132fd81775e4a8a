"""Robots that stand on soft ground without help, leaning at their ankles."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar.errors import Diverged, InvalidInput
from plantar.feet import SoftFoot
from plantar.ground import Ground, Status, identify
from plantar.identify.lean import leaning
from plantar.identify.stage import Stage
from plantar.identify.stand import stand

TALOS = ("menagerie/pal_talos/talos.xml", ["leg_left_6_link", "leg_right_6_link"])
G1, JVRC1 = ("menagerie/unitree_g1/g1.xml", None), ("jvrc1/xml/jvrc1.xml", None)


def stands_alone(robot, depth, feet=None):
    found = identify(robot, depth, 1.5, feet=feet, unaided=True)
    assert found.status is Status.STOOD
    assert found.reached == pytest.approx(depth, rel=0.01)
    assert found.crept is not None and found.crept < 1e-4
    assert found.standing is not None and found.standing.tilt < 2e-3
    return found


@pytest.mark.parametrize(("robot", "depth"), [(G1, 0.015), (JVRC1, 0.006)], ids=["g1", "jvrc1"])
def test_humanoids_stand_alone(shared: Path, robot, depth):
    stands_alone(shared / "models" / robot[0], depth, robot[1])


@pytest.mark.long
@pytest.mark.parametrize("depth", [0.002, 0.006, 0.015])
@pytest.mark.parametrize("robot", [TALOS, G1, JVRC1], ids=["talos", "g1", "jvrc1"])
def test_humanoids_stand_alone_at_every_depth(shared: Path, robot, depth):
    stands_alone(shared / "models" / robot[0], depth, robot[1])


def soft_robot() -> mujoco.MjSpec:
    """30 kg over two SoftFeet with ankles."""
    spec = mujoco.MjSpec()
    torso = spec.worldbody.add_body(name="torso", pos=[0, 0, 0.6])
    torso.add_freejoint()
    apart = {"contype": 0, "conaffinity": 0}
    torso.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.15, 0.2], pos=[0.03, 0, 0.1], mass=30, **apart)
    for side, y in (("left", 0.1), ("right", -0.1)):
        shin = torso.add_body(name=f"{side}_shin", pos=[0, y, -0.4])
        shin.add_joint(name=f"{side}_ankle_pitch", axis=[0, 1, 0])
        shin.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], mass=0.1, **apart)
        spec.attach(SoftFoot(chains=1, side=side).spec(), frame=shin.add_frame(), prefix=f"{side}/")
    return spec


@pytest.mark.long
@pytest.mark.parametrize("depth", [0.002, 0.006, 0.015])
def test_a_robot_on_soft_feet_stands_alone(depth):
    stands_alone(soft_robot(), depth)


def test_leaning_brings_the_weight_over_the_soles_and_keeps_them_level(shared: Path):
    stage = Stage(shared / "models" / G1[0], None, None)
    for slope in (0.0, 0.17):
        stage.posture = leaning(stage, slope)
        contacts = stage.place(stage.touch_height() - 1e-3)
        assert np.ptp(contacts.depth) < 1e-5, "all corners touch"
        height = stage.data.subtree_com[stage.root, 2]
        line = stage.data.subtree_com[stage.root, 0] + height * np.tan(slope)
        assert line == pytest.approx(contacts.place.mean(), abs=3e-4)


def test_a_robot_that_has_left_the_ground_missed_its_depth():
    """On a depth of a micrometre it bounces for ever at the time steps of a stand."""
    found = identify("box", 1e-6, stands=True)
    assert found.status is Status.MISSED and found.standing is not None and found.standing.contacts == 0


def test_a_stand_that_blows_up_gives_no_numbers():
    stage = Stage("box", None, None)
    with pytest.raises(Diverged, match="the stand of 'box'"):
        stand(stage, Ground(solref=(-1e6, -1e12)), 0.08)


@pytest.mark.parametrize(("slide", "creeps"), [(0.17, True), (0.18, False)])
def test_a_foot_slides_where_the_slope_is_steeper_than_its_friction(slide, creeps):
    """The tangent of 10 degrees is 0.176."""
    found = identify("box", 2e-3, friction=(slide, 0.005, 0.0001), stands=True)
    assert math.isinf(found.creep) == creeps
    assert found.crept is not None and (found.crept > 1e-3) == creeps


def test_a_robot_without_ankles_says_so():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="foot")
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.05, 0.02], mass=1)
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.02, 0, 0], pos=[0.05, 0, 0.3], mass=5)
    with pytest.raises(InvalidInput, match="no ankle"):
        identify(spec, 0.004, unaided=True)
