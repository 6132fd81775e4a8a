"""Sweeps that are killed: whenever it happens, the table in the end is that of a run that was left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sweep_kill_driver as driver

import plantar
from plantar import sweep

SRC = Path(plantar.__file__).parents[1]
HERE = Path(__file__).parent
Keep = Callable[[str, object], None]

posix = pytest.mark.skipif(os.name != "posix", reason="needs fork and SIGKILL")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), str(HERE)])}


def drive(folder: Path, *how: str) -> int:
    """Run the driver and return how often it killed a sweep at work."""
    command = [sys.executable, str(HERE / "sweep_kill_driver.py"), str(folder / "run"), str(folder / "log"), *how]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(done.stdout.split()[-1])


def undisturbed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(driver, "LOG", folder / "log of the whole")
    # a shorter nap, which is the same for all trials and no column of the table
    sweep.run(driver.trial, driver.trials(1e-6), out=folder / "whole", seed=5)
    return (folder / "whole" / "table.parquet").read_bytes()


@posix
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 10))])
def test_twenty_kills_while_rows_are_being_written_change_no_bit(
    tmp_path: Path, seed: int, record_property: Keep
) -> None:
    kills = drive(tmp_path, "busy", "20", str(seed))
    trials = driver.busy_trials(20)
    sweep.run(driver.tiny, trials, out=tmp_path / "whole", seed=5)
    tables = [
        (tmp_path / run / name).read_bytes() for name in ("table.csv", "table.parquet") for run in ("run", "whole")
    ]
    same = tables[0] == tables[1] and tables[2] == tables[3]
    record_property(f"sweep.kills.busy_{seed}", {"kills": kills, "trials": len(trials), "same": same})
    assert kills == 20
    assert same


def assert_nothing_lost_or_twice(folder: Path) -> None:
    """No attempt ran a trial whose row an earlier one had kept."""
    kept: dict[tuple[str, str], int] = {}
    lines = [line.split() for line in (folder / "log").read_text().splitlines()]
    for name, trial, attempt, what in lines:
        if what == "kept":
            assert kept.setdefault((name, trial), int(attempt)) == int(attempt)
    for name, trial, attempt, what in lines:
        if what == "ran" and (name, trial) in kept:
            assert int(attempt) <= kept[name, trial], (name, trial)
    assert len({attempt for (name, _), attempt in kept.items()}) > 3


@posix
def test_twenty_kills_at_random_moments_change_no_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Keep
) -> None:
    hits = drive(tmp_path, "random", "20")
    same = (tmp_path / "run" / "table.parquet").read_bytes() == undisturbed(tmp_path, monkeypatch)
    record_property("sweep.kills.random", {"kills": hits, "trials": len(driver.trials(1.0)), "same": same})
    assert hits == 20
    assert same
    assert_nothing_lost_or_twice(tmp_path)


@posix
def test_a_kill_at_any_operation_changes_no_bit(tmp_path: Path, record_property: Keep) -> None:
    operations = drive(tmp_path, "crash")
    record_property("sweep.kills.operations", operations)
    assert operations > 40
    assert_nothing_lost_or_twice(tmp_path)


PRESSES = """
import sys
from plantar import bench, sweep
trials = sweep.sample(4000, 0, load=(10.0, 100.0), height=(0.0, 0.02), position=[1, 2, 3])
print("ready", flush=True)
sweep.run(bench.PressTrials(duration=1.0), trials, out=sys.argv[1], workers=4)
"""


@posix
def test_ctrl_c_ends_threads_that_are_inside_mujoco(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PRESSES, str(tmp_path / "run")]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None and run.stderr is not None
        run.stdout.readline()
        wait_for((tmp_path / "run" / "sweep.sqlite").exists)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        errors = run.stderr.read().decode()
    # a crash would be another signal
    assert run.returncode == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt"), errors


@posix
def test_worker_processes_end_with_a_killed_sweep(tmp_path: Path) -> None:
    code = (
        "from plantar import sweep; import sweep_functions as f\n"
        f"sweep.run(f.hang, [{{'pid': {str(tmp_path / 'pid')!r}}}], 'processes', out={str(tmp_path / 'run')!r})\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], env=environment()) as parent:
        wait_for((tmp_path / "pid").exists)
        parent.send_signal(signal.SIGKILL)
    worker = int((tmp_path / "pid").read_text())
    wait_for(lambda: not is_alive(worker))
    assert sweep.status(tmp_path / "run")["done"] == 0


def wait_for(condition, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def is_alive(number: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{number}/stat").read_text().split(")")[1][:3]
    except OSError:
        return False
