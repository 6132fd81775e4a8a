"""What the ground can exert on a sole: forces within a friction pyramid at the contact points."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar.walk.robot.soles import Extent, Sole

EDGES = 4
"""Edges of a friction pyramid."""


@dataclass(kw_only=True)
class SoleContact:
    """A standing sole, as the whole-body program sees it."""

    sole: int
    """Which one."""
    share: float
    """Fraction of the weight expected on it."""
    normal: np.ndarray | None = None
    """Normal of the ground under it (3,); None is level."""
    most: float = math.inf
    """Largest normal force [N]."""


class ContactModel:
    """Unit forces of one sole: along each edge of a pyramid at each point that presses.

    Args:
        sole: The sole.
        friction: Assumed friction.
        margin: Distance of the pressing points from the edge of the sole [m], a quarter of its width at most.
        unit: Normal part of a unit force [N].
    """

    def __init__(self, sole: Sole, friction: float, margin: float, unit: float):
        self.sole, self.unit = sole, unit
        self.corners = np.zeros((3, 1)) if sole.point else _corners(sole.extent, margin)
        """Points that press, in the sole's frame (3, points) [m]."""
        mu = friction / math.sqrt(2)
        self._edges = unit * np.array([[i * mu, j * mu, 1.0] for i in (-1, 1) for j in (-1, 1)]).T  # (3, 4)
        points = self.corners.shape[1]
        self.size = points * EDGES
        """How many unit forces there are."""
        self.push = np.zeros((6, self.size))
        self._skew = np.zeros((points, 3, 3))
        self._ground: tuple[float, float, float] | None = None
        if sole.point:
            self.push[:3] = self._edges

    def update(self, turn: np.ndarray, normal: np.ndarray | None) -> np.ndarray:
        """Forces and moments about the middle of the unit forces, in the world (6, unit forces).

        Args:
            turn: Attitude of the sole (3, 3).
            normal: Normal of the ground; None is level.
        """
        if self.sole.point:
            self._push_at_point(normal)
            return self.push
        edges = axes(math.atan2(turn[1, 0], turn[0, 0]), normal) @ self._edges
        points = self.corners.shape[1]
        x, y, z = turn @ self.corners
        skew, push = self._skew, self.push
        skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 0] = -z, y, z
        skew[:, 1, 2], skew[:, 2, 0], skew[:, 2, 1] = -x, -y, x
        push[:3].reshape(3, points, EDGES)[:] = edges[:, None, :]
        push[3:].reshape(3, points, EDGES)[:] = (skew @ edges).transpose(1, 0, 2)
        return push

    def _push_at_point(self, normal: np.ndarray | None) -> None:
        """Forces of a sole that is a point; they change with the ground alone."""
        ground = None if normal is None else (normal[0], normal[1], normal[2])
        if ground != self._ground:
            self._ground, self.push[:3] = ground, axes(0.0, normal) @ self._edges


def axes(heading: float, normal: np.ndarray | None) -> np.ndarray:
    """Axes whose third is along a normal and whose first is ahead (3, 3)."""
    c, s = math.cos(heading), math.sin(heading)
    if normal is None or normal[2] > 0.99995:
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    x, y, z = normal
    first = np.array([z * c, z * s, -(x * c + y * s)])
    first /= math.sqrt(first @ first)
    second = np.array([y * first[2] - z * first[1], z * first[0] - x * first[2], x * first[1] - y * first[0]])
    return np.stack([first, second, normal], axis=1)


def _corners(extent: Extent, margin: float) -> np.ndarray:
    """Corners of the sole that may press, in the sole's frame (3, 4) [m]."""
    back, front, right, left = extent
    x, y = min(margin, (front - back) / 4), min(margin, (left - right) / 4)
    return np.array([[i, j, 0.0] for i in (back + x, front - x) for j in (right + y, left - y)]).T
