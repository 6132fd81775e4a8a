"""Goals: points that the inverse brings to targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked, Vector
from plantar.soft.fem.parts import check_name
from plantar.soft.scene.mapping import Barycentric, Outside


@dataclass(frozen=True, kw_only=True, eq=False)
class Goal(Checked):
    """A point of a body (an effector) and where it should be."""

    name: str
    """Its name in the scene."""
    body: str
    """The body it is on."""
    point: Vector | Barycentric
    """Its place at rest [m], or nodes and weights."""
    target: Vector | None = None
    """Where it should be [m]; where it is at rest if None. `LiveGoal.target` may be changed between steps."""
    axes: str = "xyz"
    """Directions that count."""
    weight: float = 1.0
    """Weight of its error against those of other goals."""
    outside: Outside = "error"
    """What to do if the point is outside the body."""

    def __post_init__(self) -> None:
        check_name(self.name)
        ok = bool(self.axes) and set(self.axes) <= set("xyz") and len(set(self.axes)) == len(self.axes)
        require(ok, f"goal {self.name!r}: axes", self.axes, "some of x, y, z")
        require(0 < self.weight < float("inf"), f"goal {self.name!r}: weight", self.weight, "a number above 0")
        if self.target is not None:
            ok = np.shape(self.target) == (3,) and bool(np.isfinite(self.target).all())
            require(ok, f"goal {self.name!r}: target", self.target, "three numbers, in m")


class LiveGoal:
    """A goal at work."""

    def __init__(self, goal: Goal, placer: Any, x: np.ndarray, quat: np.ndarray):
        self.goal, self.name = goal, goal.name
        points = (
            goal.point if isinstance(goal.point, Barycentric) else np.atleast_2d(np.asarray(goal.point, dtype=float))
        )
        self.map = placer.map(goal.body, points, f"goal {goal.name!r}", goal.outside)
        require(len(self.map) == 1, f"goal {goal.name!r}: point", len(self.map), "one point")
        self.axes = np.array(["xyz".index(a) for a in goal.axes])
        self.rows = len(self.axes)
        self.target = np.asarray(self.position(x, quat) if goal.target is None else goal.target, dtype=float)

    def position(self, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Where the point is."""
        return self.map.positions(x, quat)[0]

    def evaluate(self, x: np.ndarray, quat: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Distance from the target along its axes, and its derivative."""
        for row, axis in enumerate(self.axes):
            g = np.zeros((1, 3))
            g[0, axis] = 1.0
            self.map.pull(g, quat, H[row])
        return (self.position(x, quat) - self.target)[self.axes]
