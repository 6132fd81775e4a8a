"""Degrees of freedom and time per step of the seven soft robots, whole and reduced, beside the published table.

    python benchmarks/soft_robots.py [--seconds 2] [--robots diamond,fetch] [--out FILE.csv]

Times are processor time of one thread: wall time on a machine with a core to spare. A robot is in real time if a
step takes less than the time it simulates. The published times are from an Intel Core i5-4590; nothing is scaled.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from plantar._files import write_table
from plantar.cli._common import table_text
from plantar.soft import robots
from plantar.soft._state import State
from plantar.soft.reduce import record, reduce_scene


def measure(name: str, seconds: float) -> dict[str, Any]:
    robot = robots.get(name)
    states: list[State] = []
    whole = robots.run(robot, duration=min(seconds, robot.duration), on_step=record(states))
    row = whole.row()
    found = {
        "robot": name,
        "dof": row["dof"],
        "dof_paper": row["dof_paper"],
        "ms": row["ms"],
        "ms_paper": row["ms_paper"],
        "dt_ms": row["dt_ms"],
        "real_time": row["real_time"],
    }
    if name == "flexo":  # beams: nothing to sample, and fast as it is
        return {**found, "modes": None, "elements": None, "ms_reduced": None, "reduced_real_time": None}
    reduction = reduce_scene(
        robot.scene(), states, modes=robot.modes, tolerance=1e-8, carrier=robot.carrier, train=40
    )
    reduced = robots.run(robot, scene=reduction.apply(robot.scene()), duration=min(seconds, robot.duration))
    return {
        **found,
        "modes": reduced.scene.dofs,
        "elements": reduction.elements,
        "ms_reduced": reduced.milliseconds,
        "reduced_real_time": reduced.row()["real_time"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--robots", default=",".join(robots.names()))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for name in options.robots.split(","):
        rows.append(measure(name, options.seconds))
        print(table_text(rows[-1:]), flush=True)
    print("\n" + table_text(rows))
    if options.out:
        write_table(options.out.parent, options.out.stem, rows)


if __name__ == "__main__":
    main()
