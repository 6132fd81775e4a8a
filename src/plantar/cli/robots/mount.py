"""`plantar robots mount`."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from plantar import robots
from plantar._checks import require
from plantar.cli.common import Json, OutModel, Overwrite, emit
from plantar.cli.foot_options import FootOption, Set, read_foot
from plantar.cli.robots.options import Ankle, RobotArgument
from plantar.robots.mount.mount import MAX_OFFSET, MAX_PITCH


def mount(
    robot: RobotArgument,
    foot: FootOption = "softfoot",
    changes: Set = None,
    ankle: Ankle = None,
    pitch: Annotated[
        float | None, typer.Option(metavar="DEG", help="Pitch of the feet, toes down [degrees]; solved if left out.")
    ] = None,
    offset: Annotated[
        float | None,
        typer.Option(
            metavar="MM", help="Distance of the feet's ankles in front of the robot's [mm]; solved if left out."
        ),
    ] = None,
    out: OutModel = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Put other feet on a robot, report what changed, and write a model folder that plain MuJoCo opens."""
    _check("--pitch", pitch, math.degrees(MAX_PITCH), "degrees")
    _check("--offset", offset, 1e3 * MAX_OFFSET, "millimetres")
    one = read_foot(foot, changes)
    mounted = robots.mount(
        robot,
        one,
        ankles=ankle,
        pitch=None if pitch is None else math.radians(pitch),
        offset=None if offset is None else offset / 1e3,
    )
    folder = None if out is None else mounted.export(out, overwrite=overwrite)
    files = [] if folder is None else sorted(item.name for item in folder.iterdir())
    lines = [mounted.report().text]
    if folder is not None:
        lines.append(f"{folder}: {', '.join(files)}")
    record = {**mounted.report().to_dict(), "foot": one, "folder": folder, "files": files}
    emit(record, as_json=as_json, text="\n".join(lines))


def _check(option: str, value: float | None, most: float, unit: str) -> None:
    """Refuse what is out of range in the unit in which it was given."""
    require(value is None or abs(value) <= most, option, value, f"a number from {-most:g} to {most:g} {unit}")
