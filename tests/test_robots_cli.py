"""`plantar robots` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import pytest
from robots_made import Made, spec, xml

from plantar.cli.app import run
from plantar.robots.export import export as exporting


def said(capsys) -> tuple[str, str]:
    out = capsys.readouterr()
    return out.out, out.err


def refused(arguments: list[str], capsys, *words: str) -> None:
    assert run(["robots", *arguments]) == 2
    out, err = said(capsys)
    assert out == ""
    assert err.count("\n") == 1 and err.startswith("plantar: error: ")
    assert all(word in err for word in words), err


def test_list_names_the_built_in_robots(capsys, monkeypatch):
    monkeypatch.delenv("MENAGERIE_ROOT", raising=False)
    assert run(["robots", "list", "--json"]) == 0
    out, _ = said(capsys)
    assert {"biped", "khr3hv", "quadruped"} <= {row["name"] for row in json.loads(out)["robots"]}
    assert run(["robots", "list"]) == 0


def test_show_tells_of_legs(capsys):
    assert run(["robots", "show", "biped", "--json"]) == 0
    facts = json.loads(said(capsys)[0])
    assert facts["mass_kg"] == pytest.approx(64.25, abs=0.01)
    assert [leg["link"] for leg in facts["legs"]] == ["left_foot", "right_foot"]
    assert facts["legs"][0]["ankle_height_m"] == pytest.approx(0.0685, abs=1e-6)
    assert run(["robots", "show", "quadruped"]) == 0
    out, _ = said(capsys)
    assert "left_front_shank" in out and "the foot is the end of the shank" in out


def test_show_draws(capsys, tmp_path):
    picture = tmp_path / "biped.png"
    assert run(["robots", "show", "khr3hv", "--picture", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    said(capsys)
    refused(["show", "khr3hv", "--picture", str(picture)], capsys, "exists")
    refused(["show", "khr3hv", "--picture", str(tmp_path / "no" / "x.png")], capsys, "folder")
    refused(["show", "khr3hv", "--picture", str(tmp_path / "x.jpg")], capsys, ".png")


def test_mount_writes_a_folder(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "_draw", lambda robot, path: None)
    out = tmp_path / "out"
    options = ["--foot", "flat", "--set", "width=0.09", "--offset", "5", "--pitch", "1", "--out", str(out), "--json"]
    assert run(["robots", "mount", "biped", *options]) == 0
    record = json.loads(said(capsys)[0])
    assert record["offset"] == pytest.approx(0.005)
    assert record["pitch"] == pytest.approx(0.0174533, abs=1e-6)
    assert record["places"][0]["extent"][1] == pytest.approx([0.265, 0.09])
    assert {"biped.xml", "scene.xml", "report.json"} <= set(record["files"])
    assert mujoco.MjModel.from_xml_path(str(out / "scene.xml")).nu == 28
    refused(["mount", "biped", "--foot", "flat", "--out", str(out)], capsys, "already holds files")


def test_mount_without_a_folder_says_what_would_change(capsys):
    assert run(["robots", "mount", "quadruped", "--foot", "ball"]) == 0
    out, _ = said(capsys)
    assert "nothing except the geoms of the old feet" in out
    assert "left_hind" in out


@pytest.fixture
def bad(tmp_path: Path) -> dict[str, Path]:
    """Files of robots that cannot get feet."""
    stones = mujoco.MjSpec()
    stone = stones.worldbody.add_body(name="stone")
    stone.add_freejoint()
    stone.add_geom(size=[0.1, 0, 0])
    fixed = spec(Made(keyframes=False))
    fixed.delete(fixed.joint("root"))
    mesh = '<mujoco><asset><mesh name="m" file="gone.stl"/></asset><worldbody><body><geom type="mesh" mesh="m"/>'
    link = '<link name="a"><collision><geometry><mesh filename="package://p/gone.stl"/></geometry></collision></link>'
    texts = {
        "stone": stones.to_xml(),
        "hopper": xml(Made(legs=1, arms=False)),
        "fixed": fixed.to_xml(),
        "mesh": f"{mesh}</body></worldbody></mujoco>",
        "paths": f'<robot name="r">{link}</robot>',
        "broken": "<mujoco>",
    }
    paths = {}
    for name, text in texts.items():
        paths[name] = tmp_path / (f"{name}.urdf" if name == "paths" else f"{name}.xml")
        paths[name].write_text(text)
    return paths


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("stone", ("no legs", "ankles")),
        ("hopper", ("one foot",)),
        ("fixed", ("fixed base", "freejoint", "trunk")),
        ("mesh", ("gone.stl",)),
        ("paths", ("gone.stl", "link 'a'")),
        ("broken", ("broken.xml",)),
    ],
)
def test_robots_that_cannot_wear_feet_are_refused_in_one_line(name, words, bad, capsys, tmp_path):
    out = tmp_path / "out"
    refused(["mount", str(bad[name]), "--foot", "flat", "--out", str(out)], capsys, *words)
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mount", "nobody"], ("nobody", "biped, khr3hv, quadruped")),
        (["mount", "biped", "--foot", "flatt"], ("flatt", "flat")),
        (
            ["mount", "biped", "--foot", "flat", "--ankle", "toe", "--ankle", "left_foot"],
            ("toe", "left_foot, right_foot"),
        ),
        (["mount", "khr3hv"], ("too big", "overlap by")),
        (["mount", "biped", "--foot", "flat", "--pitch", "80"], ("--pitch = 80", "from -45 to 45 degrees")),
        (["mount", "biped", "--foot", "flat", "--offset", "900"], ("--offset = 900", "from -500 to 500 millimetres")),
        (["mount", "biped", "--foot", "flat", "--set", "widht=1"], ("widht",)),
        (["show", "nobody"], ("nobody",)),
    ],
)
def test_bad_options_are_refused_in_one_line(arguments, words, capsys):
    refused(arguments, capsys, *words)
