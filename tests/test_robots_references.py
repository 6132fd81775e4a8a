"""What else of a model names an old foot or the ground is kept, turned or reported."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from robots_made import Made, names, spec, standing

from plantar import feet, robots
from plantar.robots.export.export import scene_spec

FLAT, SOFT = feet.FlatFoot(), feet.SoftFoot(fidelity="fast")
BIPED = Made(arms=False)
REFERENCES = """
  <contact>
    <exclude body1="left_thigh" body2="right_thigh"/><pair geom1="left_sole" geom2="right_sole"/>
    <pair geom1="left_sole" geom2="chest"/>
  </contact>
  <equality><joint joint1="left_hip_roll" joint2="right_hip_roll" polycoef="0 -1 0 0 0"/></equality>
  <tendon><fixed name="knees"><joint joint="left_knee_pitch" coef="1"/><joint joint="right_knee_pitch" coef="-1"/>
  </fixed></tendon>
"""
SENSORS = """<framepos name="where" objtype="geom" objname="left_sole"/>
  <contact name="ground" geom1="left_sole" data="force"/><distance name="apart" geom1="left_sole" geom2="right_sole"/>
  <rangefinder name="eye" site="imu"/><jointpos name="knee" joint="left_knee_pitch"/>"""


def test_what_names_an_old_geom_is_kept_or_named_in_the_report():
    made = BIPED.but(extra=REFERENCES + f"<sensor>{SENSORS}</sensor>", arms=False)
    mounted = robots.mount(spec(made), FLAT)
    model, change = mounted.model(), mounted.report()
    old = robots.load(spec(made)).model()
    assert names(old, "sensor") <= names(model, "sensor")
    assert (model.neq, model.ntendon, model.npair) == (1, 1, 0)
    assert change.lost == {"contact pair": ("2 without a name",)}
    assert sum("contact pair" in line for line in change.changed) == 2
    ghost = model.geom("left_sole")
    assert (ghost.contype[0], ghost.conaffinity[0], ghost.group[0]) == (0, 0, 5)
    scene = scene_spec(mounted).compile()
    data = mujoco.MjData(scene)
    mujoco.mj_resetDataKeyframe(scene, data, scene.key(mounted.keyframe).id)
    for _ in range(50):
        mujoco.mj_step(scene, data)
    assert np.linalg.norm(data.sensor("ground").data) > 1, "the contact sensor feels the new foot"


def test_a_closed_loop_stays_closed():
    loop = """<equality><connect body1="left_shank" body2="trunk" anchor="0 0 0"/></equality>"""
    mounted = robots.mount(spec(BIPED.but(extra=loop)), FLAT)
    model, data = standing(mounted)
    assert model.neq == 1
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-9


GROUND = """
  <worldbody><geom name="floor" type="plane" size="0 0 0.05" pos="0 0 0.18"/></worldbody>
  <contact><pair geom1="left_sole" geom2="floor" friction="0.6 0.6"/><pair geom1="floor" geom2="right_sole"/></contact>
  <sensor><contact name="left_down" geom1="left_sole" geom2="floor" data="force"/>
  <contact name="right_down" geom1="floor" geom2="right_sole" data="force"/>
  <distance name="height" geom1="chest" geom2="floor" cutoff="3"/></sensor>
"""


@pytest.mark.parametrize("foot", [None, FLAT, SOFT], ids=["own", "flat", "soft"])
def test_sensors_and_pairs_of_the_ground_work_on_any_ground(foot):
    # feet that only a contact pair lets touch the floor, as models for fast simulation have them
    robot = robots.load(spec(BIPED.but(extra=GROUND, masks=(0, 0))))
    if foot is not None:
        robot = robots.mount(robot, foot)
    assert robot.model().npair == 0
    scene = scene_spec(robot).compile()
    data = mujoco.MjData(scene)
    mujoco.mj_resetDataKeyframe(scene, data, scene.key(robot.keyframe).id)
    felt = np.zeros(2)
    for _ in range(200):  # the robot's own keyframe stands on its own floor, higher up
        mujoco.mj_step(scene, data)
        felt = np.maximum(felt, [np.linalg.norm(data.sensor(f"{side}_down").data) for side in ("left", "right")])
    assert felt.min() > 1
    assert 0.1 < data.sensor("height").data[0] < 1.5, "a geom that a sensor reads stays, unseen"


def test_a_post_that_a_tendon_wraps_around_stays_unseen():
    made = spec(BIPED)
    made.worldbody.add_geom(name="post", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[0.1, 1, 0], pos=[2, 0, 1])
    made.worldbody.add_site(name="hook", pos=[2, 0.2, 1])
    rope = made.add_tendon(name="rope")
    rope.wrap_site("hook")
    rope.wrap_geom("post", "")
    rope.wrap_site("imu")
    model = robots.load(made).model()
    assert (model.ntendon, model.nwrap) == (1, 3)
    assert not (model.geom("post").contype[0] or model.geom("post").conaffinity[0])


def test_a_pair_gives_its_friction_to_the_foot():
    model = robots.load(spec(BIPED.but(extra=GROUND, masks=(0, 0)))).model()
    assert model.geom("left_sole").friction == pytest.approx([0.6, 0.005, 1e-4])
    assert (model.geom("left_sole").contype[0], model.geom("left_sole").conaffinity[0]) == (0, 1)


def test_soft_feet_get_the_solver_they_need():
    few = spec(BIPED)
    few.option.iterations, few.option.ls_iterations, few.option.solver = 1, 5, mujoco.mjtSolver.mjSOL_PGS
    assert robots.mount(few, FLAT).model().opt.iterations == 1
    mounted = robots.mount(few, SOFT)
    assert (mounted.model().opt.iterations, mounted.model().opt.ls_iterations) == (100, 50)
    assert mounted.model().opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    assert mounted.report().options["iterations"] == ("1", "100")
    assert mounted.report().options["solver"] == ("pgs", "newton")


def test_a_material_of_all_geoms_does_not_reach_the_feet(tmp_path):
    made = BIPED.but(main_default='<geom material="skin"/>', extra='<asset><material name="skin"/></asset>')
    folder = robots.mount(spec(made), FLAT).export(tmp_path / "out")  # which compares the file with the robot
    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    assert model.geom("chest").matid[0] == model.material("skin").id
    assert model.geom("left/sole_collision").matid[0] == -1
