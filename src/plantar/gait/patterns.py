"""Orders in which feet come down, as first guesses: a periodic motion that carries the robot's weight in that order.

A pattern prescribes nothing. The optimiser starts from its motion and is free to end in another gait.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from plantar._checks import require
from plantar._config import Checked
from plantar.gait.legged import LeggedRobot
from plantar.gait.request import Request

GRID = 240
"""Samples of a stride."""
STEP, VAULT_TIMES = 0.6, (2.0, 5.0)
"""How far the torso travels over a foot in a walk [l0], and the stride times that a walk is kept within."""
LIFT = 0.08
"""How high a foot swings [l0]."""
WAVES = 3
"""Waves of a stride that the motors of a guess follow."""
SLACK = 0.02
"""How far guesses stay from the ends of joints and motors [l0]."""


@dataclass(frozen=True)
class Pattern(Checked):
    """When feet are on the ground."""

    phases: tuple[float, ...]
    """For each leg the share of the stride at which it comes down."""
    duty: float
    """Fraction of the stride that each foot is down."""
    humps: float = 0.0
    """0 for a load that rises and falls once, as in bouncing; from 3 on it does so twice, as in vaulting over a leg."""

    def __post_init__(self) -> None:
        """Check the duty."""
        require(0 < self.duty < 1, "duty", self.duty, "a fraction between 0 and 1")

    def halves(self, robot: LeggedRobot) -> bool:
        """Whether half a stride later the legs are in each other's place."""
        other = [self.phases[leg] for leg in robot.mirror]
        return robot.legs > 1 and all((p + 0.5 - o) % 1 < 1e-9 for p, o in zip(self.phases, other, strict=True))


PATTERNS: dict[int, dict[str, Pattern]] = {
    1: {"hop": Pattern((0.0,), 0.4)},
    2: {"walk": Pattern((0.0, 0.5), 0.68, 5.0), "run": Pattern((0.0, 0.5), 0.36), "hop": Pattern((0.0, 0.0), 0.4)},
    4: {
        "walk": Pattern((0.25, 0.75, 0.0, 0.5), 0.68, 5.0),
        "trot": Pattern((0.0, 0.5, 0.5, 0.0), 0.42),
        "pace": Pattern((0.0, 0.5, 0.0, 0.5), 0.42),
        "bound": Pattern((0.5, 0.5, 0.0, 0.0), 0.34),
        "pronk": Pattern((0.0, 0.0, 0.0, 0.0), 0.42),
    },
}
"""Patterns by the number of legs and name; legs of a quadruped: left front, right front, left hind, right hind."""


def pattern(robot: LeggedRobot, name: str) -> Pattern:
    """The pattern of that name for a robot.

    Raises:
        InvalidInput: If the robot has no such pattern.
    """
    known = PATTERNS.get(robot.legs, {})
    require(name in known, "start", name, f"one of {', '.join(known)} for the {robot.name}")
    return known[name]


