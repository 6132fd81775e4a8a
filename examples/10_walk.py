"""Make a robot walk over a bar on rigid and on soft feet, and compare.

    python examples/10_walk.py [height in m] [robot]

The same controller, start and bar; only the feet are swapped. Prints the metrics side by side; `plantar walk trial`
draws photo sequences and films of single walks.
"""

from __future__ import annotations

import sys

from plantar import walk
from plantar.walk.study.feet import find_walker

FEET = ("own", "softfoot:fast")
SHOWN = ("com_excursion", "dcm_error", "support_area", "cop_margin", "force_peak", "slip", "energy")


def compare(robot: str, height: float, steps: int = 8, mode: str = "impedance") -> list[walk.WalkResult]:
    courses = [walk.Course(find_walker(robot, foot), gait=walk.Gait(steps=steps), mode=mode) for foot in FEET]
    return [course.run(obstacle=height, seed=0) for course in courses]


def show(results: list[walk.WalkResult]) -> None:
    print(f"{'':16}" + "".join(f"{r.foot:>16}" for r in results))
    print(f"{'ended':16}" + "".join(f"{r.status.name.lower():>16}" for r in results))
    for name in SHOWN:
        print(f"{name:16}" + "".join(f"{getattr(r.metrics, name):16.4g}" for r in results))


if __name__ == "__main__":
    height = float(sys.argv[1]) if len(sys.argv) > 1 else 0.010
    show(compare(sys.argv[2] if len(sys.argv) > 2 else "biped", height))
