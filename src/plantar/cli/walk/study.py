"""`plantar walk study`, and what `plantar foothold walk` shares with it."""

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
from plantar.walk.study.feet import content_of, reference_foot
from plantar.walk.study.report import SHOWN, write_search, write_study
from plantar.walk.study.search import Plan, search_thresholds
from plantar.walk.study.study import Study, run_study
from plantar.walk.study.summary import best_of, paired, verdicts

SWEEP = "sweep"
"""Folder of the walks of a study, in that of its results."""
Feet = Annotated[
    str,
    typer.Option(
        "--feet",
        metavar="FOOT,...",
        help=f"Feet to compare: `own` for the robot's; {NAMING}; `locked` and `like` are controls of the first: "
        "with its joints fixed, and a plate of its outline, height and mass.",
    ),
]
Choose = Annotated[
    str,
    typer.Option(
        metavar="A,B,...", help="nominal (blind), slope, analytic, calibrated, physics, network, or an .onnx file."
    ),
]
Photos = Annotated[bool, typer.Option(help="Draw photo sequences, footholds and films of single draws.")]
Retry = Annotated[bool, typer.Option("--retry", help="Rerun trials that ended in an error.")]
Processes = Annotated[int | None, typer.Option(min=1, help="Number of processes; all cores by default.")]
Distance = Annotated[float, typer.Option(help="Distance a quadruped walks [m].")]


def study(
    robots: Annotated[list[str], typer.Argument(metavar="ROBOT", help="Robots, as in `walk trial`.")],
    feet: Feet = "own,softfoot:fast,locked,like",
    modes: Annotated[
        str,
        typer.Option(
            metavar="A,B,...", help="Controllers: torque, impedance, position, predictive, FILE.onnx, module:function."
        ),
    ] = "torque,impedance",
    courses: Annotated[
        str,
        typer.Option(metavar="A,B,...", help=f"Obstacles on the path: {', '.join(COURSES)}, a terrain or its .json."),
    ] = "bar",
    levels: Annotated[
        str, typer.Option(metavar="A,B,...", help="Levels of difficulty: heights [m], or in the unit of the course.")
    ] = "0.005,0.010,0.015,0.020",
    half: Annotated[
        bool, typer.Option("--half", help="Search instead for the level at which half of the walks fail.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Rounds of that search.")] = 4,
    batch: Annotated[int, typer.Option(help="Walks per cell in a round.")] = 8,
    choose: Choose = "nominal",
    draws: Draws = 20,
    plan: Annotated[str, typer.Option(help="crawl or trot, for quadrupeds; they crawl by default.")] = "",
    steps: Annotated[
        int, typer.Option(help="Number of steps of a biped's walk; a single bar lies under the fourth.")
    ] = 8,
    distance: Distance = 1.5,
    push: Annotated[
        float, typer.Option(help="Impulse of an additional push at a random moment [N s], for 60 kg.")
    ] = 0.0,
    timestep: Annotated[float, typer.Option(help="Time step of the simulation [s].")] = 0.002,
    rate: Annotated[
        float | None, typer.Option(help="Control steps per second; 250 halves the time of a study with bipeds.")
    ] = None,
    photos: Photos = True,
    retry: Retry = False,
    processes: Processes = None,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Compare feet and their controls over the same courses: success, paired differences, intervals.

    An interrupted study resumes when the same command is run again.
    """
    wanted = Study(
        robots=tuple(robots),
        feet=words(feet),
        modes=words(modes),
        courses=words(courses),
        levels=() if half else tuple(numbers("--levels", levels)),
        choose=words(choose),
        draws=draws,
        plan=plan,
        steps=steps,
        distance=distance,
        push=push,
        seed=seed,
        timestep=timestep,
        rate=rate,
    )
    search = Plan(rounds=rounds, batch=batch) if half else None
    run_and_report(
        wanted,
        search,
        "walk-study",
        out=out,
        overwrite=overwrite,
        photos=photos,
        retry=retry,
        processes=processes,
        as_json=as_json,
    )


def run_and_report(
    study: Study,
    search: Plan | None,
    name: str,
    *,
    out: Path | None,
    overwrite: bool,
    photos: bool,
    retry: bool,
    processes: int | None,
    as_json: bool,
) -> None:
    """Run a study or the rest of it, write its report and print its findings."""
    study.check()
    settings: dict[str, Any] = {"study": asdict(study), "search": asdict(search) if search else None}
    settings["files"] = content_of(*study.robots, *study.feet, *study.modes, *study.choose, *study.courses)
    folder = results_folder(out, name, overwrite, settings, SWEEP)
    count = search.walks(study) if search else len(study.trials())
    note(f"{count} {'walk' if count == 1 else 'walks'}; run the same command again to resume if interrupted")
    table: Sequence[Row]
    with Progress(count, "walking") as bar:
        how: dict[str, Any] = {"workers": processes, "retry": retry, "progress": bar.advance}
        sweep = folder / SWEEP
        table = search_thresholds(study, sweep, search, **how) if search else run_study(study, sweep, **how)
    if search:
        report, rows = write_search(folder, study, table)
        text, record = table_text(rows), {"thresholds": rows}
    else:
        report, rows = write_study(folder, study, table, photos=photos)
        pairs = paired(table, reference=reference_foot(study.feet))
        choosers = paired(table, by="choose")
        said = [*verdicts(pairs), *verdicts(choosers, by="choose")]
        text = "\n".join([*(said or ["these walks show no difference"]), "", table_text(rows, SHOWN)])
        record = {"summary": rows, "pairs": pairs, "choosers": choosers, "best": best_of(rows)}
    emit({**record, "report": report}, as_json=as_json, text=f"{text}\n\nreport: {report}")
    broken = [row for row in table if row.get("success") is None]
    if broken:
        fail(
            f"{len(broken)} of {len(table)} walks ended in an error ({broken[0].get('error')}): see column error of "
            f"{folder}/trials.csv, and run again with --retry",
            FAILED,
        )
