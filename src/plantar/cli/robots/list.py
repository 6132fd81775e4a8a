"""`plantar robots list`."""

from __future__ import annotations

from plantar.cli.common import Json, emit, note, table_text
from plantar.robots.built_in import built_in
from plantar.robots.load.sources import ADVICE, menagerie_names


def list_(as_json: Json = False) -> None:
    """List the built-in robots and the MuJoCo Menagerie robots on this machine."""
    rows = [
        {"name": name, "from": "built in", "what": (build.__doc__ or "").split("\n")[0]}
        for name, build in built_in.ROBOTS.items()
    ]
    rows += [{"name": name, "from": "menagerie", "what": ""} for name in menagerie_names()]
    emit({"robots": rows}, as_json=as_json, text=table_text(rows))
    if len(rows) == len(built_in.ROBOTS):
        note(f"for MuJoCo Menagerie robots {ADVICE}; paths always work")
