"""Options shared by the robot commands."""

from __future__ import annotations

from typing import Annotated

import typer

RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A name from `plantar robots list`, or the path of an MJCF or URDF file or of a folder with one.",
    ),
]
Ankle = Annotated[
    list[str] | None,
    typer.Option("--ankle", metavar="NAME", help="Last body or joint of a leg, once per leg; detected if left out."),
]
