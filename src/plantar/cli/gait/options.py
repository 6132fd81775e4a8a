"""Options shared by the gait commands."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

RobotName = Annotated[Literal["hopper", "biped", "quadruped"], typer.Option("--robot", help="Robot model.")]
CostName = Annotated[
    Literal["thermal", "work", "electrical"],
    typer.Option("--cost", help="Cost to minimise: heat in the motors, positive work, or electrical energy."),
]
Tolerance = Annotated[float, typer.Option(help="Largest defect between nodes; the mesh is refined until it is met.")]
Intervals = Annotated[int, typer.Option(help="Intervals of the first mesh.")]
Seconds = Annotated[float, typer.Option(help="Processor time limit per gait [s].")]
