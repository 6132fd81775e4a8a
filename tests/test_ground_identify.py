"""Identification: the paper's numbers, robots on rigid and on soft feet, no creep, bad input."""

from __future__ import annotations

import math
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import robots
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, SoftFoot
from plantar.ground import Ground, Status, identify, materials, sinkage, static_parameters
from plantar.identify.sources import load_spec
from plantar.identify.stage import Stage
from plantar.model.feet import find_feet
from plantar.robots.built_in.khr3hv import khr3hv

PAPER_SOLIMP = (0.0, 0.95, 0.012, 0.5, 2.0)


def swept_depth(solref, *, feet=None, posture="stand", diagexact=False, robot="khr3hv") -> float:
    stage = Stage(robot, feet, posture)
    stage.use(Ground(solref=solref, solimp=PAPER_SOLIMP, diagexact=diagexact))
    return 1e3 * stage.place(stage.height_for(stage.weight)).load_depth


def test_ball_and_box_of_the_paper():
    ball, box = static_parameters(0.010), static_parameters(0.006, 1.5, contacts=4)
    assert [round(x, 1) for x in ball.solref] == [-2060.1, -90.8]
    assert [round(x, 1) for x in box.solref] == [-858.4, -87.9]
    for robot, depth, ratio, pair in (("ball", 0.010, 1.0, ball), ("box", 0.006, 1.5, box)):
        found = identify(robot, depth, ratio, stands=True)
        assert found.ground.solref == pytest.approx(pair.solref) and found.ground.solimp == pytest.approx(pair.solimp)
        assert found.standing is not None and found.standing.depth == pytest.approx(depth, rel=1e-3)
        assert found.status is Status.STOOD


def test_a_robot_a_name_a_file_and_a_spec_are_the_same(tmp_path):
    """The call that the design shows: `ground.identify(robots.load(...))`."""
    robot = robots.load("khr3hv")
    (tmp_path / "khr.xml").write_text(khr3hv().to_xml())
    found = [identify(given, 0.006) for given in (robot, "khr3hv", tmp_path / "khr.xml", khr3hv())]
    for one in found:
        assert one.ground.solref == pytest.approx(found[0].ground.solref, rel=1e-6)
        assert one.feet == ("left_foot", "right_foot")
    assert found[0].robot == "khr3hv" and found[2].robot == "khr"
    assert robot.spec.geom("plantar_ground") is None, "the robot itself is not changed"
    with pytest.raises(InvalidInput, match="robot = 7 is not allowed: give a string or a path or an MjSpec"):
        identify(7, 0.006)


def test_a_mounted_robot_stands_on_its_feet():
    mounted = robots.mount("biped", FlatFoot())
    found = identify(mounted, 0.004)
    assert found.swept_depth == pytest.approx(0.004, rel=1e-3)
    assert found.ground.solref == pytest.approx(identify(mounted.spec, 0.004).ground.solref, rel=1e-6)
    assert sinkage(mounted, materials.get("dry_sand")) > 0


def test_no_text_names_the_robot_twice(tmp_path, capsys):
    assert run(["ground", "identify", "--robot", "khr3hv", "--depth", "0.006", "--out", str(tmp_path / "out")]) == 0
    ground = Ground.load(tmp_path / "out" / "ground.json")
    assert ground.name == "ground with 6 mm of sinkage" and "khr3hv" in ground.note
    assert not re.search(r"(khr3hv) on \1", capsys.readouterr().out)


def test_the_closed_form_knows_midpoints_other_than_one_half():
    """The paper's d = midpoint (d0 + d_width) would miss here."""
    shape = {"d0": 0.3, "d_width": 0.9, "midpoint": 0.3, "power": 3.0}
    pair = static_parameters(0.004, contacts=1, **shape)
    law = Ground(solref=pair.solref, solimp=pair.solimp).law(effective_mass=2.0)
    assert law.static_depth(2.0 * 9.81) == pytest.approx(0.004, rel=1e-9)


