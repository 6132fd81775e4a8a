"""`plantar feet fields`."""

from __future__ import annotations

from plantar._notebook import fields_table
from plantar.cli.common import Json, emit, table_text
from plantar.cli.foot_options import FootArgument, Set, read_foot


def fields(foot: FootArgument, changes: Set = None, as_json: Json = False) -> None:
    """List the fields of a foot with values, units and meanings; `--set` takes their names."""
    rows = fields_table(read_foot(foot, changes))
    emit({"fields": rows}, as_json=as_json, text=table_text(rows))
