"""Recover the fields of hidden feet from their stiffness curves with at most 150 presses each.

    python benchmarks/design_recover.py 5 --seed 100 --out runs/recover

draws feet from the ranges below, presses them, hands nothing but the curve to `plantar.design`, and prints how far the
fields of the foot that it chose are off. A run that was stopped goes on where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from pathlib import Path

import numpy as np

from plantar import bench, design, feet
from plantar._rows import table_text
from plantar.design.explore import explore
from plantar.design.front import ranked
from plantar.design.measure import parse_goal

VARY = ("band.hardness=40..80", "extension_limit=0.2..0.5", "contact.stiffness=3e8..3e9:log")
LOADS = (10.0, 40.0, 80.0, 160.0, 320.0)


def recover(number: int, seed: int, out: Path, sampler: str, evaluations: int) -> dict[str, float]:
    """Errors of one hidden foot's fields, as shares of them."""
    base = feet.get("softfoot:fast")
    space = design.make_space(base, VARY)
    hidden = space.draw(np.random.default_rng([seed, number]))
    out.mkdir(parents=True, exist_ok=True)
    curve = out / f"hidden{number}.csv"
    pressed = bench.stiffness(space.build(hidden), loads=LOADS, threads=1)
    with curve.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["load", "deflection"])
        writer.writerows(zip(pressed.column("load").tolist(), pressed.column("deflection").tolist(), strict=True))
    goal = parse_goal(f"curve:file={curve}")
    evaluation = design.Problem(space=space, objectives=(goal.label,)).evaluation()
    start = time.perf_counter()
    rows = explore(
        evaluation,
        space,
        [goal],
        evaluations=evaluations,
        out=out / f"foot{number}_{sampler}",
        seed=seed + number,
        sampler=sampler,  # type: ignore[arg-type]
        workers=1,
    )
    best = ranked(rows, {goal.label: goal.sign})[0]
    errors = {name: abs(best[name] / value - 1) for name, value in hidden.items()}
    found = {"foot": number, **hidden, **{f"error {name}": error for name, error in errors.items()}}
    return {**found, "worst": max(errors.values()), "loss": best[goal.label], "seconds": time.perf_counter() - start}


def main() -> None:
    """Recover some feet and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("feet", type=int, nargs="?", default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sampler", default="auto")
    parser.add_argument("--evaluations", type=int, default=150)
    parser.add_argument("--out", type=Path, default=Path("runs/design_recover"))
    given = parser.parse_args()
    rows = []
    for number in range(given.feet):
        rows.append(recover(number, given.seed, given.out / f"seed{given.seed}", given.sampler, given.evaluations))
        print(table_text(rows), flush=True)
    errors = [{name: row[f"error {name}"] for name in (text.partition("=")[0] for text in VARY)} for row in rows]
    print(f"figure design.recover.seed_{given.seed} = {json.dumps(errors)}")
    print(f"figure design.recover.presses_{given.seed} = {given.evaluations}")


if __name__ == "__main__":
    main()
