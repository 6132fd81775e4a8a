"""`plantar walk study`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.common import (
    FAILED,
    Draws,
    Json,
    Out,
    Overwrite,
    Progress,
    Seed,
    emit,
    fail,
    note,
    numbers,
    results_folder,
    table_text,
    words,
)
from plantar.cli.foot_options import NAMING
from plantar.table import Row
from plantar.walk.courses import COURSES
from plantar.walk.study.report import SHOWN, reference_foot, write_search, write_study
from plantar.walk.study.search import Plan, search_thresholds
from plantar.walk.study.study import Study, run_study
from plantar.walk.study.summary import paired, verdicts

Feet = Annotated[
    str,
    typer.Option(
        "--feet",
        metavar="FOOT,...",
        help=f"Feet to compare: own are the robot's; {NAMING}; locked and like are the controls of the first of these: "
        "its joints fixed, and a plate of its outline, height and mass.",
    ),
]


def study(
    robots: Annotated[list[str], typer.Argument(metavar="ROBOT...", help="Robots, as in `walk trial`.")],
    feet: Feet = "own,softfoot:fast,locked,like",
    modes: Annotated[
        str, typer.Option(metavar="A,B,...", help="Controllers: torque, impedance, predictive, or module:function.")
    ] = "torque,impedance",
    courses: Annotated[str, typer.Option(metavar="A,B,...", help=f"What lies in the way: {', '.join(COURSES)}.")] = (
        "bar"
    ),
    levels: Annotated[
        str, typer.Option(metavar="A,B,...", help="How hard: heights [m], or what the course is measured in.")
    ] = "0.005,0.010,0.015,0.020",
    half: Annotated[
        bool, typer.Option("--half", help="Search for the level at which half of the walks fail instead.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Rounds of that search.")] = 4,
    batch: Annotated[int, typer.Option(help="Walks of each cell in a round.")] = 8,
    draws: Draws = 20,
    steps: Annotated[int, typer.Option(help="Steps of each walk; a single bar lies under the fourth.")] = 8,
    push: Annotated[float, typer.Option(help="A push at a random moment on top [N s], for 60 kg.")] = 0.0,
    timestep: Annotated[float, typer.Option(help="Time step of the simulation [s].")] = 0.002,
    rate: Annotated[float, typer.Option(help="Control steps per second; 250 halves the time of a study.")] = 500.0,
    photos: Annotated[bool, typer.Option(help="Draw photo sequences of one draw with every foot.")] = True,
    retry: Annotated[bool, typer.Option("--retry", help="Run trials again that ended in an error.")] = False,
    processes: Annotated[int | None, typer.Option(min=1, help="Processes at once; all cores by default.")] = None,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Walk over the same courses with each foot and its controls: success, paired differences, intervals.

    A study that was interrupted goes on where it stopped when the same command is given again.
    """
    wanted = Study(
        robots=tuple(robots),
        feet=words(feet),
        modes=words(modes),
        courses=words(courses),
        levels=() if half else tuple(numbers("--levels", levels)),
        draws=draws,
        steps=steps,
        push=push,
        seed=seed,
        timestep=timestep,
        rate=rate,
    )
    plan = Plan(rounds=rounds, batch=batch) if half else None
    wanted.check()
    settings: dict[str, Any] = {"study": asdict(wanted), "search": asdict(plan) if plan else None}
    folder = results_folder(out, "walk_study", overwrite, settings)
    count = plan.walks(wanted) if plan else len(wanted.trials())
    note(f"{count} walks; the same command goes on where this one stops")
    table: Sequence[Row]
    with Progress(count, "walking") as bar:
        how: dict[str, Any] = {"workers": processes, "retry": retry, "progress": bar.advance}
        if plan:
            table = search_thresholds(wanted, folder / "sweep", plan, **how)
        else:
            table = run_study(wanted, folder / "sweep", **how)
    if plan:
        report, rows = write_search(folder, wanted, table)
        text, record = table_text(rows), {"thresholds": rows}
    else:
        report, rows = write_study(folder, wanted, table, photos=photos)
        pairs = paired(table, reference=reference_foot(wanted))
        said = verdicts(pairs) or ["these walks tell no two feet apart"]
        text, record = "\n".join([table_text(rows, SHOWN), "", *said]), {"summary": rows, "pairs": pairs}
    emit({**record, "report": report}, as_json=as_json, text=f"{text}\n\nreport: {report}")
    _fail_if_broken(table, folder)


def _fail_if_broken(table: Sequence[Row], folder: Path) -> None:
    broken = [row for row in table if row.get("success") is None]
    if broken:
        fail(
            f"{len(broken)} of {len(table)} walks ended in an error ({broken[0].get('error')}): see column error of "
            f"{folder}/trials.csv, and run it with --retry",
            FAILED,
        )
