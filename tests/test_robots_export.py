"""Exported robots: folders that open in plain MuJoCo and move bit for bit like the robot in memory."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest
from robots_made import Made, spec, write_stl, xml

from plantar import feet, robots
from plantar.errors import InvalidInput, PlantarError
from plantar.robots.export import export as exporting

FLAT, BALL, SOFT = feet.FlatFoot(), feet.BallFoot(), feet.SoftFoot(fidelity="fast")
SMALL = feet.FlatFoot(length=0.08, width=0.045, thickness=0.008, ankle_height=0.03, ankle_offset=(0, 0), mass=0.04)
BUILT_IN = {
    "biped soft": ("biped", SOFT),
    "biped full": ("biped", feet.SoftFoot(chains=2)),
    "biped flat": ("biped", FLAT),
    "biped ball": ("biped", BALL),
    "khr3hv flat": ("khr3hv", SMALL),
    "khr3hv ball": ("khr3hv", BALL),
    "quadruped soft": ("quadruped", SOFT),
    "quadruped flat": ("quadruped", FLAT),
    "quadruped ball": ("quadruped", BALL),
}


@pytest.fixture
def no_picture(monkeypatch):
    monkeypatch.setattr(exporting, "_draw", lambda robot, path: None)


def trajectory(model: mujoco.MjModel, key: str, seconds: float) -> tuple[np.ndarray, mujoco.MjData]:
    """State and sensors of every step from a keyframe, its controls held."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
    rows = []
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
        rows.append(np.concatenate([data.qpos, data.qvel, data.sensordata, [data.ncon]]))
    return np.array(rows), data


def warnings(data: mujoco.MjData) -> int:
    return sum(int(w.number) for w in data.warning)


@pytest.mark.parametrize("case", BUILT_IN)
def test_the_exported_scene_moves_bit_for_bit_like_the_robot_and_warns_of_nothing(
    case, tmp_path, no_picture, record_property
):
    name, foot = BUILT_IN[case]
    robot = robots.mount(name, foot)
    folder = robot.export(tmp_path / "out")
    ours, _ = trajectory(exporting.scene_spec(robot).compile(), robot.keyframe, 1.0)
    theirs, data = trajectory(mujoco.MjModel.from_xml_path(str(folder / "scene.xml")), robot.keyframe, 5.0)
    found = {"apart": float(np.abs(ours - theirs[: len(ours)]).max()), "warnings": warnings(data)}
    found["lost"] = sum(map(len, robot.report().lost.values()))
    record_property(f"softfoot.built_in.{case.replace(' ', '_')}", found)
    assert np.array_equal(ours, theirs[: len(ours)])
    assert warnings(data) == 0 and found["lost"] == 0
    assert np.isfinite(theirs).all()
    assert theirs[:, -1].max() > 0, "it never touched the floor"


def test_the_folder_has_all_that_users_look_for(tmp_path):
    foot = FLAT.with_(width=0.09)
    folder = robots.mount("biped", foot).export(tmp_path / "out")
    files = {f.name for f in folder.iterdir()}
    assert {"biped.xml", "scene.xml", "README.md", "biped.png", "report.json", "report.html"} <= files
    report = json.loads((folder / "report.json").read_text())
    assert report["mass"][0] == pytest.approx(64.254, abs=1e-3)
    assert report["lost"] == {}
    text = (folder / "README.md").read_text()
    assert "biped on flat" in text and "265 x 90 mm" in text
    page = (folder / "report.html").read_text()
    assert page.count("data:image/png") == 2, "before and after"


