"""How long a hopper's gait takes to solve, how that grows with the mesh, and how the defect falls with it.

Three tables, for rigid and soft feet:

- the refined hopper from the crude guess: time, intervals, iterations (target: under 5 s on one core);
- even meshes, each from the one before: time of building and of one iteration against the number of nodes;
- the same meshes: the defect between nodes, whose integral a scheme of fourth order divides by 16 when intervals are
  halved. The solution is smooth within a rigid phase; the rubber law's second derivative jumps at touch-down, so
  that its largest defect falls as h^3 and the median interval shows the scheme.

Processor time is reported beside wall time, so that a busy machine does not count. Use OMP_NUM_THREADS=1.

    OMP_NUM_THREADS=1 python benchmarks/gait_solve.py [--meshes 20,40,80,160] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics

import numpy as np

from plantar.gait import Effort, Hopper, solve
from plantar.gait._mesh import defects
from plantar.gait.check import check

TARGET = 5.0
"""Processor seconds for a refined hopper."""


def refined(rounds: int) -> bool:
    print("refined hopper from the crude guess (defect below 1e-5)")
    print(
        f"{'contact':8s} {'cpu s':>7s} {'wall s':>7s} {'intervals':>9s} {'iter':>5s} {'cost':>9s} {'violation':>10s}"
        f" {'defect':>9s} {'return':>9s} {'cost err':>9s}"
    )
    results = {}
    for _ in range(rounds):
        for contact in ("hard", "soft"):
            results.setdefault(contact, []).append(solve(Hopper(), contact))
    ok = True
    for contact, found in results.items():
        cpu, wall = (statistics.median(getattr(r, n) for r in found) for n in ("cpu_seconds", "seconds"))
        r, c = found[0], check(found[0])
        ok &= r.ok and cpu < TARGET
        print(
            f"{contact:8s} {cpu:7.2f} {wall:7.2f} {r.intervals:9d} {r.iterations:5d} {r.cost:9.6f} {r.violation:10.1e}"
            f" {r.defect:9.1e} {c.return_error:9.1e} {c.cost_error:9.1e}"
        )
    return ok


def growth(meshes: list[int]) -> None:
    for contact in ("hard", "soft"):
        print(f"\n{contact}: even meshes, each from the one before")
        print(
            f"{'intervals':>9s} {'unknowns':>9s} {'iter':>5s} {'cpu s':>7s} {'ms/iter':>8s}"
            f" {'largest':>9s} {'ratio':>6s}"
            f" {'median':>9s} {'ratio':>6s} {'return':>9s} {'ratio':>6s}"
        )
        numbers: list[int] = []
        result, before = solve(Hopper(), contact, effort=Effort(refinements=0, intervals=meshes[0])), None
        ratios: dict[str, list[float]] = {"largest": [], "median": [], "return": []}
        for count in meshes:
            if before is None:
                numbers = [max(2, round(count * s.duration / result.stride_time)) for s in result.segments]
            else:
                numbers = [2 * n for n in numbers]
            even = [np.full(n, 1 / n) for n in numbers]
            result = solve(Hopper(), contact, guess=result, effort=Effort(refinements=0), meshes=even)
            every = np.concatenate([defects(result.robot, s) for s in result.segments])
            now = (float(every.max()), float(np.median(every)), check(result).return_error)
            row, last = result.history[-1], before or (math.nan,) * 3
            print(
                f"{row['intervals']:9d} {row['unknowns']:9d} {row['iterations']:5d} {row['cpu_seconds']:7.2f}"
                f" {1e3 * row['cpu_seconds'] / max(row['iterations'], 1):8.1f}"
                + "".join(f" {a:9.2e} {b / a:6.1f}" for a, b in zip(now, last, strict=True))
            )
            if before:
                for name, a, b in zip(ratios, now, before, strict=True):
                    ratios[name].append(b / a)
            before = now
        for name, values in ratios.items():
            print(f"figure gait.mesh.{contact}_{name} = {json.dumps(values)}")
    print(f"figure gait.mesh.intervals = {json.dumps(meshes)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--meshes", default="20,40,80,160", help="numbers of intervals, each twice the one before")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    ok = refined(args.rounds)
    growth([int(n) for n in args.meshes.split(",")])
    if not ok:
        raise SystemExit(f"slower than {TARGET:g} s, or not solved")


if __name__ == "__main__":
    main()
