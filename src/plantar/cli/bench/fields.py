"""`plantar bench fields`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from plantar._notebook import fields_table
from plantar.bench.press.rig import PressRig
from plantar.bench.windlass.rig import WindlassRig
from plantar.cli.common import Json, emit, table_text

RIGS = {"press": PressRig, "windlass": WindlassRig}
"""Rigs by the verb that uses them."""


def fields(
    rig: Annotated[
        Literal["press", "windlass"], typer.Argument(metavar="RIG", help="Whose rig: press or windlass.")
    ] = "press",
    as_json: Json = False,
) -> None:
    """List the fields of a rig with defaults, units and meanings, as `--rig` takes them."""
    rows = fields_table(RIGS[rig])
    emit({"fields": rows}, as_json=as_json, text=table_text(rows))
