"""The same walks on the fast and on the full SoftFoot: do they end alike, and how far are their figures apart?

Each robot walks over level ground (`--level` seeds) and over a bar of 10 mm at a random place (`--bars` seeds), with
stiff joints and in torque mode. Rows are printed as they are found; the summary is of walks that reach their end on
both.

    python benchmarks/walk_fidelity.py biped MENAGERIE/unitree_g1/g1.xml
    python benchmarks/walk_fidelity.py biped --feet softfoot:full softfoot:hinge --modes torque
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
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
    parser.add_argument("--level", type=int, default=2, help="seeds on level ground")
    parser.add_argument("--bars", type=int, default=3, help="seeds with a bar")
    args = parser.parse_args()
    heights = [0.0] * args.level + [0.010] * args.bars
    trials = [(height, args.seed + i) for i, height in enumerate(heights)]
    pairs: list[tuple[str, Any, Any]] = []
    for name in args.robots:
        for mode in args.modes:
            courses = [course(name, foot, mode, args.strips) for foot in args.feet]
            for obstacle, seed in trials:
                pair = tuple(c.run(obstacle=obstacle, seed=seed) for c in courses)
                pairs.append((name, *pair))  # type: ignore[arg-type]
                for foot, result in zip(args.feet, pair, strict=True):
                    numbers = "  ".join(f"{key} {getattr(result.metrics, key):.5f}" for key in FIGURES)
                    what = f"{name} {mode} {1e3 * obstacle:.0f} mm seed {seed} {foot}"
                    print(f"{what}: {result.status.name}  {numbers}", flush=True)
    alike = sum(a.status == b.status for _, a, b in pairs)
    walked = [pair for pair in pairs if pair[1].status == pair[2].status == WalkStatus.WALKED]
    print(f"ended alike: {alike} of {len(pairs)}; walked on both: {len(walked)}")
    for key, change in changes(walked).items():
        first, other = (statistics.mean(getattr(result.metrics, key) for result in side) for side in sides(walked))
        print(f"  {key:14s} {first:.5f} {other:.5f} {change:+.1%}")
    counts = {"pairs": len(pairs), "alike": alike, "walked": len(walked), "level": args.level, "bars": args.bars}
    print(f"figure softfoot.fidelity.counts = {json.dumps(counts | {'seed': args.seed})}")
    print(f"figure softfoot.fidelity.changes = {json.dumps(changes(walked))}")
    for name in args.robots:
        own = changes([pair for pair in walked if pair[0] == name])
        print(f"figure softfoot.fidelity.{Path(name).stem} = {json.dumps(own)}")


def sides(walked: list[tuple[str, Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Results on the reference and on the other feet."""
    return [reference for _, reference, _ in walked], [other for _, _, other in walked]


def changes(walked: list[tuple[str, Any, Any]]) -> dict[str, float]:
    """Mean of each figure on the other feet over that on the reference, less one."""
    sums = {key: [sum(getattr(r.metrics, key) for r in side) for side in sides(walked)] for key in FIGURES if walked}
    return {key: other / first - 1 for key, (first, other) in sums.items()}


def course(name: str, foot: str, mode: str, strips: int) -> Course:
    made = feet.get(foot)
    if made.fidelity == "fast" and strips > 1:
        made = made.with_(fast__strips=strips)
    return Course(robots.mount(robots.load(name), made), mode=mode)


if __name__ == "__main__":
    main()
