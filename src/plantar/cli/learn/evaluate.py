"""`plantar learn evaluate`."""

from __future__ import annotations

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
    numbers,
    results_folder,
    words,
)
from plantar.cli.foot_options import read_foot
from plantar.cli.show_options import report_on
from plantar.cli.walk.study import Processes
from plantar.errors import InvalidInput
from plantar.learn import EvaluateConfig
from plantar.learn import evaluate as walk_all
from plantar.learn.controller import found_file
from plantar.learn.plots import CAPTION, plot_stiffness
from plantar.learn.subject import OWN, PLATE
from plantar.learn.walks import trials_of
from plantar.show.plots import save
from plantar.show.report import Section


def evaluate(
    policies: Annotated[
        list[Path],
        typer.Argument(
            metavar="POLICY", help="policy.onnx files, or one shipped with Plantar, such as g1_softfoot.onnx."
        ),
    ],
    feet: Annotated[
        str | None,
        typer.Option(
            "--feet",
            metavar="FOOT,...",
            help="Feet to walk on, including own and plate; those of the training if left out.",
        ),
    ] = None,
    robot: Annotated[str | None, typer.Option(help="Another model of the robot used in training.")] = None,
    speeds: Annotated[str, typer.Option(help="Commanded velocities [m/s].")] = "0.5",
    course: Annotated[
        str, typer.Option(help="Obstacles on the path: a course of `walk study`, or a terrain.")
    ] = "bars",
    levels: Annotated[
        str, typer.Option(help="Levels of difficulty: heights [m], or in the unit of the course.")
    ] = "0,0.02",
    pushes: Annotated[
        str, typer.Option(help="Velocity changes by pushes every 2 s, until the time of --seconds [m/s].")
    ] = "0",
    stiffness: Annotated[
        str, typer.Option(help="Factors on the stiffness of soft feet; 1000 is locked.")
    ] = "0.25,1,4,16,1000",
    tendons: Annotated[str, typer.Option(help="Whether soft feet have their tendons: on, off, or on,off.")] = "on",
    seconds: Annotated[float, typer.Option(min=0.1, help="Walking time [s].")] = 10.0,
    draws: Draws = 5,
    processes: Processes = None,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Let exported policies walk in plain MuJoCo on the CPU: falls, speed error, cost of transport, forces, slip.

    Run the same command again to resume.
    """
    files = [found_file(policy) for policy in policies]
    config = EvaluateConfig(
        speeds=tuple(numbers("--speeds", speeds)),
        course=course,
        levels=tuple(numbers("--levels", levels)),
        pushes=tuple(numbers("--pushes", pushes)),
        stiffness=tuple(numbers("--stiffness", stiffness)),
        tendons=tuple(word == "on" for word in _switches("--tendons", tendons)),
        seconds=seconds,
        draws=draws,
        seed=seed,
    )
    named = [word if word in (OWN, PLATE) else read_foot(word) for word in words(feet or "")] or None
    trials = trials_of(files, named, config, robot or "")
    count = len(trials)
    told = {trial["file"]: {name: trial[name] for name in ("digest", "body", "model", "ground")} for trial in trials}
    kinds = [kind if isinstance(kind, str) else kind.to_dict() for kind in named or ()]
    settings = {"policies": told, "feet": kinds, "robot": robot, "walks": asdict(config)}
    folder = results_folder(out, "learn-evaluate", overwrite, settings)
    with Progress(count, "walks") as bar:
        how: dict[str, Any] = {"robot": robot or "", "out": folder / "sweep", "workers": processes}
        how["overwrite"] = overwrite
        result = walk_all(files, named, config, progress=bar.advance, **how)
    result.write(folder)
    said = (
        f"how {' and '.join(file.stem for file in files)} walk over {course} on different feet.",
        f"{len(result.rows)} walks; means with their intervals are in the first table.",
        f"{draws} draws per cell, the same for every foot and policy; intervals are 95 %; differences are from "
        f"{result.compared()}, draw by draw.",
    )
    picture = save(plot_stiffness(result), folder / "stiffness.png")
    sections = [
        Section(title="Over the stiffness of the feet", picture=picture, caption=CAPTION),
        Section(title="Means", table=result.summary()),
        *(
            Section(title=title, table=table)
            for title, table in (
                ("Differences", result.pairs()),
                ("Over trainings", result.trainings()),
                ("Kinds of feet over trainings", result.feet()),
            )
            if table
        ),
    ]
    report = report_on(folder, "How the policies walk", said, sections)
    emit({**result.record(), "report": report}, as_json=as_json, text=f"{result.text()}\n\nreport: {report}")
    if result.broken:
        fail(f"{len(result.broken)} of {count} walks ended in an error ({result.broken[0]}): run again", FAILED)


def _switches(option: str, text: str) -> tuple[str, ...]:
    """The words of `on,off`."""
    found = words(text)
    if not found or set(found) - {"on", "off"} or len(set(found)) < len(found):
        raise InvalidInput(f"{option} {text!r} is not allowed: give on, off, or on,off")
    return found
