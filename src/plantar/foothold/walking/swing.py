"""The path of a foot through the air: up, across above everything that is in the way, and down."""

from __future__ import annotations

import numpy as np

from plantar.foothold.walking.eyes import Eyes

LANDING = 0.14
"""Speed down at which the ground is expected, and sought where it is not [m/s]."""
WINDOWS = ((0.15, 0.85), (0.22, 0.78), (0.30, 0.70), (0.36, 0.64))
"""Shares of the time in which the foot goes across; later ones go up and down more steeply."""
RISE, FALL = 0.40, 0.60
"""Shares of the time at which the foot is up, and begins to go down."""
ROOM = 0.015
"""Least height of the sole above the ground on the way, but near its ends [m]."""


class Swing:
    """A foot on its way.

    Args:
        start: Point of the foot at lift-off (3,) [m].
        target: The same where it is to land.
        duration: Time of the swing [s].
        clearance: Height of the sole above the highest ground on the way [m].
        sole: Height of the point above the sole [m].
        eyes: The ground.
    """

    def __init__(
        self, start: np.ndarray, target: np.ndarray, duration: float, clearance: float, sole: float, eyes: Eyes
    ):
        self.start, self.target, self.duration = np.array(start, float), np.array(target, float), duration
        share = np.linspace(0, 1, 25)
        way = self.start[:2] + share[:, None] * (self.target - self.start)[:2]
        self.ground = eyes.tops(way[:, 0], way[:, 1])
        self.top = max(float(self.ground.max()) + sole + clearance, self.start[2] + 0.03, self.target[2] + 0.03)
        self.window = WINDOWS[-1]
        for window in WINDOWS:
            self.window = window
            if self._clear(sole, share):
                break
        self.late = 0.0
        """How far below the target the ground is sought [m]."""

    def _clear(self, sole: float, share: np.ndarray) -> bool:
        """Whether the way is above the ground wherever the foot goes across."""
        a, b = self.window
        # the time at which the smooth way has gone each share
        times = np.interp(share, smooth(np.linspace(0, 1, 101))[0], np.linspace(0, 1, 101))
        heights = np.array([self._height(a + (b - a) * t)[0] for t in times])
        higher = self.ground > min(self.start[2], self.target[2]) - sole + 0.01
        return bool(np.all((heights - sole - self.ground)[higher] > ROOM))

    def _height(self, s: float) -> tuple[float, float, float]:
        """Height at a share of the time, and its first two derivatives by that share."""
        if s < RISE:
            value, rate, curve = smooth(s / RISE)
            climb = self.top - self.start[2]
            return self.start[2] + climb * value, climb * rate / RISE, climb * curve / RISE**2
        if s < FALL:
            return self.top, 0.0, 0.0
        value, rate, curve = smooth((s - FALL) / (1 - FALL))
        fall, span = self.target[2] - self.top, 1 - FALL
        return self.top + fall * value, fall * rate / span, fall * curve / span**2

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration after `time` [s]; past its end the foot goes on down."""
        T = self.duration
        s = min(time / T, 1.0)
        a, b = self.window
        place, rate, curve = self.target.copy(), np.zeros(3), np.zeros(3)
        if s < b:
            value, first, second = smooth(max(0.0, (s - a) / (b - a)))
            way = (self.target - self.start)[:2]
            place[:2] = self.start[:2] + way * value
            rate[:2] = way * first / (b - a) / T
            curve[:2] = way * second / (b - a) ** 2 / T**2
        place[2], up, bend = self._height(s)
        rate[2], curve[2] = up / T, bend / T**2
        if rate[2] < 0 and s > 0.8:
            # the last bit is not braked to a stand, or the foot would hover over ground that is a little lower
            rate[2] = min(rate[2], -LANDING)
        if s >= 1.0:
            self.late = LANDING * (time - T)
            place[2], rate[2] = self.target[2] - self.late, -LANDING
        return place, rate, curve

    @property
    def descending(self) -> float:
        """Time from which on a touch is a landing [s]."""
        return self.duration * FALL


def smooth(s: np.ndarray | float) -> tuple:
    """The quintic from 0 to 1 that starts and ends at rest, and its first two derivatives."""
    s2 = s * s
    return s2 * s * (10 - 15 * s + 6 * s2), 30 * s2 * (1 - 2 * s + s2), 60 * s * (1 - 3 * s + 2 * s2)
