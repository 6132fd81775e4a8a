"""Run command lines in processes of their own and look at all they did: exit code, messages, files, processes, time.

A process is a fork of this one, which has everything imported; `run_cases` gives one many cases in turn, as most are
refused in milliseconds, and a new one where a case was stopped, died, or left processes.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import os
import re
import resource
import shutil
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import util
from pathlib import Path

import plantar.__main__ as plantar_main
from plantar.cli import app

MEMORY = 6 * 2**30
"""Address space of a case [byte]; a command that wants more is told that there is none."""
PATIENCE = 60.0
"""How long a case may take to end after it was asked to [s]; more is a hang."""
WARNING = re.compile(r"\.py:\d+: \w*Warning: ")
"""What a library says where nobody has listened; a message of ours would name what is wrong."""
AT_ONCE = 200
"""Cases of one process, at most."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    args: Sequence[str]
    """The command line."""
    code: int
    """Exit code; minus the signal that ended it."""
    out: str
    err: str
    seconds: float
    stopped: bool
    """Whether it was asked to end because it took long."""
    faults: tuple[str, ...]
    """What is wrong with it."""

    def text(self) -> str:
        """The case and its faults, for people."""
        line = " ".join(repr(a) if len(a) < 80 else repr(a[:40] + "...") for a in self.args)
        return f"plantar {line}: {'; '.join(self.faults)} [code {self.code}, {self.seconds:.1f} s] {self.err[-600:]}"


def run_case(
    args: Sequence[str],
    folder: Path,
    *,
    limit_s: float = 6.0,
    before: Callable[[], None] | None = None,
    codes: Sequence[int] = (0, 1, 2),
) -> Outcome:
    """Run `plantar ARGS` in `folder`, which holds files that are the user's; new ones belong in `out` and `runs`."""
    known, start = snapshot(folder), time.monotonic()
    child = os.fork()
    if child == 0:
        be_plantar(args, folder, _logs(folder), before)
    code, stopped, hung = _wait(child, limit_s)
    seconds, left = time.monotonic() - start, _left(child)
    out, err = _streams(_logs(folder))
    faults = _faults(code, out, err, stopped, codes) + _traces(args, folder, known)
    faults += [f"hung for {PATIENCE:g} s"] * hung + [f"left {len(left)} processes"] * bool(left)
    return Outcome(tuple(args), code, out, err, seconds, stopped, tuple(faults))


def run_cases(cases: Sequence[Sequence[str]], folder: Path, *, limit_s: float = 2.5) -> Iterator[Outcome]:
    """What `run_case` gives for each case, most of them without a process of their own."""
    known, done, log = snapshot(folder), 0, folder.parent / f"{folder.name}_rows"
    while done < len(cases):
        log.write_bytes(b"")
        child = os.fork()
        if child == 0:
            _work_through(cases[done : done + AT_ONCE], folder, log)
        watch = _Watch(child, limit_s)
        try:
            for row in watch.rows(log):
                done += 1
                yield Outcome(**json.loads(row))
        finally:
            left, died = watch.end(), watch.code != 0
        if died or left:
            faults = [f"ended the process with {watch.code}"] * died + [f"left {len(left)} processes"] * bool(left)
            done += died
            err = _streams(_logs(folder))[1]
            yield Outcome(cases[done - 1], watch.code, "", err, watch.seconds(), watch.stopped, tuple(faults))
            _clean(folder, known)


class _Watch:
    """A process that works through cases; it is ended where one takes too long."""

    def __init__(self, child: int, limit_s: float) -> None:
        self.child, self.limit_s, self.code, self.stopped = child, limit_s, 0, False
        self._begin()

    def _begin(self) -> None:
        self.start, self.worked = time.monotonic(), _worked(self.child)

    def seconds(self) -> float:
        """Time since the last case began [s]."""
        return time.monotonic() - self.start

    def rows(self, log: Path) -> Iterator[str]:
        """Rows as they are written, until the process has ended."""
        read, self.alive = 0, True
        while self.alive:
            pid, status = os.waitpid(self.child, os.WNOHANG)
            if pid:
                self.code, self.alive = os.waitstatus_to_exitcode(status), False
            for row in log.read_text().splitlines(keepends=True)[read:]:
                if row.endswith("\n"):
                    read += 1
                    self._begin()
                    yield row
            if self.alive and (self.seconds() > PATIENCE or _worked(self.child) - self.worked > self.limit_s):
                os.kill(self.child, signal.SIGKILL if self.stopped else signal.SIGTERM)
                self.stopped, self.limit_s = True, PATIENCE
                self._begin()
            time.sleep(0.02)

    def end(self) -> list[int]:
        """End it, if it has not ended; what processes it left."""
        if self.alive:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        return _left(self.child)


def _work_through(cases: Sequence[Sequence[str]], folder: Path, log: Path) -> None:
    """Run cases in this process until one leaves something behind; one row of JSON for each."""
    from plantar._signals import stop_on_signals

    os.setpgid(0, 0)
    stop_on_signals()
    try:
        with log.open("a") as file:
            for args in cases:
                known, start = snapshot(folder), time.monotonic()
                code = _code(args, folder, _logs(folder), app.run)
                out, err = _streams(_logs(folder))
                stopped = code == 128 + signal.SIGTERM
                faults = _faults(code, out, err, stopped, (0, 1, 2)) + _traces(args, folder, known)
                outcome = Outcome(args, code, out[-300:], err[-2000:], time.monotonic() - start, stopped, tuple(faults))
                file.write(json.dumps(dataclasses.asdict(outcome)) + "\n")
                file.flush()
                if stopped or len(group_members(os.getpid())) > 1:
                    break
    finally:  # a signal may come between two cases; the next one is then tried again
        os._exit(0)


