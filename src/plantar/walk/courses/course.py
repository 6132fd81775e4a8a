"""What a course is: a name, a level of difficulty, and what it lays in a robot's way."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar.errors import InvalidInput
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.sim.obstacles import Bar
from plantar.walk.sim.pushes import Push

if TYPE_CHECKING:
    from plantar.ground import Terrain

Rng = np.random.Generator
Unit = Literal["m", "rad", "N s", ""]


@dataclass(frozen=True, kw_only=True)
class Way(Checked):
    """What a course has to know of a walk; nothing in it depends on the feet but `soles`."""

    start: float
    """From here on the ground may be uneven [m]."""
    end: float
    """Up to here [m]."""
    moments: tuple[float, float] = (1.0, 2.0)
    """From when to when the robot walks [s]."""
    holds: tuple[Foothold, ...] = ()
    """Footholds as planned, if the robot plans them."""
    soles: tuple[tuple[float, float, float, float], ...] = ()
    """Ends of the soles from their middles, back, front, right and left; only for bars under a part of the sole [m]."""

    def __post_init__(self) -> None:
        """Check the ends."""
        require(self.start < self.end, "way", (self.start, self.end), "a start before its end [m]")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What lies in the way of one walk."""

    terrain: Terrain | None = None
    """The ground; None is level."""
    bars: tuple[Bar, ...] = ()
    """Bars on it."""
    pushes: tuple[Push, ...] = ()
    """Pushes on the way."""


@dataclass(frozen=True, kw_only=True)
class CourseKind:
    """A kind of course; equal seeds lay the same course for every foot and, but for its height, at every level."""

    name: str
    """What it is called."""
    summary: str
    """One line on what it is."""
    lay: Callable[[float, Rng, Way], Layout]
    """Lays it at a level above 0, by chance, in a way."""
    low: float
    """Lowest level that a search walks."""
    high: float
    """Highest level that a search walks."""
    unit: Unit = "m"
    """Unit of the level; empty for a factor."""

    @property
    def scale(self) -> tuple[float, str]:
        """What people read: a factor on the level, and its unit."""
        return {"m": (1e3, "mm"), "rad": (180 / math.pi, "deg"), "N s": (1.0, "N s"), "": (1.0, "")}[self.unit]


COURSES: dict[str, CourseKind] = {}
"""Courses by name; `register` adds to them."""


def register(kind: CourseKind) -> CourseKind:
    """Make a course known by its name to studies and the command line."""
    COURSES[kind.name] = kind
    return kind


def find(name: str) -> CourseKind:
    """A course by its name.

    Raises:
        InvalidInput: If there is none; the message lists those there are.
    """
    if name not in COURSES:
        near = difflib.get_close_matches(name, COURSES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"course {name!r} is not known: known are {', '.join(COURSES)}{hint}")
    return COURSES[name]


def lay(name: str, level: float, seed: int, way: Way, push: float = 0.0) -> Layout:
    """What a course lays in the way.

    Args:
        name: Its name.
        level: How hard it is, in its unit; 0 is level ground.
        seed: Seed of its chance.
        way: The walk.
        push: Impulse of a push at a random moment from a random side on top, for a robot of 60 kg [N s].
    """
    require(math.isfinite(level) and level >= 0, "level", level, "a number, 0 or more")
    require(0 <= push <= 200, "push", push, "an impulse in N s from 0 to 200")
    # the first stream is the one that single bars have always been drawn from
    rng, of_push = (np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(k,))) for k in (0, 7))
    kind = find(name)
    layout = kind.lay(level, rng, way) if level > 0 else Layout()
    return replace(layout, pushes=(*layout.pushes, random_push(push, of_push, way))) if push else layout


def random_push(impulse: float, rng: Rng, way: Way) -> Push:
    """A push at a random moment of the walk from a random side."""
    moment, direction = rng.uniform(*way.moments), rng.uniform(-math.pi, math.pi)
    return Push(impulse=impulse, direction=float(direction), time=float(moment))
