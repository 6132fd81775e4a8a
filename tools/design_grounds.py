"""Does a designed foot beat the default one and the robot's own on grounds that its search never saw?

    nice -n 10 python tools/design_grounds.py biped --out runs/design_biped
    nice -n 10 python tools/design_grounds.py quadruped --out runs/design_quadruped

Ten kinds of ground are drawn by a seed before anything is run: five are searched on with the fast foot, five others are
held out. A ground on which every foot walks, or none, tells no feet apart: each is laid at the level at which the
default foot, as it is judged, fails half of the time, found on draws that are used for nothing else. The designed foot,
the default one, the robot's own, and the designed foot locked and as a plate then walk there over the same fresh draws.
Everything is written as it comes; the same command goes on where it stopped, and `--blocks` may grow.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from plantar import design, feet
from plantar._files import to_json, write_table, write_text
from plantar._rows import table_text
from plantar.design.judge import Judgement, judgement
from plantar.table import Row, Table
from plantar.walk import courses
from plantar.walk.study.search import Plan, search_thresholds, thresholds
from plantar.walk.study.study import Study

KINDS = ("bar", "bars", "one_side", "oblique", "cobbles", "edges", "plates", "rough", "across", "rubble")
SPARE = ("potholes", "trenches")
"""Kinds that take the place of those that tell no feet apart."""
BLOCK = 5
"""Draws that are judged at a time."""
CASES = {
    "biped": (
        "softfoot",
        ("band.hardness=40..80", "chain_spacing=0.014..0.024", "pitch=0.019..0.025", "extension_limit=0.2..0.7"),
        ("length<=0.30", "width<=0.13", "mass<=1.0"),
    ),
    "biped_wide": (
        "softfoot",
        ("heel_half_size.1=0.0107..0.016", "chain_spacing=0.0185..0.036", "band.hardness=30..80", "pitch=0.02..0.026"),
        ("length<=0.30", "width<=0.16", "mass<=1.0"),
    ),
    "quadruped": (
        "softfoot_q",
        ("arch_stiffness=1.5..15:log", "chain_spacing=0.013..0.022", "scale=0.8..1.3", "link_stiffness=0.005..0.1"),
        ("width<=0.09", "mass<=0.6"),
    ),
    "quadruped_small": (
        "softfoot_q",
        ("arch_stiffness=0.3..5:log", "chain_spacing=0.013..0.018", "scale=0.4..0.9", "link_stiffness=0.005..0.1"),
        ("width<=0.09", "mass<=0.6"),
    ),
}
"""The foot to start from, what is varied, and limits, which leave the foot about as large as it is or, where a case is
called wide, half as wide again; in the small one ranges go on where the quadruped's search ended, at their ends. Up to
its first underscore the name of a case is that of the robot."""


def draw_kinds(seed: int) -> list[str]:
    """All kinds in an order by chance, spare ones at the end."""
    return [*np.random.default_rng(seed).permutation(KINDS).tolist(), *SPARE]


def draw_grounds(given: argparse.Namespace, base: str) -> tuple[list[str], list[Row]]:
    """Ten grounds at the levels at which the default foot fails half of the time, and what is known of the levels."""
    found: list[str] = []
    rows: list[Row] = []
    for kind in draw_kinds(given.seed):
        study = Study(
            robots=(given.robot,),
            feet=(base,),
            modes=("impedance",),
            courses=(kind,),
            steps=given.steps,
            distance=given.distance,
            rate=given.rate,
            seed=given.seed + 1,
        )
        plan = Plan(rounds=3, batch=4)
        table = search_thresholds(study, given.out / "levels" / kind, plan, engine="threads", workers=1)
        ended = [row.get("success") for row in table]  # None: the simulation failed, which tells nothing of feet
        used = True in ended and False in ended and None not in ended
        (row,) = thresholds(table) or [{}]
        rows.append({"ground": kind, "used": used, "failed": ended.count(None), **row})
        print(f"{kind}: {row}", flush=True)
        if used:
            found.append(ground_at(kind, row["threshold"]))
        if len(found) == 10:
            break
    return found, rows


def read_levels(file: Path) -> tuple[list[str], list[Row]]:
    """The grounds of an earlier run; its draws are not those of a search or a judgement."""
    rows: list[Row] = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    used = [row for row in rows if row["used"] == "True"]
    return [ground_at(row["course"], float(row["threshold"])) for row in used][:10], rows


def ground_at(kind: str, level: float) -> str:
    """A ground at a level, or at the highest that can be laid."""
    return f"{kind}:{min(level, courses.find(kind).high):.3g}"


def search(given: argparse.Namespace, searched: list[str]) -> design.DesignResult:
    """The search on the searched grounds."""
    base, vary, limits = CASES[given.case]
    return design.search(
        given.robot,
        feet.get(f"{base}:fast"),
        vary=vary,
        objectives=[given.objective],
        screen=["contact_area"],
        limits=limits,
        grounds=searched,
        budget=design.Budget(
            evaluations=given.evaluations, presses=given.presses, keep=5, batch=4, finalists=given.finalists
        ),
        seed=given.seed,
        sampler="tpe",  # learns from all feet, those of the presses too; CMA-ES from its own alone
        out=given.out / "runs",
        workers=1,
        draws=given.draws,
        distance=given.distance,
        footsteps=given.steps,
        rate=given.rate,
    )


def judge(given: argparse.Namespace, result: design.DesignResult, held_out: list[str]) -> Judgement:
    """All feet on the held-out grounds, a block of draws at a time."""
    table: list[Row] = []
    chosen = {"designed": result.foot, "default": feet.get(CASES[given.case][0])}
    for block in range(given.blocks):
        how: dict[str, Any] = {"draws": BLOCK, "first": BLOCK * block, "grounds": held_out, "engine": "threads"}
        place = (result.problem.setting, given.out / f"judge{block:02d}")
        table += list(design.judge(chosen, *place, workers=1, **how).table)
        if block < given.control_blocks:
            place = (result.problem.setting, given.out / f"controls{block:02d}")
            how |= {"controls": ("locked", "like"), "only_controls": True, "own": False}
            table += list(design.judge(chosen, *place, workers=1, **how).table)
        print(f"{BLOCK * (block + 1)} draws are judged", flush=True)
    return judgement(Table(table), "designed")


def main() -> None:
    """Draw, search, judge, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("case", choices=sorted(CASES))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--evaluations", type=int, default=20)
    parser.add_argument("--draws", type=int, default=3, help="walks of each foot on each ground in the search")
    parser.add_argument("--finalists", type=int, default=4, help="best feet that walk again before one is chosen")
    parser.add_argument("--blocks", type=int, default=4, help=f"blocks of {BLOCK} draws on which feet are judged")
    parser.add_argument(
        "--control-blocks", type=int, default=4, help="the same for the designed foot locked and a plate"
    )
    parser.add_argument("--levels", type=Path, help="levels.csv of an earlier run, instead of walks that find them")
    parser.add_argument("--objective", default="way", help="what the search makes good")
    parser.add_argument("--presses", type=int, default=24, help="feet that are pressed first")
    parser.add_argument("--rate", type=float, default=250.0, help="control steps a second")
    parser.add_argument("--distance", type=float, default=0.5)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--seed", type=int, default=2026, help="draws grounds, feet and walks")
    given = parser.parse_args()
    given.robot = given.case.partition("_")[0]
    given.out.mkdir(parents=True, exist_ok=True)
    start, file = time.perf_counter(), given.out / "grounds.json"
    if not file.exists():
        grounds, levels = read_levels(given.levels) if given.levels else draw_grounds(given, CASES[given.case][0])
        write_table(given.out, "levels", levels)
        write_text(file, to_json(grounds) + "\n")
    grounds = json.loads(file.read_text(encoding="utf-8"))
    searched, held_out = grounds[:5], grounds[5:]
    print(f"searched: {', '.join(searched)}\nheld out: {', '.join(held_out)}", flush=True)
    print(f"{time.perf_counter() - start:.0f} s", flush=True)
    result = search(given, searched)
    print(result.text(), f"\n{time.perf_counter() - start:.0f} s", flush=True)
    result.write(given.out / "report", overwrite=True)
    found = judge(given, result, held_out)
    tables = {"walks": found.table, "summary": found.summary, "pairs": found.pairs, "overall": found.overall}
    for name, rows in tables.items():
        write_table(given.out, name, list(rows))
    shown = ("course", "level", "foot", "trials", "successes", "low", "high")
    print(table_text([{name: row[name] for name in shown} for row in found.summary]))
    print(table_text(found.pairs), table_text(found.overall), sep="\n\n")
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
