"""The registry of terrains: listed, drawn and commanded alike; programs and packages add their own."""

from __future__ import annotations

import dataclasses
import json
import math
from importlib import metadata

import mujoco
import numpy as np
import pytest

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.ground import Bars, ElevationMap, HeightField, RigidTerrain, Stairs, Terrain, draw, kinds, make, register
from plantar.ground.terrain import registry
from plantar.ground.terrain.pieces import Log, Piece
from plantar.ground.terrain.registry import find


def test_kinds_are_listed():
    assert set(kinds()) >= {"flat", "bars", "steps", "stairs", "slope", "stones", "rough", "patches", "course"}
    assert find("bars") is Bars


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_millimetres_and_degrees_are_not_taken_for_metres_and_radians(kind: str):
    with pytest.raises(InvalidInput, match="25"):
        draw(kind, size=25.0)


def test_the_command_writes_scene_map_and_pictures(tmp_path, capsys):
    out = tmp_path / "bars"
    assert run(["ground", "terrain", "bars", "--terrain-set", "height=0.02", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["highest"] == pytest.approx(0.02)
    files = {path.name for path in out.iterdir()}
    model = {"terrain.json", "scene.xml", "elevation.npz", "elevation.png", "picture.png", "config.json"}
    assert files - {"watch.html"} == model | {"report.html", "view.npz"}
    assert Terrain.load(out / "terrain.json") == Bars(height=0.02)
    scene = mujoco.MjModel.from_xml_path(str(out / "scene.xml"))
    assert scene.ngeom == 6
    again = tmp_path / "scan"
    assert run(["ground", "terrain", str(out / "elevation.npz"), "--no-picture", "--out", str(again)]) == 0
    assert ElevationMap.load(again / "elevation.npz").heights.max() == pytest.approx(0.02)


def test_the_command_lists_the_kinds(capsys):
    assert run(["ground", "terrain"]) == 0
    assert "stairs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["bras"], "did you mean 'bars'"),
        (["bars", "--terrain-set", "height=-1"], "height"),
        (["rough", "--sole", "0.2"], "--sole"),
        (["nowhere.npz"], "nowhere.npz"),
        (["nowhere.json"], "nowhere.json"),
        (["bars", "--cell", "-1"], "cell"),
    ],
)
def test_bad_commands_say_so_in_one_line_and_leave_nothing(arguments, word, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["ground", "terrain", *arguments, "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert said.count("\n") == 1
    assert not out.exists()


def test_all_kinds_are_drawn_by_the_same_call():
    """Another seed is another shape where there is chance, another size a harder one, and nothing lies before it."""
    for kind in ("bars", "cobbles", "plates", "rough", "trenches", "rubble", "potholes", "stairs", "slope", "stones"):
        field = find(kind).size_field  # type: ignore[attr-defined]
        size = 0.9 * getattr(make(kind), field) or 0.02
        one, other = draw(kind, seed=1, size=size), draw(kind, seed=2, size=size)
        assert one == draw(kind, seed=1, size=size) and getattr(one, field) == size
        x, y = np.meshgrid(np.linspace(0, 2, 101), np.linspace(-0.4, 0.4, 21))
        if "seed" in {f.name for f in dataclasses.fields(one)}:
            assert not np.array_equal(one.elevation(x, y), other.elevation(x, y)), kind
    for kind in ("bars", "cobbles", "plates", "stairs", "trenches", "rubble"):
        later = draw(kind, seed=1, start=1.0)
        assert np.all(later.elevation(np.linspace(-1, 0.9, 50), 0.1) == 0), kind
        assert np.any(later.elevation(np.linspace(1.0, 2, 300), 0.1) != 0), kind
    with pytest.raises(InvalidInput, match="has none"):
        draw("flat", size=0.1)
    with pytest.raises(InvalidInput, match="did you mean 'cobbles'"):
        draw("coble")


@pytest.fixture
def known(monkeypatch):
    """The registry, put back after the test."""
    kinds()
    monkeypatch.setattr(registry, "_MAKERS", dict(registry._MAKERS))


def test_a_program_registers_terrains_of_its_own(known, tmp_path):
    def dunes(height: float = 0.05, seed: int = 0) -> Terrain:
        heights = height * np.sin(np.arange(20) / 3 + seed) * np.ones((10, 1))
        return HeightField(grid=ElevationMap(heights=heights, cell=0.1))

    register("dunes", dunes)
    assert make("dunes", height=0.1).elevation(0.5, 0.5) == pytest.approx(0.1 * math.sin(5 / 3))
    assert draw("dunes", seed=3) == dunes(seed=3)
    assert Terrain.load(make("dunes").save(tmp_path / "dunes.json")) == dunes()
    with pytest.raises(InvalidInput, match="height, seed"):
        make("dunes", hight=1)
    with pytest.raises(InvalidInput, match="taken"):
        register("bars", dunes)

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class OneLog(RigidTerrain, kind="one_log"):
        radius: float = 0.05

        def pieces(self):
            return list[Piece](
                [Log(name="log", ground=self.ground, centre=(0.5, 0, 0), radius=self.radius, length=1.0)]
            )

        def extent(self):
            return (0.0, 1.0), (-0.5, 0.5)

    assert make("one_log", radius=0.02).elevation(0.5, 0.0) == pytest.approx(0.02)


def test_an_installed_package_brings_terrains(known, monkeypatch, caplog):
    points = [
        metadata.EntryPoint("package_stairs", "plantar.ground.terrain.obstacles:Stairs", registry.GROUP),
        metadata.EntryPoint("broken", "no_such_package:thing", registry.GROUP),
    ]
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: points)
    registry._installed.cache_clear()
    assert kinds()["package_stairs"] is Stairs
    assert "broken" in caplog.text and "broken" not in kinds()
    registry._installed.cache_clear()
