"""The planned path along the ground, straight or round a bend, and how far a robot has gone along it."""

from __future__ import annotations

import numpy as np

STEP = 0.01
"""Distance of the points of a path [m]."""
BACK, AHEAD = 0.15, 0.40
"""How far behind and ahead of the robot's last position the nearest point is searched for [m]."""


class Path:
    """A line from corner to corner.

    Args:
        corners: Points of the path (n, 2) [m].
    """

    def __init__(self, corners: np.ndarray):
        corners = np.asarray(corners, float)
        lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        at = np.concatenate([[0.0], np.cumsum(lengths)])
        self.length = float(at[-1])
        """Length of the path [m]."""
        self.end = corners[-1]
        """Where it ends (2,) [m]."""
        self._way = np.linspace(0.0, self.length, max(2, int(self.length / STEP) + 1))
        self._points = np.column_stack([np.interp(self._way, at, column) for column in corners.T])
        if self.length < 1e-6:
            self._points[1] = self._points[0] + [1e-6, 0.0]

    def follow(self, track: np.ndarray) -> tuple[float, np.ndarray]:
        """How far along the path a track comes, and its distances from it sideways, left positive.

        A path may cross itself: the robot is on the part that it has reached.

        Args:
            track: Positions of the robot over time (n, 2) [m].
        """
        k, aside, first, last = 0, np.empty(len(track)), 0.0, 0.0
        for i, place in enumerate(track):
            k, last, aside[i], _ = self.near(place, k)
            first = last if i == 0 else first
        return last - first, aside

    def near(self, place: np.ndarray, k: int) -> tuple[int, float, float, np.ndarray]:
        """The point of the path nearest to a place, near the point `k` where the robot was last.

        Returns:
            Its index, its distance along the path [m], its sideways distance, left positive [m], and the
            direction of the path there.
        """
        low = max(0, k - round(BACK / STEP))
        near = self._points[low : k + round(AHEAD / STEP)]
        k = low + int(np.argmin(((near - place) ** 2).sum(axis=1)))
        along, off = self._direction(k), place - self._points[k]
        return k, float(self._way[k] + along @ off), float(along[0] * off[1] - along[1] * off[0]), along

    def heading(self, k: int) -> float:
        """How far the path has turned to the left at a point, from its beginning [rad]."""
        (a, b), (c, d) = self._direction(0), self._direction(k)
        return float(np.arctan2(a * d - b * c, a * c + b * d))

    def _direction(self, k: int) -> np.ndarray:
        """Direction of the path at a point of it."""
        a, b = max(0, k - 1), min(len(self._points) - 1, k + 1)
        way = self._points[b] - self._points[a]
        return way / np.linalg.norm(way)
