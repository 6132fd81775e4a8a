"""The foot of docs/own_foot.md, through every room: a result, or a refusal that names it."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import mujoco
import numpy as np
import pytest

from plantar import bench, feet, ground, robots
from plantar.bench import planar
from plantar.bench.press.check_rig import on_press
from plantar.bench.press.random_press import random_presses, run_presses
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.feet import registry
from plantar.feet.timestep import check_model

PAGE = (Path(__file__).parents[1] / "docs" / "own_foot.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def foot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own_foot")
    (folder / "own_foot.py").write_text(CODE[0], encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setattr(registry, "_CLASSES", dict(registry._CLASSES))
        yield importlib.import_module("own_foot").ToeFoot()


class Kept(feet.BallFoot):
    """A foot with a joint and a keyframe."""

    def build(self) -> mujoco.MjSpec:
        spec = super().build()
        spec.body("ankle").add_body(name="toe").add_joint(name="toe")
        spec.body("toe").add_geom(size=[0.01, 0, 0])
        spec.add_key(name="bent", qpos=[0.1])
        return spec


def test_a_foot_with_a_keyframe_can_be_locked():
    model = Kept().locked().model()
    assert (model.njnt, model.nkey) == (0, 0)


def test_it_is_at_most_sixty_lines_of_code():
    assert len([line for line in CODE[0].splitlines() if line.strip()]) <= 60


@dataclass(frozen=True, kw_only=True)
class Drop(feet.Foot):
    """A foot of one tilted round geom."""

    name: ClassVar[str] = "drop"

    shape: str = "ellipsoid"
    """Its shape, in MuJoCo's words."""
    body: str = "drop"
    """Name of its body."""
    root: str = "ankle"
    """Name of its root."""
    joint: bool = False
    """Whether its root has a joint."""
    grip: float = 1.0
    """Its friction."""

    def build(self) -> mujoco.MjSpec:
        spec = mujoco.MjSpec()
        root = spec.worldbody.add_body(name=self.root)
        root.mass, root.inertia, root.ipos, root.explicitinertial = 0.1, [1e-4] * 3, [0, 0, 0], True
        if self.joint:
            root.add_joint(axis=[0, 1, 0])
        sole = root.add_body(name=self.body, pos=[0, 0, -0.1])
        kind, half = getattr(mujoco.mjtGeom, f"mjGEOM_{self.shape.upper()}"), np.pi / 8
        quat = [np.cos(half), 0, np.sin(half), 0]
        rubber = {"friction": [self.grip, 0.005, 0.0001], "mass": 0.5, "conaffinity": 2}
        sole.add_geom(name="drop", type=kind, size=[0.02, 0.03, 0.05], quat=quat, **rubber)
        return spec


@pytest.mark.parametrize(
    ("shape", "reach"),
    [
        ("ellipsoid", np.sqrt((0.02**2 + 0.05**2) / 2)),
        ("capsule", 0.02 + 0.03 * np.sqrt(0.5)),
        ("cylinder", 0.05 * np.sqrt(0.5)),
        ("box", 0.07 * np.sqrt(0.5)),
        ("sphere", 0.02),
    ],
)
def test_a_sole_reaches_as_far_as_its_tilted_colliders(shape, reach):
    sole = Drop(shape=shape).sole
    assert (sole.height, sole.front, -sole.rear) == pytest.approx((0.1 + reach, reach, reach))


def test_a_plate_like_a_foot_grips_like_what_was_built():
    assert feet.FlatFoot.like(Drop(grip=0.6)).friction == 0.6


@pytest.mark.parametrize(
    ("names", "joint", "message"),
    [
        ({"body": ""}, False, "foot 'drop' has a body that collides and has no name"),
        ({"root": "base"}, False, "foot 'drop' has not one root body 'ankle' without a joint, but 'base'"),
        ({}, True, "foot 'drop' has not one root body 'ankle' without a joint, with a joint"),
    ],
)
def test_what_keeps_a_foot_from_being_used_is_said_when_it_is_built(names, joint, message):
    """Not by an error of MuJoCo, and not by a robot that swings on its ankle."""
    with pytest.raises(InvalidInput, match=message):
        Drop(**names, joint=joint).spec()


