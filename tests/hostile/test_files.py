"""Files that were made to do harm, or by mistake: refused in a line; nothing is run, and nothing is written outside."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plantar.errors import InvalidInput
from plantar.soft.scene.file import load_scene

from .files import BOMB, to_text, wrong_data
from .ground import SCENE, lay_out
from .runner import run_case

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases are forks that are looked at through /proc")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files") / "work"
    lay_out(folder)
    return folder


def tried(path: Path, text: str) -> str:
    """What is wrong with how a scene file is taken; empty if nothing is."""
    path.write_text(text)
    try:
        load_scene(path)
    except InvalidInput as error:
        return "" if "\n" not in str(error) and len(str(error)) < 700 else f"message of {len(str(error))} letters"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def faults(path: Path, some: int | None, keep: Callable[[str, object], None]) -> list[str]:
    """Scenes with one wrong value each, and what is wrong with how they are taken."""
    found = list(wrong_data(SCENE))
    chosen = found if some is None else random.Random(3).sample(found, some)
    wrong = [f"{what}: {text}" for what, data in chosen if (text := tried(path, to_text(data)))]
    keep("hostile.scenes.tried", {"cases": len(chosen), "of": len(found), "wrong": len(wrong)})
    return wrong


def test_scenes_with_one_wrong_value(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    assert faults(tmp_path / "scene.yaml", 300, record_property) == []


@pytest.mark.long
def test_scenes_with_any_wrong_value(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    assert faults(tmp_path / "scene.yaml", None, record_property) == []


@pytest.mark.parametrize("name", ["../../evil", "/tmp/evil", "a/b", "..", "x" * 300])
@pytest.mark.parametrize("where", ["bodies", "skins", "actuators"])
def test_names_in_a_scene_lead_nowhere(place: Path, where: str, name: str) -> None:
    scene = copy.deepcopy(SCENE)
    scene[where][0]["name"] = name
    (place / "scene.yaml").write_text(to_text(scene))
    outcome = run_case(["soft", "run", "scene.yaml", "--out", "out", "--every", "1"], place, codes=(2,))
    assert outcome.faults == (), outcome.text()


def test_a_scene_of_aliases_does_not_eat_the_memory(tmp_path: Path) -> None:
    (tmp_path / "bomb.yaml").write_text(BOMB)
    with pytest.raises(InvalidInput, match="more than 1000000 values"):
        load_scene(tmp_path / "bomb.yaml")


@pytest.mark.parametrize("count", ["100000000", "1e26"])
def test_a_model_of_copies_does_not_eat_the_memory(place: Path, count: str) -> None:
    inner = "<replicate count='1000'><body><geom size='.1'/></body></replicate>"
    (place / "copies.xml").write_text(
        f"<mujoco><worldbody><replicate count='{count}'>{inner}</replicate></worldbody></mujoco>"
    )
    outcome = run_case(["robots", "show", "copies.xml"], place, codes=(2,))
    assert outcome.faults == () and "1000000 are the most" in outcome.err, outcome.text()
