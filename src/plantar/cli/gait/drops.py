"""`plantar gait drops`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._files import write_csv
from plantar.cli.common import Json, Overwrite, Seed, check_file, emit, numbers
from plantar.gait.drops import DropRig, synthetic_drops


def drops(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="File to write the drops to.")],
    mass: Annotated[float, typer.Option(help="Falling mass [kg].")] = 0.5,
    heights: Annotated[str, typer.Option(metavar="A,B,...", help="Drop heights [m].")] = "0.01,0.03,0.06,0.12,0.2",
    noise: Annotated[float, typer.Option(help="Noise of each channel, relative to its largest value.")] = 0.02,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write synthetic drops of the racquetball foot; the paper's recordings are not public."""
    check_file(file, ".csv", overwrite)
    rig = DropRig(mass=mass, heights=tuple(numbers("--heights", heights)), noise=noise)
    table = synthetic_drops(rig=rig, seed=seed)
    write_csv(file, table)
    emit({"file": file, "rows": len(table)}, as_json=as_json, text=f"{len(table)} rows of synthetic drops: {file}")
