"""`plantar feet show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import mujoco
import typer

from plantar.cli.common import Json, Overwrite, check_file, emit, note, table_text
from plantar.cli.foot_options import FootArgument, Set, read_foot
from plantar.errors import InvalidInput
from plantar.feet.describe import derived, field_rows
from plantar.feet.export import scene_spec
from plantar.feet.foot import Foot
from plantar.show.picture import render


def show(
    foot: FootArgument,
    changes: Set = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the foot to this PNG file.")] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Show the fields of a foot, their units and what follows from them."""
    one = read_foot(foot, changes)
    if picture is not None:
        check_file(picture, ".png", overwrite, "--picture")
    facts = derived(one)
    if picture is not None:
        _draw(one, picture)
    rows = [{"field": r.name, "value": _text(r.value), "meaning": r.doc} for r in field_rows(one)]
    lines = [
        (type(one).__doc__ or "").split("\n")[0],
        "",
        table_text(rows),
        "",
        table_text([{"derived": k, "value": v} for k, v in facts.items()]),
    ]
    emit({"foot": one, "derived": facts, "picture": picture}, as_json=as_json, text="\n".join(lines))


def _draw(foot: Foot, path: Path) -> None:
    model = scene_spec(foot).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    try:
        drawn = render(model, data, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}): give a file in a writable folder") from error
    if drawn is None:
        note(f"no picture {path}: nothing here can draw it")


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
