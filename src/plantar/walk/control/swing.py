"""The path of a foot through the air, towards a target that may move."""

from __future__ import annotations

import math

import numpy as np


class Swing:
    """A foot on its way: each coordinate follows the smoothest quintic to where it has to be in the time left.

    The quintics are solved again in every control step from the reference as it is, so that a target that moves
    gives no jump. The height goes to the apex first and then down; the way ahead begins when the foot has left the
    ground by some centimetres and ends just before it is back, so that toes and heel clear what lies close to them.

    Args:
        start: Place (x, y, z) and heading at lift-off [m, rad].
        target: The same at touch-down.
        duration: Time of the swing [s].
        apex: Height above the higher end [m].
        rise: Share of the time that goes up.
        wait: Share of the time before the way ahead begins.
        early: Share of the time by which it ends early.
    """

    LANDING_SPEED = 0.08
    """Speed down at which the ground is expected, and sought where it is not [m/s]."""

    def __init__(
        self,
        start: np.ndarray,
        target: np.ndarray,
        duration: float,
        apex: float,
        rise: float = 0.4,
        wait: float = 0.15,
        early: float = 0.05,
    ):
        self.value = np.array(start, float)
        self.rate, self.curve = np.zeros(4), np.zeros(4)
        self.target = np.array(target, float)
        self.left = duration
        self.duration, self.rise, self.wait, self.early = duration, rise, wait, early
        self.top = max(start[2], target[2]) + apex

    def advance(self, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration of the reference after `dt` [s]."""
        if self.left <= dt:
            self._search(dt)
        else:
            climbing = self.left - self.duration * (1 - self.rise)
            ahead = self.left <= self.duration * (1 - self.wait)
            travel = max(self.left - self.duration * self.early, dt)
            for i in range(4) if ahead else (2,):
                end, speed, left = self.target[i], 0.0, travel
                if i == 2:
                    left = self.left
                    if climbing > dt:
                        end, left = self.top, climbing
                    else:
                        speed = -self.LANDING_SPEED
                state = quintic_step(self.value[i], self.rate[i], self.curve[i], end, speed, left, dt)
                self.value[i], self.rate[i], self.curve[i] = state
            self.left -= dt
        return self.value, self.rate, self.curve

    def _search(self, dt: float) -> None:
        """Past the end: go on down until the ground is found."""
        self.left = 0.0
        self.value[[0, 1, 3]] = self.target[[0, 1, 3]]
        self.rate[:], self.curve[:] = 0.0, 0.0
        self.rate[2] = -self.LANDING_SPEED
        self.value[2] -= self.LANDING_SPEED * dt


def quintic_step(
    x: float, v: float, a: float, end: float, speed: float, left: float, dt: float
) -> tuple[float, float, float]:
    """State after `dt` on the quintic from (x, v, a) to (`end`, `speed`, 0) in the time `left`."""
    t1 = left
    t2, t3 = t1 * t1, t1 * t1 * t1
    d = end - (x + v * t1 + 0.5 * a * t2)
    dv = speed - (v + a * t1)
    da = -a
    c3 = (10 * d - 4 * dv * t1 + 0.5 * da * t2) / t3
    c4 = (-15 * d + 7 * dv * t1 - da * t2) / (t3 * t1)
    c5 = (6 * d - 3 * dv * t1 + 0.5 * da * t2) / (t3 * t2)
    s = dt
    return (
        x + v * s + 0.5 * a * s * s + s**3 * (c3 + s * (c4 + s * c5)),
        v + a * s + s * s * (3 * c3 + s * (4 * c4 + s * 5 * c5)),
        a + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)),
    )


def heading_of(matrix: np.ndarray) -> float:
    """Turn about z of a frame given as nine numbers, row by row [rad]."""
    return math.atan2(matrix[3], matrix[0])
