"""`plantar bench replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar import settle
from plantar.cli.common import Json, emit


def replay(
    dump: Annotated[Path, typer.Argument(metavar="DIR", help="Folder left by a diverged run.")],
    as_json: Json = False,
) -> None:
    """Replay a diverged simulation from its last good state and say when and where it blows up."""
    divergence = settle.replay(dump)
    record = {"diverged": divergence is not None, "message": str(divergence or "")}
    emit(record, as_json=as_json, text=str(divergence or "It did not blow up again."))
