"""`plantar feet`: which feet there are, what they are made of, and their models as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.common import Json, emit, note, run_command, table_text
from plantar.errors import InvalidInput

app = typer.Typer(rich_markup_mode=None, help="Feet: list, show, export.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A foot's name (`plantar feet list`) or its .json file.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="Change a field, as in band.hardness=70.")
]
Replace = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]


@app.command("list")
@run_command
def list_(as_json: Json = False) -> None:
    """List the feet there are."""
    from plantar import feet  # noqa: PLC0415  (MuJoCo is loaded only when a command needs it)
    from plantar.feet.describe import derived  # noqa: PLC0415
    from plantar.feet.registry import summary  # noqa: PLC0415

    rows = []
    for name in feet.names():
        facts, what = derived(feet.get(name)), summary(name)
        rows.append({"name": name, "mass_kg": facts["mass [kg]"], "dof": facts["degrees of freedom"], "what": what})
    emit({"feet": rows}, as_json=as_json, text=table_text(rows))


@app.command()
@run_command
def show(
    name: Name,
    changes: Set = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the foot to this PNG file.")] = None,
    overwrite: Replace = False,
    as_json: Json = False,
) -> None:
    """Show the fields of a foot, their units and what follows from them."""
    from plantar.feet.describe import derived, field_rows  # noqa: PLC0415

    foot = find_foot(name, changes)
    facts = derived(foot)
    if picture is not None:
        _draw(foot, picture, overwrite)
    rows = [{"field": r.name, "value": _text(r.value), "meaning": r.doc} for r in field_rows(foot)]
    lines = [
        _summary(foot),
        "",
        table_text(rows),
        "",
        table_text([{"derived": k, "value": v} for k, v in facts.items()]),
    ]
    record = {**foot.to_dict(), "derived": facts, "picture": picture}
    emit(record, as_json=as_json, text="\n".join(lines))


@app.command()
@run_command
def export(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write the model to.")],
    changes: Set = None,
    overwrite: Replace = False,
    as_json: Json = False,
) -> None:
    """Write a foot as a model folder that plain MuJoCo opens."""
    foot = find_foot(name, changes)
    path = foot.export(folder, overwrite=overwrite)
    files = sorted(item.name for item in path.iterdir())
    record = {"foot": foot.name, "fingerprint": foot.fingerprint(), "folder": path, "files": files}
    emit(record, as_json=as_json, text=f"{path}: {', '.join(files)}")


def find_foot(name: str, changes: list[str] | None = None) -> Any:
    """The foot called `name`, or described in the file of that name, with `field=value` changes.

    Raises:
        InvalidInput: If there is no such foot or field, or a value is not allowed.
    """
    from plantar import feet  # noqa: PLC0415

    foot = feet.load(name) if name.endswith(".json") else feet.get(name)
    return foot.with_(**dict(parse_change(text) for text in changes or []))


def parse_change(text: str) -> tuple[str, Any]:
    """Split `field=value`; the value is a JSON number, list or null, else a text."""
    field, equals, value = text.partition("=")
    if not equals or not field.strip():
        raise InvalidInput(f"--set {text!r} is not allowed: give FIELD=VALUE, as in --set band.hardness=70")
    try:
        return field.strip(), json.loads(value)
    except json.JSONDecodeError:
        return field.strip(), value.strip()


def _draw(foot: Any, path: Path, overwrite: bool) -> None:
    import mujoco  # noqa: PLC0415

    from plantar.feet.export import scene_spec  # noqa: PLC0415
    from plantar.show.picture import render  # noqa: PLC0415

    if path.suffix.lower() != ".png":
        raise InvalidInput(f"--picture {str(path)!r} is not allowed: give a file that ends in .png")
    if path.exists() and not overwrite:
        raise InvalidInput(f"{path} exists: give another name, or --overwrite to replace it")
    model = scene_spec(foot).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    try:
        drawn = render(model, data, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}): give a file in a writable folder") from error
    if drawn is None:
        note(f"no picture {path}: nothing here can draw it")


def _summary(foot: Any) -> str:
    return (type(foot).__doc__ or "").split("\n")[0]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