@dataclass(frozen=True, kw_only=True)
class Cast(feet.Foot):
    """A foot whose sole is a mesh, in a file or in memory."""

    name: ClassVar[str] = "cast"

    folder: str = ""
    """Folder of the mesh; in memory if empty."""

    def build(self) -> mujoco.MjSpec:
        spec = mujoco.MjSpec()
        spec.modelfiledir = self.folder
        if not self.folder:
            spec.assets = {"wedge.obj": WEDGE}
        spec.add_mesh(name="wedge", file="wedge.obj")
        sole = spec.worldbody.add_body(name="ankle").add_body(name="sole", pos=[0, 0, -0.1])
        sole.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="wedge", mass=0.5, conaffinity=2)
        return spec


WEDGE = b"v 0.1 0.04 0\nv 0.1 -0.04 0\nv -0.1 0.04 0\nv -0.1 -0.04 0\nv -0.1 0 0.03\n"
WEDGE += b"f 1 3 4\nf 1 4 2\nf 1 2 5\nf 1 5 3\nf 2 4 5\nf 4 3 5\n"


@pytest.mark.parametrize("where", ["a file", "memory"])
def test_a_foot_of_meshes_is_exported_with_them(where, tmp_path, monkeypatch):
    monkeypatch.setattr("plantar.feet.export.draw", lambda *_: None)
    (tmp_path / "wedge.obj").write_bytes(WEDGE)
    cast = Cast(folder=str(tmp_path) if where == "a file" else "")
    folder = cast.export(tmp_path / "out").rename(tmp_path / "elsewhere")
    (tmp_path / "wedge.obj").unlink()
    scene = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    assert scene.nmesh == 1 and (folder / "assets" / "wedge.obj").read_bytes() == WEDGE


def test_feet(foot, tmp_path):
    assert feet.load(feet.save(foot, tmp_path / "foot.json")) == foot
    assert feet.get("toe_foot", mass=1.0) == foot.with_(mass=1.0)
    assert [part.body for part in foot.sole.parts] == ["sole", "toes"]
    assert (foot.sole.length, foot.sole_height) == pytest.approx((foot.length, foot.ankle_height))
    assert foot.locked().model().nv == 0
    assert foot.scaled(0.5).model().body_mass.sum() == pytest.approx(foot.mass / 8)
    folder = foot.export(tmp_path / "out")
    readme = (folder / "README.md").read_text()
    assert "# Toe foot" in readme and "`toes_force`" in readme
    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    data = mujoco.MjData(model)
    data.ctrl[:] = 300.0
    mujoco.mj_step(model, data, 1000)
    assert not any(w.number for w in data.warning)
    weight = 300.0 + foot.mass * 9.81
    assert feet.readings.ground_force(model, data, "foot/")[2] == pytest.approx(weight, rel=1e-3)
    assert check_model(on_press(foot), verify=False).stable > 0.002


def test_press_and_what_stands_on_it(foot, tmp_path):
    found = bench.press(foot, loads=(24.0,), heights=(0.007, 0.015))
    assert len(found) == 12 and found.column("settled").all()
    assert found.column("force_total") == pytest.approx(found.column("load") + found.column("weight"), rel=1e-4)
    assert found.write(tmp_path / "press").is_file()
    rows = run_presses(foot, random_presses(foot, 4))
    assert rows.block([f"split_{r}" for r in ("heel", "middle", "front")]).sum(axis=1) == pytest.approx(
        rows.column("load") + foot.mass * 9.81, rel=0.02
    )
    measured = bench.compare(found.table, foot)
    assert np.abs(measured.errors.block(["absolute_heel", "absolute_module"])).max() < 1e-9
    todo = [bench.Trial(24.0, 0.011, 3)]
    assert bench.sensitivity(foot, todo=todo, tilts=(0.03,)).column("unsettled").sum() == 0


