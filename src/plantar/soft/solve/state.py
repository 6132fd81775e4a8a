"""What changes from step to step, and what drives it; both go into a step and never change themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

Floats = np.ndarray

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class State:
    """Where a scene is and what it remembers: a step started from it twice ends with the same bits.

    What a scene hands out has read-only arrays. What is remembered of forces is the first guess of the next step, and
    what friction at way points of cables depends on.
    """

    time: float
    """Simulated time [s]."""
    x: Floats
    """Positions of all blocks (n, 3) [m]; rows of orientation blocks are unused."""
    quat: Floats
    """Orientations of all frames (m, 4), w x y z."""
    v: Floats
    """Velocities of all blocks (n, 3) [m/s]; of orientation blocks, angular velocities in the world [rad/s]."""
    efforts: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    """Tension of cables [N] and pressure of cavities [Pa] of the last step."""
    bonds: Mapping[str, Floats] = field(default_factory=lambda: _NOTHING)
    """Forces of bonds in the last step [N]."""
    contacts: Mapping[str, tuple[Floats, Floats]] = field(default_factory=lambda: _NOTHING)
    """Points of each contact that were near, by rising number, and their forces in the last step [N]."""
    cables: Mapping[str, tuple[float, float]] = field(default_factory=lambda: _NOTHING)
    """Stroke of cables with friction [m], and which way they slid last: 1 pulled in, -1 let out."""
    touches: tuple[Any, ...] = ()
    """Contacts with a force (`Touch`)."""
    boundary_moves: bool = False
    """Whether fixed nodes were moved in the last step, so that they still have a velocity."""
    guess: Any = None
    """What iterative solvers start from."""

    def shown(self) -> State:
        """The state as it is handed out: its arrays cannot be written."""
        views = {name: getattr(self, name).view() for name in ("x", "quat", "v")}
        for view in views.values():
            view.setflags(write=False)
        return replace(self, **views)

    def taken(self) -> State:
        """The state as steps take it, with arrays of its own: compiled loops are slower to call with read-only ones."""
        return replace(self, x=self.x.copy(), quat=self.quat.copy(), v=self.v.copy())

    def at_rest(self) -> State:
        """The same shape without velocity."""
        return replace(self, v=np.zeros_like(self.v), boundary_moves=False)


@dataclass(frozen=True, eq=False)
class Commands:
    """What drives a step."""

    values: Mapping[str, float]
    """Stroke or tension of cables [m, N], growth of volume or pressure of cavities [m^3, Pa]."""
    moves: Floats | None = None
    """Motion of fixed blocks during the step (n, 3) [m]; of their orientations [rad]."""

    def part(self, share: float) -> Commands:
        """The same with only a share of the motion."""
        return self if self.moves is None else replace(self, moves=share * self.moves)


@dataclass(frozen=True, eq=False, kw_only=True)
class Method:
    """How a scene is linearised."""

    h: float | None
    """Time step of backward Euler [s]; None for statics."""
    inverse: bool = False
    """Whether all actuators are solved for, whatever drives them, and goals are added at the end."""
    regular: float = 0.0
    """In statics, share of mass in the matrix: A = K + regular M [1/s^2]."""
    exact: bool = False
    """Whether corotational elements add the change of their rotation to the tangent: exact, not always definite."""
    start: State | None = None
    """In statics, the scene when the search began: friction holds what touches as it lay then."""
    shutting: np.ndarray | None = None
    """Segments of taut cables that pull with T/l along themselves too, because the step would shut them."""