@pytest.mark.parametrize(
    ("solref", "feet", "diagexact", "depth", "within"),
    [
        ((-858.4, -87.9), None, False, 8.90, 0.05),
        ((-11445.0, -320.9), None, False, 5.99, 0.02),
        ((-858.4, -87.9), ["left_foot"], False, 9.81, 0.05),
        ((-11445.0, -320.9), ["left_foot"], False, 6.65, 0.02),
        ((-11445.0, -320.9), None, True, 6.64, 0.02),
    ],
)
def test_khr3hv_sinks_as_far_as_the_published_model(solref, feet, diagexact, depth, within):
    assert swept_depth(solref, feet=feet, diagexact=diagexact) == pytest.approx(depth, abs=within)


@pytest.mark.parametrize("feet", [None, ["left_foot"], ["right_foot"]])
@pytest.mark.parametrize("diagexact", [False, True])
def test_khr3hv_is_identified_in_one_shot(feet, diagexact):
    found = identify("khr3hv", 0.006, 1.5, feet=feet, diagexact=diagexact)
    assert 1e3 * found.swept_depth == pytest.approx(6.000, abs=0.01)
    again = swept_depth(found.ground.solref, feet=feet, diagexact=diagexact)
    assert again == pytest.approx(6.000, abs=0.01)
    assert found.ground.solref[1] == pytest.approx(-3.0 * math.sqrt(-found.ground.solref[0]))


def free_box(turn: float = 0.0, **geom) -> mujoco.MjSpec:
    """A box of 2 kg, turned about an axis that is none of its own so that no two of its corners are level."""
    spec = mujoco.MjSpec()
    about = np.array([0.8, 0.6, 0.0]) * math.sin(turn / 2)
    foot = spec.worldbody.add_body(name="foot", quat=[math.cos(turn / 2), *about])
    foot.add_freejoint()
    foot.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.03, 0.02], mass=2.0, **geom)
    return spec


@pytest.mark.parametrize("change", [{"diagexact": True}, {"turn": 0.05}])
def test_a_free_body_reaches_the_depth_where_the_equations_of_the_paper_do_not_hold(change):
    """They take 1/m for the inverse inertia of every contact, and equal depths."""
    spec = free_box(change.get("turn", 0.0))
    found = identify(spec, 0.004, feet=["foot"], diagexact=change.get("diagexact"))
    assert found.swept_depth == pytest.approx(0.004, rel=1e-3)


@pytest.mark.parametrize("priority", [0, 1, 2])
def test_a_foot_with_a_priority_of_its_own_does_not_overrule_the_ground(priority):
    found = identify(free_box(priority=priority), 0.004, feet=["foot"], stands=True)
    assert found.ground.priority > priority and found.status is Status.STOOD
    assert found.swept_depth == pytest.approx(0.004, rel=1e-3)


def test_a_depth_that_is_not_met_is_told():
    """An override in the options is used instead of any ground."""
    spec = free_box()
    spec.option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    assert identify(spec, 0.004, feet=["foot"]).status is Status.MISSED


def test_the_inverse_dynamics_curve_crosses_the_weight_at_the_depth():
    """Without any of the identification's own machinery: mj_inverse on a scene that Ground.apply made."""
    found = identify("khr3hv", 0.006, 1.5)
    spec = khr3hv()
    plane = spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    found.ground.apply(spec, plane)
    model = spec.compile()
    data = mujoco.MjData(model)
    residual = []
    for sunk in (0.00598, 0.00600, 0.00602):
        mujoco.mj_resetDataKeyframe(model, data, model.key("stand").id)
        data.qpos[2] -= sunk
        mujoco.mj_inverse(model, data)
        residual.append(float(data.qfrc_inverse[2]))
    assert residual[0] > 0 > residual[2]
    assert abs(residual[1]) < 2e-3 * found.weight


