"""Force-deformation curves, the commands, and the example."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from plantar.cli.app import app
from plantar.errors import Diverged, InvalidInput
from plantar.ground import Ground, HuntCrossley
from plantar.identify.curve import Drop, fall_on, forward_curve, inverse_curve, robot_curve

ROOT = Path(__file__).parents[1]
BALL = Ground(solref=(-2060.1, -90.8), solimp=(0, 0.95, 0.02, 0.5, 2))
BOX = Ground(solref=(-858.4, -87.9), solimp=(0, 0.95, 0.012, 0.5, 2))


@pytest.mark.parametrize(
    ("drop", "ground", "depth"),
    [
        (Drop(duration=0.6, timestep=4e-4), BALL, 0.010),
        (Drop(shape="box", duration=0.6, timestep=4e-4), BOX, 0.006),
        (Drop(timestep=4e-4), Ground(), None),
    ],
    ids=["ball", "box", "default"],
)
def test_drops_follow_the_analytic_law_and_come_to_rest(drop, ground, depth):
    table = forward_curve(drop, ground)
    force = table.column("force")
    assert table.column("force_law") == pytest.approx(force, rel=1e-6, abs=1e-9 * force.max())
    assert force.max() > 2 * drop.weight, "the impact is well above the weight"
    rest = drop.law(ground).static_depth(drop.weight) if depth is None else depth
    assert table[-1]["depth"] == pytest.approx(rest, rel=1e-3)


@pytest.mark.parametrize(("drop", "ground"), [(Drop(), BALL), (Drop(shape="box"), BOX), (Drop(), Ground())])
def test_the_curve_at_rest_is_analytic(drop, ground):
    table = inverse_curve(drop, ground, 0.025)
    assert table.column("force_law") == pytest.approx(table.column("force"), rel=1e-9)
    assert (np.diff(table.column("force")) > 0).all()


def test_longer_time_constants_are_softer():
    """Figure 2a: the largest force falls and the deformation grows."""
    tables = [forward_curve(Drop(duration=0.1), Ground(solref=(tc, 1.0))) for tc in (0.01, 0.02, 0.04)]
    assert (np.diff([t.column("depth").max() for t in tables]) > 0).all()
    assert (np.diff([t.column("force").max() for t in tables]) < 0).all()


def test_hunt_crossley_rests_at_the_same_depth():
    table = fall_on(HuntCrossley(stiffness=9810, damping=19620), Drop(duration=2.0))
    assert table[-1]["depth"] == pytest.approx(0.010, rel=1e-2)


def test_a_robots_curve_has_its_contacts():
    table = robot_curve("khr3hv", BOX, deepest=0.01, points=11)
    assert set(table.column("contacts")) == {8}
    assert (np.diff(table.column("force")) > 0).all()


def test_a_drop_that_blows_up_gives_no_numbers():
    """MuJoCo sets the body back and goes on, from where every number is finite."""
    with pytest.raises(Diverged, match="shorter time step"):
        forward_curve(Drop(timestep=1e-3), Ground(solref=(-1e6, -1e12)))


def test_bad_drops_name_the_field():
    with pytest.raises(InvalidInput, match="mass"):
        Drop(mass=-1)
    with pytest.raises(InvalidInput, match="deepest"):
        inverse_curve(Drop(), BALL, -0.01)


def run(*args: str, code: int = 0):
    result = CliRunner().invoke(app, ["ground", *args])
    assert result.exit_code == code, result.output
    return result


def test_identify_writes_a_ground_that_curve_accepts(tmp_path):
    out = tmp_path / "identify"
    args = ("--robot", "khr3hv", "--depth", "0.006", "--damping-ratio", "1.5", "--json", "--out", str(out))
    record = json.loads(run("identify", *args).stdout)
    assert 1e3 * record["swept_depth"] == pytest.approx(6.0, abs=0.01)
    names = {p.name for p in out.iterdir()}
    assert {"ground.json", "config.json", "contacts.csv", "curve.csv", "curve.png"} <= names
    text = (out / "config.json").read_text()
    assert str(tmp_path) not in text
    shown = run(
        "curve", "--ground", str(out / "ground.json"), "--duration", "0.05", "--json", "--out", str(tmp_path / "c")
    )
    assert json.loads(shown.stdout)["curves"][0]["analytic_error"] < 1e-9


def test_curve_shows_hunt_crossley_beside(tmp_path):
    args = ("--depth", "0.01", "--hunt-crossley", "9810,19620", "--duration", "0.05", "--out", str(tmp_path / "o"))
    assert "Hunt-Crossley" in run("curve", *args).stdout
    assert (tmp_path / "o" / "curve.png").stat().st_size > 10_000


def test_explain_and_materials_print(tmp_path):
    xml = (
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
        "<geom name='ball' size='0.1'/></body></worldbody></mujoco>"
    )
    path = tmp_path / "scene.xml"
    path.write_text(xml)
    assert "static depth" in run("explain", str(path), "floor", "ball").stdout
    assert "dry_sand" in run("materials").stdout
    run("explain", str(path), "floor", "wall", code=2)
    run("explain", str(tmp_path / "none.xml"), "floor", "ball", code=2)


@pytest.mark.parametrize(
    "args",
    [
        ("--robot", "khr3hv", "--depth", "-0.006"),
        ("--robot", "khr3hv", "--depth", "6"),
        ("--robot", "khr3hv", "--depth", "0.03"),
        ("--robot", "khr3hv"),
        ("--robot", "khr3hv", "--material", "snow"),
        ("--robot", "khr3hv", "--material", "jelly"),
        ("--robot", "no.xml", "--depth", "0.006"),
    ],
)
def test_bad_input_leaves_with_two_and_nothing_behind(tmp_path, args):
    result = run("identify", *args, "--out", str(tmp_path / "o"), code=2)
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "o").exists()


def test_the_example_runs(tmp_path):
    depths = runpy.run_path(str(ROOT / "examples" / "08_ground.py"))["main"](tmp_path / "out")
    assert 1e3 * depths["identified"] == pytest.approx(6.0, abs=0.01)
    assert 1e3 * depths["box rule"] == pytest.approx(8.90, abs=0.05)
