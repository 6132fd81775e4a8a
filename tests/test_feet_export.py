"""Exported folders: they open in plain MuJoCo, attach, and move bit for bit like the foot itself."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pytest
from feet_scenes import VARIETY, warnings

from plantar import feet
from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, SoftFoot, readings
from plantar.feet import export as exporting

FILES = {"scene.xml", "README.md", "LICENSE", "CHANGELOG.md"}


@pytest.fixture
def no_picture(monkeypatch):
    monkeypatch.setattr(exporting, "draw", lambda foot, path: None)


def trajectory(model: mujoco.MjModel, steps: int, seed: int = 0) -> tuple[np.ndarray, mujoco.MjData]:
    """State and sensors of every step under a noisy load."""
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(steps):
        data.ctrl[:] = rng.uniform(*model.actuator_ctrlrange.T)
        mujoco.mj_step(model, data)
        rows.append(np.concatenate([data.qpos, data.qvel, data.sensordata, [data.ncon]]))
    return np.array(rows), data


def name_of(kind: str) -> str:
    return kind.replace(" ", "_")


@pytest.mark.parametrize("kind", VARIETY)
def test_the_exported_scene_moves_bit_for_bit_like_the_foot(kind, tmp_path, no_picture, record_property):
    foot = VARIETY[kind]
    folder = foot.export(tmp_path / "foot")
    ours, _ = trajectory(exporting.scene_spec(foot).compile(), 500)
    theirs, data = trajectory(mujoco.MjModel.from_xml_path(str(folder / "scene.xml")), 500)
    record_property(f"softfoot.foot_export.{name_of(kind)}_apart", float(np.abs(ours - theirs).max()))
    assert np.array_equal(ours, theirs)
    assert np.isfinite(ours).all()
    assert ours[:, -1].max() > 0, "the foot never touched the floor"
    assert feet.load(folder / f"{foot.name}.json") == foot


@pytest.mark.parametrize("kind", VARIETY)
def test_the_exported_model_alone_is_the_same_model(kind):
    foot = VARIETY[kind]
    ours = exporting.file_spec(foot).compile()
    theirs = mujoco.MjModel.from_xml_string(exporting.model_xml(foot))
    arrays = [n for n in dir(ours) if not n.startswith("_") and isinstance(getattr(ours, n), np.ndarray)]
    assert len(arrays) > 200
    assert [n for n in arrays if not np.array_equal(getattr(ours, n), getattr(theirs, n))] == []


@pytest.mark.parametrize("kind", VARIETY)
def test_two_seconds_of_noisy_actuation_raise_no_warning(kind, tmp_path, no_picture, record_property):
    folder = VARIETY[kind].export(tmp_path / "foot")
    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    _, data = trajectory(model, round(2.0 / model.opt.timestep), seed=1)
    record_property(f"softfoot.foot_export.{name_of(kind)}_warnings", warnings(data))
    assert warnings(data) == 0
    assert readings.ground_force(model, data, "foot/")[2] > 0


def test_the_exported_foot_attaches_to_another_model_twice(tmp_path, no_picture):
    SoftFoot().export(tmp_path / "foot")
    robot = tmp_path / "robot.xml"
    robot.write_text("""
      <mujoco>
        <asset><model name="foot" file="foot/softfoot.xml"/></asset>
        <worldbody>
          <body name="shin_left" pos="0 .1 .5"><attach model="foot" body="ankle" prefix="left/"/></body>
          <body name="shin_right" pos="0 -.1 .5"><attach model="foot" body="ankle" prefix="right/"/></body>
        </worldbody>
      </mujoco>""")
    model = mujoco.MjModel.from_xml_path(str(robot))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert (model.nv, model.neq, model.ntendon) == (184, 100, 10)
    assert np.allclose(data.body("left/ankle").xpos, [0, 0.1, 0.5])
    assert np.allclose(data.body("right/ankle").xpos, [0, -0.1, 0.5])
    assert model.sensor("right/heel_force").dim[0] == 3


@pytest.mark.parametrize("kind", ["default", "flat", "ball"])
def test_the_folder_is_complete_and_says_what_it_is(kind, tmp_path, no_picture):
    foot = VARIETY[kind]
    folder = foot.export(tmp_path / "deep" / "foot")
    assert {p.name for p in folder.iterdir()} == FILES | {f"{foot.name}.xml", f"{foot.name}.json"}
    readme = (folder / "README.md").read_text()
    assert "MuJoCo 4.0 or later" in readme
    assert "1. " in readme and "| `friction` | 1 |" in readme
    assert "{" not in readme
    assert "Apache License" in (folder / "LICENSE").read_text()
    assert foot.fingerprint() in (folder / "CHANGELOG.md").read_text()


def test_the_model_is_written_with_default_classes_and_full_numbers():
    text = exporting.model_xml(SoftFoot(chains=1))
    root = ET.fromstring(text)
    assert {d.get("class") for d in root.iter("default")} >= {"visual", "collision", "coupling"}
    assert root.find("option") is None, "a foot leaves the options to its parent"
    stiffness = float(root.find(".//default[@class='coupling']/joint").get("stiffness"))  # type: ignore[union-attr]
    assert stiffness == SoftFoot().band.hinge_stiffness


def test_nothing_is_overwritten_unless_asked(tmp_path, no_picture):
    folder = SoftFoot(chains=1).export(tmp_path / "foot")
    (folder / "mine.txt").write_text("keep")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(InvalidInput, match="already holds files"):
        SoftFoot(chains=2).export(folder)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    SoftFoot(chains=2).export(folder, overwrite=True)
    assert feet.load(folder / "softfoot.json").to_dict()["chains"] == 2
    assert (folder / "mine.txt").read_text() == "keep"


@pytest.mark.parametrize("folder", ["/proc/plantar", "file"])
def test_a_folder_that_cannot_be_written_is_refused(folder, tmp_path, no_picture):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidInput, match="output folder"):
        SoftFoot(chains=1).export(tmp_path / folder)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_picture_comes_with_the_folder(tmp_path: Path):
    folder = SoftFoot(chains=1).export(tmp_path / "foot")
    picture = folder / "softfoot.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10_000


def test_a_foot_without_a_picture_is_still_whole(tmp_path, monkeypatch, caplog):
    from plantar.show import picture

    monkeypatch.setattr(picture, "render", lambda *args, **kwargs: None)
    folder = SoftFoot(chains=1).export(tmp_path / "foot")
    assert not (folder / "softfoot.png").exists()
    assert [r.getMessage() for r in caplog.records if "picture" in r.getMessage()] == [
        "no picture of the foot: it cannot be drawn here"
    ]
    mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))


BUILDS = [(name, fidelity) for name in feet.names() for fidelity in feet.get(name).fidelities]
"""Every registered foot in every build."""


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize(("name", "fidelity"), BUILDS)
def test_every_export_opens_in_plain_mujoco_and_steps_two_seconds(name, fidelity, rigid, tmp_path, no_picture):
    foot = feet.get(name, fidelity=fidelity, rigid=rigid)
    folder = foot.export(tmp_path / "foot")
    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    data = mujoco.MjData(model)
    data.ctrl[:] = 200.0
    mujoco.mj_step(model, data, round(2.0 / model.opt.timestep))
    assert warnings(data) == 0
    carried = 200.0 + float(model.body("slider").subtreemass[0]) * 9.81
    assert readings.ground_force(model, data, "foot/")[2] == pytest.approx(carried, rel=0.02)
    # what the README says is there is there
    readme = (folder / "README.md").read_text()
    claimed = re.findall(
        r"^- `([\w<>]+)`", readme.partition("## Sensors")[2].partition("## How")[0], flags=re.MULTILINE
    )
    there = {re.sub(r"\d+", "<n>", model.sensor(i).name.removeprefix("foot/")) for i in range(model.nsensor)}
    assert set(claimed) == there
    assert f"| sensors | {model.nsensor} |" in readme


@pytest.mark.parametrize("friction", [0.5, 1.0])
def test_the_contact_of_the_exported_foot_is_that_of_its_scene(friction, tmp_path, no_picture):
    foot = FlatFoot(friction=friction)
    model = mujoco.MjModel.from_xml_path(str(foot.export(tmp_path / "foot") / "scene.xml"))
    data = mujoco.MjData(model)
    data.ctrl[:] = 400.0
    mujoco.mj_step(model, data, 1500)
    pressure = (400.0 + foot.mass * 9.81) / (foot.length * foot.width)
    assert foot.contact is not None
    depth = readings.contact_points(model, data, "foot/").depth
    assert depth == pytest.approx(np.full(4, pressure / foot.contact.stiffness), rel=0.05)
