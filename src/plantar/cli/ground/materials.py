"""`plantar ground materials`."""

from __future__ import annotations

from plantar.cli.common import Json, emit, table_text
from plantar.ground import materials as known

UNITS = {"stiffness": "N/m", "k_c": "N/m^(n+1)", "k_phi": "N/m^(n+2)", "cohesion": "Pa"}


def materials(as_json: Json = False) -> None:
    """List grounds with published stiffness, Bekker parameters and friction, and their sources."""
    table = known.table()
    rows = [{"what" if k == "text" else k: v for k, v in row.items() if k != "source"} for row in table]
    sources = "\n".join(f"{row['name']}: {row['source']}" for row in table)
    text = f"{table_text(rows, units=UNITS)}\n\nSources:\n{sources}"
    emit({"materials": list(table)}, as_json=as_json, text=text)
