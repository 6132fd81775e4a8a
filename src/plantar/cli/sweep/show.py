"""`plantar sweep show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar import sweep
from plantar.cli.common import Json, emit, table_text
from plantar.sweep.run import count_text


def show(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a sweep, finished or not.")],
    rows: Annotated[int, typer.Option(min=0, help="Rows to print.")] = 10,
    as_json: Json = False,
) -> None:
    """Show the progress of a sweep and its first rows."""
    found = sweep.status(folder)
    lines = [f"{found['done']} of {found['trials']} trials: {count_text(found['counts'])}"]
    if rows and found["done"]:
        lines.append(table_text(next(iter(sweep.tables(folder)))[:rows]))
    emit(found, as_json=as_json, text="\n".join(lines))