def test_nothing_is_overwritten_unless_asked(tmp_path, no_picture):
    robot = robots.mount("biped", FLAT)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="already holds files"):
        robot.export(tmp_path)
    assert [f.name for f in tmp_path.iterdir()] == ["mine.txt"]
    robot.export(tmp_path, overwrite=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def unknown(folder: Path, made: Made) -> Path:
    """A folder in the manner of MuJoCo Menagerie: robot, scene, assets, licence; meshes in folders of their own."""
    folder.mkdir()
    for part, half in (("left", (0.1, 0.04, 0.01)), ("right", (0.1, 0.04, 0.012))):
        (folder / "assets" / part).mkdir(parents=True)
        write_stl(folder / "assets" / part / "sole.stl", half)
        write_stl(folder / "assets" / part / "shin.stl", (0.03, 0.03, 0.12))
    text = xml(made).replace("<compiler ", '<compiler meshdir="assets" ')
    meshes = "".join(f'<mesh name="{p}_{m}" file="{p}/{m}.stl"/>' for p in ("left", "right") for m in ("sole", "shin"))
    text = text.replace("<worldbody>", f"<asset>{meshes}</asset><worldbody>", 1)
    for side in ("left", "right"):
        shin = f'<geom class="look" type="mesh" mesh="{side}_shin" pos="0 0 -0.15"/>'
        text = text.replace(f'<body name="{side}_foot"', f'{shin}<body name="{side}_foot"')
        look = f'<geom class="look" type="mesh" mesh="{side}_sole" pos="0.03 0 -0.07"/>'
        text = text.replace(f'<geom class="sole" name="{side}_sole"', f'{look}<geom class="sole" name="{side}_sole"')
    (folder / "robot_with_hands.xml").write_text(text)
    (folder / "walker.xml").write_text(text)
    (folder / "scene.xml").write_text(
        '<mujoco><include file="walker.xml"/><worldbody><geom name="floor" type="plane" size="0 0 1"/></worldbody>'
        "</mujoco>"
    )
    (folder / "LICENSE").write_text("Their licence.")
    return folder


@pytest.mark.parametrize("given", ["", "walker.xml", "scene.xml", "name"])
def test_an_unknown_robot_of_the_menagerie_layout(given, tmp_path, no_picture, monkeypatch):
    made = Made(ankle="pitch roll", actuators="position", forward="-x")
    folder = unknown(tmp_path / "acme_walker", made)
    monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path))
    robot = robots.load("acme_walker" if given == "name" else folder / given)
    assert robot.name == {"": "walker", "walker.xml": "walker"}.get(given, "acme_walker"), "a name for a file"
    out = robots.mount(robot, SOFT, offset=0.0, pitch=0.01).export(tmp_path / "out")
    kept = sorted(f.relative_to(out).as_posix() for f in (out / "assets").rglob("*.stl"))
    assert kept == ["assets/left/shin.stl", "assets/right/shin.stl"], "old soles are not needed any more"
    assert (out / "LICENSE").read_text() == "Their licence."
    ours, _ = trajectory(exporting.scene_spec(robots.mount(robot, SOFT, offset=0.0, pitch=0.01)).compile(), "home", 0.4)
    theirs, data = trajectory(mujoco.MjModel.from_xml_path(str(out / "scene.xml")), "home", 0.4)
    assert np.array_equal(ours, theirs)
    assert warnings(data) == 0


def test_a_missing_mesh_is_named(tmp_path):
    folder = unknown(tmp_path / "acme_walker", Made())
    (folder / "assets" / "left" / "shin.stl").unlink()
    with pytest.raises(InvalidInput, match=r"shin\.stl"):
        robots.load(folder)


