"""Robots made ready for training, without PyTorch: servos, passive joints, contact over friction, locked feet."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np
import pytest
from robots_made import Made, spec

from plantar import feet, learn, robots
from plantar._extras import EXTRAS, Extra
from plantar.cli.app import run
from plantar.errors import InvalidInput, MissingExtra
from plantar.feet.slider import PREFIX, Slider
from plantar.learn.card import Card, read_card
from plantar.learn.config import TaskConfig, TrainConfig
from plantar.learn.drives import FREQUENCY, REACH, drives_of
from plantar.learn.kinds import check_kinds, kind_of
from plantar.learn.laws import laws_of
from plantar.learn.springs import held
from plantar.learn.subject import subject_of
from plantar.learn.versions import PINS, load_learn, require_learn
from plantar.model.keyframes import posed
from plantar.model.shape import lowest

SOFT = feet.get("softfoot:fast")


@pytest.fixture(scope="module")
def soft() -> learn.Subject:
    return subject_of("biped", SOFT)


def test_motors_become_servos_that_reach_their_torque_at_the_same_error():
    model = robots.load("biped").model()
    found = drives_of(model)
    assert [d.joint for d in found] == [model.joint(j).name for j in range(1, model.njnt)]
    for drive in found:
        limit = model.actuator_ctrlrange[model.actuator(drive.joint).id, 1]
        assert drive.effort == pytest.approx(limit) and drive.stiffness == pytest.approx(limit / REACH)
        assert drive.armature == pytest.approx(0.08)  # the model's own
        assert drive.scale == pytest.approx(0.25 * REACH)


def test_a_file_that_mujoco_wrote_keeps_no_room_for_keyframes(tmp_path):
    """MuJoCo fills up to `<size nkey>` with empty ones, which mjlab then took for the robot's own: a traceback."""
    spec = robots.load("biped").spec.copy()
    spec.compile()
    (tmp_path / "robot.xml").write_text(spec.to_xml())
    assert '<size nkey="1"' in (tmp_path / "robot.xml").read_text()
    assert subject_of(tmp_path / "robot.xml", SOFT).spec.copy().compile().nkey == 0


def test_torque_limits_are_found_where_models_keep_them():
    made = spec(Made(actuators="position", arms=False))
    with pytest.raises(InvalidInput, match="has no torque limit: give it a forcerange"):
        drives_of(made.compile())
    for actuator in made.actuators:
        actuator.forcelimited, actuator.forcerange, actuator.gear[0] = True, [-10, 12], 3
    drive = drives_of(made.compile())[0]
    assert drive.effort == pytest.approx(30)
    for joint in made.joints:
        joint.actfrclimited, joint.actfrcrange = True, [-7, 7]
    assert drives_of(made.compile())[0].effort == pytest.approx(7)
    assert drive.damping == pytest.approx(4 * drive.stiffness / FREQUENCY)


def test_what_no_policy_could_drive_is_refused():
    made = spec(Made(arms=False))
    for item in [*made.actuators, *made.keys]:
        made.delete(item)
    with pytest.raises(InvalidInput, match="has no actuators"):
        drives_of(made.compile())


def test_passive_joints_are_those_of_the_feet_alone(soft):
    motors = {drive.joint for drive in soft.drives}
    assert len(motors) == 28 and set(soft.posture) == motors == set(soft.tolerances)
    assert len(soft.passive) == 20 and all(name.startswith(("left-", "right-")) for name in soft.passive)
    assert soft.springs.joints == soft.springs.sprung == soft.passive and soft.cords == (
        "left-tendon1",
        "right-tendon1",
    )
    assert soft.soft and not subject_of("biped").soft
    assert len(soft.soles) == 20 and all(name.endswith("_collision") for name in soft.soles)
    assert not any("/" in name for name in (*soft.passive, *soft.soles, *soft.cords))


def test_a_subject_weighs_what_the_mounted_robot_weighs_and_stands_on_its_soles(soft):
    model, mounted = soft.spec.compile(), robots.mount("biped", SOFT).model()
    assert (model.nu, model.nkey, model.nsensor) == (0, 0, 3)
    assert model.body_mass.sum() == pytest.approx(mounted.body_mass.sum())
    for b in range(1, model.nbody):
        other = mounted.body(model.body(b).name.replace("-", "/"))
        assert model.body_mass[b] == pytest.approx(other.mass[0], abs=1e-12)
        assert np.allclose(np.sort(model.body_inertia[b]), np.sort(other.inertia), atol=1e-12)
    qpos = model.qpos0.copy()
    qpos[:7] = soft.root
    for name, angle in soft.posture.items():
        qpos[model.joint(name).qposadr[0]] = angle
    data = posed(model, mujoco.MjData(model), qpos)
    assert lowest(model, data, [model.geom(name).id for name in soft.soles]) == pytest.approx(0, abs=1e-6)


