"""How far a leg is from the end of its reach on its way to a foothold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plantar.walk.robot.legs import LegName, Quadruped

Array = np.ndarray


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


def shank_above(
    legs: Quadruped,
    leg: LegName,
    base: np.ndarray,
    matrix: np.ndarray,
    ends: np.ndarray,
    height: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Least height of a leg's shank above the ground with its end at points (n,) [m]; infinite where out of reach.

    Args:
        legs: The robot's legs.
        leg: Which one.
        base: Origin of the base (3,) [m].
        matrix: Its axes in the world (3, 3).
        ends: Leg's ends (n, 3) [m].
        height: Heights of the ground at points.
    """
    _, knee, foot = np.moveaxis(legs.forward(leg, legs.inverse(leg, (ends - base) @ matrix)), -2, 0)
    free = min(1.0, legs.ankle_free / legs.shank)
    least = np.full(len(ends), np.inf)
    for share in np.linspace(free, 1.0, 10):
        point = (foot + share * (knee - foot)) @ matrix.T + base
        known = np.isfinite(point).all(axis=1)
        gap = point[known, 2] - legs.shank_radius - height(point[known, 0], point[known, 1])
        least[known] = np.minimum(least[known], gap)
    return least


def beside(x: np.ndarray, y: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distance of points from the straight way between two [m]."""
    (ax, ay), (bx, by) = start, end
    dx, dy = bx - ax, by - ay
    share = np.clip(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-12), 0.0, 1.0)
    return np.hypot(x - ax - share * dx, y - ay - share * dy)
