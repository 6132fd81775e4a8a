"""Sweeps: what becomes of every kind of trial, on every engine, however often they are interrupted."""

from __future__ import annotations

import csv
import functools
import io
import json
import math
import os
import sys
import time
from dataclasses import make_dataclass
from pathlib import Path

import numpy as np
import pytest
import sweep_functions as functions
from sweep_functions import BAD_RESULTS, numbered

from plantar import sweep
from plantar.errors import InvalidInput, MissingExtra, PlantarError
from plantar.sweep import form, store
from plantar.sweep.engines import gpu, pool
from plantar.table import Table


def run(function: object, trials: object, out: Path, **more: object) -> Table:
    return sweep.run(function, trials, out=out, **more).load()


def bits(out: Path) -> bytes:
    return (out / "table.parquet").read_bytes() + (out / "table.csv").read_bytes()


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks and blocks of a few rows, written as they come, so that small sweeps have many."""
    monkeypatch.setattr(store, "WRITING_SHARE", math.inf)
    monkeypatch.setattr(form, "BLOCK", 10)
    monkeypatch.setattr(pool, "LARGEST_CHUNK", 3)


def test_a_row_holds_seed_varying_config_and_result(tmp_path: Path) -> None:
    trials = [functions.Point(x=float(i)) for i in range(5)]
    result = sweep.run(functions.add, trials, out=tmp_path / "run")
    assert (result.trials, result.ran, result.failed, result.counts) == (5, 5, 0, {"ok": 5})
    row = result.load()[3]
    seed = sweep.trial_seed(0, 3)
    assert row == {
        "trial": 3,
        "seed": seed,
        "status": "ok",
        "error_type": None,
        "error": None,
        "config.x": 3.0,
        "total": 5.0,
        "parts": [3.0, 2.0],
    }


def test_whatever_goes_wrong_in_a_trial_is_a_row(tmp_path: Path) -> None:
    table = run(functions.misbehave, numbered(30), tmp_path / "run")
    assert table.column("trial").tolist() == list(range(30))
    states = dict(zip(table.column("trial").tolist(), table.column("status").tolist(), strict=True))
    assert {i for i, s in states.items() if s == "error"} == {3, 4}
    assert {i for i, s in states.items() if s == "bad_result"} == set(BAD_RESULTS)
    assert table.columns[-2:] == ["x", "values"]
    assert (table[3]["error_type"], table[3]["error"], table[3]["x"]) == ("ValueError", "unlucky number", None)
    assert table[4]["error_type"] == "SystemExit"
    assert "returned 5" in table[5]["error"]
    assert "NaN" in table[8]["error"]
    assert "other" in table[9]["error"] and "'values', 'x'" in table[9]["error"]
    assert "object" in table[10]["error"]
    assert "'seed'" in table[11]["error"]
    assert "64 bits" in table[12]["error"]
    assert "4096" in table[13]["error"]
    assert "names" in table[14]["error"] or "name" in table[14]["error"]
    assert table[29]["values"] == [29.0, 0.1]


def test_a_trial_that_hangs_or_kills_its_process_is_a_row_and_the_others_run(tmp_path: Path) -> None:
    start = time.monotonic()
    table = run(functions.break_down, numbered(30), tmp_path / "run", engine="processes", limit_s=1.0, workers=2)
    assert time.monotonic() - start < 45
    states = table.column("status").tolist()
    assert (states[1], states[2]) == ("died", "timeout")
    assert [s for i, s in enumerate(states) if i not in (1, 2)] == [
        row["status"] for i, row in enumerate(run(functions.misbehave, numbered(30), tmp_path / "b")) if i not in (1, 2)
    ]


def test_engines_orders_and_interruptions_give_the_same_bits(tmp_path: Path, small_steps: None) -> None:
    trials = numbered(45)
    run(functions.misbehave, trials, tmp_path / "threads", workers=3)
    run(functions.misbehave, trials, tmp_path / "processes", engine="processes", workers=2, recycle=15)
    assert bits(tmp_path / "threads") == bits(tmp_path / "processes")
    for _ in range(4):
        with pytest.raises(KeyboardInterrupt):
            sweep.run(functions.misbehave, trials, out=tmp_path / "broken", progress=stop_after(5))
    run(functions.misbehave, trials, tmp_path / "broken", workers=1)
    assert bits(tmp_path / "broken") == bits(tmp_path / "threads")


def stop_after(count: int):
    """Something that stands in for Ctrl-C once `count` trials have ended."""
    ended = 0

    def progress(more: int) -> None:
        nonlocal ended
        ended += more
        if ended >= count:
            raise KeyboardInterrupt

    return progress


def test_a_finished_trial_is_never_run_again(tmp_path: Path, small_steps: None) -> None:
    trials = numbered(40, log=str(tmp_path / "log"))
    with pytest.raises(KeyboardInterrupt):
        sweep.run(functions.log_run, trials, out=tmp_path / "run", workers=1, progress=stop_after(10))
    before = sweep.load(tmp_path / "run").column("trial").tolist()
    assert 10 <= len(before) < 40
    (tmp_path / "log").write_text("")
    result = sweep.run(functions.log_run, trials, out=tmp_path / "run", workers=1)
    again = [int(line) for line in (tmp_path / "log").read_text().split()]
    assert sorted(again + before) == list(range(40))
    assert result.ran == 40 - len(before)
    assert sweep.run(functions.log_run, trials, out=tmp_path / "run").ran == 0


def test_rows_can_be_read_while_the_sweep_is_under_way(tmp_path: Path, small_steps: None) -> None:
    out, seen = tmp_path / "run", []
    sweep.run(functions.draw, numbered(60), out=out, workers=1, progress=lambda _: seen.append(len(sweep.load(out))))
    assert 0 < seen[0] < 60 and seen == sorted(seen)
    assert sweep.status(out)["done"] == 60


def test_failed_trials_are_run_again_only_if_asked(tmp_path: Path) -> None:
    fails = tmp_path / "fails"
    fails.touch()
    trials = numbered(20, log=str(tmp_path / "log"), fails=str(fails))
    first = sweep.run(functions.log_run, trials, out=tmp_path / "run")
    assert first.counts == {"ok": 10, "error": 10}
    fails.unlink()
    assert sweep.run(functions.log_run, trials, out=tmp_path / "run").ran == 0
    second = sweep.run(functions.log_run, trials, out=tmp_path / "run", retry=["error"])
    assert (second.ran, second.counts) == (10, {"ok": 20})
    assert second.load().column("x").tolist() == list(range(20))


def test_a_folder_of_another_sweep_is_refused_and_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(functions.draw, numbered(5), out, seed=1)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    others = {
        "trials": (functions.draw, numbered(6), {"seed": 1}),
        "trials differ": (functions.draw, numbered(5, extra=1), {"seed": 1}),
        "seed": (functions.draw, numbered(5), {"seed": 2}),
        "function": (functions.nap, numbered(5), {"seed": 1}),
        "version": (functions.draw, numbered(5), {"seed": 1, "version": "2"}),
    }
    for what, (function, trials, more) in others.items():
        with pytest.raises(InvalidInput, match=f"holds another sweep.*{what}"):
            sweep.run(function, trials, out=out, **more)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidInput, match="already holds files"):
        sweep.run(functions.draw, numbered(5), out=tmp_path / "mine")
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_two_runs_cannot_share_a_folder(tmp_path: Path) -> None:
    out, caught = tmp_path / "run", []

    def intrude(_: int) -> None:
        with pytest.raises(InvalidInput, match="in use") as error:
            sweep.run(functions.draw, numbered(9), out=out)
        caught.append(error)

    sweep.run(functions.draw, numbered(9), out=out, progress=intrude)
    assert caught


def test_objects_and_partial_functions_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    run(functions.Batched(offset=1.0), numbered(3), tmp_path / "a")
    with pytest.raises(InvalidInput, match="another sweep"):
        run(functions.Batched(offset=2.0), numbered(3), tmp_path / "a")
    run(functools.partial(functions.draw), numbered(3), tmp_path / "b")
    assert len(run(functools.partial(functions.draw), numbered(3), tmp_path / "b")) == 3


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_one_bad_trial_does_not_spoil_its_batch(tmp_path: Path, engine: str) -> None:
    table = run(functions.Batched(), numbered(40), tmp_path / "run", engine=engine)
    wrong = {row["trial"]: row["error"] for row in table if row["status"] != "ok"}
    assert wrong == {13: "13 is in the batch", 17: "'seventeen'"}
    assert table[39]["square"] == 1521
    assert table[39]["seed_"] == sweep.trial_seed(0, 39)


def test_a_batch_that_hangs_or_dies_is_taken_apart(tmp_path: Path) -> None:
    more = {"engine": "processes", "limit_s": 0.8, "workers": 2}
    table = run(functions.BatchedCrash(), numbered(16), tmp_path / "run", **more)
    assert {row["trial"]: row["status"] for row in table if row["status"] != "ok"} == {5: "died", 9: "timeout"}


def test_seeds_follow_from_sweep_seed_and_number_alone() -> None:
    seeds = [sweep.trial_seed(7, i) for i in range(3000)]
    assert len(set(seeds)) == 3000
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seeds[2000] == sweep.trial_seed(7, 2000) != sweep.trial_seed(8, 2000)
    # independent draws have no memory: neighbours agree on half their bits
    agreeing = [62 - (a ^ b).bit_count() for a, b in zip(seeds, seeds[1:], strict=False)]
    assert abs(float(np.mean(agreeing)) - 30.5) < 0.5


def test_trials_may_be_made_when_asked_for(tmp_path: Path) -> None:
    made: list[int] = []

    def make(index: int) -> dict[str, int]:
        made.append(index)
        return {"i": index}

    lazy = sweep.Trials(30, make)
    assert made == []
    run(functions.draw, lazy, tmp_path / "lazy")
    run(functions.draw, numbered(30), tmp_path / "list")
    assert bits(tmp_path / "lazy") == bits(tmp_path / "list")
    grid = sweep.grid({"rig.tilt": [0.1, 0.2]}, load=[1, 2, 3])
    assert len(grid) == 6
    assert grid[0] == {"rig.tilt": 0.1, "load": 1} and grid[-1] == {"rig.tilt": 0.2, "load": 3}
    draws = sweep.sample(500, 3, load=(10.0, 500.0), shape=["box", "sphere"])
    loads = [draw["load"] for draw in draws]
    assert 10 <= min(loads) < 30 and 480 < max(loads) <= 500
    assert draws[17] == sweep.sample(18, 3, load=(10.0, 500.0), shape=["box", "sphere"])[17]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sweep.grid(load=12), "load = 12 .*list of values"),
        (lambda: sweep.grid(material="rubber"), "material = 'rubber' .*list of values"),
        (lambda: sweep.grid([1, 2]), r"values = \[1, 2\] .*mapping"),
        (lambda: sweep.sample(3, 0, shape="box"), "shape = 'box'"),
        (lambda: sweep.sample(3, 0, load=12), "load = 12"),
        (lambda: sweep.sample(3, 0, load=("a", "b")), r"load = \('a', 'b'\).*finite numbers"),
        (lambda: sweep.sample(3, 0, load=(0, math.inf)), r"load = \(0, inf\).*finite numbers"),
        (lambda: sweep.sample(3, 0, load=(2, 1)), r"load = \(2, 1\)"),
        (lambda: sweep.sample(3, 0, load=[]), "load = .*at least one"),
        (lambda: sweep.sample(3, -1, load=(0, 1)), "seed = -1"),
        (lambda: sweep.Trials(3, 5), "make = 5"),
        (lambda: sweep.tables(3), "out = 3"),
    ],
)
def test_axes_that_cannot_be_used_are_named(make, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"engine": "fork"}, "engine = 'fork'.*'threads'"),
        ({"trials": (i for i in range(3))}, "trials = generator.*Trials"),
        ({"trials": []}, "trials.*at least one"),
        ({"trials": [{"i": 1}, 5]}, "trial 1 is a int"),
        ({"trials": [{"i": object()}]}, "trial 0 cannot be used: i is a object"),
        ({"limit_s": 1.0}, "limit_s = 1.0.*'threads'.*engine='processes'"),
        ({"limit_s": -1.0, "engine": "processes"}, "limit_s = -1.0"),
        ({"retry": ["never"]}, "retry = 'never'.*'timeout'"),
        ({"workers": 0}, "workers = 0"),
        ({"workers": "2"}, "workers = '2'"),
        ({"attempts": None}, "attempts = None"),
        ({"retry": 5}, "retry = 5.*timeout"),
        ({"limit_s": "2", "engine": "processes"}, "limit_s = '2'"),
        ({"trials": [make_dataclass("Local", ["i"])(1)], "engine": "processes"}, "trials of the class Local cannot go"),
        ({"seed": -1}, r"seed, index = \(-1, 0\)"),
        ({"seed": 1.5}, r"seed, index = \(1.5, 0\)"),
        ({"address": "auto"}, "address = 'auto'.*engine='ray'"),
        ({"function": lambda c, s: {}, "engine": "processes"}, "cannot go to another process.*top of a module"),
        ({"function": 5}, "function = 5"),
        ({"engine": "gpu"}, "draw, which has no method run_batch_gpu"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_written(tmp_path: Path, more: dict, words: str) -> None:
    arguments = {"function": functions.draw, "trials": numbered(3), **more}
    with pytest.raises(InvalidInput, match=words):
        sweep.run(**arguments, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_gpu_is_refused_by_name_or_runs_the_gpu_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_gpu() -> Table:
        return run(functions.Batched(), numbered(5), tmp_path / "run", engine="gpu")

    monkeypatch.setattr("plantar._extras.importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"mujoco_warp.*plantar\[gpu\]"):
        run_gpu()
    monkeypatch.setattr("plantar._extras.importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr(gpu, "count_gpus", lambda: 0)
    with pytest.raises(InvalidInput, match="no NVIDIA GPU"):
        run_gpu()
    assert not (tmp_path / "run").exists()
    monkeypatch.setattr(gpu, "count_gpus", lambda: 1)
    assert run_gpu().column("square").tolist() == [0.0, 1.0, 4.0, 9.0, 16.0]


def test_ray_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plantar._extras.importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"ray.*plantar\[cluster\]"):
        sweep.run(functions.draw, numbered(3), engine="ray", out=tmp_path / "run")


def test_a_function_that_workers_cannot_import_is_an_error_not_a_hang(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "passing.py").write_text("def trial(config, seed):\n    return {'x': 1}\n")
    monkeypatch.syspath_prepend(tmp_path)
    import passing  # type: ignore[import-not-found]

    (tmp_path / "passing.py").write_text("raise ImportError('gone')\n")
    with pytest.raises(InvalidInput, match="cannot be run by a worker.*gone"):
        sweep.run(passing.trial, numbered(3), engine="processes", out=tmp_path / "run")


def test_workers_that_never_start_are_an_error_not_a_hang(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("plantar.sweep.engines.processes.serve", os._exit)
    with pytest.raises(PlantarError, match="workers die while they start"):
        sweep.run(functions.draw, numbered(3), engine="processes", out=tmp_path / "run")


def test_without_pyarrow_the_table_is_csv_and_the_rows_are_the_same(
    tmp_path: Path, small_steps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_arrow = run(functions.misbehave, numbered(40), tmp_path / "arrow")
    monkeypatch.setattr("plantar.sweep.export.importlib.util.find_spec", lambda name: None)
    without = run(functions.misbehave, numbered(40), tmp_path / "csv")
    assert not list((tmp_path / "csv").rglob("*.parquet"))
    assert (tmp_path / "csv/table.csv").read_bytes() == (tmp_path / "arrow/table.csv").read_bytes()
    assert repr(list(without)) == repr(list(with_arrow))
    assert [len(table) for table in sweep.tables(tmp_path / "csv")] == [10] * 4


def test_the_files_of_the_table_hold_what_load_gives(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = run(functions.draw, numbered(30), tmp_path / "run")
    assert pq.read_table(tmp_path / "run/table.parquet").to_pylist() == list(table)
    with (tmp_path / "run/table.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [float(line["mean"]) for line in lines] == table.column("mean").tolist()
    assert [json.loads(line["values"]) for line in lines] == table.column("values").tolist()


def test_load_of_no_sweep_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not hold a sweep"):
        sweep.load(tmp_path)


def test_a_terminal_shows_pace_and_time_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    sweep.run(functions.nap, numbered(12), out=tmp_path / "tilts", workers=1)
    assert "tilts" in screen.getvalue() and "12/12" in screen.getvalue()
    assert "/s" in screen.getvalue() and "left" in screen.getvalue()
