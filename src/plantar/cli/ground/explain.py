"""`plantar ground explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import mujoco
import typer

from plantar._mjcf import read_by_mujoco
from plantar.cli.common import Json, emit
from plantar.errors import InvalidInput
from plantar.ground import explain as tell


def explain(
    model: Annotated[Path, typer.Argument(metavar="MODEL.xml", help="An MJCF or URDF file.")],
    geom_a: Annotated[str, typer.Argument(metavar="GEOM_A", help="Name of one geom.")],
    geom_b: Annotated[str, typer.Argument(metavar="GEOM_B", help="Name of the geom that it touches.")],
    load: Annotated[
        float | None, typer.Option(help="Force at rest [N]; the weight of the moving body if left out.")
    ] = None,
    contacts: Annotated[int | None, typer.Option(help="Points that share it; from the shape if left out.")] = None,
    as_json: Json = False,
) -> None:
    """Show which contact parameters win between two geoms, and the stiffness, damping and depth that result."""
    if not model.is_file():
        raise InvalidInput(f"model {str(model)!r} does not exist: give the path of an MJCF or URDF file")
    with read_by_mujoco(model, "model"):
        compiled = mujoco.MjModel.from_xml_path(str(model))
    told = tell(compiled, geom_a, geom_b, load=load, contacts=contacts)
    emit(told.to_dict(), as_json=as_json, text=told.text())
