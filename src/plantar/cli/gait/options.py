"""Options that the commands about gaits share."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

RobotName = Annotated[Literal["hopper", "biped", "quadruped"], typer.Option("--robot", help="What moves.")]
CostName = Annotated[
    Literal["thermal", "work", "electrical"],
    typer.Option("--cost", help="What is saved: heat in the motors, positive work, or electrical energy."),
]
Tolerance = Annotated[float, typer.Option(help="Largest defect between nodes; the mesh is refined until then.")]
Intervals = Annotated[int, typer.Option(help="Intervals of the first mesh.")]
Seconds = Annotated[float, typer.Option(help="Processor time for one gait, at most [s].")]
