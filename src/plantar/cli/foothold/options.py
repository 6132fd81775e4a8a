"""Options shared by the map commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.feet import Foot
from plantar.foothold import load_sole, sole_of
from plantar.foothold.terrain_cost import Sole

Map = Annotated[
    str, typer.Argument(metavar="MAP", help="A map (.npz .npy .png), a terrain's .json, or a kind of terrain.")
]
Yaws = Annotated[str, typer.Option("--yaw", metavar="A,B,...", help="Yaw angles of the foot [degrees].")]
SoleFile = Annotated[
    Path | None,
    typer.Option("--sole", metavar="FILE", help="sole.json or hold.npz from `calibrate`; or physics, or calibrated."),
]
Grey = Annotated[float | None, typer.Option(help="Height at this end of the image's grey scale [m].")]


def read_sole(foot: Foot, file: Path | None) -> Sole:
    """The sole of a foot, or the one in a file."""
    return sole_of(foot) if file is None else load_sole(file, foot.name)
