"""Feet on robots: what goes, what stays, what is carried over."""

from __future__ import annotations

import math
import re
import runpy
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robots_made import FEET, Made, names, spec, standing, xml

from plantar import feet, robots
from plantar.errors import InvalidInput
from plantar.model.shape import lowest
from plantar.robots.export.export import model_files, scene_spec
from plantar.robots.mount.mount import sole_geoms

ROOT = Path(__file__).parents[1]
FLAT, BALL, SOFT = feet.FlatFoot(), feet.BallFoot(), feet.SoftFoot(fidelity="fast")
BIPED, DOG = Made(), Made(legs=4, foot="shank", arms=False, spread=0.2)


@pytest.mark.parametrize("foot", [FLAT, BALL], ids=["flat", "ball"])
@pytest.mark.parametrize("kind", FEET)
@pytest.mark.parametrize("legs", [2, 4])
def test_only_the_old_feet_go(legs, kind, foot):
    made = Made(legs=legs, foot=kind, spread=0.2)
    robot = robots.load(spec(made))
    mounted = robots.mount(robot, foot)
    old, new = robot.model(), mounted.model()
    for element in ("body", "joint", "actuator", "sensor", "site", "key"):
        assert names(old, element) <= names(new, element)
    assert mounted.report().lost == {}
    removed = sum(len(p.removed_geoms) for p in mounted.report().places)
    own = sum(foot.model().ngeom for _ in robot.places)
    assert old.ngeom - removed + own == new.ngeom
    for b in range(1, old.nbody):
        body = new.body(old.body(b).name)
        kept, before = int(new.body_geomnum[body.id]), int(old.body_geomnum[b])
        is_foot = any(part in old.body(b).name for part in ("foot", "toe", "pad"))
        assert kept == {True: 0, False: 1 if kind.startswith("shank") and "shank" in body.name else before}[is_foot]
    assert robot.model().ngeom == old.ngeom, "the robot given is left as it is"


def test_the_foot_sits_on_the_ankle_and_the_robot_grows_by_the_difference():
    robot = robots.load(spec(BIPED))
    mounted = robots.mount(robot, FLAT, offset=0.01, pitch=0.0)
    _, data = standing(mounted)
    for place, y in zip(mounted.places, (0.12, -0.12), strict=True):
        ankle = data.body(f"{place.prefix}ankle").xpos
        assert ankle == pytest.approx([0.01, y, FLAT.ankle_height], abs=1e-9)
        assert data.site(place.site).xpos == pytest.approx([0.01 + 0.041, y, 0], abs=1e-9)
        assert place.extent == pytest.approx((0.1325, 0.1325, 0.05, 0.05))
    change = mounted.report()
    assert change.height[1] - change.height[0] == pytest.approx(FLAT.ankle_height - 0.08, abs=1e-9)
    assert (change.offset, change.pitch, change.solved) == (0.01, 0.0, ())


def test_the_end_of_a_shank_is_the_ankle_of_a_foot_and_a_ball_takes_the_place_of_a_ball():
    robot = robots.load(spec(DOG))
    for foot, taller in ((FLAT, FLAT.ankle_height - 0.02), (BALL, 0.0)):
        mounted = robots.mount(robot, foot)
        change = mounted.report()
        assert change.height[1] - change.height[0] == pytest.approx(taller, abs=1e-9)
        assert all("ball" in p.removed_geoms[0] for p in change.places)
    _, data = standing(robots.mount(robot, FLAT))
    assert data.body("left_front/ankle").xpos == pytest.approx([0.3, 0.2, FLAT.ankle_height], abs=1e-9)


def test_soles_are_level_on_inclined_shanks():
    for foot in ("softfoot_q", FLAT):
        mounted = robots.mount("quadruped", foot)
        _, data = standing(mounted)
        assert all(data.site(p.site).xmat[8] == pytest.approx(1, abs=1e-9) for p in mounted.places)
        assert all(data.body(f"{p.prefix}ankle").xmat[8] == pytest.approx(1, abs=1e-9) for p in mounted.places)
    _, data = standing(robots.mount("quadruped", BALL))
    assert data.body("left_front/ankle").xmat[8] < 0.95, "a ball points along its shank"