def test_meshes_that_go_while_the_robot_is_in_memory_lose_nothing(tmp_path, no_picture):
    folder = unknown(tmp_path / "acme_walker", Made())
    robot = robots.mount(folder, FLAT)
    (folder / "assets" / "left" / "shin.stl").unlink()
    with pytest.raises((InvalidInput, PlantarError)):
        robot.export(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def urdf(
    folder: Path, mesh: str = "package://acme/meshes/shin.stl", base: str = "trunk", head: str = "", more: str = ""
) -> Path:
    """A biped in URDF: meshes by package path, links without mass, no actuators."""
    legs = "".join(_urdf_leg(side, y, mesh) for side, y in (("left", 0.1), ("right", -0.1)))
    fixed = '<link name="world"/><joint name="fix" type="fixed"><parent link="world"/><child link="trunk"/></joint>'
    path = folder / "urdf" / "acme.urdf"
    path.parent.mkdir(parents=True)
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    path.write_bytes(
        f"""{head}<robot name="acme">{more}{fixed if base == "world" else ""}
      <link name="trunk"><inertial><mass value="10"/>{inertia}</inertial>
        <collision><geometry><box size="0.2 0.3 0.2"/></geometry></collision></link>{legs}</robot>""".encode("latin-1")
    )
    (folder / "meshes").mkdir()
    write_stl(folder / "meshes" / "shin.stl", (0.03, 0.03, 0.15))
    return path


def _urdf_leg(side: str, y: float, mesh: str) -> str:
    rows, parent = "", "trunk"
    for i, (part, axis) in enumerate((("thigh", "0 1 0"), ("shin", "0 1 0"), ("ankle", "0 1 0"), ("foot", "1 0 0"))):
        drop = (-0.15, -0.4, -0.35, 0.0)[i]
        shape = {
            "shin": f'<mesh filename="{mesh}"/>',
            "foot": '<box size="0.2 0.08 0.02"/>',
        }.get(part, '<cylinder radius="0.04" length="0.05"/>')
        place = {"shin": "0 0 -0.17", "foot": "0.02 0 -0.06"}.get(part, "0 0 0")
        mass = (
            ""
            if part == "ankle"
            else (
                '<inertial><mass value="2"/>'
                '<inertia ixx="0.01" iyy="0.01" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>'
            )
        )
        rows += f"""<link name="{side}_{part}">{mass}
            <visual><origin xyz="{place}"/><geometry>{shape}</geometry></visual>
            <collision><origin xyz="{place}"/><geometry>{shape}</geometry></collision></link>
          <joint name="{side}_{part}_joint" type="revolute"><parent link="{parent}"/><child link="{side}_{part}"/>
            <origin xyz="0 {y if i == 0 else 0} {drop}"/><axis xyz="{axis}"/>
            <limit lower="-1" upper="1" effort="{50 + i}" velocity="5"/></joint>"""
        parent = f"{side}_{part}"
    return rows


def test_a_urdf_floats_finds_its_meshes_and_gets_motors(tmp_path, no_picture):
    robot = robots.load(urdf(tmp_path / "acme"))
    model = robot.model()
    assert (robot.base, model.jnt_type[0]) == ("trunk", mujoco.mjtJoint.mjJNT_FREE)
    assert [p.body for p in robot.places] == ["left_foot", "right_foot"]
    assert model.actuator_ctrlrange[:, 1].tolist() == [50, 51, 52, 53] * 2
    assert model.body("trunk").mass[0] == 10
    assert (model.body_mass[1:] > 0).all()
    assert np.all(2 * model.body_inertia.max(axis=1) <= model.body_inertia.sum(axis=1) * (1 + 1e-9)), "inertias can be"
    mounted = robots.mount(robot, SOFT, offset=0.0, pitch=0.0)
    out = mounted.export(tmp_path / "out")
    ours, _ = trajectory(exporting.scene_spec(mounted).compile(), "home", 0.4)
    theirs, data = trajectory(mujoco.MjModel.from_xml_path(str(out / "scene.xml")), "home", 0.4)
    assert np.array_equal(ours, theirs)
    assert warnings(data) == 0
    foot = mounted.model().body("left/heel")
    assert foot.mass[0] == pytest.approx(SOFT.model().body("heel").mass[0]), "bounds of the robot's masses stay away"


def test_a_urdf_has_the_mass_that_it_states_and_stands_on_its_feet_whatever_is_above_its_base(tmp_path):
    box = '<geometry><box size="0.1 0.1 0.1"/></geometry>'
    camera = f"""<link name="camera"><visual>{box}</visual><collision>{box}</collision></link>
      <joint name="mount" type="fixed"><parent link="trunk"/><child link="camera"/><origin xyz="0.2 0 0.3"/></joint>"""
    footprint = """<link name="base_footprint"/><joint name="up" type="fixed"><parent link="base_footprint"/>
      <child link="trunk"/><origin xyz="0 0 0.95"/></joint>"""
    head = '<?xml version="1.0" encoding="ISO-8859-1"?><!-- \u00e9 -->'
    plain = robots.load(urdf(tmp_path / "plain"))
    robot = robots.load(urdf(tmp_path / "acme", head=head, more=camera + footprint))
    masses = [r.model().body_subtreemass[r.model().body(r.base).id] for r in (plain, robot)]
    assert masses == pytest.approx([22, 22], abs=2e-3), "trunk and six links of 2 kg; a camera is not made of water"
    assert robot.base == "trunk"
    assert [p.body for p in robot.places] == ["left_foot", "right_foot"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mesh": "package://acme/meshes/gone.stl"}, "gone.stl.*left_shin.*1 more"),
        ({"mesh": "package://acme/meshes/shin.dae"}, "is missing"),
        ({"base": "world"}, "fixed base"),
        ({"more": '<link name="stray"/>'}, "not one tree.* stray, trunk: leave"),
    ],
)
def test_a_broken_urdf_is_refused(options, says, tmp_path):
    with pytest.raises(InvalidInput, match=says):
        robots.load(urdf(tmp_path / "acme", **options))


