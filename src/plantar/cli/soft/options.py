"""Options shared by the soft-robot commands."""

from __future__ import annotations

from typing import Annotated

import typer

RobotSet = Annotated[
    list[str] | None,
    typer.Option("--robot-set", metavar="FIELD=VALUE", help="Change a field of the robot, as in young=300000."),
]
