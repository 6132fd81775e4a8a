"""`plantar feet export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import Json, Overwrite, emit
from plantar.cli.foot_options import FootArgument, Set, read_foot


def export(
    foot: FootArgument,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write the model to.")],
    changes: Set = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write a foot as a model folder that plain MuJoCo opens."""
    one = read_foot(foot, changes)
    path = one.export(folder, overwrite=overwrite)
    files = sorted(item.name for item in path.iterdir())
    record = {"foot": one, "fingerprint": one.fingerprint(), "folder": path, "files": files}
    emit(record, as_json=as_json, text=f"{path}: {', '.join(files)}")
