"""`plantar bench stiffness`."""

from __future__ import annotations

from typing import Annotated

import typer

from plantar import bench
from plantar.bench.mechanism import references
from plantar.bench.stiffness import Obstacle
from plantar.cli.bench.options import Beside, Chains, finish, make_foot, running
from plantar.cli.common import Json, Out, Overwrite, numbers
from plantar.cli.foot_options import FootOption, Set
from plantar.cli.show_options import Html, Video


def stiffness(
    foot: FootOption = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    obstacle: Annotated[
        Obstacle, typer.Option(help="Obstacle to press on; cylinders lie across the foot.")
    ] = "cylinder",
    radius: Annotated[float, typer.Option(help="Radius of the obstacle [m].")] = 0.025,
    loads: Annotated[str, typer.Option(metavar="A,B,...", help="Loads [N].")] = "0,5,10,20,40,70,100,150,200,300,400",
    beside: Beside = True,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press under a rising load: soft when lightly loaded, stiff when heavily loaded."""
    one, forces = make_foot(foot, chains, changes), numbers("--loads", loads)
    others = references(one) if beside else {}
    with running("stiffness", len(forces) * (1 + len(others)), out, overwrite) as (folder, bar):
        result = bench.stiffness(
            one, obstacle=obstacle, radius=radius, loads=forces, beside=others, progress=bar.advance
        )
    finish(result, folder, as_json, html, video)