def test_only_the_feet_named_carry():
    """With one foot named the other hangs in the ground and takes nothing, in MuJoCo as in the sums."""
    stage = Stage("khr3hv", ["left_foot"], "stand")
    stage.use(Ground(solref=(-11445.0, -320.9), solimp=PAPER_SOLIMP))
    contacts = stage.place(stage.touch_height() - 0.006)
    assert stage.data.ncon == len(contacts.depth) == 4
    assert stage.weight - stage.data.qfrc_inverse[2] == pytest.approx(contacts.force.sum(), rel=1e-9)


def test_unequal_feet_are_weighted_by_load():
    """In the zero pose the right sole is 0.5 mm lower."""
    found = identify("khr3hv", 0.006, 1.5, posture="zero", stands=True)
    depth, force = found.contacts.column("depth"), found.contacts.column("force")
    assert np.ptp(depth) == pytest.approx(5e-4, abs=1e-6)
    assert (depth * force).sum() / force.sum() == pytest.approx(0.006, rel=1e-6)
    assert force.sum() == pytest.approx(found.weight, rel=1e-6)
    assert found.standing is not None and found.standing.depth == pytest.approx(0.006, rel=2e-3)


def test_the_papers_depth_lies_between_its_two_soles():
    """8.66 mm: the model's zero pose gives 8.62 from the sole that touches last to 9.12 from the first."""
    stage = Stage("khr3hv", None, "zero")
    stage.use(Ground(solref=(-858.4, -87.9), solimp=PAPER_SOLIMP, diagexact=False))
    first = 1e3 * (stage.touch_height() - stage.height_for(stage.weight))
    assert first - 0.5 < 8.66 < first
    assert first == pytest.approx(9.12, abs=0.01)


@pytest.mark.parametrize("depth", [0.002, 0.006, 0.015])
@pytest.mark.parametrize(
    ("path", "feet"),
    [
        ("menagerie/pal_talos/talos.xml", ["leg_left_6_link", "leg_right_6_link"]),
        ("menagerie/unitree_g1/g1.xml", None),
        ("jvrc1/xml/jvrc1.xml", None),
    ],
    ids=["talos", "g1", "jvrc1"],
)
def test_humanoids_reach_the_depth_and_stand_still(shared: Path, path, feet, depth):
    found = identify(shared / "models" / path, depth, 1.5, feet=feet, stands=True)
    assert found.status is Status.STOOD
    assert found.reached == pytest.approx(depth, rel=0.01)
    assert found.swept_depth == pytest.approx(depth, rel=0.01)
    assert found.crept is not None and found.crept < 1e-4
    assert found.creep == pytest.approx(found.crept, rel=0.1), "the friction rows foretell the creep"


def on_soft_feet() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    torso = spec.worldbody.add_body(name="torso", pos=[0, 0, 0.6])
    torso.add_freejoint()
    block = {"size": [0.1, 0.15, 0.2], "pos": [0.03, 0, 0.1], "mass": 30, "contype": 0, "conaffinity": 0}
    torso.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, **block)
    for side, y in (("left", 0.1), ("right", -0.1)):
        frame = torso.add_frame(pos=[0, y, -0.4])
        spec.attach(SoftFoot(chains=1, side=side).spec(), frame=frame, prefix=f"{side}/")
    return spec


@pytest.mark.parametrize("depth", [0.002, 0.006, 0.015])
def test_soft_feet_reach_the_depth_and_stand_still(depth):
    found = identify(on_soft_feet(), depth, 1.5)
    assert found.feet == ("left/ankle", "right/ankle")
    assert found.status is Status.STOOD
    assert found.reached == pytest.approx(depth, rel=0.01)
    assert found.standing is not None and found.standing.force == pytest.approx(found.weight, rel=1e-3)
    assert found.crept is not None and found.crept < 1e-4


def creep_of_box(ground: Ground, degrees: float = 10.0) -> tuple[float, float]:
    """Speed along and depth in the slope of a 1 kg box left alone on it."""
    spec = load_spec("box")
    plane = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    ground.apply(spec, plane)
    tilt = math.radians(degrees)
    spec.option.gravity = [9.81 * math.sin(tilt), 0, -9.81 * math.cos(tilt)]
    spec.option.timestep = 1e-3
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[2] = 0.02
    mujoco.mj_step(model, data, 1500)
    start = data.qpos[0]
    mujoco.mj_step(model, data, 500)
    return (data.qpos[0] - start) / 0.5, float(-min(c.dist for c in data.contact))


