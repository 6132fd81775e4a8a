"""The registry: who may take a name, and feet of installed packages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import SRC

from plantar import InvalidInput, feet
from plantar.cli.app import run
from plantar.feet import registry

HOOF = '''
from dataclasses import dataclass
from typing import ClassVar
from plantar.feet import BallFoot

@dataclass(frozen=True, kw_only=True)
class Hoof(BallFoot):
    """A hoof, for tests."""

    name: ClassVar[str] = "hoof"
    horn: float = 0.004
    """Thickness of the horn [m]."""

class NoFoot:
    name = "nofoot"

@dataclass(frozen=True, kw_only=True)
class Thief(BallFoot):
    name: ClassVar[str] = "softfoot"
'''


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch):
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(registry, "_CLASSES", dict(registry._CLASSES))
    monkeypatch.setattr(registry, "_PACKAGES", {})
    registry._installed.cache_clear()
    yield
    registry._installed.cache_clear()


def package(folder: Path, **points: str) -> Path:
    """A distribution `stable` with a module `hooves`, as pip would leave it."""
    (folder / "hooves.py").write_text(HOOF)
    info = folder / "stable-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stable\nVersion: 1.0\n")
    lines = [f"{name} = {place}" for name, place in points.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{registry.GROUP}]", *lines, ""]))
    return folder


def test_only_feet_are_registered():
    for thing in (dict, int, feet.get, "softfoot", feet.Foot):
        with pytest.raises(InvalidInput, match=r"is not a foot|\.name = None is not allowed"):
            feet.register(thing)  # type: ignore[type-var, arg-type]


@pytest.mark.parametrize("name", ["softfoot", "softfoot_published", "solid"])
def test_a_name_that_is_taken_is_refused(name: str):
    thief = type("Thief", (feet.BallFoot,), {"name": name})
    before = type(feet.get(name))
    with pytest.raises(InvalidInput, match=f"Thief.name = '{name}' is taken"):
        feet.register(thief)
    assert type(feet.get(name)) is before


def test_the_same_class_may_be_registered_again():
    hoof = type("Hoof", (feet.BallFoot,), {"name": "hoof"})
    assert feet.register(hoof) is feet.register(hoof)
    assert type(feet.get("hoof")) is hoof
    again = type("Hoof", (feet.BallFoot,), {"name": "hoof"})  # as a notebook cell that is run twice
    assert type(feet.get(feet.register(again).name)) is again


@pytest.mark.parametrize(
    "text", ['{"foot": {"foot": {"foot": "flat"}}}', '{"foot": [1]}', '{"foot": null}', "[]", "3", '"flat"']
)
def test_json_that_describes_no_foot_is_refused(text: str):
    with pytest.raises(InvalidInput, match="the text"):
        feet.parse(text)


@pytest.mark.parametrize("name", ["two words", "a:b", "mine.json", "", 3])
def test_names_that_could_not_be_asked_for_are_refused(name: object):
    with pytest.raises(InvalidInput, match="letters, digits and underscores"):
        feet.register(type("Odd", (feet.BallFoot,), {"name": name}))


def test_an_installed_foot_works_by_name_everywhere(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(package(tmp_path, hoof="hooves:Hoof"))
    assert run(["feet", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["feet"]}
    hoof = {"name": "hoof", "fidelities": ["full"], "package": "stable", "what": "A hoof, for tests."}
    assert rows["hoof"] == hoof and rows["flat"]["package"] == "plantar"
    assert run(["feet", "show", "hoof", "--set", "horn=0.005", "--json"]) == 0
    foot = feet.parse(capsys.readouterr().out)
    assert foot == feet.get("hoof", horn=0.005)
    assert feet.load(feet.save(foot, tmp_path / "mine.json")) == foot
    assert run(["robots", "mount", "quadruped", "--foot", "hoof", "--json"]) == 0
    assert feet.parse(capsys.readouterr().out) == feet.get("hoof")


@pytest.mark.parametrize(
    ("point", "place", "why"),
    [
        ("hoof", "nowhere:Hoof", "ModuleNotFoundError"),
        ("hoof", "hooves:Horse", "AttributeError"),
        ("nofoot", "hooves:NoFoot", "is not a foot"),
        ("softfoot", "hooves:Thief", "is taken"),
        ("horse", "hooves:Hoof", "is called 'hoof'"),
    ],
)
def test_a_broken_entry_point_is_one_line_that_names_its_package(tmp_path: Path, point: str, place: str, why: str):
    path = str(package(tmp_path, **{point: place}))
    done = subprocess.run(
        [sys.executable, "-m", "plantar", "feet", "list", "--json"],
        env={"PYTHONPATH": f"{SRC}:{path}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names = [row["name"] for row in json.loads(done.stdout)["feet"]]
    assert names == ["ball", "flat", "softfoot", "softfoot_published", "softfoot_q", "softfoot_q_three", "solid"]
    assert done.stderr.count("\n") == 1
    assert f"the foot {point!r} of the package stable" in done.stderr and why in done.stderr


def test_a_broken_foot_that_is_asked_for_is_refused(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(package(tmp_path, mule="nowhere:Mule"))
    assert run(["feet", "show", "mule"]) == 2
    assert "unknown foot 'mule'" in capsys.readouterr().err