def test_files_that_are_no_robots_are_refused(tmp_path):
    (tmp_path / "broken.urdf").write_text("<robot><link")
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody><body")
    (tmp_path / "empty").mkdir()
    for name in ("broken.urdf", "broken.xml", "empty"):
        with pytest.raises(InvalidInput, match=name.partition(".")[0]):
            robots.load(tmp_path / name)


def test_a_file_that_is_missing_is_not_replaced_by_another_of_its_name(tmp_path):
    (tmp_path / "walker.xml").write_text(xml(Made()))
    assert robots.load(tmp_path / "walker").name == "walker"
    for name in ("walker.urdf", "walker.v2"):
        with pytest.raises(InvalidInput, match=f"{name}' is not known"):
            robots.load(tmp_path / name)
    (tmp_path / "walker.v2.xml").write_text(xml(Made()))
    assert robots.load(tmp_path / "walker.v2").name == "walker.v2"


def test_a_robot_that_was_exported_on_such_feet_does_not_get_a_second_pair(tmp_path, no_picture):
    folder = robots.mount(spec(Made()), FLAT).export(tmp_path / "out")
    again = robots.load(folder)
    assert [place.name for place in again.places] == ["left", "right"]
    with pytest.raises(InvalidInput, match="already has names that begin with 'left/'.*as it was before"):
        robots.mount(again, FLAT)


def test_a_spec_with_files_in_memory_is_exported(tmp_path, no_picture):
    made = spec(Made(foot="mesh"))
    robot = robots.mount(made, FLAT)
    folder = robot.export(tmp_path / "out")
    assert not (folder / "assets").exists()
    assert mujoco.MjModel.from_xml_path(str(folder / "made.xml")).nv == robot.model().nv


def test_keyframes_come_from_the_scene_if_the_robot_has_none(tmp_path):
    folder = unknown(tmp_path / "acme_walker", Made(keyframes=False))
    model = robots.load(folder).model()
    qpos = " ".join(str(v) for v in [0, 0, 0.83, *model.qpos0[3:]])
    scene = (folder / "scene.xml").read_text()
    key = f'<keyframe><key name="ready" qpos="{qpos}"/></keyframe></mujoco>'
    (folder / "scene.xml").write_text(scene.replace("</mujoco>", key))
    robot = robots.load(folder)
    assert robot.model().nkey == 1
    assert robot.model().key("ready").qpos[2] == 0.83
    assert robot.keyframe == "ready"


