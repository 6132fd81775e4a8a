"""Legs, ankles and soles are found by structure, whatever the feet look like."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from robots_made import FEET, UNTOUCHED, Made, leg_joints, spec, standing, write_untouched

from plantar import robots
from plantar.errors import InvalidInput

BIPED, DOG = Made(), Made(legs=4, foot="shank", arms=False)


@pytest.mark.parametrize("foot", FEET)
@pytest.mark.parametrize("legs", [2, 4])
def test_every_kind_of_foot_is_found(legs, foot):
    made = Made(legs=legs, foot=foot, spread=0.2 if legs == 4 else 0.12)
    robot = robots.load(spec(made))
    links = {p.name: p.body for p in robot.places}
    assert set(links.values()) == made.feet
    assert all(link.startswith(name) for name, link in links.items())
    assert robot.base == "trunk"
    assert [j for p in robot.places for j in p.joints if "toe" not in j] == leg_joints(made)


def size_of(foot: str) -> object:
    """Half sizes of a sole; what is round touches with less than its whole width."""
    rounded = foot in ("spheres", "capsules")
    return pytest.approx((0.093, 0.093, 0.033, 0.033), abs=1.5e-3) if rounded else pytest.approx((0.1, 0.1, 0.04, 0.04))


@pytest.mark.parametrize("foot", ["box", "spheres", "capsules", "mesh", "toes", "fixed"])
def test_the_sole_has_its_true_place_and_size(foot):
    robot = robots.load(spec(BIPED.but(foot=foot)))
    _, data = standing(robot)
    for place, y in zip(robot.places, (0.12, -0.12), strict=True):
        site = data.site(place.site)
        assert site.xpos == pytest.approx([0.03, y, 0.18], abs=1e-9)
        assert site.xmat.reshape(3, 3) == pytest.approx(np.eye(3), abs=1e-9)
        assert place.extent == size_of(foot)


def test_a_ball_has_a_point_for_a_sole():
    robot = robots.load(spec(DOG))
    _, data = standing(robot)
    assert {p.name for p in robot.places} == {"left_front", "right_front", "left_hind", "right_hind"}
    front = data.site(robot.place("left_front").site)
    assert front.xpos == pytest.approx([0.3, 0.12, 0.18], abs=1e-9)
    assert robot.place("left_front").extent == pytest.approx((0, 0, 0, 0), abs=1e-9)


@pytest.mark.parametrize("forward", ["+x", "-x", "+y", "-y"])
@pytest.mark.parametrize("made", [BIPED, DOG], ids=["biped", "dog"])
def test_forward_follows_from_names_of_sides(made, forward):
    robot = robots.load(spec(made.but(forward=forward)))
    assert all(p.body.startswith(p.name) for p in robot.places)
    _, data = standing(robot)
    way = {"+x": (1, 0), "-x": (-1, 0), "+y": (0, 1), "-y": (0, -1)}[forward]
    for place in robot.places:
        assert data.site(place.site).xmat.reshape(3, 3)[:2, 0] == pytest.approx(way, abs=1e-9)


@pytest.mark.parametrize("degrees", [30.0, -135.0, 180.0])
@pytest.mark.parametrize("made", [BIPED, DOG], ids=["biped", "dog"])
@pytest.mark.parametrize("turned", ["keyframes", "base"])
def test_a_robot_that_stands_turned_has_its_feet_where_it_has_them_otherwise(made, degrees, turned):
    half = np.radians(degrees) / 2
    turn, made_spec = [np.cos(half), 0, 0, np.sin(half)], spec(made.but(keyframes=turned == "keyframes"))
    for key in made_spec.keys:
        key.qpos = [3.0, -2.0, key.qpos[2], *turn, *list(key.qpos)[7:]]
    if turned == "base":
        made_spec.body("trunk").quat = turn
    one, other = robots.load(spec(made)), robots.load(made_spec)
    for place, same in zip(one.places, other.places, strict=True):
        assert (place.name, place.body) == (same.name, same.body)
        assert same.extent == pytest.approx(place.extent, abs=1e-9)
        mine, theirs = one.spec.site(place.site), other.spec.site(same.site)
        assert theirs.pos == pytest.approx(mine.pos, abs=1e-9)
        assert abs(theirs.quat @ mine.quat) == pytest.approx(1, abs=1e-9)


def test_a_robot_without_keyframes_gets_one_that_stands_and_looks_along_x():
    robot = robots.load(spec(BIPED.but(keyframes=False, forward="-y")))
    model, data = standing(robot)
    assert (robot.keyframe, model.nkey) == ("home", 1)
    for place in robot.places:
        assert data.site(place.site).xpos[2] == pytest.approx(0, abs=1e-9)
        assert data.site(place.site).xmat.reshape(3, 3)[:, 0] == pytest.approx([1, 0, 0], abs=1e-9)


def test_the_tallest_keyframe_is_the_standing_one_unless_a_name_says_so():
    made = spec(BIPED)
    assert robots.load(made).keyframe == "home"
    model = made.compile()
    assert model.key_qpos[1, 2] > model.key_qpos[0, 2]
    assert robots.load(made).model().key("home").id == 1
    made.keys[0].name = "stand_low"
    assert robots.load(made).keyframe == "stand_low"


def test_elements_without_names_get_some_and_the_given_spec_stays():
    made = spec(BIPED.but(named=False, keyframes=False))
    before = made.to_xml()
    robot = robots.load(made)
    assert all(len(p.joints) == 5 and all(p.joints) for p in robot.places)
    assert made.to_xml() == before


def test_ground_on_bodies_that_are_fixed_to_the_world_is_left_out_too():
    made = spec(BIPED)
    terrain = made.worldbody.add_body(name="terrain", pos=[0, 0, -0.1])
    terrain.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    terrain.add_body(name="step").add_geom(name="stair", type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, 1, 0.1])
    made.worldbody.add_body(name="goal", mocap=True).add_geom(name="flag", size=[0.1, 0, 0])
    made.add_pair(geomname1="ground", geomname2="left_sole")
    robot = robots.load(made)
    model = robot.model()
    there = {model.geom(g).name for g in range(model.ngeom)}
    assert there & {"ground", "stair", "flag"} == {"flag"} and model.npair == 0
    assert [p.name for p in robot.places] == ["left", "right"]


def test_ground_of_a_scene_is_left_out_with_pairs_that_name_it():
    made = spec(BIPED.but(extra='<contact><pair geom1="left_sole" geom2="chest"/></contact>'))
    made.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    made.add_pair(geomname1="floor", geomname2="left_sole")
    model = robots.load(made).model()
    assert (model.geom_bodyid > 0).all()
    assert model.npair == 1


def test_another_floating_body_is_not_the_robot():
    made = spec(BIPED)
    for key in list(made.keys):
        made.delete(key)
    crate = made.worldbody.add_body(name="crate", pos=[1, 0, 0.1])
    crate.add_freejoint(name="crate")
    crate.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.2] * 3, mass=500)
    assert robots.load(made).base == "trunk"


@given(
    height=st.floats(0.3, 3),
    order=st.sampled_from(["left first", "right first"]),
    ankle=st.sampled_from(["pitch roll", "roll pitch", "pitch"]),
    foot=st.sampled_from(["box", "spheres", "capsules", "toes"]),
    degrees=st.booleans(),
    keyframes=st.booleans(),
)
def test_neither_height_nor_order_nor_units_matter(height, order, ankle, foot, degrees, keyframes):
    made = Made(base_height=height, order=order, ankle=ankle, foot=foot, degrees=degrees, keyframes=keyframes)
    robot = robots.load(spec(made))
    assert [p.name for p in robot.places] == ["left", "right"]
    assert {p.body for p in robot.places} == made.feet
    assert all(p.extent == size_of(foot) for p in robot.places)


def test_a_hexapod_has_six_places():
    made = mujoco.MjSpec()
    trunk = made.worldbody.add_body(name="trunk", pos=[0, 0, 0.5])
    trunk.add_freejoint()
    trunk.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.4, 0.1, 0.05])
    for x in (0.3, 0.0, -0.3):
        for y in (0.2, -0.2):
            hip = trunk.add_body(pos=[x, y, 0])
            hip.add_joint(axis=[1, 0, 0])
            hip.add_geom(size=[0.03, 0, 0])
            shank = hip.add_body(pos=[0, 0, -0.2])
            shank.add_joint(axis=[0, 1, 0])
            shank.add_geom(size=[0.02, 0, 0], pos=[0, 0, -0.2])
    names = [p.name for p in robots.load(made).places]
    assert names == [f"{s}_{e}" for e in ("front", "middle", "hind") for s in ("left", "right")]


def wheeled() -> mujoco.MjSpec:
    car = mujoco.MjSpec()
    trunk = car.worldbody.add_body(name="trunk", pos=[0, 0, 0.1])
    trunk.add_freejoint()
    trunk.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.2, 0.1, 0.03])
    for x in (0.15, -0.15):
        for y in (0.1, -0.1):
            wheel = trunk.add_body(pos=[x, y, -0.05])
            wheel.add_joint(axis=[0, 1, 0])
            wheel.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[0.05, 0.01, 0], euler=[90, 0, 0])
    return car


def with_tail() -> mujoco.MjSpec:
    """A biped with a link that hangs down to the ground and that nothing can touch."""
    made = spec(Made(foot="box", keyframes=False))
    tail = made.body("trunk").add_body(name="tail", pos=[-0.2, 0, -0.8])
    tail.add_joint(name="tail_joint", axis=[0, 1, 0])
    tail.add_geom(size=[0.02, 0, 0], mass=0.1, contype=0, conaffinity=0)
    return made


@pytest.mark.parametrize(
    ("robot", "ankles", "says"),
    [
        (wheeled(), None, "no legs"),
        (spec(Made(legs=1, arms=False)), None, "one foot"),
        (spec(Made(foot="box")), ["left_fot", "right_foot"], "left_foot, right_foot"),
        (spec(Made(foot="box")), ["left_foot", "left_foot"], "twice"),
        (spec(Made(foot="box")), ["left_foot"], "one foot"),
        (spec(Made(foot="box")), ["left_forearm", "right_foot"], "'left_forearm'.*not the end of a leg.*left_foot"),
        (spec(Made(foot="box")), ["left_foot", "right_thigh"], "'right_thigh'.*not the end of a leg.*left_foot"),
        (spec(Made(foot="box")), ["left_hip_roll", "right_foot"], "'left_hip_roll'.*not the end of a leg"),
        (spec(Made(foot="box")), ["left_foot", "left_shank"], "'left_foot'.*part of.*'left_shank'"),
        (with_tail(), ["left_foot", "tail"], "'tail'.*nothing that can touch.*left_foot, right_foot"),
        (with_tail(), ["left_foot", "tail_joint"], "'tail_joint'.*nothing that can touch.*left_foot, right_foot"),
    ],
)
def test_what_cannot_wear_feet_is_refused_with_a_reason(robot, ankles, says):
    with pytest.raises(InvalidInput, match=says):
        robots.load(robot, ankles=ankles)


def test_a_fixed_base_is_refused():
    made = spec(Made(keyframes=False))
    made.delete(made.joint("root"))
    with pytest.raises(InvalidInput, match="fixed base.*trunk"):
        robots.load(made)


def test_ankles_can_be_named_by_body_or_joint():
    made = spec(BIPED)
    robot = robots.load(made, ankles=["left_knee_pitch", "right_shank"])
    assert [p.body for p in robot.places] == ["left_shank", "right_shank"]
    again = robots.load(robots.load("biped"), ankles=["right_foot", "left_foot"])
    assert (again.name, [p.body for p in again.places]) == ("biped", ["left_foot", "right_foot"])


def test_a_single_capsule_is_a_sole_even_if_it_is_tilted():
    made = spec(BIPED.but(foot="box", keyframes=False))
    for side in ("left", "right"):
        body = made.body(f"{side}_foot")
        for geom in list(body.geoms):
            made.delete(geom)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[-0.06, 0, -0.072, 0.12, 0, -0.076], size=[0.01, 0, 0], mass=1
        )
    robot = robots.load(made)
    _, data = standing(robot)
    for place in robot.places:
        assert place.extent[0] == pytest.approx(0.09, abs=4e-3)
        site = data.site(place.site)
        assert site.xpos[0] == pytest.approx(0.03, abs=2e-3)
        assert math.degrees(math.asin(-site.xmat[6])) == pytest.approx(1.27, abs=0.01), "the sole follows the capsule"


def test_feet_that_touch_by_contact_pairs_are_found():
    pairs = '<contact><pair geom1="left_sole" geom2="chest"/><pair geom1="right_sole" geom2="chest"/></contact>'
    made = BIPED.but(masks=(0, 0), extra=pairs)
    assert {p.body for p in robots.load(spec(made)).places} == made.feet


def test_names_are_fit_for_files():
    made = spec(BIPED)
    for title, name in (("my robot/v2", "my_robot_v2"), ("scene", "robot"), ("", "robot")):
        made.modelname = title
        assert robots.load(made).name == name


def test_a_waist_between_base_and_legs_belongs_to_no_leg():
    made = mujoco.MjSpec()
    torso = made.worldbody.add_body(name="torso", pos=[0, 0, 1.2])
    torso.add_freejoint()
    torso.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.2])
    pelvis = torso.add_body(name="pelvis", pos=[0, 0, -0.3])
    pelvis.add_joint(name="waist", axis=[0, 0, 1])
    pelvis.add_geom(size=[0.1, 0, 0])
    for side, y in (("left", 0.1), ("right", -0.1)):
        thigh = pelvis.add_body(name=f"{side}_thigh", pos=[0, y, 0])
        thigh.add_joint(name=f"{side}_hip", axis=[0, 1, 0])
        thigh.add_geom(size=[0.05, 0, 0])
        shank = thigh.add_body(name=f"{side}_shank", pos=[0, 0, -0.4])
        shank.add_joint(name=f"{side}_knee", axis=[0, 1, 0])
        shank.add_geom(size=[0.05, 0, 0])
        foot = shank.add_body(name=f"{side}_foot", pos=[0, 0, -0.4])
        foot.add_joint(name=f"{side}_ankle", axis=[0, 1, 0])
        foot.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.04, 0.02], pos=[0.03, 0, -0.05])
    robot = robots.load(made)
    assert [p.joints for p in robot.places] == [
        tuple(f"{s}_{j}" for j in ("hip", "knee", "ankle")) for s in ("left", "right")
    ]
    assert robots.mount(robot, "flat").report().lost == {}


def test_a_robot_whose_soles_touch_by_pairs_of_its_scene_is_found_from_its_own_file(tmp_path):
    file, scene = write_untouched(tmp_path)
    own, placed = robots.load(file), robots.load(scene)
    assert [(p.body, p.extent) for p in own.places] == [(p.body, p.extent) for p in placed.places]
    one, other = own.model(), placed.model()
    assert one.npair == other.npair == 1, "what the scene says of the robot alone comes along"
    for name in ("contype", "conaffinity", "condim", "friction"):
        assert np.array_equal(getattr(one, f"geom_{name}"), getattr(other, f"geom_{name}")), name


def test_a_robot_that_nothing_can_touch_stands_on_its_collision_geoms(tmp_path):
    file, scene = write_untouched(tmp_path)
    scene.unlink()
    robot = robots.load(file)
    assert {p.body for p in robot.places} == UNTOUCHED.feet
    bare = spec(UNTOUCHED)
    for geom in bare.geoms:
        geom.group = 2
    with pytest.raises(InvalidInput, match="contype and conaffinity of all its geoms are 0"):
        robots.load(bare)


@pytest.mark.parametrize("name", ["biped", "khr3hv", "quadruped"])
def test_built_in_robots_stand_within_the_ranges_of_their_joints(name: str):
    """Ranges that were read as degrees left the KHR-3HV 2.4 of its 135 degrees, and no stance to walk in."""
    model = robots.load(name).model()
    hinges = np.flatnonzero(model.jnt_limited)
    low, high = model.jnt_range[hinges].T
    for key in model.key_qpos:
        assert np.all((key[model.jnt_qposadr[hinges]] >= low) & (key[model.jnt_qposadr[hinges]] <= high))