def test_presets_stand_still_on_a_slope():
    paper = {"solref": (-858.4, -87.9), "solimp": PAPER_SOLIMP}
    assert creep_of_box(Ground(**paper, impratio=1.0))[0] > 4e-3, "without it a box creeps by millimetres a second"
    assert abs(creep_of_box(Ground(**paper))[0]) < 1e-4
    for ground in (Ground(), identify("box", 0.006, 1.5).ground, identify("box", 0.010, 0.5).ground):
        assert abs(creep_of_box(ground)[0]) < 1e-4, ground.name


def test_khr3hv_is_the_published_robot(shared: Path):
    theirs = mujoco.MjModel.from_xml_path(str(shared / "models" / "kondo_khr3hv" / "kondo_khr3hv.xml"))
    ours = khr3hv().compile()
    assert (ours.nv, ours.nu) == (theirs.nv, theirs.nu) == (28, 22)
    assert ours.body_mass.sum() == pytest.approx(theirs.body_mass.sum(), rel=1e-9)
    for one, two in (
        ("left_foot", "LeftFoot"),
        ("right_foot", "RightFoot"),
        ("torso", "Torso"),
        ("left_shin", "LeftShin"),
    ):
        a, b = ours.body(one).id, theirs.body(two).id
        assert ours.body_invweight0[a] == pytest.approx(theirs.body_invweight0[b], rel=1e-5)
    coms = []
    for model in (ours, theirs):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        coms.append(data.subtree_com[1].copy())
    assert coms[0] == pytest.approx(coms[1], abs=1e-6)


def test_khr3hv_stands_level_over_its_soles():
    model = khr3hv().compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("stand").id)
    mujoco.mj_forward(model, data)
    left, right = data.geom("left_foot_sole"), data.geom("right_foot_sole")
    assert left.xpos[2] == pytest.approx(right.xpos[2], abs=1e-9)
    assert left.xmat[8] == pytest.approx(1.0, abs=1e-9)
    assert data.subtree_com[1][:2] == pytest.approx((left.xpos + right.xpos)[:2] / 2, abs=5e-4)


def test_the_published_file_gives_the_same_ground(shared: Path):
    path = shared / "models" / "kondo_khr3hv" / "kondo_khr3hv.xml"
    theirs = identify(path, 0.006, 1.5, feet=["LeftFoot"])
    assert theirs.ground.solref == pytest.approx(
        identify("khr3hv", 0.006, 1.5, feet=["left_foot"]).ground.solref, rel=1e-5
    )


def test_a_urdf_floats_and_its_feet_are_found(shared: Path):
    path = shared / "models" / "cogimon" / "cogimon.urdf"
    model = load_spec(path).compile()
    assert model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
    assert model.body_mass[1] > 0, "the root link keeps its mass"
    assert [model.body(i).name for i in find_feet(model, None, "cogimon")] == ["LFoot", "RFoot"]


def paired_box() -> mujoco.MjSpec:
    """A box that meets its floor by a contact pair alone."""
    spec = load_spec("box")
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0)
    box = spec.geom("box")
    box.contype = box.conaffinity = 0
    spec.add_pair(geomname1="box", geomname2="floor")
    return spec


def test_contact_pairs_do_not_overrule_the_ground():
    found, plain = (identify(robot, depth=0.006, damping_ratio=1.5) for robot in (paired_box(), "box"))
    assert found.ground.solref == pytest.approx(plain.ground.solref)
    assert found.depth == pytest.approx(0.006, rel=1e-6)
    with pytest.raises(InvalidInput, match="contact pairs, which override the ground"):
        identify(paired_box().compile(), depth=0.006, damping_ratio=1.5)