def test_a_floor_touches_what_the_robot_lets_be_touched(tmp_path, no_picture):
    robot = robots.mount(spec(Made(masks=(2, 4))), FLAT)
    folder = robot.export(tmp_path / "out")
    floor = mujoco.MjModel.from_xml_path(str(folder / "scene.xml")).geom("floor")
    assert (int(floor.contype[0]), int(floor.conaffinity[0])) == (5, 3)
    assert '"floor" type="plane"' in (folder / "scene.xml").read_text()


def test_top_defaults_of_a_robot_survive_the_file(tmp_path, no_picture):
    default = (
        '<geom type="capsule" contype="0" conaffinity="0" condim="1" solref="0.005 1" group="4"/>'
        '<joint damping="7" armature="0.5"/><site size="0.1" group="5"/><equality solref="0.005 1"/>'
        '<tendon width="0.1" damping="3"/>'
    )
    for i, foot in enumerate((SOFT, feet.SoftFoot(chains=1))):
        robot = robots.mount(spec(Made(main_default=default)), foot, offset=0.0, pitch=0.0)
        folder = robot.export(tmp_path / f"out{i}")  # it compares every array
        assert mujoco.MjModel.from_xml_path(str(folder / "made.xml")).ntendon == robot.model().ntendon


def test_a_folder_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    robot = robots.mount(spec(Made()), FLAT)

    def fail(robot, path):
        raise PlantarError("no")

    monkeypatch.setattr(exporting, "_draw", fail)
    with pytest.raises(PlantarError, match="no"):
        robot.export(tmp_path / "new" / "out")
    assert list(tmp_path.iterdir()) == []
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "README.md").write_text("mine")
    with pytest.raises(PlantarError, match="no"):
        robot.export(kept, overwrite=True)
    assert [f.name for f in kept.iterdir()] == ["README.md"]
    assert (kept / "README.md").read_text() == "mine"


def test_a_file_that_mujoco_refuses_is_one_line(tmp_path, no_picture, monkeypatch):
    monkeypatch.setattr(exporting, "model_files", lambda robot: ("<mujoco><nonsense/></mujoco>", {}))
    with pytest.raises(PlantarError, match=r"made.xml.*nonsense"):
        robots.mount(spec(Made()), FLAT).export(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_of_others_stay_where_they_are(tmp_path):
    robot, out = robots.mount(spec(Made(arms=False)), FLAT), tmp_path / "out"
    (out / "assets").mkdir(parents=True)
    (out / "before.png").write_bytes(b"mine")
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("mine")
    (out / "README.md").symlink_to(elsewhere)
    robot.export(out, overwrite=True)
    assert (out / "before.png").read_bytes() == b"mine"
    assert elsewhere.read_text() == "mine"
    assert not (out / "README.md").is_symlink()


def test_a_licence_that_links_out_of_the_robots_folder_is_not_copied(tmp_path, no_picture):
    (tmp_path / "secret").write_text("key")
    folder = tmp_path / "zoo" / "walker"
    folder.mkdir(parents=True)
    (folder / "walker.xml").write_text(xml(Made()))
    (folder / "LICENSE").symlink_to(tmp_path / "secret")
    (folder / "NOTICE").symlink_to(folder.parent / "notice.txt")
    (folder.parent / "notice.txt").write_text("made for tests")
    out = robots.load(folder).export(tmp_path / "out")
    assert not (out / "LICENSE").exists()
    assert (out / "NOTICE").read_text() == "made for tests"


def test_a_body_whose_centre_of_mass_was_not_given_is_written(tmp_path, no_picture):
    made = spec(Made(keyframes=False))
    body = made.body("trunk").add_body(name="box", pos=[0, 0, 0.3])
    body.explicitinertial, body.mass, body.inertia = True, 1.0, [0.01] * 3
    robot = robots.load(made)
    written = mujoco.MjModel.from_xml_path(str(robot.export(tmp_path / "out") / "made.xml"))
    assert np.array_equal(written.body("box").ipos, robot.model().body("box").ipos)