@pytest.mark.parametrize("foot", [FLAT, SOFT, BALL], ids=["flat", "soft", "ball"])
@pytest.mark.parametrize(
    "made", [BIPED, DOG, BIPED.but(foot="toes", actuators="general")], ids=["biped", "dog", "toes"]
)
def test_every_keyframe_is_carried_over_and_stands_on_its_soles(made, foot):
    robot = robots.load(spec(made))
    mounted = robots.mount(robot, foot, offset=0.0, pitch=0.0)
    old, new = robot.model(), mounted.model()
    data = mujoco.MjData(new)
    assert new.nkey == old.nkey == 2
    for k in range(old.nkey):
        mujoco.mj_resetDataKeyframe(new, data, k)
        mujoco.mj_forward(new, data)
        for j in range(1, old.njnt):
            name = old.joint(j).name
            assert data.joint(name).qpos[0] == old.key_qpos[k, old.jnt_qposadr[j]]
        assert [data.actuator(old.actuator(i).name).ctrl[0] for i in range(old.nu)] == old.key_ctrl[k].tolist()
        assert new.key_time[k] == old.key_time[k]
        assert lowest(new, data, sole_geoms(new, mounted.places)) == pytest.approx(0, abs=1e-6)
        assert data.qpos[0] == old.key_qpos[k, 0]


TURNED = '<frame pos="0.1 0 0.2" euler="0 90 0">'
"""A frame around the whole robot."""


@pytest.mark.parametrize("made", [BIPED, DOG, BIPED.but(base_height=0.0)], ids=["biped", "dog", "at 0"])
@pytest.mark.parametrize("framed", [False, True], ids=["plain", "framed"])
def test_a_robot_stands_in_its_reference_posture_too(made, framed):
    text = xml(made)
    if framed:
        text = text.replace('<body name="trunk"', TURNED + '<body name="trunk"')
        text = text.replace("</worldbody>", "</frame></worldbody>")
        text = text.replace('name="trunk" pos="0 0 ', 'name="trunk" euler="0 -90 0" pos="0 0 ').replace(
            'quat="1.0 0 0 0.0"', ""
        )
    robot = robots.load(mujoco.MjSpec.from_string(text))
    mounted = robots.mount(robot, SOFT if made.legs == 2 else FLAT, offset=0.0, pitch=0.0)
    model = mounted.model()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assert lowest(model, data, sole_geoms(model, mounted.places)) == pytest.approx(0, abs=1e-9)
    old = robot.model()
    at = int(model.joint("root").qposadr[0])
    assert model.qpos0[at : at + 2] == pytest.approx(old.qpos0[:2], abs=1e-12)
    assert model.qpos0[at + 3 : at + 7] == pytest.approx(old.qpos0[3:7], abs=1e-12)


def test_names_of_feet_can_have_another_separator():
    """Tools that cut names at a slash would take left/heel and right/heel for one."""
    mounted = robots.mount(spec(BIPED), SOFT, offset=0.0, pitch=0.0, separator="-")
    usual = robots.mount(spec(BIPED), SOFT, offset=0.0, pitch=0.0)
    model, other = mounted.model(), usual.model()
    assert [p.prefix for p in mounted.places] == ["left-", "right-"]
    assert [model.body(b).name for b in range(model.nbody)] == [
        other.body(b).name.replace("/", "-") for b in range(other.nbody)
    ]
    assert model.nexclude == other.nexclude and model.nsensor == other.nsensor
    assert np.allclose(model.geom_solref, other.geom_solref) and np.allclose(model.geom_solimp, other.geom_solimp)
    with pytest.raises(InvalidInput, match="separator = '' is not allowed: give one of / - _"):
        robots.mount(spec(BIPED), FLAT, separator="")


@pytest.mark.parametrize("separator", ["_", "/"])
def test_parts_of_the_robot_whose_names_begin_like_those_of_a_foot_keep_their_contacts(separator):
    model = robots.mount(spec(BIPED), FLAT, separator=separator).model()
    pairs = {frozenset((s >> 16, s & 0xFFFF)) for s in model.exclude_signature.tolist()}
    left_out = {frozenset(model.body(b).name for b in pair) for pair in pairs}
    sides = ("left", "right")
    assert left_out == {frozenset((f"{s}_{link}", f"{s}{separator}sole")) for s in sides for link in ("shank", "foot")}


