"""Run a command line in a process of its own and look at all it did: exit code, messages, files, processes, time.

The process is a fork of this one, which has everything imported, so that a case takes milliseconds.
"""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

MEMORY = 6 * 2**30
"""Address space of a case [byte]; a command that wants more is told that there is none."""
PATIENCE = 60.0
"""How long a case may take to end after it was asked to [s]; more is a hang."""


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
    limit_s: float = 10.0,
    before: Callable[[], None] | None = None,
    codes: Sequence[int] = (0, 1, 2),
) -> Outcome:
    """Run `plantar ARGS` in `folder`, which holds files that are the user's; new ones belong in `out` and `runs`."""
    logs = folder.parent / f"{folder.name}_logs"
    logs.mkdir(exist_ok=True)
    known, start = snapshot(folder), time.monotonic()
    child = os.fork()
    if child == 0:
        _be_plantar(args, folder, logs, before)
    code, stopped, hung = _wait(child, limit_s)
    seconds = time.monotonic() - start
    left = group_members(child)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    out, err = ((logs / name).read_text(errors="replace") for name in ("out", "err"))
    faults = _faults(code, out, err, stopped, codes)
    faults += [f"hung for {PATIENCE:g} s"] * hung + [f"left {len(left)} processes"] * bool(left)
    faults += [f"changed {name}" for name in changes(known, snapshot(folder))]
    faults += [f"left {p.name} in the temporary folder" for p in (logs / "tmp").iterdir()]
    _clean(folder, known)
    shutil.rmtree(logs, ignore_errors=True)
    return Outcome(tuple(args), code, out, err, seconds, stopped, tuple(faults))


def _be_plantar(args: Sequence[str], folder: Path, logs: Path, before: Callable[[], None] | None) -> None:
    """Become the command, with streams in files; never returns."""
    try:
        os.setpgid(0, 0)
        os.chdir(folder)
        (logs / "tmp").mkdir(exist_ok=True)
        os.environ["TMPDIR"] = str(logs / "tmp")
        import tempfile

        tempfile.tempdir = None
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(logs / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin, sys.stdout, sys.stderr = (open(i, "r" if i == 0 else "w", closefd=False) for i in range(3))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if before:
            before()
        import plantar.__main__ as command

        sys.modules["__main__"] = command  # which processes that are started import, as those of the real one do
        sys.argv = ["plantar", *args]
        command.main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    else:
        code = 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _wait(child: int, limit_s: float) -> tuple[int, bool, bool]:
    """Exit code of a child, whether it was asked to end, and whether it did not listen."""
    end, stopped = time.monotonic() + limit_s, False
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), stopped, False
        if time.monotonic() > end:
            if stopped:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return -signal.SIGKILL, True, True
            os.kill(child, signal.SIGTERM)
            stopped, end = True, time.monotonic() + PATIENCE
        time.sleep(0.002)


def _faults(code: int, out: str, err: str, stopped: bool, codes: Sequence[int]) -> list[str]:
    found = []
    if "Traceback" in err or "Error:" in err.replace("plantar: error:", ""):
        found.append("traceback")
    if code not in codes and not (stopped and code == 128 + signal.SIGTERM):
        found.append(f"exit code {code}")
    errors = [line for line in err.splitlines() if line.startswith("plantar: error: ")]
    if code in (1, 2, 130, 143) and (len(errors) != 1 or not err.endswith(f"{errors[-1]}\n")):
        found.append(f"{len(errors)} error lines")
    if code == 2 and err.count("\n") != 1:
        found.append(f"{err.count(chr(10))} lines of errors")
    if code == 2 and out:
        found.append("results in spite of an error")
    return found


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below the parent of `folder` by its name and content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = "folder"
    return found


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Files that were lost, changed, or made elsewhere than in `out` and `runs`; folders that were left empty."""
    lost = [f"{name} (lost or replaced)" for name, content in before.items() if after.get(name) != content]
    new = [name for name in after if name not in before]
    stray = [f"{name} (outside)" for name in new if name.split("/")[0] not in ("out", "runs", "out.csv")]
    inner = {str(Path(name).parent) for name in after}
    empty = [f"{name} (left empty)" for name in new if after[name] == "folder" and name not in inner]
    return lost + stray + empty


def _clean(folder: Path, known: dict[str, str]) -> None:
    for name in ("out", "runs"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "out.csv").unlink(missing_ok=True)
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
