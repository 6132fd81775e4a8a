"""Where a leg may stand at all: within its reach as the robot leans, lifted too, and where friction holds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar.foothold.legs import LegName, Quadruped

Array = np.ndarray
LEAST = 0.01
"""Least distance of a leg from the end of its reach on a foothold, and above it [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Limits:
    """What cells of a map are to a leg, whoever scores them; arrays are (rows, columns)."""

    near: np.ndarray
    """Whether a cell is near enough to the nominal foothold."""
    short: np.ndarray
    """Whether it is on the way there: a step that is too short, as far as not to step at all."""
    room: np.ndarray
    """Least distance of the leg from the end of its reach, on its way there and on the next lift [m]; NaN far away."""
    slope: np.ndarray
    """Slope of the ground under the sole."""
    steepest: float
    """Slope that friction holds."""

    def allowed(self, feasible: np.ndarray) -> np.ndarray:
        """Which of the feasible cells may be taken.

        Near ones that are in reach and not too steep; where there are none, such ones on the way; else near ones in
        reach, else those of the near ones that are least out of it.
        """
        reached = feasible & (self.room > LEAST)
        held = reached & (self.slope <= self.steepest)
        choices = (held & self.near, held & self.short, reached & self.near)
        close = feasible & self.near
        most = np.max(self.room, where=close, initial=-np.inf)
        return next((cells for cells in choices if cells.any()), close & (self.room >= most - LEAST))


def room_along(
    legs: Quadruped, leg: LegName, base: np.ndarray, matrix: np.ndarray, start: np.ndarray, ends: np.ndarray, top: Array
) -> np.ndarray:
    """Least distance of a leg from the end of its reach on its way from `start` up to a height, across and down (n,).

    Args:
        legs: The robot's legs.
        leg: Which one.
        base: Origin of the base (3,) [m].
        matrix: Its axes in the world (3, 3).
        start: Leg's end at lift-off (3,) [m].
        ends: Leg's ends where it may land (n, 3) [m].
        top: Height of the leg's end on each way (n,) [m].
    """
    least = legs.margin(leg, (ends - base) @ matrix)
    for share in (0.0, 0.5, 1.0):
        high = start + share * (ends - start)
        high[:, 2] = top
        least = np.minimum(least, legs.margin(leg, (high - base) @ matrix))
    return least


def beside(x: np.ndarray, y: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distance of points from the straight way between two [m]."""
    (ax, ay), (bx, by) = start, end
    dx, dy = bx - ax, by - ay
    share = np.clip(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-12), 0.0, 1.0)
    return np.hypot(x - ax - share * dx, y - ay - share * dy)