def test_a_soft_foot_is_at_rest_shape_in_a_keyframe():
    mounted = robots.mount(spec(BIPED), SOFT, offset=0.0, pitch=0.0)
    model, data = standing(mounted)
    inside = [j for j in range(model.njnt) if "/" in model.joint(j).name]
    assert len(inside) == 2 * SOFT.model().njnt
    assert all(data.qpos[model.jnt_qposadr[j]] == model.qpos0[model.jnt_qposadr[j]] for j in inside)


def test_left_and_right_are_mirror_images():
    mounted = robots.mount(spec(BIPED), feet.SoftFoot(chains=2, fidelity="hinge"), offset=0.0, pitch=0.0)
    assert [getattr(p.foot, "side", None) for p in mounted.places] == ["left", "right"]
    model, data = standing(mounted)
    left, right = (data.body(f"{side}/chain1_module1").xpos for side in ("left", "right"))
    assert left == pytest.approx(right * [1, -1, 1], abs=1e-9)
    assert abs(left[1]) < 0.12, "chain 1 is on the inner side"


def test_mass_goes_with_the_sole_and_adds_up():
    robot = robots.load(spec(BIPED))
    mounted = robots.mount(robot, FLAT)
    change = mounted.report()
    for place in change.places:
        # a link of 1 kg whose centre of mass is 70 mm below an ankle of 80 mm: 7 of 8 parts are sole, 30 mm ahead
        share = (0.07 * 0.08 + 0.03 * 0.03) / (0.08**2 + 0.03**2)
        assert place.sole_mass == pytest.approx(share, abs=1e-6)
    total = robot.model().body_mass.sum() + sum(FLAT.mass - p.sole_mass for p in change.places)
    assert mounted.model().body_mass.sum() == pytest.approx(total)
    assert change.mass == pytest.approx((robot.model().body_mass.sum(), total))


def test_a_link_whose_centre_of_mass_is_not_below_the_ankle_stays_as_it_is():
    made = spec(BIPED)
    for side in ("left", "right"):
        link = made.body(f"{side}_foot")
        link.explicitinertial, link.mass, link.ipos, link.inertia = True, 1.5, [0, 0.01, 0.03], [0.01, 0.012, 0.013]
    mounted = robots.mount(made, FLAT)
    link = mounted.model().body("left_foot")
    assert (link.mass[0], *link.ipos) == pytest.approx((1.5, 0, 0.01, 0.03), abs=1e-9)
    assert mounted.report().places[0].sole_mass == 0
    assert "nothing taken off" in mounted.report().text


def test_a_shank_loses_the_weight_of_its_ball():
    change = robots.mount(spec(DOG), BALL).report()
    ball = 4 / 3 * math.pi * 0.02**3 * 1000
    assert all(p.sole_mass == pytest.approx(ball, rel=1e-6) for p in change.places)


@pytest.mark.parametrize(
    "compiler",
    ['inertiafromgeom="true"', 'settotalmass="50"', 'balanceinertia="true" boundmass="0.5"', 'fusestatic="true"'],
)
def test_compiler_settings_do_not_reach_the_feet(compiler):
    made = spec(BIPED.but(compiler=compiler))
    mounted = robots.mount(made, FLAT)
    old, new = robots.load(made).model(), mounted.model()
    assert new.body("left/sole").mass[0] == pytest.approx(FLAT.mass)
    for name in ("trunk", "left_thigh", "right_forearm"):
        assert new.body(name).mass[0] == pytest.approx(old.body(name).mass[0])
        assert sorted(new.body(name).inertia) == pytest.approx(sorted(old.body(name).inertia))


