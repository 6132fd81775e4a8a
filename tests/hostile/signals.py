"""Signals at random times to commands that take long, and what they find when they are started again.

`python -m tests.hostile.signals rows.jsonl --each 100` from the root of the project; it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import dataclasses
import importlib
import json
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

from .commands import commands
from .ground import lay_out
from .runner import be_plantar, group_members

KINDS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
PRESSES = ["foot.friction=0.1,0.2,0.3,0.4,0.5", "load=12,24", "height=0.01", "position=1,3", "--duration", "4"]
SOME = ["--loads", "12,24", "--heights", "0.01", "--positions", "1,2"]
G1 = ["g1_softfoot.onnx", "--robot", "unitree_g1", "--seed", "3"]
LONG = {
    "gait sweep": ["--robot", "hopper", "--speeds", "0.2,0.3", "--intervals", "8", "--refinements", "1"],
    "sweep press": [*PRESSES, "--workers", "2"],
    "sweep press processes": [*PRESSES, "--workers", "2", "--engine", "processes"],
    "foothold data": ["--grounds", "2", "--patches", "2", "--processes", "2"],
    "walk study": ["biped", "--feet", "own", "--modes", "torque", "--levels", "0.01", "--draws", "2"],
    "foothold walk": ["flat", "--feet", "ball", "--draws", "2", "--choose", "nominal", "--distance", "0.3"],
    "bench calibrate": ["measured.csv", "--parameters", "rig.tilt", "--folds", "0"],
    "ground identify": ["--robot", "biped", "--foot", "softfoot:fast", "--depth", "0.005"],
    "ground fit-soil": ["plates.csv"],
    "soft robot": ["diamond", "--film", "2", "--duration", "0.2"],
    "feet reduce": ["softfoot", "--presses", "2", "--checks", "2"],
    "foothold press": ["--mosaics", "1", "--tiles", "2", "--footholds", "4", "--directions", "4"],
    "design": ["--vary", "band.hardness=40..80", "--objectives", "mass,band_stress", "--foot", "softfoot:fast"],
    "learn evaluate": [*G1, "--feet", "softfoot:fast", "--stiffness", "1", "--levels", "0", "--processes", "1"],
    "learn play": [*G1, "--distance", "0.3", "--html", "page.html", "--overwrite"],
    "soft run": ["scene.yaml", "--duration", "0.8"],
    "soft reduce": ["scene.yaml", "--samples", "16"],
    "soft foot": ["solid", "--load", "100"],
    "walk trial": ["biped", "--steps", "4"],
    "gait solve": ["--robot", "hopper", "--intervals", "8", "--refinements", "1"],
    "gait compare-contact": ["--count", "1"],
    "bench press": SOME,
    "bench stiffness": ["--loads", "10,20,30"],
    "bench windlass": ["--angles", "10,20"],
    "bench compare": ["measured.csv", "--duration", "0.05"],
    "bench sensitivity": ["measured.csv"],
    "foothold evaluate": ["--grounds", "4", "--patches", "4"],
    "ground tracks": ["--material", "dry_sand", "--steps", "1"],
    "ground fit": ["press.csv"],
    "view": ["ball", "--port", "0", "--no-browser", "--seconds", "2"],
}
LONG["walk study"] += ["--steps", "5", "--no-photos", "--processes", "2"]
LONG["foothold walk"] += ["--no-photos", "--processes", "2"]
LONG["design"] += ["--evaluations", "2", "--batch", "1", "--engine", "threads", "--workers", "1"]
LONG["learn evaluate"] += ["--draws", "2", "--seconds", "0.1"]
"""Commands that take longer than five seconds, small enough to be cut off a hundred times."""
NO_FOLDER = ("learn play", "view")
"""Commands that write a page or nothing."""
OF_THE_CLOCK = ("wall", "seconds", "time_s", "rate", "ms_full", "ms_reduced", "ms_best", " ms ", "speed_up")
"""Columns that hold what the clock said, by a part of their name between spaces."""


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
    """The command line, which writes to `out` where it has a folder."""
    return [*name.split()[:2], *LONG[name], *([] if name in NO_FOLDER else ["--out", "out"])]


def attempts(name: str, place: Path, first: int = 0) -> Iterator[Attempt]:
    """Endless attempts from the `first` on; what each wrote stays for the next until all is done or it is refused."""
    rng, out = random.Random(f"{name} {first}"), place / "out"
    shutil.rmtree(out, ignore_errors=True)
    duration, code, err, _ = run(line_of(name), place, fresh=False)
    assert code == 0, f"{name}: {err}"
    whole = tables(out)
    shutil.rmtree(out, ignore_errors=True)
    for k in range(first, 10**9):
        which, fresh = KINDS[k % 3], k % 10 == 9
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
            found[name] = [{k: v for k, v in r.items() if not any(w in f" {k} " for w in OF_THE_CLOCK)} for r in rows]
        elif path.is_file():
            found[name] = None
    return found


def differences(whole: dict[str, Any], found: dict[str, Any]) -> str:
    """Names of tables that are not as undisturbed; of files that are missing or too many."""
    other = [name for name in sorted({*whole, *found}) if name not in whole or name not in found]
    other += [name for name in whole if name in found and whole[name] != found[name]]
    return f"not as undisturbed: {', '.join(other)}" if other else ""


def warm_up() -> None:
    """Import what commands need, so that forks of this process come to their work at once."""
    list(commands())
    for name in ("matplotlib.pyplot", "casadi", "optuna", "onnxruntime"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def main() -> int:
    """Send signals until each command has had enough; the exit code is 1 if any took one badly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="file to append to")
    parser.add_argument("names", nargs="*", default=list(LONG), help="commands; all if left out")
    parser.add_argument("--each", type=int, default=100, help="signals that find a command at work, of each")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so long")
    given = parser.parse_args()
    end, place = time.monotonic() + 60 * given.minutes, given.rows.absolute().with_suffix("") / "work"
    warm_up()
    for name in given.names:
        found = [row for row in _read(given.rows) if row["name"] == name]
        delivered = sum(row["delivered"] for row in found)
        if delivered >= given.each or time.monotonic() > end:
            continue
        shutil.rmtree(place, ignore_errors=True)
        lay_out(place)
        for attempt in attempts(name, place, len(found)):
            with given.rows.open("a") as file:
                file.write(json.dumps(dataclasses.asdict(attempt)) + "\n")
            delivered += attempt.delivered
            if (delivered >= given.each and attempt.outcome != "stopped") or time.monotonic() > end:
                break
    rows = _read(given.rows)
    for name in LONG:
        own = [row for row in rows if row["name"] == name]
        ends = {what: sum(row["outcome"] == what for row in own) for what in ("stopped", "same", "refused")}
        print(f"{name:25s} {sum(row['delivered'] for row in own):4d} delivered, then {ends}")
    wrong = [row for row in rows if row["fault"]]
    print("\n".join(f"{row['name']} {row['signal']} after {row['after']:.2f} s: {row['fault']}" for row in wrong))
    return bool(wrong)


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


if __name__ == "__main__":
    raise SystemExit(main())
