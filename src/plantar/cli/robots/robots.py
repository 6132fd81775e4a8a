"""`plantar robots`: which robots there are, where their feet are, and robots with other feet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.common import Json, emit, note, run_command, table_text
from plantar.cli.feet.feet import find_foot
from plantar.errors import InvalidInput

app = typer.Typer(rich_markup_mode=None, help="Robots: list, show, mount feet.", no_args_is_help=True)

Name = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A name of `plantar robots list`, or the path of an MJCF or URDF file or of a folder with one.",
    ),
]
Ankle = Annotated[
    list[str] | None,
    typer.Option(
        "--ankle", metavar="NAME", help="Body or joint that ends a leg; once for each leg. Found if left out."
    ),
]
Replace = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]


@app.command("list")
@run_command
def list_(as_json: Json = False) -> None:
    """List the built-in robots, and those of MuJoCo Menagerie that are on this machine."""
    from plantar.robots.built_in import built_in  # noqa: PLC0415  (MuJoCo is loaded only when a command needs it)
    from plantar.robots.load.sources import ROOT_VARIABLE, menagerie_names  # noqa: PLC0415

    rows = [
        {"name": name, "from": "built in", "what": (build.__doc__ or "").split("\n")[0]}
        for name, build in built_in.ROBOTS.items()
    ]
    rows += [{"name": name, "from": "menagerie", "what": ""} for name in menagerie_names()]
    emit({"robots": rows}, as_json=as_json, text=table_text(rows))
    if len(rows) == len(built_in.ROBOTS):
        note(f"for robots of MuJoCo Menagerie set {ROOT_VARIABLE} to the folder of a clone; paths always work")


@app.command()
@run_command
def show(
    robot: Name,
    ankle: Ankle = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the robot to this PNG file.")] = None,
    overwrite: Replace = False,
    as_json: Json = False,
) -> None:
    """Show a robot: its legs, ankles and soles, mass and height."""
    from plantar import robots  # noqa: PLC0415
    from plantar.robots.describe import describe, text_of  # noqa: PLC0415

    if picture is not None:
        _check_picture(picture, overwrite)
    loaded = robots.load(robot, ankles=ankle)
    facts = describe(loaded)
    if picture is not None:
        _draw(loaded, picture)
    emit({**facts, "picture": picture}, as_json=as_json, text=text_of(facts, table_text))


@app.command()
@run_command
def mount(
    robot: Name,
    foot: Annotated[
        str, typer.Option("--foot", metavar="FOOT", help="A foot's name (`plantar feet list`) or its .json file.")
    ] = "softfoot",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the foot, as in chains=3."),
    ] = None,
    ankle: Ankle = None,
    pitch: Annotated[
        float | None, typer.Option(metavar="DEG", help="Turn of the feet, toes down [degrees]; solved if left out.")
    ] = None,
    offset: Annotated[
        float | None,
        typer.Option(metavar="MM", help="Feet's ankles in front of the robot's [mm]; solved if left out."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write the model folder here.")] = None,
    overwrite: Replace = False,
    as_json: Json = False,
) -> None:
    """Put other feet on a robot, say what changed, and write a model folder that plain MuJoCo opens."""
    from plantar import robots  # noqa: PLC0415

    mounted = robots.mount(
        robot,
        find_foot(foot, changes),
        ankles=ankle,
        pitch=None if pitch is None else math.radians(pitch),
        offset=None if offset is None else offset / 1e3,
    )
    folder = None if out is None else mounted.export(out, overwrite=overwrite)
    files = [] if folder is None else sorted(item.name for item in folder.iterdir())
    lines = [mounted.report().text]
    if folder is not None:
        lines.append(f"{folder}: {', '.join(files)}")
    emit({**mounted.report().to_dict(), "folder": folder, "files": files}, as_json=as_json, text="\n".join(lines))


def _check_picture(path: Path, overwrite: bool) -> None:
    if path.suffix.lower() != ".png":
        raise InvalidInput(f"--picture {str(path)!r} is not allowed: give a file that ends in .png")
    if path.exists() and not overwrite:
        raise InvalidInput(f"{path} exists: give another name, or --overwrite to replace it")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"{path} cannot be written (no such folder): give a file in a folder that exists")


def _draw(robot: Any, path: Path) -> None:
    from plantar.robots.export.pictures import draw  # noqa: PLC0415

    try:
        drawn = draw(robot, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}): give a file in a writable folder") from error
    if drawn is None:
        note(f"no picture {path}: nothing here can draw it")