def test_a_model_with_a_plane_is_enough():
    spec = khr3hv()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    model = spec.compile()
    before = model.geom_solref.copy()
    assert identify(model, 0.006).swept_depth == pytest.approx(0.006, rel=1e-4)
    assert (model.geom_solref == before).all(), "the user's model is not touched"
    with pytest.raises(InvalidInput, match="plane"):
        identify(khr3hv().compile(), 0.006)


def without_feet() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="trunk", pos=[0, 0, 1])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
    return spec


def fixed() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="foot")
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
    return spec


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: identify("khr3hv", -0.006), "depth = -0.006"),
        (lambda: identify("khr3hv", math.nan), "depth"),
        (lambda: identify("khr3hv", 6), "perhaps 0.006 if 6 was in millimetres"),
        (lambda: identify("khr3hv", 0.03), "beyond the feet"),
        (lambda: identify("khr3hv", 0.006, -1), "damping_ratio"),
        (lambda: identify("khr3hv", 0.006, midpoint=1.0), "midpoint"),
        (lambda: identify("khr3hv", 0.006, feet=["hand"]), "foot 'hand'"),
        (lambda: identify("khr3hv", 0.006, feet=["head"]), "no geom that collides"),
        (lambda: identify("khr3hv", 0.006, posture="sit"), "keyframe 'sit'"),
        (lambda: identify("khr3hv", 0.006, posture=[0.0, 1.0]), "posture"),
        (lambda: identify("nobody", 0.006), "robot 'nobody'"),
        (lambda: identify(without_feet(), 0.006), "no body named like a foot"),
        (lambda: identify(fixed(), 0.006), "fixed to the world"),
        (lambda: sinkage("khr3hv", materials.get("mud")), "material 'mud'"),
        (lambda: Ground(friction=(-1, 0, 0)), "friction"),
        (lambda: Ground(condim=2), "condim"),
        (lambda: Ground().apply(mujoco.MjSpec(), "floor"), "geom 'floor'"),
        (lambda: Ground.load("no/such/file.json"), "cannot be read"),
        (lambda: Ground.from_dict({"solreff": 1}), "solreff"),
    ],
)
def test_bad_input_is_one_line_that_says_so(call, words):
    with pytest.raises(InvalidInput) as error:
        call()
    assert words in str(error.value) and "\n" not in str(error.value)


def test_a_ground_survives_its_file(tmp_path):
    ground = identify("khr3hv", 0.006, 1.5, diagexact=True).ground
    assert Ground.load(ground.save(tmp_path / "ground.json")) == ground


def test_materials_have_sources_and_plausible_depths():
    table = materials.table()
    assert all(row["source"] for row in table) and set(materials.names()) == set(table.column("name"))
    sand = materials.get("dry_sand")
    depth = sinkage("khr3hv", sand)
    pressure, width = 1.7625 * 9.81 / 2 / 0.002, 2 * 0.002 / (2 * 0.05 + 2 * 0.04)
    assert depth == pytest.approx((pressure / (990 / width + 1528430)) ** (1 / 1.1), rel=1e-4)
    assert identify("khr3hv", depth).swept_depth == pytest.approx(depth, rel=1e-3)
    assert materials.get("soft_rubber").depth(2 * 213.0, width=0.1, area=0.02, feet=2) == pytest.approx(0.01)


def test_a_sphere_inside_a_box_is_as_deep_as_it_is():
    """MuJoCo 3.1.6 had a wrong distance once the sphere's centre was in the box (issue 2206)."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, 1, 0.5], pos=[0, 0, -0.5])
    body = spec.worldbody.add_body(name="ball")
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], mass=1)
    model = spec.compile()
    data = mujoco.MjData(model)
    for depth in (0.001, 0.009, 0.010, 0.011, 0.019, 0.020, 0.021, 0.030, 0.1):
        data.qpos[:3] = [0.1, -0.2, 0.01 - depth]
        mujoco.mj_forward(model, data)
        assert data.ncon == 1
        assert data.contact[0].dist == pytest.approx(-depth, abs=1e-12)
        assert abs(data.contact[0].frame[2]) == pytest.approx(1.0)
