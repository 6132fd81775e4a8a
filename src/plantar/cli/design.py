"""`plantar design`."""

from __future__ import annotations

from typing import Annotated

import typer

from plantar._checks import require_choice
from plantar.cli.common import (
    FAILED,
    Json,
    Out,
    Overwrite,
    Seed,
    emit,
    fail,
    note,
    parse_changes,
    results_folder,
    table_text,
    words,
)
from plantar.cli.foot_options import FootOption, Set, read_foot
from plantar.design import Budget, Problem, solve
from plantar.design.measure import table
from plantar.design.sampler import SAMPLERS
from plantar.design.space import FORM, make_space
from plantar.design.subject import Ground, Setting
from plantar.errors import InvalidInput
from plantar.sweep.run import ENGINES

NONE = "none"
"""What may be said in place of a robot."""
RUNS = "runs"
"""Folder of the sweeps of a search, in that of its results."""


def design(
    robot: Annotated[
        str, typer.Argument(metavar="ROBOT", help="Robot that walks; `none` if no measure needs walks.")
    ] = "",
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary", metavar="FIELD=LOW..HIGH", help=f"{FORM}; with ' if OTHER=VALUE' it applies only there."
        ),
    ] = None,
    objectives: Annotated[
        str,
        typer.Option(
            metavar="A,B,...", help="NAME[:OPTION=VALUE]... from --measures; prefix min: or max: to set the direction."
        ),
    ] = "",
    limit: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="NAME<=NUMBER", help="Constraint to satisfy, as in mass<=0.9."),
    ] = None,
    grounds: Annotated[
        str, typer.Option(metavar="COURSE:LEVEL,...", help="Grounds to walk on, as in bars:0.015,cobbles:0.02.")
    ] = "",
    held_out: Annotated[
        str,
        typer.Option(
            metavar="COURSE:LEVEL,...", help="Different grounds on which to judge the chosen feet (--judged)."
        ),
    ] = "",
    screen: Annotated[str, typer.Option(metavar="A,B,...", help="Press measures used to select which feet walk.")] = "",
    foot: FootOption = "softfoot",
    changes: Set = None,
    evaluations: Annotated[int, typer.Option(help="Number of feet measured in full.")] = 64,
    presses: Annotated[int, typer.Option(help="Number of feet pressed before any walks.")] = 64,
    draws: Annotated[int, typer.Option(min=1, help="Walks per foot on each ground.")] = 1,
    finalists: Annotated[
        int, typer.Option(help="Number of best feet that walk again before one is chosen; 0 for none.")
    ] = 0,
    judged: Annotated[int, typer.Option(help="Walks on fresh draws per chosen foot and ground; 0 for none.")] = 0,
    judge: Annotated[str, typer.Option(help="Fidelity of the foot when judged: full, hinge or fast.")] = "full",
    step: Annotated[
        list[str] | None,
        typer.Option(
            "--step", metavar="FIELD=STEP", help="Increment in which a part is available, as in band.hardness=10."
        ),
    ] = None,
    mode: Annotated[str, typer.Option(help="Controller of the robot.")] = "impedance",
    steps: Annotated[int, typer.Option(help="Number of steps of a biped's walk.")] = 8,
    distance: Annotated[float, typer.Option(help="Distance a quadruped walks [m].")] = 0.8,
    push: Annotated[
        float, typer.Option(help="Impulse of an additional push at a random moment [N s], for 60 kg.")
    ] = 0.0,
    batch: Annotated[int, typer.Option(help="Feet per round; the result depends on it, but not on --workers.")] = 8,
    sampler: Annotated[str, typer.Option(help=f"Sampler that proposes feet: {', '.join(SAMPLERS)}.")] = "auto",
    engine: Annotated[str, typer.Option(help=f"{', '.join(ENGINES[:3])}.")] = "processes",
    workers: Annotated[int | None, typer.Option(min=1, help="Feet measured in parallel; all cores by default.")] = None,
    measures: Annotated[bool, typer.Option("--measures", help="List the available measures and exit.")] = False,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Search for the foot to build for a robot, its grounds and limits, with reasons and uncertainties.

    An interrupted search resumes when the same command is run again.
    """
    if measures:
        emit({"measures": table()}, as_json=as_json, text=table_text(table()))
        return
    if not vary:
        raise InvalidInput(f"--vary is needed: give {FORM}, as in --vary band.hardness=40..80")
    problem = Problem(
        space=make_space(read_foot(foot, changes), vary),
        objectives=words(objectives),
        limits=tuple(limit or ()),
        screen=words(screen),
        held_out=tuple(Ground.parse(text).text() for text in words(held_out)),
        setting=Setting(
            robot="" if robot == NONE else robot,
            grounds=tuple(Ground.parse(text).text() for text in words(grounds)),
            draws=draws,
            seed=seed,
            mode=mode,
            footsteps=steps,
            distance=distance,
            push=push,
        ),
        steps=parse_changes("--step", step),
        seed=seed,
        sampler=sampler,  # type: ignore[arg-type]
    )
    require_choice("--engine", engine, ENGINES[:3])
    asked = {"evaluations": evaluations, "presses": presses, "batch": batch, "finalists": finalists}
    budget = Budget(**asked, judged=judged, judge=judge)
    problem.check(budget)
    folder = results_folder(out, "design", overwrite, {"problem": problem.record(), "budget": budget}, RUNS)
    note(f"{evaluations} feet; run the same command again to resume if interrupted")
    result = solve(problem, folder / RUNS, budget=budget, engine=engine, workers=workers)  # type: ignore[arg-type]
    report = result.write(folder, overwrite=True)
    emit({**result.record(), "report": report}, as_json=as_json, text=f"{result.text()}\n\nreport: {report}")
    if not result.values:
        fail("no foot meets all limits: loosen them, or vary more", FAILED)
