"""The same walks on the fast and on the full SoftFoot: do they end alike, and how far are their figures apart?

Each robot walks over level ground (two seeds) and over a bar of 10 mm at a random place (three seeds), with stiff
joints and in torque mode. Rows are printed as they are found; the summary is of walks that reach their end on both.

    python benchmarks/walk_fidelity.py biped MENAGERIE/unitree_g1/g1.xml
    python benchmarks/walk_fidelity.py biped --feet softfoot:full softfoot:hinge --modes torque
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from plantar import feet, robots
from plantar.walk.course import Course
from plantar.walk.result import WalkStatus

FIGURES = ("com_excursion", "slip", "transport", "cop_margin", "force_peak", "dcm_error")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="+")
    parser.add_argument("--feet", nargs=2, default=("softfoot:full", "softfoot:fast"), help="reference and other")
    parser.add_argument("--strips", type=int, default=1, help="strips of a fast foot")
    parser.add_argument("--modes", nargs="+", default=("impedance", "torque"))
    parser.add_argument("--seed", type=int, default=101)
    args = parser.parse_args()
    trials = [(0.0, args.seed + i) for i in range(2)] + [(0.010, args.seed + 2 + i) for i in range(3)]
    pairs: list[tuple[Any, Any]] = []
    for name in args.robots:
        for mode in args.modes:
            courses = [course(name, foot, mode, args.strips) for foot in args.feet]
            for obstacle, seed in trials:
                pair = tuple(c.run(obstacle=obstacle, seed=seed) for c in courses)
                pairs.append(pair)  # type: ignore[arg-type]
                for foot, result in zip(args.feet, pair, strict=True):
                    numbers = "  ".join(f"{key} {getattr(result.metrics, key):.5f}" for key in FIGURES)
                    what = f"{name} {mode} {1e3 * obstacle:.0f} mm seed {seed} {foot}"
                    print(f"{what}: {result.status.name}  {numbers}", flush=True)
    alike = sum(a.status == b.status for a, b in pairs)
    walked = [(a, b) for a, b in pairs if a.status == b.status == WalkStatus.WALKED]
    print(f"ended alike: {alike} of {len(pairs)}; walked on both: {len(walked)}")
    for key in FIGURES if walked else ():
        first, other = (statistics.mean(getattr(pair[i].metrics, key) for pair in walked) for i in (0, 1))
        print(f"  {key:14s} {first:.5f} {other:.5f} {other / first - 1:+.1%}")


def course(name: str, foot: str, mode: str, strips: int) -> Course:
    made = feet.get(foot)
    if made.fidelity == "fast" and strips > 1:
        made = made.with_(fast__strips=strips)
    return Course(robots.mount(robots.load(name), made), mode=mode)


if __name__ == "__main__":
    main()
