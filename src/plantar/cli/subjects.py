"""What `plantar view` can show, by name or file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plantar import feet, robots
from plantar._extras import require_extra
from plantar._read import read_json, reading
from plantar.bench.trying import FootToTry
from plantar.cli.common import parse_changes
from plantar.errors import InvalidInput
from plantar.ground.clips import map_clip, terrain_clip
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.registry import kinds, make
from plantar.ground.terrain.terrain import Terrain
from plantar.robots.clips import robot_clip
from plantar.show.clip import Clip
from plantar.show.sliders import Maker, Slider
from plantar.show.watch import CLIP


@dataclass(frozen=True)
class Subject:
    """Something to look at."""

    clip: Callable[[], Clip]
    """Makes what is shown initially."""
    sliders: tuple[Slider, ...] = ()
    """Values from which it is rebuilt."""
    maker: Maker | None = None
    """Rebuilds it."""


def find_subject(what: str, worn: feet.Foot | None, changes: list[str] | None, press: dict[str, Any]) -> Subject:
    """The subject that a name or a file stands for.

    Args:
        what: Name or file given on the command line.
        worn: Feet to put on a robot.
        changes: `FIELD=VALUE` changes of a foot.
        press: Settings of the press of a foot.

    Raises:
        InvalidInput: If it cannot be shown; the message says what can.
    """
    path, fields = Path(what), parse_changes("--set", changes)
    if worn is not None:
        return Subject(lambda: robot_clip(robots.mount(what, worn)))
    if path.suffix in FILES or os.path.isfile(path / CLIP):
        _require_unchanged(what, fields)
        return Subject(lambda: FILES.get(path.suffix, lambda folder: Clip.load(folder / CLIP))(path))
    if what in kinds() or (path.suffix == ".json" and _is_terrain(path)):
        if what not in kinds():
            _require_unchanged(what, fields)
        ground = make(what, **fields) if what in kinds() else Terrain.load(what)
        return Subject(lambda: terrain_clip(ground))
    if path.suffix == ".json" or what.partition(":")[0] in feet.names():
        return _foot(feet.get(what).with_(**fields), press)
    try:
        robot = robots.load(what)
    except InvalidInput as error:
        if what in SOFT_ROBOTS:
            _require_unchanged(what, fields)
            return Subject(lambda: _soft_robot(what))
        if path.is_file() or any(path.glob("*.xml")) or any(path.glob("*.urdf")):
            raise
        raise InvalidInput(f"{what!r} cannot be viewed: {CHOICES}") from error
    _require_unchanged(what, fields)
    return Subject(lambda: robot_clip(robot))


def _require_unchanged(what: str, fields: dict[str, Any]) -> None:
    """Refuse changes of what has no fields here, rather than show it as it is."""
    if fields:
        given = f"--set {next(iter(fields))}"
        raise InvalidInput(
            f"{given} is not allowed for {what!r}: only feet, those of --foot and kinds of terrain change"
        )


def _arrays(path: Path) -> Clip:
    """A clip, or the map of a file that holds one."""
    try:
        return Clip.load(path)
    except InvalidInput as error:
        try:
            return map_clip(path.stem, ElevationMap.load(path))
        except InvalidInput:
            raise error from None


def _scene(path: Path) -> Clip:
    """A soft scene as it runs."""
    require_extra("soft")
    from plantar.soft.scene.clips import scene_clip  # noqa: PLC0415  (an extra)

    return scene_clip(path)


def _soft_robot(name: str) -> Clip:
    """The demonstration of a soft robot."""
    require_extra("soft")
    from plantar.soft.robots import get  # noqa: PLC0415  (an extra)
    from plantar.soft.robots.clips import robot_clip as soft_clip  # noqa: PLC0415

    return soft_clip(get(name))


SOFT_ROBOTS = ("grasper", "octopus", "diamond", "fetch", "flexo", "stifface", "sofia")
"""Names of `plantar soft robot`, whose room is not imported before one is asked for."""
FILES = {".npz": _arrays, ".yaml": _scene, ".yml": _scene}
"""What makes the clip of a file, by its suffix."""


def _is_terrain(path: Path) -> bool:
    """Whether a file is a terrain's rather than a foot's."""
    with reading(path, "file", "give a foot or a terrain as JSON"):
        record = read_json(path)
    return isinstance(record, dict) and "kind" in record


def _foot(foot: feet.Foot, press: dict[str, Any]) -> Subject:
    tried = FootToTry(foot, **press)
    return Subject(tried.clip, tried.sliders, tried.clip)


CHOICES = (
    "give a foot of `plantar feet list`, a robot of `plantar robots list` or its file, a terrain's kind (stairs, "
    "rough, ...) or its .json, a map's .npz, a soft scene's .yaml, a soft robot of "
    "`plantar soft robot`, or the folder of a run that holds view.npz, as "
    "written by `plantar walk trial`, `bench press`, `ground tracks` and `foothold map`"
)
