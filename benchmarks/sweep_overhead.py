"""What a sweep costs beside its trials: overhead of tiny trials, memory, and what a second core gives.

    python benchmarks/sweep_overhead.py [--trials 100000] [--rounds 3] [--out FILE.json]

Overhead is the time of a sweep of trials that do next to nothing, all of it: hashing the trials,
handing them out, writing rows, making the table. Memory is the largest resident size of a process that
runs such a sweep, at a tenth and at all of the trials. Scaling compares one worker with two for presses
of one second of simulated time, rounds interleaved so that a busy machine slows both alike, from the
beginning of the first trial to the end of the last. Beside it stands what two plain threads that step the
same model give, with no sweep around them: a machine that is busy cannot give more. `busy` is the share of
that time that workers were inside a trial; what they were not is all that a sweep can cost.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
from mujoco.batch import Batch

from plantar import sweep
from plantar.bench.press.press import Trial, set_initial_states
from plantar.bench.press.throughput import StepTrials
from plantar.feet import SoftFoot
from plantar.table import Row

RESIDENT = "VmHWM"


def tiny(config: dict, seed: int) -> dict:
    return {"x": 0.5 * config["i"], "y": seed % 7}


def overhead(trials: int) -> dict[str, float]:
    """Run a sweep of tiny trials; seconds a trial of wall time and of processor time, and memory of this process."""
    start, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        sweep.run(tiny, sweep.Trials(trials, lambda i: {"i": i}), "threads", out=Path(folder) / "run")
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"wall_us": 1e6 * wall / trials, "cpu_us": 1e6 * cpu / trials, "resident_mb": resident()}


def resident() -> float:
    """Largest resident size of this process so far [MB]."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith(RESIDENT))
    except OSError:  # no /proc
        import resource  # noqa: PLC0415

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def in_process_of_its_own(trials: int) -> dict[str, float]:
    """`overhead` in a fresh process, whose memory nothing else has touched."""
    command = [sys.executable, __file__, "--alone", str(trials)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def plain_threads(trials: StepTrials, count: int, seconds: float) -> float:
    """Steps a second of `count` threads that step the pressed foot, with no sweep around them."""
    model = trials.rig.spec(trials.foot).compile()
    totals = [0] * count

    def work(number: int, end: float) -> None:
        batch = Batch(model, nsim=1, nthread=1)
        set_initial_states(batch, trials.foot, trials.rig, [Trial(100.0, 0.010, 3)])
        while time.perf_counter() < end:
            batch.step(nstep=50)
            totals[number] += 50

    start = time.perf_counter()
    threads = [threading.Thread(target=work, args=(i, start + seconds)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(totals) / (time.perf_counter() - start)


@dataclass(frozen=True, kw_only=True)
class TimedTrials(StepTrials):
    """Presses that say when they ran."""

    def run_batch(self, configs: Sequence[Mapping[str, Any]], seeds: Sequence[int]) -> list[Row]:
        began = time.monotonic()
        rows = super().run_batch(configs, seeds)
        ended, share = time.monotonic(), 1 / len(rows)
        return [{**row, "began": began, "ended": ended, "busy": share * (ended - began)} for row in rows]


def time_sweep(trials: TimedTrials, engine: sweep.EngineName, workers: int, count: int) -> tuple[float, float]:
    """Steps a second, and the share of the time that workers were inside a trial."""
    with tempfile.TemporaryDirectory() as folder:
        todo = sweep.Trials(count, lambda i: {"load": 100.0 + 0.01 * i})
        table = sweep.run(trials, todo, engine, out=Path(folder) / "run", workers=workers).load()
    wall = table.column("ended").max() - table.column("began").min()
    return count * trials.steps / wall, table.column("busy").sum() / (workers * wall)


def scaling(rounds: int, seconds: float) -> dict[str, dict[str, float]]:
    """Steps a second with one and two workers, medians over rounds, and their ratio."""
    trials = TimedTrials(foot=SoftFoot(chains=1), steps=500)
    pace: dict[tuple[str, int], list[float]] = {}
    busy: dict[str, list[float]] = {}
    for _ in range(rounds):
        alone = plain_threads(trials, 1, seconds)
        pace.setdefault(("plain threads", 1), []).append(alone)
        pace.setdefault(("plain threads", 2), []).append(plain_threads(trials, 2, seconds))
        for engine in ("threads", "processes"):
            for workers in (1, 2):
                count = max(16, round(workers * seconds * alone / trials.steps))
                steps, share = time_sweep(trials, engine, workers, count)
                pace.setdefault((engine, workers), []).append(steps)
                busy.setdefault(engine, []).append(share)
    found = {}
    for engine in dict.fromkeys(engine for engine, _ in pace):
        one, two = (statistics.median(pace[engine, workers]) for workers in (1, 2))
        best = max(b / a for a, b in zip(pace[engine, 1], pace[engine, 2], strict=True))
        share = statistics.median(busy.get(engine, [1.0]))
        found[engine] = {"one": one, "two": two, "ratio": two / one, "best_ratio": best, "busy": share}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100_000, help="tiny trials")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0, help="time of each measurement of scaling")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.alone:
        print(json.dumps(overhead(args.alone)))
        return
    small, large = in_process_of_its_own(args.trials // 10), in_process_of_its_own(args.trials)
    print(f"overhead of {args.trials} tiny trials with threads: {large['wall_us']:.1f} us each "
          f"({large['cpu_us']:.1f} us of processor time)")  # fmt: skip
    print(f"memory: {small['resident_mb']:.0f} MB with {args.trials // 10} trials, "
          f"{large['resident_mb']:.0f} MB with {args.trials}")  # fmt: skip
    ratios = scaling(args.rounds, args.seconds)
    for engine, row in ratios.items():
        print(f"{engine:14s} 1 worker {row['one']:8.0f} steps/s, 2 workers {row['two']:8.0f}: "
              f"{row['ratio']:.2f} x (best round {row['best_ratio']:.2f}), busy {row['busy']:.1%}")  # fmt: skip
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{os.cpu_count()} processors, load average {busy:.1f}, MuJoCo {mujoco.__version__}")
    for name, value in (("tiny", {**large, "trials": args.trials}), ("tenth", {**small, "trials": args.trials // 10})):
        print(f"figure sweep.overhead.{name} = {json.dumps(value)}")
    print(f"figure sweep.overhead.machine = {json.dumps({'processors': os.cpu_count(), 'load': busy})}")
    for engine, row in ratios.items():
        print(f"figure sweep.overhead.{engine.replace(' ', '_')} = {json.dumps(row)}")
    if args.out:
        figures = {"small": small, "large": large, "trials": args.trials, "scaling": ratios, "load_average": busy}
        args.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
