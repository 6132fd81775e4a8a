"""What `plantar view` can show, found by its name or file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plantar import feet, robots
from plantar.bench.trying import FootToTry
from plantar.cli.common import parse_changes
from plantar.errors import InvalidInput
from plantar.robots.clips import robot_clip
from plantar.show.clip import Clip
from plantar.show.sliders import Maker, Slider

CLIP = "view.npz"
"""File of a run's folder that holds its clip."""


@dataclass(frozen=True)
class Subject:
    """Something to look at."""

    clip: Callable[[], Clip]
    """Makes what is shown first."""
    sliders: tuple[Slider, ...] = ()
    """Numbers that make it anew."""
    maker: Maker | None = None
    """Makes it anew."""


def find_subject(what: str, worn: feet.Foot | None, changes: list[str] | None, press: dict[str, Any]) -> Subject:
    """What a name or a file stands for.

    Args:
        what: What the command line names.
        worn: Feet to put on a robot.
        changes: `FIELD=VALUE` changes of a foot.
        press: Settings of the press of a foot.

    Raises:
        InvalidInput: If it is nothing that can be shown; the message says what can.
    """
    path = Path(what)
    if path.suffix == ".npz" or (path / CLIP).is_file():
        return Subject(lambda: Clip.load(path if path.is_file() else path / CLIP))
    if worn is not None:
        return Subject(lambda: robot_clip(robots.mount(what, worn)))
    if path.suffix == ".json" or what.partition(":")[0] in feet.names():
        return _foot(feet.get(what).with_(**parse_changes("--set", changes)), press)
    try:
        robot = robots.load(what)
    except InvalidInput as error:
        if path.is_file() or any(path.glob("*.xml")) or any(path.glob("*.urdf")):
            raise
        raise InvalidInput(f"{what!r} is nothing that can be viewed: {CHOICES}") from error
    return Subject(lambda: robot_clip(robot))


def _foot(foot: feet.Foot, press: dict[str, Any]) -> Subject:
    tried = FootToTry(foot, **press)
    return Subject(tried.clip, tried.sliders, tried.clip)


CHOICES = (
    "give a foot of `plantar feet list`, a robot of `plantar robots list` or its file, "
    "or the folder of a run that holds view.npz, as `plantar walk trial` and `plantar bench press` leave it"
)
