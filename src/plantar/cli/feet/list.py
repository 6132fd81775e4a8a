"""`plantar feet list`."""

from __future__ import annotations

from plantar.cli.common import Json, emit, table_text
from plantar.feet.registry import entries


def list_(as_json: Json = False) -> None:
    """List the available feet."""
    rows = [
        {"name": e.name, "fidelities": list(e.fidelities), "package": e.package, "what": e.summary} for e in entries()
    ]
    shown = [{**row, "fidelities": ", ".join(row["fidelities"])} for row in rows]
    emit({"feet": rows}, as_json=as_json, text=table_text(shown))
