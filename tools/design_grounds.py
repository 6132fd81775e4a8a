"""Does a designed foot beat the default one and the robot's own on grounds that its search never saw?

    nice -n 10 python tools/design_grounds.py biped --out runs/design_biped
    nice -n 10 python tools/design_grounds.py quadruped --out runs/design_quadruped

Ten grounds are drawn from a seed before anything is run: half are searched on with the fast foot, half are held out.
The designed foot, the default one and the robot's own then walk on the held-out grounds over the same fresh draws.
Everything is written as it comes; the same command goes on where it stopped, and `--draws` may grow.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from plantar import design, feet
from plantar._files import write_table, write_text
from plantar._rows import table_text
from plantar.walk.courses import find

KINDS = ("bars", "one_side", "oblique", "cobbles", "edges", "plates", "rough", "across")
SEED = 2026
ROBOTS = {
    "biped": (
        "softfoot",
        ("band.hardness=40..80", "chain_spacing=0.014..0.024", "pitch=0.019..0.025", "extension_limit=0.2..0.7"),
        ("length<=0.30", "width<=0.13", "mass<=1.0"),
    ),
    "quadruped": (
        "softfoot_q",
        (
            "arch_stiffness=1.5..15:log",
            "chain_spacing=0.013..0.022",
            "pitch=0.0115..0.0145",
            "link_stiffness=0.005..0.1",
        ),
        ("width<=0.09", "mass<=0.6"),
    ),
}
"""By robot: the foot to start from, what is varied, and limits that keep the foot about as large as it is."""


def draw_grounds(seed: int = SEED, count: int = 10) -> list[str]:
    """Grounds by chance: a kind, and a level from the upper part of the levels that searches walk."""
    rng = np.random.default_rng(seed)
    found: list[str] = []
    for _ in range(count):
        kind = find(str(rng.choice(KINDS)))
        share = rng.uniform(0.45, 0.75)
        level = float(np.exp((1 - share) * np.log(kind.low) + share * np.log(kind.high)))
        found.append(f"{kind.name}:{level:.3g}")
    return found


def main() -> None:
    """Search, judge, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("robot", choices=sorted(ROBOTS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--evaluations", type=int, default=12)
    parser.add_argument("--presses", type=int, default=16)
    parser.add_argument("--draws", type=int, default=4, help="walks of each foot on each held-out ground")
    parser.add_argument("--judge", default="full", help="build of the foot that is judged")
    parser.add_argument("--distance", type=float, default=0.5)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    base, vary, limits = ROBOTS[given.robot]
    grounds = draw_grounds()
    searched, held_out = grounds[:5], grounds[5:]
    given.out.mkdir(parents=True, exist_ok=True)
    text = f"searched: {', '.join(searched)}\nheld out: {', '.join(held_out)}\n"
    write_text(given.out / "grounds.txt", text)
    print(text, flush=True)
    start = time.perf_counter()
    result = design.search(
        given.robot,
        feet.get(f"{base}:fast"),
        vary=vary,
        objectives=["way", "force_rate"],
        screen=["contact_area"],
        limits=limits,
        grounds=searched,
        budget=design.Budget(evaluations=given.evaluations, presses=given.presses, keep=4, batch=4),
        seed=given.seed,
        out=given.out / "runs",
        workers=1,
        distance=given.distance,
        footsteps=given.steps,
    )
    print(result.text(), f"\n{time.perf_counter() - start:.0f} s", flush=True)
    result.write(given.out / "report", overwrite=True)
    best = max(result.front, key=lambda row: (row["way"], -row["force_rate"]))
    designed = result.problem.space.build(result.problem.space.active(best))
    feet.save(designed, given.out / "designed.json", overwrite=True)
    found = design.judge(
        {"designed": designed, "default": feet.get(base)},
        result.problem.setting,
        given.out / f"judge_{given.judge}_{given.draws}",
        grounds=held_out,
        draws=given.draws,
        fidelity=given.judge,
        workers=1,
    )
    for name, rows in (("walks", found.table), ("summary", found.summary), ("pairs", found.pairs)):
        write_table(given.out, name, rows)
    shown = ("course", "level", "foot", "trials", "successes", "low", "high", "force_rate", "slip", "transport")
    print(table_text([{name: row[name] for name in shown} for row in found.summary]))
    print(table_text(found.pairs), table_text(found.overall), sep="\n\n")
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
