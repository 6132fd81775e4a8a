"""How far the fast twin is from the full foot, over random presses with a seed of your own.

Prints mean, 95th percentile and largest error of each quantity, and how the rotation error of the worst module is
spread. With `--why`, each press in which that is beyond 0.03 rad is made again with the full foot in slightly different
ways: where one of them moves the full foot by as much, or it never comes to rest, the press has no one answer.

    python benchmarks/fast_accuracy.py --seed 314
    python benchmarks/fast_accuracy.py --seed 314 --presses 300 --shapes sphere --strips 3
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from plantar.bench.press.random_press import Press, random_presses, run_presses
from plantar.bench.press.rig import PressRig
from plantar.bench.reduce.card import error_rows, summary_rows
from plantar.bench.reduce.strips import ROTATION
from plantar.feet import SoftFoot
from plantar.table import Row, Table

FULL = SoftFoot()
OTHER_WAYS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "half the step": ({}, {"timestep": 0.001}, {}),
    "a quarter of the step": ({}, {"timestep": 0.0005}, {}),
    "slow ramp": ({}, {}, {"ramp": 2.0, "duration": 6.0}),
    "fast ramp": ({}, {}, {"ramp": 0.1}),
    "2 % more load": ({"load": 1.02}, {}, {}),
    "2 % less load": ({"load": 0.98}, {}, {}),
    "0.3 mm ahead": ({"x": 3e-4}, {}, {}),
    "0.3 mm behind": ({"x": -3e-4}, {}, {}),
}
"""Changes of the press (a factor of the load, a shift), of the rig, and of how it is run."""


def main() -> None:
    """Compare, and look into what is far off."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=314)
    parser.add_argument("--presses", type=int, default=500)
    parser.add_argument("--shapes", nargs="+", default=["cylinder", "box"], choices=("cylinder", "box", "sphere"))
    parser.add_argument("--strips", type=int, default=1)
    parser.add_argument("--why", action="store_true", help="look into presses beyond 0.03 rad")
    args = parser.parse_args()
    twin = FULL.with_(fidelity="fast", fast__strips=args.strips)
    presses = random_presses(FULL, args.presses, seed=args.seed, shapes=args.shapes)
    full = run_presses(FULL, presses)
    card = Table(error_rows(full, run_presses(twin, presses)))
    print(f"{'quantity':14s} {'unit':14s} {'mean':>10s} {'95 % within':>12s} {'largest':>10s}")
    for row in summary_rows(card):
        name, unit = row["quantity"], row["unit"]
        print(f"{name:14s} {unit:14s} {row['mean']:10.2g} {row['p95']:12.2g} {row['max']:10.2g}")
    worst = card.column("rotation_error")
    print(f"at rest: full {sum(card.column('settled_full'))}, twin {sum(card.column('settled_twin'))} of {len(card)}")
    spread = ", ".join(f"{share} % within {np.percentile(worst, share):.4f}" for share in (50, 90, 95, 99, 100))
    print(f"rotation of the worst module [rad]: {spread}; beyond {ROTATION:g}: {int((worst > ROTATION).sum())}")
    if args.why:
        look_into([(i, presses[i], full[i], float(worst[i])) for i in np.argsort(-worst) if worst[i] > ROTATION])


def look_into(cases: list[tuple[int, Press, Row, float]]) -> None:
    """Print what slightly different presses do to the full foot."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for (i, press, _, error), (most, way) in zip(cases, pool.map(vary, cases), strict=True):
            what = f"{press.load:.0f} N, {press.shape} {1e3 * press.height:.1f} mm high at {1e3 * press.x:.0f} mm"
            verdict = "no one answer" if most > ROTATION else "the twin's error"
            print(f"press {i + 1} ({what}): {error:.3f} rad; full foot moves by {most:.3f} rad ({way}): {verdict}")
            sys.stdout.flush()


def vary(case: tuple[int, Press, Row, float]) -> tuple[float, str]:
    """Largest change of a module of the full foot, and the way of pressing that made it."""
    _, press, usual, _ = case
    if not usual["settled"]:
        return np.inf, "it never comes to rest"
    found: list[tuple[float, str]] = []
    for name, (change, rig, run) in OTHER_WAYS.items():
        other = replace(press, load=press.load * change.get("load", 1.0), x=press.x + change.get("x", 0.0))
        options: dict[str, Any] = {**run, "threads": 1}
        row = run_presses(FULL, [other], rig=PressRig(**rig), **options)[0]
        turns = [column for column in row if column.startswith("rotation_")]
        found.append((max(abs(row[t] - usual[t]) for t in turns), name))
    return max(found)


if __name__ == "__main__":
    main()
