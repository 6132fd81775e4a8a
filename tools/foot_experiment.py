"""The four-foot experiment: what compliance does over bars, apart from a foot's size, mass, height and contact.

    python tools/foot_experiment.py runs/feet --robots jvrc1.xml pal_talos unitree_g1 biped --processes 16

Four feet (the robot's own, the fast SoftFoot, the same with its joints locked, a plate of its outline, height and mass)
walk over three bars at random places under three controllers. First a search finds the height at which half of the
walks fail, for every robot, mode and foot; with `--thresholds`, for own feet alone in the modes that it does not name.
Then all four feet walk over fresh draws at the height where the robot's own feet fail half of the time, in blocks of 20
draws. The command goes on where it was stopped; `--draws 40` adds a block to a finished one, and another mode in
`--modes` its walks. It leaves table.csv, pooled.csv, thresholds.csv, figure.png and the trials in its folder.
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import replace
from pathlib import Path

from plantar import progress
from plantar._files import write_config, write_table
from plantar._rows import table_text
from plantar.show.plots import save
from plantar.table import Row, Table
from plantar.walk.study.feet import feet_table
from plantar.walk.study.plots import plot_intervals
from plantar.walk.study.search import Plan, level_of, pairs_at, search_thresholds, threshold_differences, thresholds
from plantar.walk.study.study import Study, run_trials
from plantar.walk.study.summary import paired, pooled, short, summarise, verdicts

BLOCK = 20
"""Draws of a block."""
FRESH = 1000
"""Seeds of the blocks begin here; the search has chosen its heights on others."""


def main() -> None:
    """Run what is left of the experiment, and write what is known."""
    args = read_arguments()
    study = Study(
        robots=tuple(args.robots),
        feet=("own", "softfoot:fast", "locked", "like"),
        modes=tuple(args.modes.split(",")),
        courses=(args.course,),
        levels=(),
        steps=args.steps,
        push=args.push,
        rate=args.rate,
        seed=args.seed,
    )
    study.check()
    plan, out, blocks = Plan(rounds=args.rounds, batch=args.batch), Path(args.out), args.draws // BLOCK
    searched, rows, retry = Table([]), [], args.retry
    alone = [replace(study, modes=(mode,)) for mode in study.modes]
    wide = args.thresholds.split(",") if args.thresholds else study.modes
    looked = [one if one.modes[0] in wide else replace(one, feet=study.feet[:1]) for one in alone]
    with progress.Progress(sum(map(plan.walks, looked)), "searching") as bar:
        how = {"workers": args.processes, "retry": retry, "progress": bar.advance}
        for one in looked:  # each mode has folders of its own, so that one can be added or run again
            found = search_thresholds(one, out / one.modes[0] / "search", plan, **how)
            searched = Table([*searched, *found])
    write_search(out, study, searched)
    levels = level_of(searched)
    with progress.Progress(blocks * BLOCK * len(study.cells()), "comparing") as bar:
        how = {"workers": args.processes, "retry": retry, "progress": bar.advance}
        for block, one in itertools.product(range(blocks), alone):
            fresh = one.with_seed(args.seed + FRESH + block)
            found = run_trials(fresh, pairs_at(fresh, levels, BLOCK), out / one.modes[0] / f"pairs{block}", **how)
            rows += [{**row, "draw": row["draw"] + BLOCK * block} for row in found]
    write_pairs(out, study, searched, Table(rows))


def write_search(out: Path, study: Study, table: Table) -> None:
    """Write what the search found."""
    soft = study.feet[1]
    for name, rows in (
        ("feet", feet_table(study.robots, study.feet)),
        ("thresholds", thresholds(table)),
        ("threshold_differences", threshold_differences(table, soft)),
        ("search_trials", list(table)),
    ):
        write_table(out, name, rows)
    write_config(out, seed=study.seed, command="foot_experiment", study=study)
    print(table_text(thresholds(table)), flush=True)


def write_pairs(out: Path, study: Study, searched: Table, table: Table) -> None:
    """Write the table and the figure of the experiment from the blocks that are done."""
    soft = study.feet[1]
    apart = paired(table, reference=soft)
    by_mode, by_robot = (pooled(table, reference=soft, over=name) for name in ("mode", "robot"))
    of_all = pooled(table, reference=soft, over=None)
    wide = wide_table(study, searched, table)
    for name, rows in (
        ("table", wide),
        ("summary", summarise(table)),
        ("pairs", apart),
        ("pooled_by_mode", by_mode),
        ("pooled_by_robot", by_robot),
        ("pooled", of_all),
        ("pair_trials", list(table)),
    ):
        write_table(out, name, rows)
    save(plot_intervals(thresholds(searched), apart, study.courses[0]), out / "figure.png")
    said = "\n".join(verdicts(apart)) or "no two feet are told apart in a single cell"
    print(*(table_text(rows) for rows in (wide, by_mode, by_robot, of_all)), said, sep="\n\n", flush=True)


def wide_table(study: Study, searched: Table, table: Table) -> list[Row]:
    """One row per robot and mode: the height, successes of each foot there, and the threshold of each foot."""
    cells = {(r["robot"], r["mode"], r["foot"]): r for r in summarise(table)}
    halves = {(r["robot"], r["mode"], r["foot"]): r for r in thresholds(searched)}
    rows: list[Row] = []
    for robot in study.robots:
        for mode in study.modes:
            one = cells[robot, mode, study.feet[0]]
            row: Row = {"robot": short(robot), "mode": mode, "level": one["level"], "draws": one["trials"]}
            for foot in study.feet:
                row[f"walked {foot}"] = cells[robot, mode, foot]["successes"]
            for foot in study.feet:
                half = halves.get((robot, mode, foot), {})
                row[f"half {foot}"] = half.get("threshold")
                row[f"low {foot}"], row[f"high {foot}"] = half.get("low"), half.get("high")
            rows.append(row)
    return rows


def read_arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="folder; one that holds this experiment is gone on with")
    parser.add_argument("--robots", nargs="+", default=["biped"])
    parser.add_argument("--modes", default="torque,impedance,predictive")
    parser.add_argument("--course", default="bars")
    parser.add_argument("--push", type=float, default=0.0, help="push on top [N s]")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--rate", type=float, default=250.0)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--thresholds", metavar="MODES", help="where all feet are searched, not own ones alone; all")
    parser.add_argument("--draws", type=int, default=BLOCK, help=f"fresh draws of each cell, in blocks of {BLOCK}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=None)
    parser.add_argument("--retry", action="store_true", help="run walks again that ended in an error")
    return parser.parse_args()


if __name__ == "__main__":
    main()
