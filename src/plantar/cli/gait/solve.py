"""`plantar gait solve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, emit, fail, results_folder, table_text
from plantar.cli.gait.options import CostName, Intervals, RobotName, Seconds, Tolerance
from plantar.cli.gait.output import UNITS, motion_differences, write_gaits
from plantar.cli.show_options import Html, Video
from plantar.errors import InvalidInput
from plantar.gait import Effort, GaitResult, Request
from plantar.gait import solve as find
from plantar.gait.legged import ROBOTS
from plantar.gait.patterns import pattern

DEFAULT_START = {"biped": "run", "quadruped": "trot"}
"""Pattern that a gait starts from by default; the hopper has its own crude guess."""


def solve(
    robot: RobotName = "hopper",
    contact: Annotated[
        Literal["soft", "hard", "both"], typer.Option(help="Rubber feet, rigid feet, or both.")
    ] = "soft",
    speed: Annotated[float, typer.Option(help="Average speed [sqrt(g l0)].")] = 0.5,
    apex: Annotated[
        float | None, typer.Option(help="Height of the torso at the apex [l0]; 1.2 for the hopper, else free.")
    ] = None,
    then: Annotated[
        Literal["hard"] | None, typer.Option(help="Solve again with rigid feet, from the soft solution.")
    ] = None,
    objective: Annotated[
        Literal["losses", "transport"] | None,
        typer.Option(help="Cost per stride (hopper), or per weight and distance (others)."),
    ] = None,
    cost: CostName = "thermal",
    start: Annotated[
        str | None, typer.Option(help="Pattern to start from: hop; walk, run; walk, trot, pace, bound, pronk.")
    ] = None,
    guess: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of a random guess, instead of a pattern.")
    ] = None,
    intervals: Intervals = 20,
    tolerance: Tolerance = 1e-5,
    refinements: Annotated[int, typer.Option(help="Largest number of mesh refinements.")] = 6,
    seconds: Seconds = 60.0,
    film: Annotated[bool, typer.Option(help="Replay a soft gait in MuJoCo and write the film watch.html.")] = True,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Optimise a periodic gait by direct collocation; check it with an independent integrator; plot and film it."""
    if start is not None and (guess is not None or contact != "soft"):
        raise InvalidInput(f"--start {start} is not allowed with --guess or rigid feet: patterns are for rubber feet")
    if (html or video) and (contact == "hard" or not film):
        raise InvalidInput("--html and --video need a gait with rubber feet and --film: rigid feet are not replayed")
    if then == "hard" and contact != "soft":
        raise InvalidInput(f"--then hard is not allowed with --contact {contact}: it starts from a soft solution")
    body = ROBOTS[robot]()
    hops = robot == "hopper"
    request = Request(
        speed=speed,
        apex=1.2 if apex is None and hops else apex,
        objective=objective or ("losses" if hops else "transport"),
        symmetric=not hops,
        cost=cost,
    )
    effort = Effort(intervals=intervals, tolerance=tolerance, refinements=refinements, seconds=seconds)
    if start is not None:
        pattern(body, start)
    begin = guess if guess is not None else start if start is not None or hops else DEFAULT_START[robot]
    folder = results_folder(out, "gait-solve", overwrite)
    kinds: list[Literal["hard", "soft"]] = ["hard", "soft"] if contact == "both" else [contact]
    results = []
    with Progress((len(kinds) + bool(then)) * (refinements + 1), "meshes") as bar:
        for kind in kinds:
            results.append(find(body, kind, request, guess=_suited(begin, kind), effort=effort, progress=bar.advance))
        if then and results[-1].ok:
            results.append(find(body, "hard", request, guess=results[-1], effort=effort, progress=bar.advance))
    report, rows = write_gaits(results, folder, film=film, seed=guess, html=html, video=video)
    _print(results, rows, {"folder": folder, "report": report}, as_json)


def _suited(begin: str | int | None, kind: str) -> str | int | None:
    """Rigid feet take no pattern."""
    return None if kind == "hard" and isinstance(begin, str) else begin


def _print(results: list[GaitResult], rows: list[dict[str, Any]], files: dict[str, Path], as_json: bool) -> None:
    failed = [r for r in results if not r.ok]
    record: dict[str, Any] = {"gaits": rows, **files}
    if len(results) == 2 and not failed:
        record["differences"] = motion_differences(*results)
    found = [
        f"{r.robot.name} with {r.contact} contact: {row['status']}, cost of transport {row['cost_of_transport']:.3g}"
        for r, row in zip(results, rows, strict=True)
    ]
    text = "\n".join([*found, "", ""]) + table_text(
        rows, [c for c in rows[0] if c not in ("violated", "seconds")], units=UNITS
    )
    if "differences" in record:
        text += "\n\n" + table_text([record["differences"]])
    emit(record, as_json=as_json, text=f"{text}\n\nreport: {files['report']}")
    if failed:
        why = (f"{r.contact} {r.robot.name} {r.status.value}: {'; '.join(r.violated[:4])}" for r in failed)
        fail("; ".join(why), FAILED)
