"""Presses as a sweep: the numbers of the bench itself, from Python and from the command line."""

from __future__ import annotations

import importlib.util
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plantar import settle, sweep
from plantar.bench import PressTrials, Trial, press
from plantar.bench.press import released
from plantar.bench.press.throughput import StepTrials, throughput
from plantar.cli import app as cli
from plantar.errors import Diverged, InvalidInput
from plantar.feet import SoftFoot

SHORT = 0.3
"""Long enough to touch, too short to settle [s]."""


@pytest.fixture
def command():
    """The command line."""
    return cli.run


def test_a_sweep_gives_the_bits_of_the_bench(tmp_path: Path) -> None:
    foot = SoftFoot(chains=1)
    bench = press(foot, loads=[12.0, 30.0], heights=[0.007, 0.015], positions=[1, 2, 3, 4], duration=SHORT)
    trials = sweep.grid(load=[12.0, 30.0], height=[0.007, 0.015], position=[1, 2, 3, 4])
    for engine in ("threads", "processes"):
        sweep.run(PressTrials(foot=foot, duration=SHORT), trials, engine, out=tmp_path / engine)
        table = sweep.load(tmp_path / engine)
        assert set(table.column("status")) == {"ok"}
        for name in (n for n in bench.columns if n not in ("trial", "load", "height", "position")):
            assert np.array_equal(table.column(name), bench.column(name)), name
        assert np.array_equal(table.column("config.load"), bench.column("load"))


def test_a_trial_may_change_foot_and_rig(tmp_path: Path) -> None:
    function = PressTrials(duration=SHORT)
    base = {"load": 24.0, "height": 0.011, "position": 3}
    trials = [base, base | {"foot.band.hardness": 80.0}, base | {"rig.tilt": 0.08}, base | {"foot.no": 1}]
    trials.append(base | {"foot.chain_offsets": [0.0]})
    table = sweep.run(function, trials, out=tmp_path / "run").load()
    assert table.column("status").tolist() == ["ok", "ok", "ok", "error", "ok"]
    assert "no" in table[3]["error"]
    harder = press(
        SoftFoot(chains=1).with_(band__hardness=80.0), loads=[24.0], heights=[0.011], positions=[3], duration=SHORT
    )
    assert table[1]["force_module"] == harder[0]["force_module"] != table[0]["force_module"]
    assert table[2]["force_heel"] != table[0]["force_heel"]
    assert table[1]["config.foot.band.hardness"] == 80.0 and table[0]["config.foot.band.hardness"] is None


def test_a_press_alone_is_the_press_of_a_batch() -> None:
    function = PressTrials(duration=SHORT)
    todo = [Trial(12.0, 0.007, k) for k in (1, 4, 6)]
    assert [function(trial, 0) for trial in todo] == function.run_batch(todo, [0, 0, 0])


def test_a_press_that_diverges_is_one_row_of_its_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # fast enough to count as diverged in some trials only: the heavier the load, the faster the fall
    monkeypatch.setattr(settle, "SPEED_LIMIT", 5.0)
    function = PressTrials(duration=SHORT)
    trials = [{"load": load, "height": 0.0, "position": 1} for load in (0.0, 0.0, 60.0, 0.0)]
    table = sweep.run(function, trials, out=tmp_path / "run").load()
    assert table.column("status").tolist() == ["ok", "ok", "error", "ok"]
    assert table[2]["error_type"] == "Diverged"
    assert "a press blew up" in table[2]["error"]
    assert "replay" not in table[2]["error"]
    with pytest.raises(Diverged) as alone:
        function(trials[2], 0)
    assert alone.value.dump is not None and alone.value.dump.is_dir()
    shutil.rmtree(alone.value.dump)


def test_what_is_no_press_is_refused() -> None:
    function = PressTrials()
    for config, words in (
        ({"load": 12.0, "height": 0.01}, "no 'position'"),
        ({"load": 12.0, "height": 0.01, "position": 1, "lod": 3}, "unknown field 'lod'"),
        ({"load": -1.0, "height": 0.01, "position": 1}, "load = -1.0"),
        ({"load": 1.0, "height": 0.01, "position": 1, "rig.tlt": 0.1}, "unknown field 'tlt'"),
        ({"load": 1.0, "height": 0.01, "position": 7}, "position = 7"),
        ({"load": 1.0, "height": 0.01, "position": 6, "foot.modules": 4}, "position = 6"),
    ):
        with pytest.raises(InvalidInput, match=words):
            function.check(config)