def test_stiffness_is_that_of_its_sole(foot):
    found = bench.stiffness(foot, obstacle="flat", loads=(100.0, 300.0))
    assert foot.contact is not None
    # beside the sole the hinge is soft: the plate gives way evenly, of the toes the edge at the hinge alone is pressed
    area = (foot.length - foot.toe_length / 2) * foot.width
    assert found[1]["stiffness"] == pytest.approx(foot.contact.stiffness * area, rel=0.05)


def test_windlass_turns_the_hinge_and_nothing_else(foot, tmp_path):
    angles = np.radians([0.0, 5.0, 10.0])
    found = bench.windlass(foot, stand=200.0, angles=angles)
    assert found.column("settled").all()
    assert found.column("toe_angle_relative") == pytest.approx(angles, abs=2e-3)
    assert np.abs(found.column("arch_lift")).max() < 1e-6
    # the bar, under the middle of the toes, touches nearer to the hinge the further they turn
    angle, x, down = angles[2], foot.toe_length / 2, foot.thickness / 2 + 0.005
    lever = x * np.cos(angle) + (x * np.sin(angle) - down) * np.tan(angle)
    weight = foot.mass * foot.toe_length / foot.length * 9.81
    torque = foot.toe_stiffness * angle + weight * x
    assert found[2]["bar_force"] == pytest.approx(torque / lever * np.cos(angle), rel=0.02)
    assert found.write(tmp_path / "windlass").is_file()


def test_what_it_does_not_have_is_refused_by_its_name(foot):
    measured = bench.press(foot, loads=(24.0,), heights=(0.011,)).table
    for verb in (
        lambda: bench.reduce(foot),
        lambda: bench.calibrate(measured, foot),
        lambda: bench.windlass(foot.locked()),
        lambda: planar.press(foot),
    ):
        with pytest.raises(InvalidInput, match="foot 'toe_foot'") as error:
            verb()
        assert "\n" not in str(error.value)


def test_a_calibration_says_what_a_rigid_plate_cannot_tell(foot):
    pytest.importorskip("mujoco.sysid")
    measured = bench.press(foot, loads=(24.0,), heights=(0.011,), positions=(2, 3, 4)).table
    found = bench.calibrate(measured, foot, parameters=("rig.tilt",), folds=0)
    # held at its pitch it stands on the obstacle alone, whatever the pitch is
    assert not found.identifiable["rig.tilt"]


def test_robots_and_walk(foot, tmp_path, capsys):
    mounted = robots.mount("biped", foot)
    balance = mounted.report().balance
    assert balance["support_rear"] < balance["centre_of_mass"] < balance["support_front"]
    assert balance["support_rear"] < balance["centre_of_pressure"] < balance["support_front"]
    file = feet.save(foot, tmp_path / "foot.json")
    words = f"walk trial biped --foot {file} --steps 2 --no-pictures --json --out {tmp_path / 'walk'}".split()
    assert run(words) == 0, capsys.readouterr().err


def test_ground_and_foothold_and_sweep(foot, tmp_path, capsys):
    assert ground.identify(robots.mount("biped", foot).spec, 0.003, stands=False).ground.solref[0] < 0
    file = feet.save(foot, tmp_path / "foot.json")
    words = f"foothold press --foot {file} --tiles 1 --footholds 1 --directions 4 --kinds flat --json"
    assert run([*words.split(), "--out", str(tmp_path / "physics")]) == 0, capsys.readouterr().err
    words = f"sweep press load=12,24 height=0.007 position=3 --foot {file} --duration 2 --workers 1 --json"
    assert run([*words.split(), "--out", str(tmp_path / "sweep")]) == 0, capsys.readouterr().err
