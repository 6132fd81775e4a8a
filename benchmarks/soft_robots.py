"""Degrees of freedom and time per step of the seven soft robots, whole and reduced, beside the published table.

    python benchmarks/soft_robots.py [--seconds 2] [--robots diamond,fetch] [--reduced fetch,sofia] [--out FILE.csv]

Times are processor time of one thread: wall time on a machine with a core to spare. A robot is in real time if a
step takes less than the time it simulates. The published times are from an Intel Core i5-4590; nothing is scaled.
Reduced are those that `--reduced` names, as `plantar soft reduce` does it, and compared with the whole robot over all
of its demonstration.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from plantar._files import write_table
from plantar.cli.common import table_text
from plantar.soft import robots
from plantar.soft.reduction.card import ReductionCard
from plantar.soft.reduction.reduce import Reduction
from plantar.soft.robots.reduced import demonstration_card, reduce_robot


def measure(name: str, seconds: float, reduced: bool) -> dict[str, Any]:
    robot = robots.get(name)
    row = robots.run(robot, duration=min(seconds, robot.duration)).row()
    found = {
        "robot": name,
        "dof": row["dof"],
        "dof_paper": row["dof_paper"],
        "ms": row["ms"],
        "ms_paper": row["ms_paper"],
        "dt_ms": row["dt_ms"],
        "real_time": row["real_time"],
    }
    if not reduced:
        return found
    reduction = reduce_robot(robot)
    return {**found, **columns(reduction, demonstration_card(robot, reduction), robot.dt)}


def columns(reduction: Reduction, card: ReductionCard, dt: float) -> dict[str, Any]:
    return {
        "modes": card.modes,
        "elements": reduction.elements,
        "ms_reduced": card.ms_reduced,
        "reduced_real_time": card.ms_reduced < 1e3 * dt,
        "error_mm": 1e3 * card.error,
        "error_percent": 100 * card.relative,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--robots", default=",".join(robots.names()))
    parser.add_argument("--reduced", default="diamond,fetch,sofia")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for name in options.robots.split(","):
        rows.append(measure(name, options.seconds, name in options.reduced.split(",")))
        print(table_text(rows[-1:]), flush=True)
        if "modes" in rows[-1]:
            print(f"figure soft.reduced.{name} = {json.dumps(rows[-1])}", flush=True)
    print("\n" + table_text(rows))
    if options.out:
        write_table(options.out.parent, options.out.stem, rows)


if __name__ == "__main__":
    main()
