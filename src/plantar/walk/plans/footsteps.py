"""Where the feet are put down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from plantar.walk.plans.gait import Gait

STILL = 0.02
"""A step that lands this close to its foothold does not move the following ones [m]."""


@dataclass(frozen=True, kw_only=True)
class Foothold:
    """A place of one foot on the ground."""

    side: int
    """Which foot: its place in the list of the robot's feet, 0 is left."""
    position: tuple[float, float, float]
    """Middle of the sole in the world [m]."""
    yaw: float
    """Heading of the foot [rad]."""

    @property
    def xy(self) -> np.ndarray:
        """Place on the ground [m]."""
        return np.array(self.position[:2])

    def moved(self, shift: np.ndarray) -> Foothold:
        """The same foothold somewhere else on the ground."""
        x, y, z = self.position
        return replace(self, position=(x + float(shift[0]), y + float(shift[1]), z))


def mean_heading(yaws: Sequence[float]) -> float:
    """Mean of headings, wherever they wrap [rad]."""
    return math.atan2(sum(map(math.sin, yaws)), sum(map(math.cos, yaws)))


def plan_footsteps(stance: Sequence[Foothold], gait: Gait, first: int = 0) -> list[Foothold]:
    """The footholds of a walk from a stance of two feet, in the order in which they are taken.

    The first step goes half as far as the others, and the last one closes the feet.

    Args:
        stance: Where the feet are now, left first.
        gait: The walk; lengths are taken as they are.
        first: The foot that steps first.
    """
    left, right = stance
    middle = (left.xy + right.xy) / 2
    heading = mean_heading([left.yaw, right.yaw])
    across = np.array([-math.sin(heading), math.cos(heading)])
    width = gait.width or float((left.xy - right.xy) @ across)
    z = (left.position[2] + right.position[2]) / 2
    steps: list[Foothold] = []
    side, moved = first, 0.0
    for k in range(gait.steps):
        closing = k == gait.steps - 1 and k > 0
        ahead = 0.0 if closing else gait.step_length * (0.5 if k == 0 else 1.0)
        heading += 0.0 if closing else gait.turn
        forward = np.array([math.cos(heading), math.sin(heading)])
        across = np.array([-forward[1], forward[0]])
        middle = middle + ahead * forward
        # both feet must get there: the one ahead of the sideways motion opens, the other one follows
        opening = (side == 0) == (gait.side_step > 0)
        if opening and not closing:
            moved = gait.side_step
            middle = middle + moved / 2 * across
            offset = width / 2 + abs(moved) / 2
        else:
            middle = middle + moved / 2 * across
            offset, moved = width / 2, 0.0
        x, y = middle + (offset if side == 0 else -offset) * across
        steps.append(Foothold(side=side, position=(float(x), float(y), z), yaw=heading))
        side = 1 - side
    return steps


def carried_on(steps: Sequence[Foothold], moved: np.ndarray, back: float) -> list[Foothold]:
    """Upcoming footholds, moved like the last one, but back to their path by a fraction from each to the next."""
    if np.abs(moved).max() <= STILL:
        return list(steps)
    return [step.moved(moved * back ** (k + 1)) for k, step in enumerate(steps)]


def recovery_steps(holds: Sequence[Foothold], dcm: np.ndarray, width: float) -> list[Foothold]:
    """A step out of a stand with the foot on the side that the robot falls to, and one that closes the feet.

    Args:
        holds: Where the feet are, left first.
        dcm: The DCM [m].
        width: Distance of the feet when standing [m].
    """
    yaw = mean_heading([hold.yaw for hold in holds])
    left = np.array([-math.sin(yaw), math.cos(yaw)])
    side = 0 if left @ (dcm - (holds[0].xy + holds[1].xy) / 2) > 0 else 1
    first = replace(holds[side], yaw=yaw)
    x, y = first.xy + (-width if side == 0 else width) * left
    return [first, Foothold(side=1 - side, position=(float(x), float(y), first.position[2]), yaw=yaw)]
