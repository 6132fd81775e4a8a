"""`plantar feet show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._notebook import fields_table
from plantar.cli.common import Json, Overwrite, check_file, emit, note, table_text
from plantar.cli.foot_options import FootArgument, Set, read_foot
from plantar.errors import InvalidInput
from plantar.feet.describe import derived
from plantar.feet.export import draw
from plantar.feet.foot import Foot


def show(
    foot: FootArgument,
    changes: Set = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the foot to this PNG file.")] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Show the fields of a foot with units, and the quantities derived from them."""
    one = read_foot(foot, changes)
    if picture is not None:
        check_file(picture, ".png", overwrite, "--picture")
    facts = derived(one)
    if picture is not None:
        _draw(one, picture)
    lines = [
        (type(one).__doc__ or "").split("\n")[0],
        "",
        table_text(fields_table(one)),
        "",
        table_text([{"derived": k, "value": v} for k, v in facts.items()]),
    ]
    emit({"foot": one, "derived": facts, "picture": picture}, as_json=as_json, text="\n".join(lines))


def _draw(foot: Foot, path: Path) -> None:
    try:
        drawn = draw(foot, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}): give a file in a writable folder") from error
    if drawn is None:
        note(f"no picture {path}: it cannot be drawn here")
