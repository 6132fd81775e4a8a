"""`plantar gait sweep`."""

from __future__ import annotations

from typing import Annotated

import typer

from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, Seed, emit, fail, numbers, table_text, words
from plantar.cli.gait.options import CostName, Intervals, RobotName, Seconds, Tolerance
from plantar.cli.gait.output import GAITS, UNITS, sweep_folder, write_family
from plantar.gait import PATTERNS, Effort, Request, family
from plantar.gait.families import parted
from plantar.gait.legged import ROBOTS


def sweep(
    robot: RobotName = "biped",
    speeds: Annotated[
        str, typer.Option(metavar="A,B,...", help="Average speeds [sqrt(g l0)].")
    ] = "0.2,0.4,0.6,0.8,1.0",
    starts: Annotated[
        str | None,
        typer.Option(
            metavar="A,B@SPEED,...",
            help="Patterns to start from, with the speed to start at; the first speed if left out.",
        ),
    ] = None,
    guesses: Annotated[int, typer.Option(min=0, help="Number of additional random guesses, at the first speed.")] = 0,
    cost: CostName = "electrical",
    seed: Seed = 0,
    intervals: Intervals = 14,
    tolerance: Tolerance = 1e-4,
    refinements: Annotated[int, typer.Option(help="Largest number of mesh refinements.")] = 5,
    seconds: Seconds = 60.0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Follow gaits over speed on rubber feet: families, gait diagrams, cost of transport.

    Each gait is written as soon as it is found; the same command with the same --out resumes an interrupted sweep.
    """
    values = numbers("--speeds", speeds)
    for value in values:
        Request(speed=value)
    effort = Effort(intervals=intervals, tolerance=tolerance, refinements=refinements, seconds=seconds)
    body = ROBOTS[robot]()
    named = list(PATTERNS[body.legs]) if starts is None else words(starts)
    for name in named:
        parted(body, name, values)
    begin = [*named, *range(seed, seed + guesses)]
    settings = {"robot": body, "speeds": values, "starts": begin, "cost": cost, "effort": effort}
    folder = sweep_folder(out, settings, overwrite)
    with Progress(len(begin) * len(set(values)), "gaits") as bar:
        found = family(
            body,
            values,
            starts=begin,
            cost=cost,
            effort=effort,
            folder=folder / GAITS,
            progress=bar.advance,
        )
    if not found.results:
        fail("no start converged: try other --starts, --guesses, or another first speed", FAILED)
    report, rows = write_family(found, folder, seed=seed)
    text = f"{table_text(rows, units=UNITS)}\n\nreport: {report}"
    emit({"gaits": rows, "folder": folder, "report": report}, as_json=as_json, text=text)