def test_a_robot_on_its_legs_alone_keeps_mass_posture_and_contact(soft):
    legs = subject_of("biped", SOFT, joints="legs")
    assert len(legs.drives) == 12 and legs.passive == soft.passive and legs.root == soft.root
    assert set(legs.posture) == {drive.joint for drive in legs.drives} == set(legs.tolerances)
    model, whole = legs.spec.compile(), soft.spec.compile()
    assert (model.nv, whole.nv) == (6 + 12 + 20, 6 + 28 + 20) and legs.trunk == soft.trunk
    data, free = (mujoco.MjData(m) for m in (model, whole))
    for one, subject in ((data, legs), (free, soft)):
        one.qpos[:7] = subject.root
        for name, value in subject.posture.items():
            one.joint(name).qpos[0] = value
        mujoco.mj_kinematics(one.model, one)
        mujoco.mj_comPos(one.model, one)
    for b in range(1, whole.nbody):
        assert np.allclose(data.xpos[b], free.xpos[b], atol=1e-9) and np.allclose(data.xmat[b], free.xmat[b], atol=1e-9)
    assert legs.mass == pytest.approx(soft.mass) and np.allclose(data.subtree_com[1], free.subtree_com[1])
    sole = legs.soles[0]
    assert not np.allclose(model.geom(sole).solimp, whole.geom(sole).solimp), "contact follows what a sole carries"
    usual = laws_of(legs, [float(model.geom(sole).friction[0])]).solimp
    assert usual is not None and np.allclose(model.geom(sole).solimp, usual[0, 0], rtol=1e-6)


def test_what_couples_joints_that_are_held_goes_with_them():
    made = spec(Made())
    for joint in ("elbow_pitch", "knee_pitch"):
        made.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=f"left_{joint}", name2=f"right_{joint}")
    for actuator in made.actuators:
        actuator.forcelimited, actuator.forcerange = True, [-50, 50]
    for joints, kept in (("all", 2), ("legs", 1)):
        model = subject_of(made, joints=joints).spec.compile()
        assert model.neq == kept
    with pytest.raises(InvalidInput, match="joints = 'arms' is not allowed"):
        subject_of("biped", joints="arms")
    with pytest.raises(InvalidInput, match="task.joints = 'arms' is not allowed"):
        TaskConfig(joints="arms")
    wheels = [drive for drive in subject_of("biped").drives if "elbow" in drive.joint]
    with pytest.raises(InvalidInput, match="no joint in a leg of biped has a servo"):
        subject_of("biped", drives=wheels, joints="legs")


def test_joints_are_allowed_what_they_do():
    allowed = {name.removeprefix("left_"): t.walking for name, t in subject_of("biped").tolerances.items()}
    assert allowed["shank_joint"] > allowed["ankle_joint"] > allowed["hip_joint"] > allowed["foot_joint"]
    assert allowed["torso_joint"] < allowed["elbow_joint"]
    four = subject_of("quadruped").tolerances
    assert four["left_front_shank_joint"].walking > four["left_front_thigh_joint"].walking


@pytest.mark.parametrize("foot", [feet.FlatFoot(), SOFT], ids=["plate", "soft"])
def test_contact_is_made_for_the_friction_that_is_drawn(foot):
    usual = subject_of("biped", foot, offset=0.0, pitch=0.0)
    laws = laws_of(usual, (0.3, 0.6))
    assert laws.solref is not None and laws.solimp is not None
    for i, friction in enumerate((0.3, 0.6)):
        other = subject_of("biped", foot.with_(friction=friction), offset=0.0, pitch=0.0).spec
        assert np.allclose([other.geom(name).solref for name in usual.soles], laws.solref[i])
        assert np.allclose([other.geom(name).solimp for name in usual.soles], laws.solimp[i], rtol=1e-6)
    assert not np.allclose(laws.solimp[0], laws.solimp[1])
    assert laws_of(subject_of("biped"), (0.3, 0.6)).solref is None


