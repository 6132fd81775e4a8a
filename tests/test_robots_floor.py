"""Whatever a robot's file says, the floor under it carries: exported, walked, pressed, on terrain and on bars."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from robots_made import UNTOUCHED, Made, spec, write_untouched

from plantar import feet, robots
from plantar.errors import Diverged, InvalidInput
from plantar.ground.contact.ground import Ground
from plantar.ground.terrain import registry as terrains
from plantar.identify.stage import Stage
from plantar.robots import Robot
from plantar.robots.export import export as exporting
from plantar.walk.course import Course
from plantar.walk.plans.gait import Gait
from plantar.walk.sim.pushes import Push

FLAT, SOFT = feet.FlatFoot(), feet.SoftFoot(fidelity="fast")
CONTACT = ("condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap", "group")


@pytest.fixture
def no_picture(monkeypatch):
    monkeypatch.setattr(exporting, "_draw", lambda robot, path: None)


@pytest.fixture
def untouched(tmp_path: Path) -> Robot:
    """The robot from its scene."""
    return robots.load(write_untouched(tmp_path)[1])


def lowest_sole(model: mujoco.MjModel, robot: Robot, seconds: float) -> float:
    """Lowest height of the middle of a sole while a robot falls as it likes [m]."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    low = np.inf
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
        low = min(low, *(float(data.site(p.site).xpos[2]) for p in robot.places))
    return low


@pytest.mark.parametrize("foot", [None, FLAT, SOFT], ids=["own", "flat", "soft"])
def test_an_exported_floor_carries_a_robot_whose_defaults_let_nothing_touch(foot, untouched, tmp_path, no_picture):
    robot = untouched if foot is None else robots.mount(untouched, foot)
    folder = robot.export(tmp_path / "out")
    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    assert lowest_sole(model, robot, 1.0) > -0.02


def test_an_exported_floor_has_no_contact_of_the_robots_defaults(untouched, tmp_path, no_picture):
    folder = robots.mount(untouched, FLAT).export(tmp_path / "out")
    floor = mujoco.MjModel.from_xml_path(str(folder / "scene.xml")).geom("floor")
    plain = mujoco.MjSpec()
    plain.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    for field in CONTACT:
        expected = getattr(plain.compile().geom("floor"), field)
        assert np.array_equal(getattr(floor, field), expected), field


@pytest.mark.parametrize("kind", ["flat", "slope", "bars", "steps", "stones", "rough"])
def test_no_piece_of_a_terrain_takes_contact_from_the_robots_defaults(kind):
    scene = spec(UNTOUCHED)
    names = terrains.make(kind, ground=Ground(priority=0).to_dict()).add(scene)
    model, alone = scene.compile(), mujoco.MjSpec()
    terrains.make(kind, ground=Ground(priority=0).to_dict()).add(alone)
    plain = alone.compile()
    for name in names:
        for field in ("contype", "conaffinity", *CONTACT):
            assert np.array_equal(getattr(model.geom(name), field), getattr(plain.geom(name), field)), (name, field)


@pytest.mark.parametrize("foot", [None, FLAT], ids=["own", "flat"])
def test_a_walk_stands_on_floor_and_bars_under_such_a_robot(foot, untouched):
    robot = untouched if foot is None else robots.mount(untouched, foot)
    course = Course(robot, gait=Gait(steps=0, settle=0.4))
    result = course.run(rest=0.5, scatter=0.0)
    assert result.status.name == "STOOD"
    model, plain = course.scene.model, mujoco.MjSpec()
    plain.worldbody.add_geom(name="bar", size=[1, 1, 1])
    for field in ("contype", "conaffinity", *CONTACT):
        assert np.array_equal(getattr(model.geom("walk/bar0"), field), getattr(plain.compile().geom("bar"), field))


def test_a_ground_is_identified_under_such_a_robot(tmp_path):
    for file in write_untouched(tmp_path):
        stage = Stage(file, None, None)
        assert stage.vertical_force(stage.height_for(stage.weight)) == pytest.approx(stage.weight, rel=1e-6)


@pytest.mark.parametrize("masks", [(0, 2), (4, 0), (2, 4)])
def test_ground_meets_whatever_masks_a_sole_has(masks):
    robot = robots.load(spec(Made(masks=masks, keyframes=False)))
    result = Course(robot, gait=Gait(steps=0, settle=0.2)).run(rest=0.5, scatter=0.0)
    assert result.status.name == "STOOD"


def test_a_foot_that_cannot_touch_the_ground_is_refused_by_name(untouched, tmp_path, no_picture):
    fixed = '<contact><exclude body1="world" body2="left_foot"/></contact>'
    robot = robots.load(spec(Made(extra=fixed, keyframes=False)))
    for use in (lambda: robot.export(tmp_path / "out"), lambda: Course(robot, gait=Gait(steps=0, settle=0.1))):
        with pytest.raises(InvalidInput, match=r"'left_foot' of 'made' would fall through '.*floor'.*\(1/1\)"):
            use()
    off = spec(Made(keyframes=False))
    off.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    with pytest.raises(InvalidInput, match="contacts are switched off"):
        robots.load(off).export(tmp_path / "off")


def test_a_body_that_passes_the_floor_is_an_error_and_not_a_fall():
    course = Course(robots.load("biped"), gait=Gait(steps=0, settle=1.0))
    model = course.scene.model
    floor = model.geom("terrain_floor").id
    model.geom_contype[floor] = model.geom_conaffinity[floor] = 0
    model.body_contype[0] = model.body_conaffinity[0] = 0
    with pytest.raises(Diverged, match=r"passed through the ground.*of the ground 0/0.*body '"):
        course.run(rest=1.0)


def test_a_robot_that_is_pushed_over_still_falls():
    course = Course(robots.load("biped"), gait=Gait(steps=0, settle=3.0))
    result = course.run(pushes=[Push(time=0.2, impulse=200.0, direction=1.57)], rest=3.0)
    assert result.status.name == "FELL"


def test_feet_in_place_of_soles_that_met_only_the_robot_by_pairs_meet_the_floor():
    pairs = '<contact><pair geom1="left_sole" geom2="chest"/><pair geom1="right_sole" geom2="chest"/></contact>'
    robot = robots.mount(spec(Made(masks=(0, 0), extra=pairs, keyframes=False)), FLAT)
    assert lowest_sole(exporting.scene_spec(robot).compile(), robot, 0.5) > -0.02


class Ghost(feet.FlatFoot):
    """A foot that nothing can touch."""

    def build(self) -> mujoco.MjSpec:
        made = super().build()
        for geom in made.geoms:
            geom.contype = geom.conaffinity = 0
        return made


def test_a_foot_that_nothing_can_touch_is_refused():
    with pytest.raises(InvalidInput, match="foot .flat. has no sole: none of its contact bodies"):
        robots.mount("biped", Ghost())