@pytest.mark.parametrize("degrees", [False, True])
def test_units_and_defaults_of_the_robot_do_not_reach_the_feet(degrees):
    default = '<geom friction="0.3" margin="0.01" contype="4"/><joint damping="7" armature="0.5"/><site size="0.1"/>'
    mounted = robots.mount(spec(BIPED.but(degrees=degrees, main_default=default)), SOFT, offset=0.0, pitch=0.0)
    model, alone = mounted.model(), SOFT.model()
    for j in range(alone.njnt):
        joint, own = model.joint(f"left/{alone.joint(j).name}"), alone.joint(j)
        assert joint.range == pytest.approx(own.range)
        assert joint.damping == pytest.approx(own.damping)
        assert joint.armature == pytest.approx(own.armature)
    for g in range(alone.ngeom):
        if alone.geom(g).name:
            geom = model.geom(f"left/{alone.geom(g).name}")
            assert geom.friction == pytest.approx(alone.geom(g).friction)
            assert (geom.contype, geom.conaffinity, geom.margin) == (
                alone.geom(g).contype,
                alone.geom(g).conaffinity,
                alone.geom(g).margin,
            )


def test_contacts_of_foot_and_leg_are_left_out_and_of_foot_and_ground_not():
    mounted = robots.mount(spec(BIPED), SOFT, offset=0.0, pitch=0.0)
    model = scene_spec(mounted).compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(mounted.keyframe).id)
    rng = np.random.default_rng(0)
    touched = set()
    for _ in range(200):  # ankles anywhere in their range
        for side in ("left", "right"):
            for axis in ("pitch", "roll"):
                data.joint(f"{side}_ankle_{axis}").qpos = rng.uniform(-0.9, 0.9)
        mujoco.mj_forward(model, data)
        touched |= {frozenset(model.body(model.geom_bodyid[g]).name for g in c.geom) for c in data.contact}
    own = [
        t for t in touched for s in ("left", "right") if any(f"{s}/" in b for b in t) and any(f"{s}_" in b for b in t)
    ]
    assert own == []
    assert any("world" in t for t in touched)


def test_a_passive_foot_stays_passive():
    mounted = robots.mount(spec(BIPED.but(masks=(0, 1))), FLAT)
    model = mounted.model()
    geom = model.geom("left/sole_collision")
    assert (int(geom.contype[0]), int(geom.conaffinity[0])) == (0, 1)
    assert scene_contacts(mounted) > 0


def scene_contacts(robot: robots.Robot) -> int:
    model = scene_spec(robot).compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    data.qpos[2] -= 1e-3
    mujoco.mj_forward(model, data)
    return data.ncon


def test_mounting_again_replaces_the_feet():
    robot = robots.load(spec(BIPED))
    once = robots.mount(robot, FLAT, offset=0.0)
    twice = robots.mount(robots.mount(robot, BALL), FLAT, offset=0.0)
    assert model_files(once)[0] == model_files(twice)[0]


@pytest.mark.parametrize(
    ("robot", "foot", "options", "says"),
    [
        ("khr3hv", feet.SoftFoot(), {}, "too big"),
        ("khr3hv", FLAT, {}, "overlap by 44 mm"),
        (spec(DOG.but(spread=0.04)), FLAT, {}, "too big"),
        ("biped", FLAT, {"ankles": ["left_foot", "nobody"]}, "left_foot, right_foot"),
        ("biped", FLAT, {"pitch": math.nan}, "pitch"),
        ("biped", FLAT, {"offset": 3.0}, "offset"),
        ("biped", "flatt", {}, "flat"),
        ("bipedd", FLAT, {}, "did you mean 'biped'"),
    ],
)
def test_bad_input_is_named(robot, foot, options, says):
    with pytest.raises(InvalidInput, match=says):
        robots.mount(robot, foot, **options)


def test_a_small_foot_fits_a_small_robot():
    foot = feet.FlatFoot(length=0.08, width=0.045, thickness=0.008, ankle_height=0.03, ankle_offset=(0, 0), mass=0.04)
    mounted = robots.mount("khr3hv", foot)
    model, data = standing(mounted, "zero")
    heights = [data.site(p.site).xpos[2] for p in mounted.places]
    assert min(heights) == pytest.approx(0, abs=1e-9)
    assert max(heights) == pytest.approx(5e-4, abs=1e-6), "the right leg is half a millimetre longer"
    assert [data.site(p.site).xpos[1] for p in mounted.places] == pytest.approx([0.0280, -0.0280], abs=3e-4)


