"""Signals at random times to commands that take long, and what they find when they are started again.

`python -m tests.hostile.signals rows.jsonl --each 100` from the root of the project; it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import dataclasses
import gc
import importlib
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import util
from pathlib import Path
from typing import Any

from .commands import commands
from .ground import lay_out
from .long import IDLE, LONG, line_of
from .runner import be_plantar, group_members

KINDS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
OF_THE_CLOCK = ("wall", "seconds", "time_s", "rate", "ms_full", "ms_reduced", "ms_best", " ms ", "speed_up")
OF_THE_CLOCK += ("times_faster", "curve_s_", "step_ms_")
"""Columns that hold what the clock said, by a part of their name between spaces."""


@dataclass(frozen=True)
class Attempt:
    """What became of a run that got a signal."""

    name: str
    signal: str
    after: float
    """Work of processors after which it came [s]."""
    code: int
    delivered: bool
    """Whether the run was still at work then."""
    fault: str
    """What is wrong; empty if nothing is."""
    outcome: str
    """`stopped`, `same` as the undisturbed table at its end, or `refused` with a line."""


def attempts(name: str, place: Path, first: int = 0) -> Iterator[Attempt]:
    """Endless attempts from the `first` on; what each wrote stays for the next until all is done or it is refused.

    Signals come at random shares of the processor time of an undisturbed run, one run in ten is a fresh interpreter,
    and some end before theirs would have come.
    """
    rng, out = random.Random(f"{name} {first}"), place / "out"
    shutil.rmtree(out, ignore_errors=True)
    work, whole = _undisturbed(name, place)
    for k in range(first, 10**9):
        which, fresh = KINDS[k % 3], k % 10 == 9
        after = rng.uniform(0.0, 1.1 * work + 2.0 * fresh)
        ended = run(line_of(name), place, fresh, which, after, everyone=k % 2 == 1, clock=name in IDLE)
        fault, outcome = judge(ended, which), "stopped"
        if ended.code == 0:
            outcome = "same"
            fault = fault or differences(whole, tables(out))
        elif ended.code == 2:
            outcome = "refused"
        if ended.code in (0, 2):
            shutil.rmtree(out, ignore_errors=True)
        yield Attempt(name, which.name, after, ended.code, ended.asked and ended.code not in (0, 2), fault, outcome)


def _undisturbed(name: str, place: Path) -> tuple[float, dict[str, Any]]:
    """Processor time and tables of a run without signals, once everything that it imports is here already."""
    names = place.parent / "imported"

    def note() -> None:
        names.write_text(" ".join(sys.modules))

    for last in (False, True):
        ended = run(line_of(name), place, clock=name in IDLE, before=lambda: util.Finalize(None, note, exitpriority=0))
        assert ended.code == 0, f"{name}: {ended.err}"
        whole = tables(place / "out")
        shutil.rmtree(place / "out", ignore_errors=True)
        new = [module for module in names.read_text().split() if module not in sys.modules]
        if last or not new:
            break
        for module in new:
            with contextlib.suppress(Exception):
                importlib.import_module(module)
        gc.freeze()
    return ended.work, whole


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    err: str
    work: float
    """Processor time of it and its processes [s], or time on the clock."""
    asked: bool
    """Whether it was sent its signal."""
    left: int
    """Processes that it left."""


def run(
    args: list[str],
    place: Path,
    fresh: bool = False,
    which: signal.Signals = signal.SIGKILL,
    after: float = 900.0,
    everyone: bool = False,
    clock: bool = False,
    before: Callable[[], object] | None = None,
) -> Ended:
    """Run a command, and send a signal to it or to its whole group after so much work of its processors."""
    logs, start = place.parent / "signal_logs", time.monotonic()
    logs.mkdir(exist_ok=True)
    child = os.fork()
    if child == 0:
        _become(args, place, logs, fresh, before)
    work, asked, status = 0.0, 0.0, None
    while status is None:
        pid, found = os.waitpid(child, os.WNOHANG)
        if pid:
            status = found
            break
        now = time.monotonic() - start
        work = now if clock else _work(child)
        if not asked and work >= after:
            (os.killpg if everyone and os.getpgid(child) == child else os.kill)(child, which)
            asked = now
        elif now > (asked or 900.0) + 60.0:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.01)
    end = time.monotonic() + 5.0
    while (left := group_members(child)) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    err = (logs / "err").read_text(errors="replace")
    return Ended(os.waitstatus_to_exitcode(status), err, work, asked > 0, len(left))


def _become(args: list[str], place: Path, logs: Path, fresh: bool, before: Callable[[], object] | None) -> None:
    """Become the command, in this interpreter or in a fresh one; never returns."""
    for number in KINDS[:2]:  # a shell starts what is in the background deaf to Ctrl-C
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    if not fresh:
        be_plantar(args, place, logs, before)
    os.setpgid(0, 0)
    os.chdir(place)
    for number, log in ((1, "out"), (2, "err")):
        os.dup2(os.open(logs / log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.execv(sys.executable, [sys.executable, "-m", "plantar", *args])


def _work(process: int) -> float:
    """Processor time of a process, of those it has started, and of those of them that have ended [s]."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        others = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(_work(int(other)) for other in others)


def judge(ended: Ended, which: signal.Signals) -> str:
    """What is wrong with how a command took a signal; empty if nothing is."""
    # before the command has installed anything, a signal ends it as it ends any process
    allowed = (0, 2, -which) if which == signal.SIGKILL else (0, 2, 128 + which, -which)
    errors = [line for line in ended.err.splitlines() if line.startswith("plantar: error: ")]
    if ended.code not in allowed or "Traceback" in ended.err or "Fatal Python" in ended.err:
        return f"exit code {ended.code}: {ended.err[-800:]}"
    if ended.code > 0 and (len(errors) != 1 or not ended.err.endswith(f"{errors[0]}\n")):
        return f"{len(errors)} error lines: {ended.err[-800:]}"
    return f"{ended.left} processes left after 5 s" if ended.left else ""


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
    gc.collect()
    gc.freeze()  # pages stay shared


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
    kept = {name: sum(row["delivered"] for row in rows if row["name"] == name) for name in LONG}
    print(f"figure hostile.signals = {json.dumps(kept)}")
    for what in ("same", "refused"):
        print(f"figure hostile.signals_{what} = {sum(row['outcome'] == what for row in rows)}")
    wrong = [row for row in rows if row["fault"]]
    print(f"figure hostile.signals_wrong = {len(wrong)}")
    print("\n".join(f"{row['name']} {row['signal']} after {row['after']:.2f} s: {row['fault']}" for row in wrong))
    return bool(wrong)


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


if __name__ == "__main__":
    raise SystemExit(main())