@pytest.mark.parametrize("foot", [None, feet.FlatFoot(), SOFT], ids=["own", "plate", "soft"])
@pytest.mark.parametrize("friction", [0.3, 1.2])
def test_soles_touch_with_the_friction_that_is_drawn(foot, friction):
    """MuJoCo takes the larger friction of two geoms unless one has priority, and floors have 1."""
    subject = subject_of("biped", foot)
    scene = subject.spec.copy()
    scene.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], conaffinity=15)
    model = scene.compile()
    soles = [model.geom(name).id for name in subject.soles]
    model.geom_friction[soles, 0] = friction
    qpos = model.qpos0.copy()
    qpos[:7] = subject.root
    qpos[2] -= 0.002
    for name, angle in subject.posture.items():
        qpos[model.joint(name).qposadr[0]] = angle
    data = posed(model, mujoco.MjData(model), qpos)
    mujoco.mj_collision(model, data)
    touching = [contact for contact in data.contact if set(contact.geom.tolist()) & set(soles)]
    assert len(touching) > 3 and [contact.friction[0] for contact in touching] == [friction] * len(touching)


def test_soles_without_names_are_told_apart():
    """Most robots' files name none of their geoms; tasks find soles by their names."""
    made = spec(Made())
    for geom in made.geoms:
        geom.name = ""
    made.geoms[0].name = "left_foot_geom0"
    subject = subject_of(made)
    assert len(subject.soles) == 2 == len(set(subject.soles)) and all(subject.soles)
    model = subject.spec.compile()
    carried = {model.body(int(model.geom(name).bodyid[0])).name for name in subject.soles}
    assert carried == set(subject.bodies) and all(model.geom(name).priority[0] == 1 for name in subject.soles)


def bent(factor: float) -> float:
    """Largest angle of a joint of the fast foot under 400 N, its springs made stiffer by a factor [rad]."""
    made = Slider(timestep=0.005).spec(SOFT)
    made.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    made.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    made.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.01, 0.1, 0.01])  # under the arch
    feet.set_contact(made, SOFT, PREFIX)
    model = made.compile()
    springs = np.flatnonzero(model.jnt_stiffness > 0)
    usual = model.jnt_stiffness[springs]
    model.jnt_stiffness[springs] = held(usual, model.jnt_type[springs]) if factor == learn.LOCKED else factor * usual
    data = mujoco.MjData(model)
    data.qpos[0] = SOFT.sole_height + 0.012
    data.ctrl[0] = 400.0
    mujoco.mj_step(model, data, 400)
    assert np.abs(data.qvel).max() < 0.05, "it is at rest"
    return float(np.abs(data.qpos[model.jnt_qposadr[springs]]).max())


def test_a_thousand_times_the_stiffness_is_as_good_as_locked():
    angles = [bent(factor) for factor in (1.0, 30.0, learn.LOCKED)]
    assert angles[0] > angles[1] > angles[2]
    assert angles[0] > np.radians(5) and angles[2] < np.radians(0.5)


def test_tasks_and_trainings_name_what_is_wrong():
    for fields, says in (
        ({"terrain": "sea"}, "task.terrain"),
        ({"stiffness": (4.0, 1.0)}, "task.stiffness"),
        ({"locked": 2.0}, "task.locked = 2.0 is not allowed"),
        ({"height": (0.0, 20.0)}, "metres"),
        ({"push": -1.0}, "task.push"),
        ({"stiffness": (1.0, 5000.0)}, "task.stiffness = .* factors up to 1000"),
        ({"height": (0.0, 0.1)}, "none, as flat ground has no size"),
        ({"terrain": "rough", "height": (0.0, 0.1)}, "none, as rough ground has no size"),
        (
            {"terrain": "cobbles", "height": (0.0, 0.05)},
            r"task\.height = \(0\.0, 0\.05\) .* for cobbles: height = 0\.05 ",
        ),
        ({"terrain": "trenches", "height": (0.0, 2.0)}, "difficulties, 1 at most"),
        ({"terrain": "slope", "height": (0.0, 20.0)}, "slopes in radians, 0.5 at most"),
        ({"terrain": "plates"}, "task.terrain = 'plates'"),
    ):
        with pytest.raises(InvalidInput, match=says):
            TaskConfig(**fields)
    assert TaskConfig(terrain="rubble").height == (0.0, 1.0) and TaskConfig(terrain="slope").height == (0.0, 0.25)
    for name, value in (("rate", 2.0), ("spread", 1e9), ("divergence", 1e9), ("entropy", 2.0)):
        with pytest.raises(InvalidInput, match=rf"train\.{name} = .* to 1"):
            TrainConfig(**{name: value})
    with pytest.raises(InvalidInput, match=r"train\.worlds = 0"):
        TrainConfig(worlds=0)