def test_throughput_has_a_row_for_every_foot_and_engine(shared: Path) -> None:
    one = StepTrials(foot=SoftFoot(chains=1), steps=20)
    released = shared / "models/menagerie/iit_softfoot/softfoot.xml"
    feet = {"one chain": one, "released": replace(one, foot=SoftFoot.published(), released=str(released))}
    table = throughput(feet, ["threads", "gpu"], seconds=0.1, workers=1)
    assert [(row["foot"], row["engine"]) for row in table] == [
        ("one chain", "threads"),
        ("one chain", "gpu"),
        ("released", "threads"),
        ("released", "gpu"),
    ]
    timed = [row for row in table if row["engine"] == "threads"]
    assert all(row["steps"] > 100 and row["real_time"] == pytest.approx(row["steps"] * 0.002) for row in timed)
    # 1 chain against 5
    assert timed[0]["steps"] > timed[1]["steps"]
    assert all("gpu" in row["note"] and row["steps"] is None for row in table if row["engine"] == "gpu")


def test_command_press_sweeps_resumes_and_shows(tmp_path: Path, command, capfd: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    args = ["sweep", "press", "load=12,24", "height=0.01", "position=2", "rig.tilt=0.02,0.05", "--duration", "0.1"]
    assert command([*args, "--out", out]) == 0
    assert "4 ok of 4 trials" in capfd.readouterr().out
    assert command([*args, "--out", out, "--json"]) == 0
    again = json.loads(capfd.readouterr().out)
    assert (again["ran"], again["counts"]) == (0, {"ok": 4})
    assert command(["sweep", "show", out]) == 0
    assert "config.rig.tilt" in capfd.readouterr().out
    assert command([*args, "rig.heel_shift=0.001", "--out", out]) == 2
    assert "holds another sweep" in capfd.readouterr().err


def test_command_press_draws_trials(tmp_path: Path, command, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    args = ["sweep", "press", "--random", "5", "load=10:100", "height=0:0.02", "--duration", "0.05", "--out", str(out)]
    assert command([*args, "--seed", "3", "--json"]) == 0
    capfd.readouterr()
    table = sweep.load(out)
    assert len(set(table.column("config.load"))) == 5
    assert all(10 <= load <= 100 for load in table.column("config.load"))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["press", "load=10:100"], "without --random"),
        (["press", "load"], "give NAME="),
        (["press", "lod=1"], "unknown field 'lod'"),
        (["press", "--random", "2", "load=a:b"], "must be numbers"),
        (["press", "--limit", "1"], "limit_s"),
        (["show", "nowhere"], "does not hold a sweep"),
        (["bench", "--engine", "steam"], "steam"),
        (["bench", "--released", "nowhere.xml"], "nowhere.xml"),
    ],
)
def test_command_refuses_in_one_line(tmp_path: Path, command, capfd, monkeypatch, args: list[str], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(["sweep", *args]) == 2
    errors = [line for line in capfd.readouterr().err.splitlines() if line.startswith("plantar: error")]
    assert len(errors) == 1 and words in errors[0]


def test_command_bench_prints_and_saves(tmp_path: Path, command, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "bench"
    args = ["sweep", "bench", "--feet", "softfoot", "--engine", "threads", "--seconds", "0.05", "--workers", "1"]
    assert command([*args, "--out", str(out), "--json"]) == 0
    rows = json.loads(capfd.readouterr().out)["rows"]
    assert rows[0]["steps"] > 100
    assert (out / "throughput.csv").is_file() and (out / "config.json").is_file()


def test_command_bench_times_every_fidelity_and_finds_the_released_foot(
    tmp_path: Path, command, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    args = ["sweep", "bench", "--engine", "threads", "--seconds", "0.01", "--workers", "1", "--feet"]
    twins = ["softfoot_published:hinge", "softfoot_published:fast"]
    monkeypatch.setenv("MENAGERIE_ROOT", str(shared / "models" / "menagerie"))
    assert command([*args, ",".join(twins), "--out", str(tmp_path / "a"), "--json"]) == 0
    rows = json.loads(capfd.readouterr().out)["rows"]
    assert [row["foot"] for row in rows] == [*twins, "released"]
    assert rows[1]["steps"] > rows[0]["steps"] > rows[2]["steps"] > 0
    monkeypatch.delenv("MENAGERIE_ROOT")
    monkeypatch.setattr(released, "_cached_folder", lambda: None)
    assert command([*args, "softfoot_published", "--out", str(tmp_path / "b"), "--json"]) == 0
    found = capfd.readouterr()
    assert [row["foot"] for row in json.loads(found.out)["rows"]] == ["softfoot_published"]
    assert "MENAGERIE_ROOT" in found.err
    assert command([*args, "softfoot_published:quick", "--out", str(tmp_path / "c")]) == 2
    assert "fidelity" in capfd.readouterr().err


def test_the_example_finds_stiffer_soles_pressing_harder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[1] / "examples" / "07_sweep.py"
    spec = importlib.util.spec_from_file_location("example_07", path)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    by_hardness, forces = example.main("threads", tmp_path)
    assert np.all(np.diff(by_hardness, axis=0) > 0) and np.all(np.diff(by_hardness, axis=1) > 0)
    assert len(set(forces)) == 40 and 0.1 < forces.std() < 3
    assert (tmp_path / "hardness.png").stat().st_size > 1000
    capsys.readouterr()
    example.main("threads", tmp_path)
    assert "0 of 15 presses" in capsys.readouterr().out
