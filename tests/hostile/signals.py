"""Signals at random times to commands that take long, and what they find when they are started again."""

from __future__ import annotations

import csv
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .runner import be_plantar, group_members

KINDS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
PRESSES = ["foot.friction=0.1,0.2,0.3,0.4,0.5", "load=12,24", "height=0.01", "position=1", "--duration", "1"]
LONG = {
    "gait sweep": ["--robot", "hopper", "--speeds", "0.2,0.3", "--intervals", "8", "--refinements", "1"],
    "sweep press": [*PRESSES, "--workers", "2"],
    "sweep press processes": [*PRESSES, "--workers", "2", "--engine", "processes"],
    "foothold data": ["--grounds", "6", "--patches", "6", "--processes", "2"],
    "walk study": ["biped", "--feet", "own", "--modes", "torque", "--levels", "0.005,0.01", "--draws", "1"],
    "foothold walk": ["flat", "--feet", "ball", "--draws", "2", "--choose", "nominal", "--distance", "0.3"],
    "bench calibrate": ["measured.csv", "--parameters", "rig.tilt", "--folds", "0"],
    "ground identify": ["--robot", "biped", "--foot", "softfoot:fast", "--depth", "0.005"],
    "ground fit-soil": ["plates.csv"],
    "soft robot": ["diamond", "--film", "0"],
    "feet reduce": ["softfoot", "--presses", "2", "--checks", "2"],
    "foothold press": ["--mosaics", "1", "--tiles", "2", "--footholds", "2", "--directions", "4"],
}
LONG["walk study"] += ["--steps", "4", "--no-photos", "--processes", "2"]
LONG["foothold walk"] += ["--no-photos", "--processes", "2"]
"""Commands that take longer than five seconds, small enough to be cut off a hundred times."""
OF_THE_CLOCK = ("wall", "seconds", "time_s", "rate")
"""Columns that hold what the clock said, by a part of their name."""


@dataclass(frozen=True)
class Attempt:
    """What became of a run that got a signal."""

    name: str
    signal: str
    after: float
    """When it came [s]."""
    code: int
    delivered: bool
    """Whether the run was still at work then."""
    fault: str
    """What is wrong; empty if nothing is."""
    outcome: str
    """`stopped`, `same` as the undisturbed table at its end, or `refused` with a line."""


def line_of(name: str) -> list[str]:
    """The command line, which writes to `out`."""
    return [*name.split()[:2], *LONG[name], "--out", "out"]


def prepare(place: Path) -> None:
    """Files that only these commands read."""
    with (place / "plates.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("run", "diameter", "depth", "force"))
        rng = random.Random(1)
        for size in (0.04, 0.06, 0.09):
            for repeat in range(6):
                own = 1e4 * rng.uniform(0.9, 1.1) * (size / 0.1) ** 0.8
                depths = [0.0005 + 2e-4 * i for i in range(120)]
                table.writerows(
                    (f"{size}-{repeat}", size, d, own * (d / 0.01) ** 1.2 * 0.785 * size**2) for d in depths
                )


def attempts(name: str, place: Path, seed: int = 0) -> Iterator[Attempt]:
    """Endless attempts; what each wrote stays for the next one until the work is done or the folder is refused."""
    rng, out = random.Random(f"{name} {seed}"), place / "out"
    shutil.rmtree(out, ignore_errors=True)
    duration, code, err, _ = run(line_of(name), place, fresh=False)
    assert code == 0, f"{name}: {err}"
    whole = tables(out)
    shutil.rmtree(out)
    for k in range(10**9):
        which, fresh = KINDS[k % 3], k % 5 == 4
        after = rng.uniform(0.0, duration + 3.0 * fresh)
        spent, code, err, left = run(line_of(name), place, fresh, which, after, everyone=k % 2 == 1)
        fault, outcome = judge(code, err, which, left, name), "stopped"
        if code == 0:
            outcome = "same"
            fault = fault or differences(whole, tables(out))
        elif code == 2:
            outcome = "refused"
        if code in (0, 2):
            shutil.rmtree(out, ignore_errors=True)
        yield Attempt(name, which.name, after, code, spent >= after and code not in (0, 2), fault, outcome)


def run(
    args: list[str],
    place: Path,
    fresh: bool,
    which: signal.Signals = signal.SIGKILL,
    after: float = 900.0,
    everyone: bool = False,
) -> tuple[float, int, str, int]:
    """Run a command, send a signal to it or to its whole group; how long it took, code, stderr, processes left."""
    logs, start = place.parent / "signal_logs", time.monotonic()
    logs.mkdir(exist_ok=True)
    child = os.fork()
    if child == 0:
        for number in KINDS[:2]:  # a shell starts what is in the background deaf to Ctrl-C
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    if child == 0 and fresh:
        os.setpgid(0, 0)
        os.chdir(place)
        for number, log in ((1, "out"), (2, "err")):
            os.dup2(os.open(logs / log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.execv(sys.executable, [sys.executable, "-m", "plantar", *args])
    elif child == 0:
        be_plantar(args, place, logs, None)
    status, asked = None, False
    while status is None:
        pid, found = os.waitpid(child, os.WNOHANG)
        if pid:
            status = found
        elif not asked and time.monotonic() - start > after:
            (os.killpg if everyone and os.getpgid(child) == child else os.kill)(child, which)
            asked = True
        elif time.monotonic() - start > after + 60.0:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.005)
    spent, end = time.monotonic() - start, time.monotonic() + 5.0
    while (left := group_members(child)) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return spent, os.waitstatus_to_exitcode(status), (logs / "err").read_text(errors="replace"), len(left)


def judge(code: int, err: str, which: signal.Signals, left: int, name: str) -> str:
    """What is wrong with how a command took a signal; empty if nothing is."""
    gentle = which != signal.SIGKILL
    # before the command has installed anything, a signal ends it as it ends any process
    allowed = (0, 2, 128 + which, -which) if gentle else (0, 2, -which)
    errors = [line for line in err.splitlines() if line.startswith("plantar: error: ")]
    if code not in allowed or "Traceback" in err or "Fatal Python" in err:
        return f"exit code {code}: {err[-800:]}"
    if code > 0 and (len(errors) != 1 or not err.endswith(f"{errors[0]}\n")):
        return f"{len(errors)} error lines: {err[-800:]}"
    return f"{left} processes left after 5 s" if left else ""


def tables(folder: Path) -> dict[str, Any]:
    """Cells of every table below a folder, without those of the clock; names of all other files."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".csv":
            with path.open(newline="") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            found[name] = [{k: v for k, v in r.items() if not any(w in str(k) for w in OF_THE_CLOCK)} for r in rows]
        elif path.is_file():
            found[name] = None
    return found


def differences(whole: dict[str, Any], found: dict[str, Any]) -> str:
    """Names of tables that are not as undisturbed; of files that are missing or too many."""
    other = [name for name in sorted({*whole, *found}) if name not in whole or name not in found]
    other += [name for name in whole if name in found and whole[name] != found[name]]
    return f"not as undisturbed: {', '.join(other)}" if other else ""
