"""The path of a foot through the air: up, across above everything that is in the way, and slowly down."""

from __future__ import annotations

import math

import numpy as np

from plantar.foothold.walking.eyes import Eyes

PEAK = 10 / math.sqrt(3)
"""Largest acceleration of the smooth way of length 1 in time 1."""
OVERLAPS = (0.5, 0.35, 0.2, 0.0)
"""Shares of the times of going up and down in which the foot goes across as well; 0 is up, then across, then down."""
LANDING = 0.14
"""Speed down at which the ground is expected, and sought where it is not [m/s]."""
APPROACH = 0.03
"""Way above the foothold that is gone at that speed, so that a loose sole comes to rest before it lands [m]."""
ROOM = 0.015
"""Least height of the sole above the ground on the way, but near its ends [m]."""
SHARES = np.linspace(0, 1, 25)
"""Where the way is looked at."""


class Swing:
    """A foot on its way. It takes as long as its way does at the largest acceleration, and not less than `duration`.

    Args:
        start: Point of the foot at lift-off (3,) [m].
        target: The same where it is to land.
        duration: Least time of the swing [s].
        clearance: Height of the sole above the highest ground on the way [m].
        sole: Height of the point above the sole [m].
        eyes: The ground.
        acceleration: Largest acceleration up, across and down, each [m/s^2].
        approach: Way above the foothold that is gone slowly [m].
    """

    def __init__(
        self,
        start: np.ndarray,
        target: np.ndarray,
        duration: float,
        clearance: float,
        sole: float,
        eyes: Eyes,
        acceleration: float = 10.0,
        approach: float = APPROACH,
    ):
        self.start, self.target = np.array(start, float), np.array(target, float)
        way = self.start[:2] + SHARES[:, None] * (self.target - self.start)[:2]
        self.ground = eyes.tops(way[:, 0], way[:, 1])
        self.top = max(float(self.ground.max()) + sole + clearance, self.start[2] + 0.03, self.target[2] + 0.03)
        self.above = self.target[2] + min(approach, 0.5 * (self.top - self.target[2]))
        """Height from which on the foot comes down slowly [m]."""
        for overlap in OVERLAPS:
            self._time(overlap, acceleration, duration)
            if self._clear(sole):
                break
        self.late = 0.0
        """How far below the target the ground is sought [m]."""

    def _time(self, overlap: float, acceleration: float, least: float) -> None:
        """Times of going up, across and down; all longer alike where the whole would be too short."""
        across = float(np.linalg.norm((self.target - self.start)[:2]))
        ways = (self.top - self.start[2], across, self.top - self.above)
        up, along, down = (math.sqrt(PEAK * max(w, 1e-3) / acceleration) for w in ways)
        slow = (self.above - self.target[2]) / LANDING
        begin = (1 - overlap) * up
        fall = max(up, begin + along - overlap * down)
        factor = max(1.0, (least - slow) / (fall + down))
        self.up, self.begin, self.along = factor * up, factor * begin, factor * along
        self.fall, self.down = factor * fall, factor * down
        self.duration = self.fall + self.down + slow
        """Time of the swing [s]."""

    def _clear(self, sole: float) -> bool:
        """Whether the way is above the ground wherever the foot goes across."""
        # the time at which the smooth way has gone each share
        grid = np.linspace(0, 1, 101)
        times = self.begin + self.along * np.interp(SHARES, smooth(grid)[0], grid)
        heights = np.array([self._height(float(t))[0] for t in times])
        higher = self.ground > min(self.start[2], self.target[2]) - sole + 0.01
        return bool(np.all((heights - sole - self.ground)[higher] > ROOM))

    def _height(self, time: float) -> tuple[float, float, float]:
        """Height at a time, and its first two derivatives."""
        if time < self.up:
            value, rate, curve = smooth(time / self.up)
            climb = self.top - self.start[2]
            return self.start[2] + climb * value, climb * rate / self.up, climb * curve / self.up**2
        if time < self.fall:
            return self.top, 0.0, 0.0
        s = (time - self.fall) / self.down
        if s >= 1:
            return self.above - LANDING * (time - self.fall - self.down), -LANDING, 0.0
        value, rate, curve = smooth(s)
        extra, faster, bend = arriving(s)
        way, speed = self.above - self.top, -LANDING * self.down
        return (
            self.top + way * value + speed * extra,
            (way * rate + speed * faster) / self.down,
            (way * curve + speed * bend) / self.down**2,
        )

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration after `time` [s]; past its end the foot goes on down."""
        place, rate, curve = self.target.copy(), np.zeros(3), np.zeros(3)
        s = (time - self.begin) / self.along
        if s < 1:
            value, first, second = smooth(max(0.0, s))
            way = (self.target - self.start)[:2]
            place[:2] = self.start[:2] + way * value
            rate[:2] = way * first / self.along
            curve[:2] = way * second / self.along**2
        place[2], rate[2], curve[2] = self._height(time)
        self.late = max(0.0, LANDING * (time - self.duration))
        return place, rate, curve

    @property
    def descending(self) -> float:
        """Time from which on a touch is a landing [s]."""
        return self.fall


def smooth(s: np.ndarray | float) -> tuple:
    """The quintic from 0 to 1 that starts and ends at rest, and its first two derivatives."""
    s2 = s * s
    return s2 * s * (10 - 15 * s + 6 * s2), 30 * s2 * (1 - 2 * s + s2), 60 * s * (1 - 3 * s + 2 * s2)


def arriving(s: float) -> tuple[float, float, float]:
    """The quintic from 0 to 0 that starts at rest and arrives with speed 1, and its first two derivatives."""
    s2 = s * s
    return s2 * s * (-4 + 7 * s - 3 * s2), s2 * (-12 + 28 * s - 15 * s2), s * (-24 + 84 * s - 60 * s2)
