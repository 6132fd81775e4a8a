"""`plantar bench press`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from plantar import bench
from plantar.bench import planar
from plantar.cli.bench.options import Chains, Duration, GroundFile, RigSet, bench_foot, finish, make_rig, running
from plantar.cli.common import FAILED, Json, Out, Overwrite, fail, numbers, whole_numbers
from plantar.cli.foot_options import FootOption, Set
from plantar.cli.show_options import Html, Video
from plantar.errors import InvalidInput
from plantar.settle import Recording, Status


def press(
    foot: FootOption = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    loads: Annotated[str, typer.Option(metavar="A,B,...", help="Loads [N].")] = "12,24",
    heights: Annotated[str, typer.Option(metavar="A,B,...", help="Obstacle heights [m].")] = "0.007,0.011,0.015,0.019",
    positions: Annotated[str, typer.Option(metavar="A,B,...", help="Modules over the obstacle; all by default.")] = "",
    model: Annotated[
        Literal["mujoco", "analytic", "both"], typer.Option(help="Simulation, the planar equilibrium model, or both.")
    ] = "mujoco",
    duration: Duration = 5.0,
    threads: Annotated[int, typer.Option(min=0, help="Threads; 0 takes all cores.")] = 0,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press the foot on an obstacle under each module: 48 trials, a table, plots and a report.

    A SoftFoot has a single chain unless --chains says otherwise, as on the bench of the paper.
    """
    if (html or video) and model == "analytic":
        raise InvalidInput("a film is not possible with --model analytic: that model has no motion, only an end state")
    one, rig = bench_foot(foot, chains, changes), make_rig(rig_changes, ground)
    where = whole_numbers("--positions", positions) if positions else range(1, len(one.stations.module_x) + 1)
    todo = {"loads": numbers("--loads", loads), "heights": numbers("--heights", heights), "positions": where}
    count = len(bench.trials(**todo)) * (2 if model == "both" else 1)
    with running("press", count, out, overwrite) as (folder, bar):
        todo |= {"rig": rig, "progress": bar.advance}
        if model == "analytic":
            result = planar.press(one, **todo)
        else:
            result = bench.press(one, **todo, duration=duration, threads=threads, recording=Recording())
        if model == "both":
            result = replace(result, planar=planar.press(one, **todo).table)
    finish(result, folder, as_json, html, video)
    moving = len(result) - int(result.column("settled").sum())
    if moving:
        fail(f"{moving} trials did not settle (see column settled). {Status.MOVING.value}", FAILED)
