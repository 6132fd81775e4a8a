"""`plantar soft materials`."""

from __future__ import annotations

from plantar.cli.common import Json, emit, table_text
from plantar.soft.fit.rubbers import RUBBERS

UNITS = {"young*": "Pa"}


def materials(as_json: Json = False) -> None:
    """List measured rubbers: law, Young's modulus, range of stretch and source."""
    rows = [
        {
            "name": one.name,
            "what": one.what,
            "law": one.law_name,
            "young": one.young,
            "young_neo_hookean": one.material().young,
            "least_stretch": one.stretch[0],
            "most_stretch": one.stretch[1],
            "held_out_percent": 100 * one.held_out,
        }
        for one in RUBBERS.values()
    ]
    sources = "\n".join(f"{one.name}: {one.source}" for one in RUBBERS.values())
    record = [{**row, "constants": list(RUBBERS[str(row["name"])].constants)} for row in rows]
    record = [{**row, "source": RUBBERS[str(row["name"])].source} for row in record]
    text = f"{table_text(rows, units=UNITS)}\n\nSources:\n{sources}"
    emit({"materials": record}, as_json=as_json, text=text)
