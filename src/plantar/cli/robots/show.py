"""`plantar robots show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar import robots
from plantar.cli.common import Json, Overwrite, check_file, emit, note, table_text
from plantar.cli.robots.options import Ankle, RobotArgument
from plantar.errors import InvalidInput
from plantar.robots.describe import describe, text_of
from plantar.robots.export.pictures import draw


def show(
    robot: RobotArgument,
    ankle: Ankle = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the robot to this PNG file.")] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Show a robot: its legs, ankles and soles, mass and height."""
    if picture is not None:
        check_file(picture, ".png", overwrite, "--picture")
    loaded = robots.load(robot, ankles=ankle)
    facts = describe(loaded)
    if picture is not None:
        _draw(loaded, picture)
    emit({**facts, "picture": picture}, as_json=as_json, text=text_of(facts, table_text))


def _draw(robot: robots.Robot, path: Path) -> None:
    try:
        drawn = draw(robot, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}): give a file in a writable folder") from error
    if drawn is None:
        note(f"no picture {path}: it cannot be drawn here")
