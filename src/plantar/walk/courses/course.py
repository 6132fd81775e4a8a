"""What a course is: a name, a level of difficulty, and the obstacles it places on a robot's path."""

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
from plantar.ground import Flat, Terrain, kinds, make
from plantar.ground.terrain.registry import fields_of
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.sim.obstacles import Bar
from plantar.walk.sim.pushes import Push

if TYPE_CHECKING:
    from plantar.ground import Ground

Unit = Literal["m", "rad", "N s", ""]


@dataclass(frozen=True, kw_only=True)
class Way(Checked):
    """What a course has to know about a walk; only `soles` depends on the feet."""

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
    """The obstacles of one walk."""

    terrain: Terrain | None = None
    """The ground; None is level."""
    bars: tuple[Bar, ...] = ()
    """Bars on it."""
    pushes: tuple[Push, ...] = ()
    """Pushes during the walk."""


Lay = Callable[[float, int, Way], Layout]
"""Lays out a course at a level above 0 from a seed."""


@dataclass(frozen=True, kw_only=True)
class CourseKind:
    """A kind of course; equal seeds give the same course for every foot and, except for its height, at every level."""

    name: str
    """Its name."""
    summary: str
    """One-line description."""
    lay: Lay
    """Lays it."""
    low: float
    """Lowest level that a search tries."""
    high: float
    """Highest level that a search tries."""
    unit: Unit = "m"
    """Unit of the level; empty for a factor."""

    @property
    def scale(self) -> tuple[float, str]:
        """For display: a factor on the level, and its unit."""
        return {"m": (1e3, "mm"), "rad": (180 / math.pi, "deg"), "N s": (1.0, "N s"), "": (1.0, "")}[self.unit]


COURSES: dict[str, CourseKind] = {}
"""Courses by name; `register` adds to them."""


def register(kind: CourseKind) -> CourseKind:
    """Register a course by name, for studies and the command line."""
    COURSES[kind.name] = kind
    return kind


def find(name: str) -> CourseKind:
    """A course by its name; terrains that are registered with `plantar.ground` and have a size are courses too.

    Args:
        name: A name of `COURSES` or of `plantar.ground.kinds()`, or a terrain's .json file, which has no levels.

    Raises:
        InvalidInput: If there is none; the message lists those that exist.
    """
    if name in COURSES:
        return COURSES[name]
    if name.endswith(".json"):
        terrain = Terrain.load(name)
        return CourseKind(name=name, summary="", lay=lambda *_: Layout(terrain=terrain), low=0.5, high=1.0, unit="")
    sized = [kind for kind, maker in kinds().items() if getattr(maker, "size_field", None)]
    if name in sized:
        return CourseKind(name=name, summary="", lay=terrain_course(name), low=0.005, high=0.1)
    known = [*COURSES, *(kind for kind in sized if kind not in COURSES)]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InvalidInput(
        f"course {name!r} is not known: choose one of {', '.join(known)}, or a terrain's .json file{hint}"
    )


def terrain_course(
    kind: str,
    ground: Ground | None = None,
    fields: Callable[[np.random.Generator, Way], dict[str, object]] | None = None,
) -> Lay:
    """Lays out a terrain of `plantar.ground` whose size is the level.

    Args:
        kind: Its kind.
        ground: What it is made of; None: that of its kind.
        fields: Other fields, from the random generator and the path.
    """

    def lay(level: float, seed: int, way: Way) -> Layout:
        names = {name for name, _ in fields_of(kind)}
        given = {"seed": seed, "start": way.start, kinds()[kind].size_field: level}  # type: ignore[attr-defined]
        more = fields(chance(seed), way) if fields is not None else {}
        terrain = make(kind, **{name: value for name, value in given.items() if name in names} | more)
        return Layout(terrain=terrain if ground is None else replace(terrain, ground=ground))  # type: ignore[call-arg]

    return lay


def chance(seed: int, stream: int = 0) -> np.random.Generator:
    """The random generator of a seed; single bars have always been drawn from the first stream."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream,)))


def lay(name: str, level: float, seed: int, way: Way, push: float = 0.0) -> Layout:
    """Lay out a course.

    Args:
        name: Its name.
        level: Level of difficulty, in the unit of the course; 0 is level ground.
        seed: Random seed.
        way: The walk.
        push: Impulse of an additional push at a random moment from a random side, for a robot of 60 kg [N s].
    """
    require(math.isfinite(level) and level >= 0, "level", level, "a number, 0 or more")
    require(0 <= push <= 200, "push", push, "an impulse in N s from 0 to 200")
    layout = find(name).lay(level, seed, way) if level > 0 else Layout()
    return replace(layout, pushes=(*layout.pushes, random_push(push, seed, way, 7))) if push else layout


def terrain_of(name: str, seed: int, level: float = 1.0, start: float = 0.58) -> Terrain:
    """The ground of a course in front of a robot at its start, as in `terrain_of("rubble", seed=3)`."""
    return lay(name, level, seed, Way(start=start, end=start + 1.5)).terrain or Flat()


def random_push(impulse: float, seed: int, way: Way, stream: int = 0) -> Push:
    """A push at a random moment of the walk from a random side."""
    rng = chance(seed, stream)
    moment, direction = rng.uniform(*way.moments), rng.uniform(-math.pi, math.pi)
    return Push(impulse=impulse, direction=float(direction), time=float(moment))
