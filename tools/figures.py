"""Run a command and keep the figures that it records, for the pages of docs/validation.

    python tools/figures.py pytest tests/test_gait_rubber.py         # what its tests record
    python tools/figures.py python benchmarks/soft_speed.py          # what it prints in lines `figure NAME = VALUE`
    python tools/figures.py --again soft                             # every command behind figures of this room

A test records by pytest's own `record_property("gait.rubber.slope", 3e-8)`. A name begins with the file that it is kept
in: docs/results/figures/gait.json. A command that fails keeps nothing.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from validation.figures import FOLDER, keep, of_junit, of_lines, read


def run(words: list[str]) -> int:
    """Run a command, show what it prints, and keep its figures; the exit code is that of the command."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        tested = words[0] == "pytest"
        options = [f"--junitxml={report}", "-o", "junit_family=xunit1"] if tested else []
        line = [sys.executable, *(["-m"] if tested else []), *words[0 if tested else 1 :], *options]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, errors="replace") as process:
            assert process.stdout is not None
            said = []
            for text in process.stdout:
                print(text, end="", flush=True)
                said.append(text)
        if process.returncode:
            print(f"exit code {process.returncode}: no figure is kept", file=sys.stderr)
            return process.returncode
        found = of_junit(report.read_text(encoding="utf-8")) if tested else of_lines(said)
    keep(found, shlex.join(words))
    print(f"{len(found)} figures kept in {FOLDER.relative_to(FOLDER.parents[2])}", flush=True)
    return 0


def main() -> int:
    """Run the command that is given, or all that are known of a room."""
    words = sys.argv[1:]
    if words[:1] == ["--again"]:
        commands = {kept.command for room in words[1:] for kept in read(room).values()}
        return max([run(shlex.split(command)) for command in sorted(commands)], default=0)
    if not words or words[0] not in ("pytest", "python"):
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    return run(words)


if __name__ == "__main__":
    raise SystemExit(main())