def be_plantar(args: Sequence[str], folder: Path, logs: Path, before: Callable[[], None] | None) -> None:
    """Become the command, with streams in files; never returns."""

    def command(given: Sequence[str]) -> int:
        if before:
            before()
        sys.modules["__main__"] = plantar_main  # which processes that are started import, as those of the real one do
        sys.argv = ["plantar", *given]
        plantar_main.main()
        return 0

    os.setpgid(0, 0)
    code = _code(args, folder, logs, command)
    # as at the end of any process: semaphores are given back
    util._run_finalizers(0)  # pyright: ignore[reportAttributeAccessIssue]
    os._exit(code)


def _code(args: Sequence[str], folder: Path, logs: Path, command: Callable[[Sequence[str]], int]) -> int:
    """Exit code of a command that runs in `folder` with its streams and temporary files in `logs`."""
    import tempfile

    os.chdir(folder)
    (logs / "tmp").mkdir(exist_ok=True, parents=True)
    os.environ["TMPDIR"], tempfile.tempdir = str(logs / "tmp"), None
    for number, name in ((0, os.devnull), (1, logs / "out"), (2, logs / "err")):
        opened = os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        open(i, "r" if i == 0 else "w", closefd=False, errors="backslashreplace" if i == 2 else None) for i in range(3)
    )
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()  # a crash says where
    try:
        code = command(args)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _logs(folder: Path) -> Path:
    return folder.parent / f"{folder.name}_logs"


def _streams(logs: Path) -> list[str]:
    return [(logs / name).read_text(errors="replace") for name in ("out", "err")]


def _traces(args: Sequence[str], folder: Path, known: dict[str, str]) -> list[str]:
    """What a case changed that it should not have, and cleaning up after it."""
    logs = _logs(folder)
    given = [Path(a.partition("=")[2] if a.startswith("--") else a) for a in args]
    asked_for = [str(path.relative_to(folder) if path.is_relative_to(folder) else path) for path in given]
    found = [f"changed {name}" for name in changes(known, snapshot(folder), asked_for)]
    found += [f"left {p.name} in the temporary folder" for p in (logs / "tmp").iterdir()]
    _clean(folder, known)
    shutil.rmtree(logs / "tmp", ignore_errors=True)
    return found


def _left(child: int) -> list[int]:
    """Processes that a child has left, after a moment in which they may see that it is gone; they are ended."""
    end = time.monotonic() + 5.0
    while (left := group_members(child)) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def _wait(child: int, limit_s: float) -> tuple[int, bool, bool]:
    """Exit code of a child, whether it was asked to end, and whether it did not listen.

    It is asked after `limit_s` of processor time, as a machine may be busy, or after `PATIENCE`.
    """
    end, stopped = time.monotonic() + PATIENCE, False
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), stopped, False
        if time.monotonic() > end or (not stopped and _worked(child) > limit_s):
            if stopped:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return -signal.SIGKILL, True, True
            os.kill(child, signal.SIGTERM)
            stopped, end = True, time.monotonic() + PATIENCE
        time.sleep(0.005)


def _worked(child: int) -> float:
    """Processor time of a child [s]."""
    try:
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _faults(code: int, out: str, err: str, stopped: bool, codes: Sequence[int]) -> list[str]:
    found = []
    if "Traceback" in err or any("Error:" in line for line in err.splitlines() if not line.startswith("plantar: ")):
        found.append("traceback")
    if code not in codes and not (stopped and code == 128 + signal.SIGTERM):
        found.append(f"exit code {code}")
    if WARNING.search(err):
        found.append("warning of Python")
    errors = [line for line in err.splitlines() if line.startswith("plantar: error: ")]
    if code in (1, 2, 130, 143) and (len(errors) != 1 or not err.endswith(f"{errors[-1]}\n")):
        found.append(f"{len(errors)} error lines")
    if code == 2 and err.count("\n") != 1:
        found.append(f"{err.count(chr(10))} lines of errors")
    if code == 2 and out:
        found.append("results in spite of an error")
    return found


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below `folder` by its name, and what changes when it is written or replaced."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            at, state = path[len(str(folder)) + 1 :], os.lstat(path)
            is_folder = stat.S_ISDIR(state.st_mode)
            found[at] = "folder" if is_folder else f"{state.st_ino} {state.st_size} {state.st_mtime_ns}"
    return found


def changes(before: dict[str, str], after: dict[str, str], named: Sequence[str] = ()) -> list[str]:
    """Files that were lost, changed, or made elsewhere than `named`, `out` and `runs`; folders that were left empty."""
    lost = [f"{name} (lost or replaced)" for name, content in before.items() if after.get(name) != content]
    new = [name for name in after if name not in before]
    ours = ("out", "runs", *named)
    stray = [
        f"{name} (outside)"
        for name in new
        if name.split("/")[0] not in ours and name not in ours and name[:4] != "out."
    ]
    inner = {str(Path(name).parent) for name in after}
    empty = [f"{name} (left empty)" for name in new if after[name] == "folder" and name not in inner]
    return lost + stray + empty


def _clean(folder: Path, known: dict[str, str]) -> None:
    for name in ("out", "runs"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in sorted(snapshot(folder), reverse=True):
        if name not in known:
            path = folder / name
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def group_members(number: int) -> list[int]:
    """Processes of a group that are alive."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == number and fields[0] != "Z":
            found.append(int(place.parent.name))
    return found
