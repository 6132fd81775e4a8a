"""`plantar foothold walk`: a quadruped crosses rough ground and chooses where to step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import FAILED, Draws, Json, Out, Progress, Seed, emit, fail, note, table_text, words
from plantar.cli.foot_options import FeetOption
from plantar.foothold.sole import load_sole, sole_of
from plantar.walk.plans.gaits import Crawl, Trot
from plantar.walk.study.crossing_report import write_study
from plantar.walk.study.crossings import CrossStudy, best_of, run_study


def walk(
    terrains: Annotated[
        list[str],
        typer.Argument(metavar="TERRAIN...", help="flat, stairs, steps, rubble, bumps, or a terrain's .json."),
    ],
    feet: FeetOption = "softfoot_q:fast,ball",
    choose: Annotated[
        str,
        typer.Option(
            metavar="A,B,...", help="nominal, slope, analytic, calibrated, physics, network, or an .onnx file."
        ),
    ] = "nominal,slope,analytic",
    robot: Annotated[str, typer.Option(help="quadruped, a menagerie name, or a file.")] = "quadruped",
    draws: Draws = 10,
    difficulty: Annotated[float, typer.Option(help="Factor on the heights of the grounds.")] = 1.0,
    distance: Annotated[float, typer.Option(help="Way of the base [m].")] = 1.5,
    gait: Annotated[str, typer.Option(help="crawl (one foot at a time) or trot (diagonals in turn).")] = "crawl",
    stride: Annotated[float | None, typer.Option(help="Way of a cycle of four steps of a crawl [m].")] = None,
    speed: Annotated[float | None, typer.Option(help="Speed of a trot [m/s].")] = None,
    sole: Annotated[
        str, typer.Option(metavar="FILE", help="What soft feet want: sole.json or .npz of `foothold calibrate`.")
    ] = "",
    photos: Annotated[bool, typer.Option(help="Draw photo sequences, footholds and films.")] = True,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes at once; all cores by default.")] = None,
    seed: Seed = 0,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Let a quadruped cross rough ground with each foot and each way to choose: success, slip, collisions, films.

    A study that was interrupted goes on where it stopped when the same command is given again.
    """
    ways = words(choose)
    if sole:
        load_sole(sole)  # what cannot be read is refused before anything is run
        ways = tuple(f"{name}@{sole}" if name in ("slope", "analytic") else name for name in ways)
    study = CrossStudy(
        terrains=tuple(part for text in terrains for part in words(text)),
        feet=words(feet),
        choose=ways,
        robot=robot,
        seeds=draws,
        seed=seed,
        difficulty=difficulty,
        distance=distance,
        gait=gait,  # type: ignore[arg-type]
        stride=Crawl.stride if stride is None else stride,
        speed=Trot.speed if speed is None else speed,
    )
    for foot in study.feet:
        sole_of(foot)  # a foot of which nobody knows what it wants
    study.check()
    folder = Path(out) if out is not None else Path("plantar_foothold_walk")
    count = len(study.trials())
    note(f"{count} walks; the same command goes on where this one stops")
    with Progress(count, "walking") as bar:
        table = run_study(study, folder / "sweep", workers=workers, progress=bar.advance)
    report, summary = write_study(folder, study, table, photos=photos)
    shown = ("terrain", "foot", "choose", "walks", "successes", "low", "high", "slip", "collisions", "transport")
    text = [table_text(summary, shown), "", table_text(best_of(summary)), "", f"report: {report}"]
    record = {"summary": summary, "best": best_of(summary), "report": report}
    emit(record, as_json=as_json, text="\n".join(text))
    broken = [row for row in table if row.get("success") is None]
    if broken:
        fail(f"{len(broken)} of {count} walks ended in an error: see column error of {folder}/walks.csv", FAILED)
