"""The path of a foot through the air: up, across and down, towards a target that may move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from plantar.walk.plans.known_ground import KnownGround

PEAK = 10 / math.sqrt(3)
"""Largest acceleration of the smooth path of length 1 in time 1."""
OVERLAPS = (0.5, 0.35, 0.2, 0.0)
"""Fractions of the times of going up and down during which the foot also moves across; 0 is up, across, then down."""
LANDING = 0.14
"""Downward speed of a foot that searches for the ground [m/s]."""
APPROACH = 0.03
"""Distance above the foothold covered at that speed, so that a loose sole settles before it lands [m]."""
ROOM = 0.015
"""Least height of the sole above the ground along the path, except near its ends [m]."""
SHARES = np.linspace(0, 1, 25)
"""Where the path is checked."""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """When a foot goes up, across and down, from lift-off [s]."""

    up: float
    """Time at which it is up."""
    fall: float
    """Time at which it begins to go down."""
    down: float
    """Time that it takes to go down."""
    slow: float
    """Duration of the slow final part."""
    begin: float
    """Time at which it begins to go across."""
    along: float
    """Time that it takes to go across."""

    @property
    def duration(self) -> float:
        """Time of the whole [s]."""
        return self.fall + self.down + self.slow


def shared(duration: float, rise: float = 0.4, wait: float = 0.15, early: float = 0.05) -> Timing:
    """Up in a fraction of the time and down in the rest; across from just after lift-off to just before touch-down.

    So toes and heel clear what lies close to them.
    """
    up, down = rise * duration, (1 - rise) * duration
    return Timing(up=up, fall=up, down=down, slow=0.0, begin=wait * duration, along=(1 - wait - early) * duration)


def paced(ways: tuple[float, float, float], slow: float, overlap: float, acceleration: float, least: float) -> Timing:
    """Durations of the paths up, across and down at the largest acceleration; all stretched if too short.

    Args:
        ways: How far it goes up, across and down [m].
        slow: Duration of the slow final part [s].
        overlap: Fraction of the times of going up and down during which the foot also moves across.
        acceleration: Largest acceleration [m/s^2].
        least: Least time of the whole [s].
    """
    up, along, down = (math.sqrt(PEAK * max(w, 1e-3) / acceleration) for w in ways)
    begin = (1 - overlap) * up
    fall = max(up, begin + along - overlap * down)
    k = max(1.0, (least - slow) / (fall + down))
    return Timing(up=k * up, fall=k * fall, down=k * down, slow=slow, begin=k * begin, along=k * along)


class Swing:
    """A swinging foot: each coordinate follows the smoothest quintic to its target in the time left.

    The quintics are solved again in every control step from the reference as it is, so that a target that moves
    gives no jump. Past its end the foot continues down until the ground is found.

    Args:
        start: Place (x, y, z) and heading at lift-off [m, rad].
        target: The same at touch-down.
        timing: When it goes up, across and down.
        top: Greatest height [m].
        landing: Downward speed at which the ground is expected, and searched for where it is not [m/s].
    """

    def __init__(self, start: np.ndarray, target: np.ndarray, timing: Timing, top: float, landing: float = 0.08):
        self.value, self.target = np.array(start, float), np.array(target, float)
        self.rate, self.acceleration = np.zeros(4), np.zeros(4)
        self.timing, self.top, self.landing = timing, top, landing
        self.elapsed = 0.0

    @property
    def left(self) -> float:
        """Time to touch-down [s]."""
        return max(self.timing.duration - self.elapsed, 0.0)

    @property
    def late(self) -> float:
        """How far below the target the ground is searched for [m]."""
        return max(0.0, self.landing * (self.elapsed - self.timing.duration))

    def retime(self, timing: Timing, left: float) -> None:
        """Continue with another timing, with this much time left [s]."""
        self.timing, self.elapsed = timing, timing.duration - left

    def advance(self, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration of the reference after `dt` [s]."""
        now, t = self.elapsed, self.timing
        self._rise(now, dt)
        if now >= t.begin:
            for i in (0, 1, 3):
                self._toward(i, self.target[i], 0.0, t.begin + t.along - now, dt)
        self.elapsed += dt
        return self.value, self.rate, self.acceleration

    def _rise(self, now: float, dt: float) -> None:
        t = self.timing
        low = t.fall + t.down
        if t.up - now > dt:
            self._toward(2, self.top, 0.0, t.up - now, dt)
        elif t.fall - now > dt:
            self._toward(2, self.top, 0.0, 0.0, dt)
        elif low - now > dt:
            self._toward(2, self.target[2] + self.landing * t.slow, -self.landing, low - now, dt)
        else:
            self.value[2] = self.target[2] - self.landing * (now + dt - t.duration)
            self.rate[2], self.acceleration[2] = -self.landing, 0.0

    def _toward(self, i: int, end: float, speed: float, left: float, dt: float) -> None:
        """One coordinate a step on to its end, which it has reached if no time is left."""
        state = end, speed, 0.0
        if left > dt:
            state = quintic_step(self.value[i], self.rate[i], self.acceleration[i], end, speed, left, dt)
        self.value[i], self.rate[i], self.acceleration[i] = state


def swing_over(
    start: np.ndarray,
    target: np.ndarray,
    ground: KnownGround,
    sole: float,
    *,
    clearance: float,
    duration: float,
    acceleration: float = 10.0,
    approach: float = APPROACH,
) -> Swing:
    """A swing above every obstacle, as long as the largest acceleration requires and slow at its end.

    Args:
        start: Place of the foot's point and heading at lift-off (4,) [m, rad].
        target: The same where it is to land.
        ground: The ground as it is known.
        sole: Height of the point above the sole [m].
        clearance: Height of the sole above the highest ground along the path [m].
        duration: Least time of the swing [s].
        acceleration: Largest acceleration up, across and down, each [m/s^2].
        approach: Distance above the foothold that is covered slowly [m].
    """
    way = start[:2] + SHARES[:, None] * (target - start)[:2]
    tops = ground.tops(way[:, 0], way[:, 1])
    top = max(float(tops.max()) + sole + clearance, start[2] + 0.03, target[2] + 0.03)
    slow = min(approach, 0.5 * (top - target[2]))
    ways = (top - start[2], float(np.linalg.norm((target - start)[:2])), top - target[2] - slow)
    swing = None
    for overlap in OVERLAPS:
        timing = paced(ways, slow / LANDING, overlap, acceleration, duration)
        swing = Swing(start, target, timing, top, LANDING)
        if _clears(swing, tops, sole):
            break
    assert swing is not None
    return Swing(start, target, swing.timing, top, LANDING)


def _clears(swing: Swing, tops: np.ndarray, sole: float) -> bool:
    """Whether a path is above the ground wherever the foot moves across; the swing is consumed."""
    start, count = swing.value.copy(), 80
    across, dt = swing.target[:2] - start[:2], swing.timing.duration / count
    square = max(float(across @ across), 1e-12)
    path = np.array([swing.advance(dt)[0][:3] for _ in range(count - 1)])
    share = (path[:, :2] - start[:2]) @ across / square
    heights = np.interp(SHARES, share, path[:, 2])
    higher = tops > min(start[2], swing.target[2]) - sole + 0.01
    return bool(np.all((heights - sole - tops)[higher] > ROOM))


def smooth(s: float) -> tuple[float, float, float]:
    """The quintic from 0 to 1 that starts and ends at rest, and its first two derivatives."""
    s2 = s * s
    return s2 * s * (10 - 15 * s + 6 * s2), 30 * s2 * (1 - 2 * s + s2), 60 * s * (1 - 3 * s + 2 * s2)


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
