"""How long Plantar takes to start, beside another version of it: processor time and time on the clock, in turns.

`python benchmarks/startup.py [--before OTHER/src] [--runs 10]`; on a busy machine only processor time says something.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

STARTS = {
    "plantar --help": ["-m", "plantar", "--help"],
    "plantar feet --help": ["-m", "plantar", "feet", "--help"],
    "import plantar": ["-c", "import plantar"],
    "import plantar.bench": ["-c", "import plantar.bench"],
}
LIMITS = {"plantar --help": 0.4, "import plantar.bench": 0.8}
"""What has been promised [s]."""


def start(args: list[str], source: Path) -> tuple[float, float]:
    """Processor time and time on the clock of one start [s]."""
    env = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *args], env=env, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main() -> int:
    """Print a table; the exit code is 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="folder `src` of another version")
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    sources = {"now": Path(__file__).resolve().parents[1] / "src"} | ({"before": given.before} if given.before else {})
    broken = False
    print("start                 version  processor median, least [s]   clock median, least [s]")
    for name, args in STARTS.items():
        times: dict[str, list[tuple[float, float]]] = {version: [] for version in sources}
        for source in sources.values():  # compiles what is not yet compiled
            start(args, source)
        for _ in range(given.runs):
            for version, source in sources.items():
                times[version].append(start(args, source))
        for version, found in times.items():
            work, clock = zip(*found, strict=True)
            figures = [f(column) for column in (work, clock) for f in (statistics.median, min)]
            print(f"{name:21s} {version:8s}" + "".join(f"{figure:14.2f}" for figure in figures), flush=True)
            kept = {"work": figures[0], "clock": figures[2], "runs": given.runs}
            print(f"figure startup.{re.sub('[^a-z]+', '_', name)}.{version} = {json.dumps(kept)}")
            broken |= version == "now" and figures[0] > LIMITS.get(name, 1e9)
    return broken


if __name__ == "__main__":
    raise SystemExit(main())
