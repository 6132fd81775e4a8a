"""`plantar ground fields`."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from plantar._notebook import fields_table
from plantar.cli.common import Json, emit, table_text
from plantar.ground.terrain.registry import fields_of, find


def fields(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="A kind from `plantar ground terrain`, such as stairs.")],
    as_json: Json = False,
) -> None:
    """List the fields of a terrain with defaults, units and meanings; `--terrain-set` takes their names."""
    maker = find(kind)
    if dataclasses.is_dataclass(maker):
        rows = [row for row in fields_table(maker) if not row["field"].startswith("ground.")]
    else:  # a user's function only gives its arguments
        rows = [{"field": name, "value": value, "unit": "", "meaning": ""} for name, value in fields_of(kind)]
    emit({"fields": rows}, as_json=as_json, text=table_text(rows))
