"""`plantar walk study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import FAILED, Draws, Json, Out, Progress, Seed, emit, fail, note, numbers, table_text, words
from plantar.cli.foot_options import FeetOption
from plantar.walk.study.report import write_study
from plantar.walk.study.study import Study, find_walker, largest_bars, run_study


def study(
    robots: Annotated[list[str], typer.Argument(metavar="ROBOT...", help="Robots, as in `walk trial`.")],
    feet: FeetOption = "own,softfoot:fast",
    modes: Annotated[str, typer.Option(metavar="A,B,...", help="Controllers.")] = "torque,impedance",
    heights: Annotated[
        str, typer.Option(metavar="A,B,...", help="Heights of the bar [m].")
    ] = "0.005,0.010,0.015,0.020",
    places: Annotated[str, typer.Option(metavar="A,B,...", help="random, heel, arch, toe.")] = "random",
    draws: Draws = 20,
    steps: Annotated[int, typer.Option(help="Steps of each walk; the bar lies under the fourth.")] = 8,
    timestep: Annotated[float, typer.Option(help="Time step of the simulation [s].")] = 0.002,
    rate: Annotated[float, typer.Option(help="Control steps per second; 250 halves the time of a study.")] = 500.0,
    photos: Annotated[bool, typer.Option(help="Draw photo sequences of one bar with every foot.")] = True,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes at once; all cores by default.")] = None,
    seed: Seed = 0,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Walk over bars at random places with each foot: success with intervals, figures, and the paper's claims.

    A study that was interrupted goes on where it stopped when the same command is given again.
    """
    wanted = Study(
        robots=tuple(robots),
        feet=words(feet),
        modes=words(modes),
        heights=tuple(numbers("--heights", heights)),
        places=words(places),
        draws=draws,
        steps=steps,
        seed=seed,
        timestep=timestep,
        rate=rate,
    )
    for robot in wanted.robots:
        for foot in wanted.feet:
            find_walker(robot, foot)  # what does not exist or fit is refused before anything is written
    folder = Path(out) if out is not None else Path("plantar_walk_study")
    count = len(wanted.trials())
    note(f"{count} trials; the same command goes on where this one stops")
    with Progress(count, "walking") as bar:
        table = run_study(wanted, folder / "sweep", workers=workers, progress=bar.advance)
    report, summary = write_study(folder, wanted, table, photos=photos)
    shown = ("robot", "foot", "mode", "place", "obstacle", "trials", "successes", "low", "high")
    text = [table_text(summary, shown), "", table_text(largest_bars(summary)), "", f"report: {report}"]
    record = {"summary": summary, "largest_bars": largest_bars(summary), "report": report}
    emit(record, as_json=as_json, text="\n".join(text))
    broken = [row for row in table if row.get("success") is None]
    if broken:
        fail(f"{len(broken)} of {count} trials ended in an error: see column error of {folder}/trials.csv", FAILED)
