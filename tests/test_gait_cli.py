"""The commands about gaits: results, files, exit codes."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

pytest.importorskip("casadi")

from plantar.cli.app import run  # noqa: E402


def test_drops_are_written_and_fitted(tmp_path, capsys):
    data = tmp_path / "drops.csv"
    assert run(["gait", "drops", str(data), "--heights", "0.02,0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] > 100
    assert run(["gait", "drops", str(data)]) == 2, "nothing is overwritten"
    assert "overwrite" in capsys.readouterr().err
    out = tmp_path / "fit"
    assert run(["gait", "fit-drops", str(data), "--mass", "0.5", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["parameters"][0]["value"] == pytest.approx(1.186e6, rel=0.05)
    assert {"drops.png", "parameters.csv", "drops.csv", "config.json"} <= {f.name for f in out.iterdir()}


def test_a_gait_is_solved_and_shown(tmp_path, capsys):
    out = tmp_path / "hop"
    command = ["gait", "solve", "--contact", "hard", "--tolerance", "1e-3", "--out", str(out), "--json"]
    assert run(command) == 0
    gait = json.loads(capsys.readouterr().out)["gaits"][0]
    assert gait["status"] == "solved" and gait["violation"] < 1e-6 and gait["return_error"] < 0.01
    assert {"gait.png", "diagram.png", "1_hard.csv", "gaits.csv", "config.json"} <= {f.name for f in out.iterdir()}


def test_an_infeasible_gait_ends_with_one_and_a_reason(tmp_path, capsys):
    command = ["gait", "solve", "--contact", "hard", "--speed", "5", "--intervals", "12", "--seconds", "10"]
    assert run([*command, "--out", str(tmp_path / "no"), "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["gaits"][0]["status"] == "infeasible"
    assert captured.err.startswith("plantar: error: ") and captured.err.count("\n") == 1
    assert "average speed 5" in captured.err


@pytest.mark.parametrize(
    "command",
    [
        ["gait", "solve", "--contact", "hard", "--then", "hard"],
        ["gait", "solve", "--speed", "-1"],
        ["gait", "solve", "--intervals", "1"],
        ["gait", "sweep", "--speeds", "fast"],
        ["gait", "sweep", "--speeds=-0.3,0.5"],
        ["gait", "sweep", "--robot", "quadruped", "--starts", "canter"],
        ["gait", "solve", "--robot", "biped", "--start", "trot"],
        ["gait", "solve", "--robot", "biped", "--start", "run", "--contact", "hard"],
        ["gait", "fit-drops", "none.csv", "--mass", "1"],
        ["gait", "compare-contact", "--recorded", "none.csv"],
        ["gait", "compare-contact", "--bent", "0.1"],
    ],
)
def test_bad_input_exits_with_two_in_one_line(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(command) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_leg_is_compared(tmp_path, capsys):
    out = tmp_path / "leg"
    command = [
        "gait",
        "compare-contact",
        "--robot",
        "leg",
        "--count",
        "1",
        "--period",
        "0.6",
        "--out",
        str(out),
        "--json",
    ]
    assert run(command) == 0
    assert json.loads(capsys.readouterr().out)["better"] == "soft"
    assert (out / "feet.png").is_file()


def test_the_example_runs_and_its_numbers_hold(capsys):
    found = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "11_gait.py"))["main"]()
    assert found["soft"] == pytest.approx(0.0340, rel=0.02) and found["hard"] == pytest.approx(0.0396, rel=0.02)
    assert found["replay"] < 5e-3
    assert "1.186e+06 N/m^2" in capsys.readouterr().out
