"""Run a sweep again and again and kill it each time; a program of its own, so that it may fork.

python sweep_kill_driver.py OUT LOG (random KILLS | busy KILLS SEED | crash)

`random` sends SIGKILL after a random time, every second one once a row has been kept; `busy` does so to a sweep that
writes all the time; `crash` ends the process at one operation on files or the database after the other, each in a
sweep of its own. LOG tells which attempt at which sweep ran a trial, and kept its row.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet  # noqa: F401  (once, before the forks)

from plantar import sweep
from plantar.sweep import form, store
from plantar.sweep.engines import pool

ATTEMPT, SWEEP = 0, ""
BUSY_TRIALS = 1000
"""Tiny trials after which a busy sweep is killed; as many again and more may end until the kill arrives."""
LOG = Path()


def trial(config: dict, seed: int) -> dict:
    values = np.random.default_rng(seed).normal(size=2)
    time.sleep(config["nap"])
    if config["i"] % 50 == 7:
        raise ArithmeticError(f"trial {config['i']}")
    note("ran", config["i"])
    return {"mean": float(values.mean()), "values": values, "half": config["i"] // 2 if config["i"] % 2 else 0.5}


def trials(nap: float) -> sweep.Trials[dict]:
    return sweep.Trials(400 if nap else 36, lambda i: {"i": i, "nap": nap})


def attempt(out: Path, nap: float) -> None:
    """Go on with the sweep, noting which rows have been made durable."""
    global SWEEP  # noqa: PLW0603
    SWEEP = out.name
    flush = store.Store.flush

    def noting_flush(self: store.Store) -> None:
        numbers = [row[0] for row in self._waiting]
        flush(self)
        for number in numbers:
            note("kept", number)

    store.Store.flush = noting_flush  # type: ignore[method-assign]
    sweep.run(trial, trials(nap), out=out, seed=5, workers=2)


def tiny(config: dict, seed: int) -> dict:
    return {"x": seed / 7, "n": config["i"] if config["i"] % 3 else None, "text": "ü" * (config["i"] % 5)}


def busy_trials(kills: int) -> sweep.Trials[dict]:
    return sweep.Trials(3 * BUSY_TRIALS * kills, lambda i: {"i": i})


def work_busily(out: Path, kills: int) -> None:
    """Go on with a sweep of tiny trials that are written a few at a time."""
    store.WRITING_SHARE, pool.LARGEST_CHUNK = math.inf, 20
    sweep.run(tiny, busy_trials(kills), out=out, seed=5, workers=2)


def note(what: str, number: int) -> None:
    with LOG.open("a") as file:
        file.write(f"{SWEEP} {number} {ATTEMPT} {what}\n")


def forked(work: Callable[[], None], number: int) -> int:
    """Run `work` in a fork as attempt `number` and return its process."""
    global ATTEMPT  # noqa: PLW0603
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        ATTEMPT = number
        try:
            work()
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(9)
        os._exit(0)
    return process


def kill_at_random(out: Path, kills: int) -> int:
    """Kill `kills` times, then let it finish; returns how many hit a sweep at work."""
    rng, hits = random.Random(1), 0
    for number in range(kills):
        process = forked(lambda: attempt(out, 0.03), number)
        if number % 2:
            # a busy machine may not let it get anywhere in a fraction of a second
            wait_until_kept(number)
        time.sleep(rng.uniform(0.02, 0.3))
        os.kill(process, signal.SIGKILL)
        hits += os.WIFSIGNALED(os.waitpid(process, 0)[1])
    assert exit_code(forked(lambda: attempt(out, 0.03), kills)) == 0
    return hits


def kill_busy(out: Path, kills: int, seed: int) -> int:
    """Kill a sweep that writes all the time after it kept some rows, then let it finish; returns the kills."""
    rng, done = random.Random(seed), 0
    for number in range(1, kills + 1):
        process = forked(lambda: work_busily(out, kills), number)
        goal, end = done + BUSY_TRIALS, time.monotonic() + 60
        while not (out / "sweep.json").exists() or sweep.status(out)["done"] < goal:
            assert time.monotonic() < end, f"no {goal} rows"
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.02))
        os.kill(process, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(process, 0)[1])
        done = sweep.status(out)["done"]
        assert goal <= done < len(busy_trials(kills)), (goal, done)
    assert exit_code(forked(lambda: work_busily(out, kills), kills)) == 0
    return kills


def wait_until_kept(number: int) -> None:
    """Wait until attempt `number` has kept a row."""
    end = time.monotonic() + 60
    while not (LOG.exists() and f" {number} kept\n" in LOG.read_text()):
        assert time.monotonic() < end, f"attempt {number} kept nothing"
        time.sleep(0.02)


def crash_everywhere(out: Path) -> int:
    """End the process before and after its n-th operation on files, for every n, then let it finish.

    Returns how often it did, having found the same table each time.
    """
    store.WRITING_SHARE, form.BLOCK, pool.LARGEST_CHUNK = math.inf, 16, 10
    assert exit_code(forked(lambda: attempt(out / "whole", 0.0), 0)) == 0
    whole = (out / "whole" / "table.parquet").read_bytes()
    for crashes in itertools.count():
        folder = out / str(crashes)
        work = functools.partial(armed, folder, 1 + crashes // 2, bool(crashes % 2))
        code = exit_code(forked(work, 2 * crashes + 1))
        assert code in (0, 77), code
        assert exit_code(forked(functools.partial(attempt, folder, 0.0), 2 * crashes + 2)) == 0
        assert (folder / "table.parquet").read_bytes() == whole, crashes
        if code == 0:
            return crashes
    raise AssertionError


def armed(out: Path, operation: int, after: bool) -> None:
    """Go on with the sweep, and end the process at its n-th operation on files or the database."""
    count = 0

    def armed_call(real: Callable) -> Callable:
        def call(*args, **kwargs):
            nonlocal count
            count += 1
            if count == operation and not after:
                os._exit(77)
            mine = count
            try:
                return real(*args, **kwargs)
            finally:
                if mine == operation:
                    os._exit(77)

        return call

    names = ("execute", "executemany", "executescript", "close")
    calls = {name: armed_call(getattr(sqlite3.Connection, name)) for name in names}
    connection = type("Connection", (sqlite3.Connection,), calls)
    sqlite3.connect = functools.partial(sqlite3.connect, factory=connection)
    for name in ("fsync", "replace", "unlink", "mkdir"):
        setattr(os, name, armed_call(getattr(os, name)))
    attempt(out, 0.0)


def exit_code(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def main() -> None:
    global LOG  # noqa: PLW0603
    out, LOG, how, *rest = Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]
    kinds = {"random": kill_at_random, "busy": kill_busy, "crash": crash_everywhere}
    print("hits", kinds[how](out, *map(int, rest)))


if __name__ == "__main__":
    main()
