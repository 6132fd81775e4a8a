"""`plantar learn evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import Draws, Json, OutTables, Overwrite, Progress, Seed, emit, numbers, results_folder, words
from plantar.cli.foot_options import read_foot
from plantar.cli.show_options import report_on
from plantar.learn import EvaluateConfig, Policy
from plantar.learn import evaluate as walk_all
from plantar.learn.controller import found_file
from plantar.learn.subject import OWN, PLATE
from plantar.show.report import Section


def evaluate(
    policy: Annotated[
        Path, typer.Argument(help="policy.onnx of a training, or one that Plantar brings, as g1_softfoot.onnx.")
    ],
    feet: Annotated[
        str | None,
        typer.Option(
            "--feet", metavar="FOOT,...", help="Feet to walk on, own and plate among them; as trained if not given."
        ),
    ] = None,
    robot: Annotated[str | None, typer.Option(help="Another model of the robot it was trained on.")] = None,
    speeds: Annotated[str, typer.Option(help="Commanded velocities [m/s].")] = "0.5",
    course: Annotated[str, typer.Option(help="What lies in the way: a course of `walk study`, or a terrain.")] = "bars",
    levels: Annotated[
        str, typer.Option(help="How hard it is: heights [m], or what the course is measured in.")
    ] = "0,0.02",
    pushes: Annotated[str, typer.Option(help="Changes of velocity by pushes, every 2 s [m/s].")] = "0",
    stiffness: Annotated[
        str, typer.Option(help="Factors on the stiffness of soft feet; 1000 is locked.")
    ] = "0.25,1,4,16,1000",
    seconds: Annotated[float, typer.Option(min=0.1, help="Time of walking [s].")] = 10.0,
    draws: Draws = 5,
    seed: Seed = 0,
    out: OutTables = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Let an exported policy walk in plain MuJoCo on the CPU: falls, speed error, cost of transport, forces, slip."""
    policy = found_file(policy)
    config = EvaluateConfig(
        speeds=tuple(numbers("--speeds", speeds)),
        course=course,
        levels=tuple(numbers("--levels", levels)),
        pushes=tuple(numbers("--pushes", pushes)),
        stiffness=tuple(numbers("--stiffness", stiffness)),
        seconds=seconds,
        draws=draws,
        seed=seed,
    )
    named = [word if word in (OWN, PLATE) else read_foot(word) for word in words(feet or "")] or None
    kinds = named or Policy(policy).card.feet
    folder = results_folder(out, "learn-evaluate", overwrite)
    cells = len(config.speeds) * len(config.levels) * len(config.pushes) * len(config.stiffness) * draws
    with Progress(cells * len(kinds), "walks") as bar:
        result = walk_all(policy, kinds, config, robot=robot, progress=bar.advance)
    result.write(folder)
    worn = ", ".join(getattr(kind, "name", str(kind)) for kind in kinds)
    said = (
        f"how the policy {policy.stem} walks on {worn}, over {course}.",
        f"{len(result.rows)} walks; means with their intervals are in the first table.",
        f"{draws} draws a cell, the same for every foot; intervals are of 95 %.",
    )
    sections = [Section(title="Means", table=result.summary()), Section(title="Differences", table=result.pairs())]
    report = report_on(folder, f"The policy {policy.stem}", said, sections)
    emit({**result.record(), "report": report}, as_json=as_json, text=f"{result.text()}\n\nreport: {report}")
