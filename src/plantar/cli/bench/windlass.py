"""`plantar bench windlass`."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from plantar import bench
from plantar.bench.mechanism import references
from plantar.bench.windlass.windlass import LARGEST_ANGLE
from plantar.cli.bench.options import Beside, Chains, finish, make_foot, running
from plantar.cli.common import Json, Out, Overwrite, numbers
from plantar.cli.foot_options import FootOption, Set
from plantar.cli.show_options import Html, Video
from plantar.errors import InvalidInput


def windlass(
    foot: FootOption = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    stand: Annotated[
        float | None,
        typer.Option(metavar="N", help="Load on a foot standing on flat ground; without it the foot is in the air."),
    ] = None,
    angles: Annotated[str, typer.Option(metavar="A,B,...", help="Toe angles [degrees].")] = "0,1,2,3,5,7,10,15,20,25",
    beside: Beside = True,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Raise the toes step by step: arch height, heel-to-metatarsus distance, tendon tension, toe force."""
    one = make_foot(foot, chains, changes)
    wanted = [math.radians(angle) for angle in numbers("--angles", angles)]
    if not all(0 <= angle <= LARGEST_ANGLE for angle in wanted):
        most = math.degrees(LARGEST_ANGLE)
        raise InvalidInput(f"--angles {angles!r} is not allowed: give degrees from 0 to {most:g}")
    others = references(one) if beside else {}
    with running("windlass", len(wanted) * (1 + len(others)), out, overwrite) as (folder, bar):
        result = bench.windlass(one, stand=stand, angles=wanted, beside=others, progress=bar.advance)
    finish(result, folder, as_json, html, video)
