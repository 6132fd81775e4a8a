"""`plantar foothold`: what it writes, what it says, and how it refuses bad input."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from plantar.cli.app import run
from plantar.foothold import ElevationMap

ROOT = Path(__file__).parents[1]


@pytest.fixture
def rough(tmp_path: Path) -> str:
    heights = np.random.default_rng(0).normal(0, 0.015, (40, 40))
    path = tmp_path / "rough.npz"
    ElevationMap(heights=heights, cell=0.02, origin=(-0.39, -0.39)).save(path)
    return str(path)


def test_map(rough, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["foothold", "map", rough, "--leg", "RF", "--yaw", "0,90", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["map"] for row in record["maps"]] == ["ball foot", "softfoot_q, yaw 0°", "softfoot_q, yaw 90°"]
    assert {p.name for p in out.iterdir()} >= {"cost_1.npz", "cost_3.npz", "maps.csv", "map.png", "config.json"}
    with np.load(out / "cost_2.npz") as file:
        assert file["cost"].shape == (40, 40)
        assert int((file["reason"] == 0).sum()) == record["maps"][1]["footholds"]
    config = json.loads((out / "config.json").read_text())
    assert config["sole"]["length"] == pytest.approx(0.159, abs=1e-4)


def test_choose_draws_and_tells(rough, tmp_path, capsys):
    out = tmp_path / "out"
    args = ["foothold", "choose", rough, "--leg", "LH", "--nominal", "0.05,-0.1", "-k", "100", "--out", str(out)]
    assert run([*args, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["status"] == "found" and record["total"] == pytest.approx(record["cost"] + 100 * record["distance"])
    assert (out / "choice.png").read_bytes().startswith(b"\x89PNG")
    assert run([*args[:-1], str(tmp_path / "again")]) == 0
    assert "step to x" in capsys.readouterr().out


def test_nowhere_to_step_is_exit_code_1(rough, tmp_path, capsys):
    args = ["foothold", "choose", rough, "--leg", "RF", "--height", "1.9", "--out", str(tmp_path / "out")]
    assert run(args) == 1
    assert "no cell of the map is a foothold" in capsys.readouterr().err


def test_terrains_by_name_and_pictures(tmp_path):
    assert run(["foothold", "choose", "stairs", "--cells", "40", "--leg", "RF", "--out", str(tmp_path / "a")]) == 0
    heights = np.linspace(0, 0.2, 900).reshape(30, 30)
    ElevationMap(heights=heights, cell=0.02).save(tmp_path / "ramp.png")
    assert run(["foothold", "map", str(tmp_path / "ramp.png"), "--foot", "ball", "--out", str(tmp_path / "b")]) == 0


def test_data(tmp_path, capsys):
    out = tmp_path / "set"
    args = ["--grounds", "6", "--patches", "2", "--kinds", "flat,stairs", "--config-set", "cells=16", "--seed", "3"]
    assert run(["foothold", "data", *args, "--sensor", "lidar", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert sum(row["maps"] for row in record["splits"]) == 12
    assert {p.name for p in out.iterdir()} >= {"train.npz", "card.json", "README.md", "samples.png"}


def bad_maps(folder: Path) -> dict[str, tuple[list[str], str]]:
    np.savez(folder / "nan.npz", heights=np.full((5, 5), np.nan), cell=0.02)
    np.savez(folder / "one.npz", heights=np.zeros((1, 1)), cell=0.02)
    np.savez(folder / "inf.npz", heights=np.array([[0, np.inf], [0, 0]]), cell=0.02)
    np.savez(folder / "turned.npz", heights=np.zeros((5, 5)), cell=0.02, x=np.arange(5)[::-1] * 0.02)
    np.savez(folder / "coarse.npz", heights=np.zeros((30, 30)), cell=0.2)
    np.savez(folder / "cell.npz", heights=np.zeros((30, 30)), cell=-0.02)
    np.savez(folder / "good.npz", heights=np.zeros((30, 30)), cell=0.02)
    (folder / "junk.npz").write_bytes(b"this is no archive")
    return {
        "all NaN": (["nan.npz"], "NaN"),
        "one cell": (["one.npz"], "2 x 2"),
        "infinite": (["inf.npz"], "give finite numbers"),
        "turned": (["turned.npz"], "evenly increasing"),
        "coarse": (["coarse.npz"], "too large"),
        "cell": (["cell.npz"], "cell"),
        "junk": (["junk.npz"], "cannot be read"),
        "missing": (["missing.npz"], "does not exist"),
        "kind": (["lava"], "stairs"),
        "leg": (["good.npz", "--leg", "XX"], "LF, RF"),
        "foot": (["good.npz", "--foot", "flat"], "softfoot_q"),
        "yaw": (["good.npz", "--yaw", "left"], "--yaw"),
        "at": (["good.npz", "--at", "9,9"], "point"),
        "at2": (["good.npz", "--at", "1"], "--at"),
        "height": (["good.npz", "--leg", "RF", "--height", "-1"], "--height"),
    }


@pytest.mark.parametrize("case", ["all NaN", "one cell", "infinite", "turned", "coarse", "cell", "junk", "missing",
                                  "kind", "leg", "foot", "yaw", "at", "at2", "height"])  # fmt: skip
@pytest.mark.parametrize("command", ["map", "choose"])
def test_bad_input_is_one_line_and_exit_code_2(command, case, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args, words = bad_maps(tmp_path)[case]
    before = sorted(p.name for p in tmp_path.iterdir())
    assert run(["foothold", command, *args]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and words in message
    assert sorted(p.name for p in tmp_path.iterdir()) == before, "nothing is left behind"


def test_a_map_larger_than_memory_is_exit_code_2(rough, tmp_path, capsys, monkeypatch):
    from plantar import _memory

    monkeypatch.setattr(_memory, "free_memory", lambda: 1e4)
    monkeypatch.chdir(tmp_path)
    assert run(["foothold", "map", rough]) == 2
    assert "GB" in capsys.readouterr().err


@pytest.mark.parametrize(
    "args",
    [
        ["--kinds", "lava"],
        ["--shares", "1,1,1"],
        ["--grounds", "0"],
        ["--foot", "ball"],
        ["--config-set", "cells=one"],
        ["--set", "chains=0"],
    ],
)
def test_bad_data_options(args, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["foothold", "data", *args]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_example_finds_a_better_place():
    found = runpy.run_path(str(ROOT / "examples" / "15_foothold.py"))["main"]()
    assert found["cost"] < 0.5 * found["nominal"]
    assert found["distance"] < 0.1


def test_the_page_about_footholds_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "foothold.md").read_text(), re.DOTALL)
    assert len(blocks) == 1
    exec(blocks[0], {})
    assert "FOUND" in capsys.readouterr().out
