"""`plantar bench template`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.bench import write_template
from plantar.cli.common import Json, check_file, emit


def template(
    path: Annotated[
        Path, typer.Argument(metavar="FILE.csv", help="File to write; an existing file is never overwritten.")
    ],
    as_json: Json = False,
) -> None:
    """Write an empty CSV with the 48 trials of the paper, to be filled with measurements."""
    check_file(path, ".csv", overwrite=False)
    written = write_template(path)
    text = f"{written}: fill in the empty cells, then `plantar bench compare`"
    emit({"template": written}, as_json=as_json, text=text)
