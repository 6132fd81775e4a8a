"""Options that the commands on maps share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.feet import Foot
from plantar.foothold import load_sole, sole_of
from plantar.foothold.terrain_cost import Sole

Map = Annotated[str, typer.Argument(metavar="MAP", help="A map (.npz .npy .png), a terrain's .json, or its kind.")]
Yaws = Annotated[str, typer.Option("--yaw", metavar="A,B,...", help="Turns of the foot [degrees].")]
SoleFile = Annotated[
    Path | None,
    typer.Option("--sole", metavar="FILE", help="sole.json or hold.npz of `calibrate`; or physics, or calibrated."),
]
Grey = Annotated[float | None, typer.Option(help="Height of this end of a picture's grey levels [m].")]


def read_sole(foot: Foot, file: Path | None) -> Sole:
    """What a foot wants of the ground, or the sole of a file for it."""
    return sole_of(foot) if file is None else load_sole(file, foot.name)
