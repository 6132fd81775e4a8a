"""`plantar ground materials`."""

from __future__ import annotations

from plantar.cli.common import Json, emit, table_text
from plantar.ground import materials as known


def materials(as_json: Json = False) -> None:
    """List grounds with published stiffness, Bekker numbers and friction, and their sources."""
    table = known.table()
    rows = [{k: v for k, v in row.items() if k != "source"} for row in table]
    sources = "\n".join(f"{row['name']}: {row['source']}" for row in table)
    emit({"materials": list(table)}, as_json=as_json, text=f"{table_text(rows)}\n\nSI units. Sources:\n{sources}")
