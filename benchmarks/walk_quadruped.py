"""Quadrupeds that are pushed while they walk, that estimate their state, or both, on soft feet and on balls.

    python benchmarks/walk_quadruped.py OUT.csv [DRAWS] [SEED]

One row per walk, written as it ends; given again, it goes on. Pushes are 15 N s for 60 kg, in any direction, between
1.5 s and six tenths of the walk. In the end it says how the walks of each kind ended.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Literal

import numpy as np

from plantar import robots, walk

GAITS = {"crawl": walk.Crawl(distance=1.0), "trot": walk.Trot(distance=1.5)}
CASES: dict[str, tuple[float, Literal["truth", "estimate"]]] = {
    "push": (15.0, "truth"),
    "estimate": (0.0, "estimate"),
    "both": (15.0, "estimate"),
}
COLUMNS = ("plan", "foot", "case", "seed", "status", "distance", "tilt", "transport")


def main(out: Path, draws: int = 5, seed: int = 8000) -> None:
    done = {tuple(row[:4]) for row in csv.reader(out.open())} if out.is_file() else set()
    with out.open("a", newline="") as file:
        table = csv.writer(file)
        if not done:
            table.writerow(COLUMNS)
        for plan, gait in GAITS.items():
            for foot in ("softfoot_q:fast", "ball"):
                robot = robots.mount("quadruped", foot)
                for case, (impulse, state) in CASES.items():
                    course = walk.Course(robot, gait=gait, sensing=walk.Sensing(state=state))
                    for number in range(seed, seed + draws):
                        if (plan, foot, case, str(number)) in done:
                            continue
                        rng = np.random.default_rng([number, 7])
                        direction, time = rng.uniform(0, 2 * np.pi), rng.uniform(1.5, 0.6 * course.seconds)
                        pushes = [walk.Push(impulse=impulse, direction=direction, time=time)] if impulse else []
                        found = course.run(pushes=pushes, seed=number)
                        figures = (found.distance, found.metrics.tilt, found.metrics.transport)
                        table.writerow((plan, foot, case, number, found.status.name.lower(), *figures))
                        file.flush()
    summarise(out)


def summarise(out: Path) -> None:
    """Print how the walks of each foot, gait and case that are in the table ended."""
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for foot in dict.fromkeys(row["foot"] for row in rows):
        ends: dict[str, Counter[str]] = {}
        for row in rows:
            if row["foot"] == foot:
                ends.setdefault(f"{row['plan']}, {row['case']}", Counter())[row["status"]] += 1
        print(f"figure walk.pushed.{foot.partition(':')[0]} = {json.dumps(ends)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