@settings(max_examples=25)
@given(
    legs=st.sampled_from([2, 4]),
    foot=st.sampled_from(FEET),
    ankle=st.sampled_from(["pitch roll", "roll pitch", "pitch"]),
    forward=st.sampled_from(["+x", "-x", "+y"]),
    actuators=st.sampled_from(["motor", "position", "general"]),
    degrees=st.booleans(),
    offset=st.floats(-0.03, 0.03),
    pitch=st.floats(-0.1, 0.1),
)
def test_any_robot_keeps_its_elements_and_stands(legs, foot, ankle, forward, actuators, degrees, offset, pitch):
    made = Made(legs=legs, foot=foot, ankle=ankle, forward=forward, actuators=actuators, degrees=degrees, spread=0.2)
    robot = robots.load(spec(made))
    mounted = robots.mount(robot, FLAT, offset=offset, pitch=pitch)
    model, data = standing(mounted)
    assert mounted.report().lost == {}
    assert lowest(model, data, sole_geoms(model, mounted.places)) == pytest.approx(0, abs=1e-9)
    for place in mounted.places:
        axes = data.site(place.site).xmat.reshape(3, 3)
        before = standing(robot)[1].site(place.site).xmat.reshape(3, 3)
        assert before[:, 2] @ axes[:, 2] == pytest.approx(math.cos(pitch), abs=1e-9)
        assert axes[2, 0] == pytest.approx(-math.sin(pitch), abs=1e-9), "a positive pitch turns the toes down"


def test_notes_tell_what_would_surprise():
    heavy = feet.BallFoot(mass=5.0)
    notes = robots.mount(spec(BIPED), heavy, offset=0.1).report().notes
    assert any("% of the robot's mass" in note for note in notes)
    assert any("mm behind its support" in note for note in notes)
    assert robots.mount("biped", FLAT).report().notes == ()
    low = spec(DOG)
    low.keys[1].qpos = [*list(low.keys[1].qpos)[:7], *([0, 0, 2.9] * 4)]
    low.keys[0].name = "stand"
    notes = robots.mount(low, BALL).report().notes
    assert any("something else reaches" in note for note in notes)


@pytest.mark.parametrize(
    ("length", "width", "says"),
    [
        (0.20, 0.08, None),
        (0.25, 0.10, None),
        (0.40, 0.10, "400 mm long instead of 200 mm: a foot scaled by about 0.5 would be as long"),
        (0.20, 0.16, "160 mm wide instead of 80 mm: a foot scaled by about 0.5 would be as wide"),
        (0.40, 0.20, "400 mm long instead of 200 mm: a foot scaled by about 0.5 would be as long"),
    ],
)
def test_a_sole_much_larger_than_the_one_it_replaces_is_noted(length, width, says):
    foot = feet.FlatFoot(length=length, width=width)
    notes = [n for n in robots.mount(spec(BIPED), foot).report().notes if "scaled" in n]
    assert len(notes) == (says is not None)
    assert says is None or says in notes[0]


def test_a_foot_much_too_large_for_a_robot_on_balls_is_noted():
    notes = robots.mount(spec(DOG.but(spread=0.4)), feet.FlatFoot(length=0.5, width=0.09)).report().notes
    assert any(re.search(r"500 mm long under a base [0-9]+ mm high.*scaled by about 0\.[0-9]", n) for n in notes)
    assert not any("scaled" in n for n in robots.mount(spec(DOG), BALL).report().notes)


def test_the_example(capsys):
    areas = runpy.run_path(str(ROOT / "examples" / "09_mount.py"))["main"]()
    assert areas["flat"] == pytest.approx(0.0265, rel=1e-3), "all of the plate"
    assert 0.5 * areas["flat"] < areas["softfoot"] < 1.2 * areas["flat"]
    assert "biped on softfoot" in capsys.readouterr().out


def test_the_page_about_robots_runs(capsys):
    block = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "robots.md").read_text(), re.DOTALL)[0]
    names: dict[str, object] = {}
    exec(block, names)
    assert names["model"].nu == 28  # type: ignore[attr-defined]
    assert "nothing except the geoms" in capsys.readouterr().out
