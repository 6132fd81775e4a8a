"""Try hostile commands in random order, one row of JSON per case, and go on where the last run stopped.

`python -m tests.hostile rows.jsonl --count 3000 --seed 5` from the root of the project.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import gc
import importlib
import json
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any

from .commands import some
from .ground import lay_out
from .runner import run_cases


def main() -> int:
    """Run cases that have no row yet; the exit code is 1 if any is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="file to append to")
    parser.add_argument("--count", type=int, default=3000, help="cases, with those of earlier runs")
    parser.add_argument("--seed", type=int, default=5, help="seed of their order")
    parser.add_argument("--again", action="store_true", help="try those that were wrong once more instead")
    parser.add_argument("--until", default="99:99", metavar="HH:MM", help="stop at this time of the day")
    parser.add_argument("--limit", type=float, default=2.5, help="processor time after which a case is stopped [s]")
    given = parser.parse_args()
    rows = read(given.rows)
    place = given.rows.absolute().with_suffix("") / "work"
    shutil.rmtree(place, ignore_errors=True)
    lay_out(place)
    cases = some(place, given.count, given.seed)
    warm_up()
    wrong = [row["args"] for row in rows.values() if row["faults"]]
    todo = wrong if given.again else [case for case in cases if key(case) not in rows]
    with given.rows.open("a") as file:
        for outcome in run_cases(todo, place, limit_s=given.limit):
            file.write(json.dumps(dataclasses.asdict(outcome)) + "\n")
            file.flush()
            if time.strftime("%H:%M") >= given.until:
                break
    return report(read(given.rows))


def warm_up() -> None:
    """Load what every command loads, so that forks of this process need not."""
    for name in ("typer._adapters", "matplotlib.pyplot", "optuna"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # pages stay shared


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The last row of each case."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {key(row["args"]): row for row in map(json.loads, lines)}


def key(args: list[str]) -> str:
    """What tells cases apart."""
    return json.dumps(args)


def report(rows: dict[str, dict[str, Any]]) -> int:
    """Print counts of exit codes and faults."""
    wrong = [row for row in rows.values() if row["faults"]]
    codes = Counter(row["code"] for row in rows.values())
    faults = Counter(fault.split()[0] for row in wrong for fault in row["faults"])
    print(f"{len(rows)} cases, {len(wrong)} wrong; exit codes {dict(codes)}; faults {dict(faults)}")
    kept = {
        "lines": len(rows),
        "wrong": len(wrong),
        "stopped": sum(row["stopped"] for row in rows.values()),
        "slowest": max((row["seconds"] for row in rows.values()), default=0.0),
        "codes": {str(code): count for code, count in sorted(codes.items())},
    }
    print(f"figure hostile.commands = {json.dumps(kept)}")
    for row in wrong:
        print(f"  {' '.join(a[:60] for a in row['args'])}: {row['faults']} {row['err'][-300:]!r}")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