def test_feet_that_are_trained_together_differ_and_nothing_is_drawn_that_they_lack():
    names = ("own", "plate", "flat", "softfoot:fast", "softfoot:hinge")
    feet_of = {name: (kind_of(name), subject_of("biped", kind_of(name))) for name in names}

    def check(*names: str, **fields: object) -> None:
        kinds, subjects = zip(*(feet_of[name] for name in names), strict=True)
        check_kinds(kinds, subjects, TaskConfig(**fields))

    for fine in (("own", "plate"), ("softfoot:fast", "softfoot:hinge"), ("softfoot:fast", "plate", "own")):
        check(*fine)
    check("softfoot:fast", locked=0.5, tendons=0.5, stiffness=(1.0, 1.0))
    for twice in (("plate", "plate"), ("softfoot:fast", "plate", "softfoot:fast")):
        with pytest.raises(InvalidInput, match="every kind of feet once"):
            check(*twice)
    for name, value in (("stiffness", (1.0, 4.0)), ("locked", 0.5), ("tendons", 0.5)):
        with pytest.raises(InvalidInput, match=rf"task\.{name} = .* one kind of feet, as nothing is drawn of several"):
            check("softfoot:fast", "plate", **{name: value})
        with pytest.raises(InvalidInput, match=rf"task\.{name} = .* feet that have it: plate do not"):
            check("plate", **{name: value})


def test_options_of_a_training_that_would_be_ignored_are_refused(tmp_path, capsys):
    for options, says in (
        (["--foot", "plate", "--set", "friction=0.5"], "--foot plate has no fields"),
        (["--task-set", "terrain=bars"], "--task-set terrain is not allowed: give --task"),
    ):
        assert run(["learn", "train", "biped", *options, "--out", str(tmp_path / "out")]) == 2
        told = capsys.readouterr().err
        assert says in told and told.count("\n") == 1 and not (tmp_path / "out").exists()


def test_versions_that_do_not_go_together_are_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(EXTRAS, "learn", Extra(modules=(), unlocks="learning"))
    right = {name: f"{first}.1+cu130" for name, (first, _) in PINS.items()}
    require_learn(right.__getitem__)
    with pytest.raises(MissingExtra, match=r"needs mjlab from 1\.6 to before 1\.7, not 1\.10\.0: install"):
        require_learn({**right, "mjlab": "1.10.0"}.__getitem__)

    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    with pytest.raises(MissingExtra, match=r"needs mjlab 1\.6: install with"):
        require_learn(absent)


def test_a_package_that_mjlab_lacks_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """mjlab is installed without what it asks for, so that any of that may be missing."""
    monkeypatch.setattr("plantar.learn.versions.require_learn", lambda: None)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "half_installed.py").write_text("import no_such_package\n", encoding="utf-8")
    with pytest.raises(MissingExtra, match="needs no_such_package: install with `pip install 'plantar.learn.'"):
        load_learn("half_installed")


def test_without_the_extra_a_command_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(EXTRAS, "learn", Extra(modules=("no_such_module",), unlocks="`plantar learn`"))
    assert run(["learn", "train", "biped"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "no_such_module" in error and "plantar[learn]" in error
    assert run(["learn", "train", "biped", "--task-set", "colour=red"]) == 2
    assert "choose one of joints, stiffness" in capsys.readouterr().err
    assert run(["learn", "train", "biped", "--train-set", "worlds=3"]) == 2
    assert "choose one of rate, spread, divergence" in capsys.readouterr().err
    with pytest.raises(MissingExtra):
        learn.task  # noqa: B018
    with pytest.raises(AttributeError):
        learn.nothing  # noqa: B018


def test_a_card_survives_its_file(tmp_path, soft):
    card = Card(
        robot="biped",
        feet=("softfoot:fast",),
        seen=("joint_pos", "foot"),
        foot=2,
        drives=soft.drives,
        posture=soft.posture,
        period=0.02,
        timestep=0.005,
        task=TaskConfig(terrain="bars"),
        training=TrainConfig(hidden=(8, 8)),
    )
    assert read_card(card.write(tmp_path).read_text()) == card
    for text in ("{", "[]", '{"robot": 1}'):
        with pytest.raises(InvalidInput, match="not the card of a policy"):
            read_card(text)


@pytest.mark.parametrize(("robot", "like"), [("biped", feet.SoftFoot()), ("quadruped", feet.SoftFootQ())])
def test_a_plate_has_the_outline_and_mass_of_the_soft_foot_that_suits_the_robot(robot, like):
    plate = subject_of(robot, "plate").foot
    assert isinstance(plate, feet.FlatFoot)
    assert (plate.sole.length, plate.sole.width) == pytest.approx((like.sole.length, like.sole.width))
    assert plate.mass == pytest.approx(like.model().body_mass.sum())
