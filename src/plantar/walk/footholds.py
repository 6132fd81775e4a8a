"""Where to step: the question a robot asks before a step, the choosers by name, and their answers.

A chooser is a function from `Question` to `Answer`, or to None to take the nominal foothold. `register` adds one
by name. Packages name a function from a name to a chooser, or to None, as an entry point of the group
`plantar.choosers`; that is how `plantar.foothold` is found, of which this room knows nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from plantar.errors import InvalidInput

if TYPE_CHECKING:
    from plantar.feet import Foot
    from plantar.ground import ElevationMap

EDGE = 0.01
"""Distance that a sole keeps from an edge [m]."""
UNEVEN = 0.01
"""Ground this much lower than the highest under a sole does not carry it [m]."""
GROUP = "plantar.choosers"
"""Entry points of functions that find choosers by name."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step as it was planned."""

    leg: str
    """Which leg."""
    time: float
    """When it was chosen [s]."""
    nominal: tuple[float, float]
    """Where the foot would have gone on level ground [m]."""
    target: tuple[float, float, float]
    """Where it was sent, on the ground [m]."""
    choice: Any = None
    """The chooser's answer; None if the nominal foothold was taken."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Limits:
    """Feasibility of the cells of a map for a leg, whatever their score; arrays are (rows, columns)."""

    near: np.ndarray
    """Whether a cell is near enough to the nominal foothold."""
    short: np.ndarray
    """Whether it is along the path there: a step that is too short, down to no step at all."""
    room: np.ndarray
    """Least distance of the leg from its reach limit along the path there and on the next lift [m]; NaN far away."""
    slope: np.ndarray
    """Slope of the ground under the sole."""
    steepest: float
    """Slope that friction holds."""
    links: np.ndarray | None = None
    """Least height of the swinging leg's shank above the ground along the path there [m]; None if not checked."""

    LEAST = 0.01
    """Least distance of a leg from the end of its reach on a foothold, and above it [m]."""

    def allowed(self, feasible: np.ndarray, short: bool = False) -> np.ndarray:
        """Which of the feasible cells may be taken.

        Near ones that are in reach, not too steep, and that the leg gets to without hitting the ground; where there are
        none, such ones along the path; else near ones in reach, else the near ones that are least out of reach.

        Args:
            feasible: Cells that the score allows.
            short: Whether cells along the path count as much as near ones.
        """
        reached = feasible & (self.room > self.LEAST)
        held = reached & (self.slope <= self.steepest)
        if self.links is not None:
            held &= self.links > -self.LEAST
        choices = (held & (self.near | self.short if short else self.near), held & self.short, reached & self.near)
        close = feasible & self.near
        most = np.max(self.room, where=close, initial=-np.inf)
        return next((cells for cells in choices if cells.any()), close & (self.room >= most - self.LEAST))


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a robot asks before a step."""

    elevation: ElevationMap
    """The ground around the nominal foothold."""
    leg: str
    """Which leg steps: LF, RF, LH, RH, or the name of a biped's foot."""
    nominal: tuple[float, float]
    """Where the foot would go on level ground [m]."""
    limits: Limits
    """Which cells the leg may take at all: near, within reach as the robot leans, not too steep."""
    foot: Foot | None
    """The foot that steps; None is the robot's own."""
    outline: tuple[float, float, float, float]
    """Back, front, right and left end of its sole from its middle; back and right are negative [m]."""
    yaw: float = 0.0
    """Its heading there [rad]."""
    robot: Any = None
    """Measures of a quadruped's legs, `plantar.foothold.Quadruped`; None for a biped."""
    stance: Any = None
    """Where a quadruped will be: level, the leg's hip where it will be, the other feet where they stand."""
    later: Any = None
    """Where it will be when that foot is lifted again."""
    shortened: bool = False
    """Whether the last step of this leg was already shorter than planned."""


class Answer(Protocol):
    """A foothold: anything with these two, as `plantar.foothold.Choice`."""

    @property
    def x(self) -> float:
        """Place along x [m]."""
        ...

    @property
    def y(self) -> float:
        """Place along y [m]."""
        ...


Chooser = Callable[[Question], Answer | None]
"""Chooses where to step; None takes the nominal foothold."""


def nominal(question: Question) -> None:
    """The nominal foothold, whatever the ground: a blind robot."""
    return


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A foothold, and how much of the sole it carries."""

    x: float
    """[m]"""
    y: float
    """[m]"""
    carried: float
    """Fraction of the sole over ground that is as high as the highest under it."""


def level(question: Question) -> Spot | None:
    """The nearest place where all of the sole is over ground of one height; else where most of it is."""
    q, grid = question, question.elevation
    rows, columns = np.nonzero(q.limits.allowed(np.isfinite(grid.heights)))
    if not len(rows):
        return None
    back, front, right, left = q.outline
    along = np.arange(back - EDGE, front + EDGE + 1e-9, grid.cell / 2)
    across = np.arange(right - EDGE, left + EDGE + 1e-9, grid.cell / 2)
    u, v = (part.ravel() for part in np.meshgrid(along, across))
    c, s = np.cos(q.yaw), np.sin(q.yaw)
    x, y = grid.x[columns], grid.y[rows]
    i = np.rint((x[:, None] + c * u - s * v - grid.origin[0]) / grid.cell).astype(int)
    j = np.rint((y[:, None] + s * u + c * v - grid.origin[1]) / grid.cell).astype(int)
    under = grid.heights[np.clip(j, 0, grid.shape[0] - 1), np.clip(i, 0, grid.shape[1] - 1)]
    carried = (under > under.max(axis=1, keepdims=True) - UNEVEN).mean(axis=1)
    far = np.hypot(x - q.nominal[0], y - q.nominal[1])
    best = np.lexsort((far, -carried.round(3)))[0]
    return Spot(x=float(x[best]), y=float(y[best]), carried=float(carried[best]))


CHOOSERS: dict[str, Chooser] = {"nominal": nominal, "level": level}
"""Choosers by name; `register` adds to them."""


Finder = Callable[[str], Chooser | None]
"""Finds choosers by name; None if it knows none of that name."""
FINDERS: list[Finder] = []
"""Those of rooms and packages that are loaded; entry points name those that are not."""


def register(name: str, chooser: Chooser) -> None:
    """Register a foothold chooser under a name."""
    CHOOSERS[name] = chooser


def home_of(name: str) -> str:
    """The module that registers a chooser when imported, for other processes; empty if they know it anyway."""
    if name in CHOOSERS:
        home = CHOOSERS[name].__module__
        return "" if home == __name__ else home
    return next((finder.__module__ for finder in FINDERS if finder(name) is not None), "")


def find_chooser(name: str) -> Chooser:
    """A chooser by name, registered or from an installed package.

    Raises:
        InvalidInput: If there is none; the message lists those that exist.
    """
    if name in CHOOSERS:
        return CHOOSERS[name]
    for finder in (*FINDERS, *(point.load() for point in metadata.entry_points(group=GROUP))):
        found = finder(name)
        if found is not None:
            return found
    raise InvalidInput(f"choose = {name!r} is not known: choose one of {', '.join(CHOOSERS)}")
