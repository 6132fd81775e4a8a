"""Robots by the names of installed packages: mujoco-menagerie, robot_descriptions."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import types
from pathlib import Path

import pytest

from plantar.errors import InvalidInput, PlantarError
from plantar.robots.load.sources import find_file, menagerie_names, read

ROBOT = """<mujoco model="hopper"><worldbody><body name="base"><freejoint/><geom size="0.1"/>
<body name="leg" pos="0 0 -0.4"><joint/><geom size="0.05"/></body></body></worldbody></mujoco>"""


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch):
    """Make modules that can be found and imported."""

    def make(name: str, **content: object) -> None:
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
        module.__path__ = []
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)

    monkeypatch.delenv("MENAGERIE_ROOT", raising=False)
    return make


@pytest.fixture
def menagerie(install, tmp_path: Path) -> Path:
    """The package of Menagerie as it is: names without a download, a folder on first use."""
    folder = tmp_path / "cache" / "acme_hopper"

    def fetch() -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("hopper", "scene"):
            (folder / f"{name}.xml").write_text(ROBOT)
        return folder

    robot = types.SimpleNamespace(path=fetch)
    install("mujoco_menagerie", names=lambda: ["acme_hopper"], get=lambda name: robot)
    return folder


def test_names_of_the_installed_package_are_known_without_a_download(menagerie: Path) -> None:
    assert "acme_hopper" in menagerie_names()
    assert not menagerie.exists()


def test_a_robot_of_the_package_is_fetched_and_loaded(menagerie: Path) -> None:
    assert find_file("acme_hopper") == (menagerie / "hopper.xml").resolve()
    assert read("acme_hopper").spec.body("leg") is not None


def test_one_of_several_files_can_be_named(menagerie: Path) -> None:
    assert find_file("acme_hopper/scene") == (menagerie / "scene.xml").resolve()
    with pytest.raises(InvalidInput, match="has no other.xml"):
        find_file("acme_hopper/other")


def test_no_network_is_one_line(install) -> None:
    def fail() -> None:
        raise OSError("https://x:\n name resolution")

    install("mujoco_menagerie", names=lambda: ["a"], get=lambda name: types.SimpleNamespace(path=fail))
    words = "^robot 'a' of the package mujoco_menagerie cannot be fetched: https://x: name"
    with pytest.raises(PlantarError, match=words):
        find_file("a")


@pytest.mark.parametrize("kind", ["MJCF_PATH", "URDF_PATH"])
def test_robot_descriptions_are_loaded_by_the_name_of_their_module(install, tmp_path: Path, kind: str) -> None:
    (tmp_path / "hopper.xml").write_text(ROBOT)
    install("robot_descriptions")
    install("robot_descriptions.hopper_description", **{kind: str(tmp_path / "hopper.xml")})
    assert find_file("hopper_description") == (tmp_path / "hopper.xml").resolve()


def test_without_the_packages_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MENAGERIE_ROOT", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="pip install mujoco-menagerie"):
        find_file("unitree_g1")