class Stride(NamedTuple):
    """A periodic motion of known length."""

    duration: float
    """From start to end: half a stride where the legs then change places."""
    springs: CubicSpline
    """Coordinates but for the distance travelled, over time."""

    def motion(self, speed: float, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, velocities and accelerations."""
        q, v, a = (self.springs(times, order) for order in (0, 1, 2))
        q[:, 0] += speed * times
        v[:, 0] += speed
        return q, v, a


def stride(robot: LeggedRobot, request: Request, order: Pattern) -> Stride:
    """A stride whose feet come down in that order; it begins at the top of the torso's path."""
    total = _stride_time(robot, request.speed, order)
    share = np.arange(GRID) / GRID
    load, ahead, lift = _feet(robot, request.speed, order, total, share)
    height = _integrated_twice(load.sum(axis=1) / robot.mass, total)
    arms = ahead + np.array(robot.hips)
    inertia = robot.torso_inertia + sum((robot.mass - robot.torso_mass) / robot.legs * hip**2 for hip in robot.hips)
    pitch = _integrated_twice((load * arms).sum(axis=1) / inertia, total)
    if request.apex is not None:
        height += request.apex - height.max()
    else:
        landing = [np.interp(p, share, height, period=1) for p in order.phases]
        reach = request.speed * order.duty * total / 2
        height += math.sqrt(max(1 - reach**2, 0.7)) + robot.foot_radius - SLACK - float(np.mean(landing))
    q = _coordinates(robot, height, pitch, load, arms, lift)
    q = np.roll(q, -int(height.argmax()), axis=0)
    whole = CubicSpline(total * np.arange(GRID + 1) / GRID, np.vstack([q, q[:1]]), bc_type="periodic")
    return Stride(total / 2 if request.symmetric and order.halves(robot) else total, whole)


def _stride_time(robot: LeggedRobot, speed: float, order: Pattern) -> float:
    """A bounce lasts half a swing on the springs of the legs that come down together; a vault the time of a step."""
    if order.humps:
        return float(np.clip(STEP / (order.duty * speed), *VAULT_TIMES))
    together = Counter(order.phases).most_common(1)[0][1]
    return math.pi / math.sqrt(together * robot.leg_stiffness / robot.mass) / order.duty


def _feet(robot: LeggedRobot, speed: float, order: Pattern, total: float, share: np.ndarray) -> tuple:
    """Load of each foot, how far it is ahead of its hip's middle, and how high (samples, legs)."""
    since = (share[:, None] - np.array(order.phases)) % 1
    down = since < order.duty
    stance, swing = since / order.duty, (since - order.duty) / (1 - order.duty)
    shape = np.sin(np.pi * stance) ** 2 * (1 + order.humps * np.cos(np.pi * stance) ** 2)
    mean = (0.5 + order.humps / 8) * order.duty * robot.legs
    load = np.where(down, robot.mass * shape / mean, 0.0)
    reach, slope = speed * order.duty * total / 2, -speed * (1 - order.duty) * total
    # a cubic that leaves and meets the ground at its speed
    forward = -reach + 2 * reach * swing**2 * (3 - 2 * swing) + slope * swing * (1 - swing) * (1 - 2 * swing)
    ahead = np.where(down, reach * (1 - 2 * stance), forward)
    return load, ahead, np.where(down, 0.0, LIFT * np.sin(np.pi * swing) ** 2)


def _integrated_twice(acceleration: np.ndarray, total: float) -> np.ndarray:
    """The periodic path with that acceleration, but for its mean."""
    waves = np.fft.rfft(acceleration)
    turn = 2 * np.pi * np.arange(len(waves)) / total
    waves[0] = 0.0
    waves[1:] /= -(turn[1:] ** 2)
    return np.fft.irfft(waves, len(acceleration))


def _coordinates(
    robot: LeggedRobot, height: np.ndarray, pitch: np.ndarray, load: np.ndarray, arms: np.ndarray, lift: np.ndarray
) -> np.ndarray:
    """Legs that reach their feet, motors that bear the load through their springs."""
    legs = robot.legs
    q = np.zeros((len(height), 3 + 4 * legs))
    q[:, 1], q[:, 2] = height, pitch
    depth = np.sqrt(load / robot.law.stiffness)
    for i, hip in enumerate(robot.hips):
        over = arms[:, i] - hip * np.cos(pitch)
        above = height + hip * np.sin(pitch) - robot.foot_radius - lift[:, i] + depth[:, i]
        low, high = robot.leg_range
        length = np.clip(np.hypot(over, above), low + SLACK, high - SLACK)
        q[:, 3 + 2 * i], q[:, 4 + 2 * i] = np.arctan2(over, above) - pitch, length
        q[:, 3 + 2 * (legs + i)] = _low(q[:, 3 + 2 * i])
        q[:, 4 + 2 * (legs + i)] = _within(_low(length - 1 + load[:, i] / robot.leg_stiffness), robot.motor_range)
    return q


def _low(path: np.ndarray) -> np.ndarray:
    """The first waves of a periodic path: a heavy rotor cannot follow corners."""
    waves = np.fft.rfft(path)
    waves[WAVES + 1 :] = 0.0
    return np.fft.irfft(waves, len(path))


def _within(path: np.ndarray, most: float) -> np.ndarray:
    """A path moved and shrunk to fit between two stops, which clipping would leave with corners."""
    middle, half = (path.max() + path.min()) / 2, (path.max() - path.min()) / 2
    scale = min(1.0, (most - SLACK) / half) if half else 1.0
    room = most - SLACK - scale * half
    return float(np.clip(middle, -room, room)) + scale * (path - middle)
