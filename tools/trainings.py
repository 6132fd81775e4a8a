"""Several trainings on one GPU at once, which together are two to three times as fast as one after the other.

A training leaves the GPU idle while Python prepares the next step; with NVIDIA's MPS (`nvidia-cuda-mps-control`, part
of the driver, started here for these processes alone) the trainings fill each other's gaps. The list has one training
per line, `NAME: arguments of plantar learn train`; run again to resume all of them. With `--device cpu --threads 1` in
every line they share the cores of a CPU instead, as many at a time as `--at-once` says.

    python tools/trainings.py tools/g1_legs.txt --out runs/legs --minutes 9
    python tools/trainings.py tools/quadruped.txt --out runs/quadruped --at-once 2
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

COLUMNS = ("steps", "length", "falls", "track_linear_velocity", "diverged")
"""Columns of a history that are shown."""
EVERY = 60.0
"""Seconds between two reports."""


def read_list(path: Path) -> dict[str, list[str]]:
    """Arguments of each training by its name."""
    found: dict[str, list[str]] = {}
    if not path.is_file():
        sys.exit(f"{path}: no such file")
    for line in path.read_text(encoding="utf-8").splitlines():
        name, colon, words = line.partition(":")
        if not line.strip() or line.startswith("#"):
            continue
        if not colon or not name.strip().isidentifier():
            sys.exit(f"{path}: {line!r} is not `NAME: arguments of plantar learn train`")
        if name.strip() in found:
            sys.exit(f"{path}: two trainings are called {name.strip()}")
        found[name.strip()] = shlex.split(words)
    if not found:
        sys.exit(f"{path}: no training in it")
    return found


@contextmanager
def mps() -> Iterator[dict[str, str]]:
    """The environment for processes that share the GPU; the plain one where MPS does not start."""
    control = shutil.which("nvidia-cuda-mps-control") or shutil.which("/usr/local/nvidia/bin/nvidia-cuda-mps-control")
    with tempfile.TemporaryDirectory() as place:
        env = {**os.environ, "CUDA_MPS_PIPE_DIRECTORY": place, "CUDA_MPS_LOG_DIRECTORY": place}
        if control is None or subprocess.run([control, "-d"], env=env, check=False).returncode:
            print("without MPS: the trainings take turns on the GPU", file=sys.stderr)
            yield dict(os.environ)
            return
        try:
            yield env
        finally:
            subprocess.run([control], input="quit\n", env=env, text=True, check=False)


def start(words: list[str], limit: list[str], folder: Path, env: dict[str, str]) -> subprocess.Popen:
    """Start one training, or resume it; what it says is appended to a log beside its folder."""
    command = [sys.executable, "-m", "plantar", "learn", "train", *words, *limit, "--out", str(folder)]
    with folder.with_suffix(".log").open("a", encoding="utf-8") as log:
        return subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)


def report(folders: dict[str, Path], seconds: float) -> None:
    """How far every training is, and how fast all are together."""
    gained = 0
    for name, folder in folders.items():
        rows = history(folder)
        last = rows[-1] if rows else {}
        gained += int(last.get("steps", 0)) - begun_with(folder.with_suffix(".log"), rows)
        told = ", ".join(f"{key} {float(last[key]):.4g}" for key in COLUMNS if key in last)
        print(f"{name}: {told or 'nothing yet'}")
    print(f"{gained / seconds:.0f} steps/s together, set-up included, in {seconds:.0f} s", flush=True)


def history(folder: Path) -> list[dict[str, str]]:
    """The history of a training; empty before the first checkpoint."""
    file = folder / "history.csv"
    return list(csv.DictReader(file.open(encoding="utf-8"))) if file.exists() else []


def begun_with(log: Path, rows: list[dict[str, str]]) -> int:
    """Steps that a training had when it was started last, here or from another checkpoint."""
    updates = [int(n) for n in re.findall(r"set up in .*, at update (\d+)", log.read_text(encoding="utf-8"))]
    return next((int(row["steps"]) for row in rows if updates and int(row["iteration"]) == updates[-1]), 0)


def main() -> None:
    """Run them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder with one folder per training")
    parser.add_argument("--minutes", type=float, help="stop each after this many minutes")
    parser.add_argument("--at-once", type=int, default=0, help="how many run at a time; 0 runs all")
    args = parser.parse_args()
    if args.at_once < 0:
        parser.error(f"--at-once {args.at_once} is not allowed: give a number from 0")
    trainings = read_list(args.list)
    folders = {name: args.out / name for name in trainings}
    limit, begun = ["--minutes", str(args.minutes)] if args.minutes else [], time.monotonic()
    args.out.mkdir(parents=True, exist_ok=True)
    on_cpu = all("cpu" in words for words in trainings.values())
    with nullcontext(dict(os.environ)) if on_cpu else mps() as env:
        running: dict[str, subprocess.Popen] = {}
        waiting, told = list(trainings), begun
        try:
            while waiting or any(process.poll() is None for process in running.values()):
                busy = sum(process.poll() is None for process in running.values())
                while waiting and (not args.at_once or busy < args.at_once):
                    name = waiting.pop(0)
                    running[name], busy = start(trainings[name], limit, folders[name], env), busy + 1
                time.sleep(1.0)
                if time.monotonic() - told > EVERY:
                    told = time.monotonic()
                    report({name: folders[name] for name in running}, told - begun)
            report(folders, time.monotonic() - begun)
        finally:
            for process in running.values():
                process.terminate()
    if failed := [name for name, process in running.items() if process.wait()]:
        sys.exit(f"{', '.join(failed)} failed: see the logs in {args.out}")


if __name__ == "__main__":
    main()
