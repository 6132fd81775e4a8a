"""Soft robots by name."""

from __future__ import annotations

import difflib

from plantar._fields import from_record, to_record
from plantar.errors import InvalidInput
from plantar.soft.robots.diamond import Diamond
from plantar.soft.robots.fetch import Fetch
from plantar.soft.robots.flexo import Flexo
from plantar.soft.robots.grasper import Grasper
from plantar.soft.robots.octopus import OctopusLeg
from plantar.soft.robots.robot import SoftRobot
from plantar.soft.robots.sofia import Sofia
from plantar.soft.robots.stifface import Stifface

ROBOTS: dict[str, type[SoftRobot]] = {
    cls.name: cls for cls in (Grasper, OctopusLeg, Diamond, Fetch, Flexo, Stifface, Sofia)
}
"""In the order of the paper's table."""


def names() -> tuple[str, ...]:
    """Names that `get` knows, in the order of the paper's table."""
    return tuple(ROBOTS)


def get(name: str, **fields: object) -> SoftRobot:
    """A robot by its name, with some fields changed.

    Raises:
        InvalidInput: If there is no such robot or field, or a value is not allowed.
    """
    if name not in ROBOTS:
        close = difflib.get_close_matches(str(name), ROBOTS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise InvalidInput(f"unknown soft robot {name!r}: choose one of {', '.join(ROBOTS)}{hint}")
    cls = ROBOTS[name]
    return from_record(cls, {**to_record(cls()), **fields})
