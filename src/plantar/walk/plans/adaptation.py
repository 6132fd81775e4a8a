"""How steps respond to a push."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar.walk.plans.dcm import missed_capture
from plantar.walk.plans.footsteps import Foothold


@dataclass(frozen=True, kw_only=True)
class Adaptation(Checked):
    """How steps respond to a push."""

    enabled: bool = True
    """Whether steps may be moved, shortened in time, and taken out of a stand."""
    grip: float = 0.7
    """Fraction of the sole within which the centre of pressure is trusted to bring the DCM back before a step moves."""
    reach: tuple[float, float, float] = (0.42, 0.22, 0.04)
    """How far ahead of or behind the other foot a step may be moved, and how far outwards and inwards from where it
    was planned, for legs of 0.7 m [m]."""
    quickest: float = 0.28
    """Shortest time of a step that has to be quick, for legs of 0.7 m [s]."""
    recovery: tuple[float, float] = (0.34, 0.08)
    """Times on one foot and on both of steps out of a stand, for legs of 0.7 m [s]."""
    edge: float = 0.02
    """Distance of the DCM inside the edge of the support below which a standing robot takes a step [m]."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(0 < self.grip <= 1, "grip", self.grip, "a fraction above 0, 1 at most")
        require(min(self.reach) >= 0, "reach", self.reach, "three lengths in metres, 0 or more")
        require(0.1 <= self.quickest <= 2, "quickest", self.quickest, "a time in seconds from 0.1 to 2")
        require(min(self.recovery) > 0, "recovery", self.recovery, "two times in seconds above 0")


def wanted_shift(
    dcm: np.ndarray,
    landing: np.ndarray,
    stance: Foothold,
    extent: tuple[float, float, float, float],
    grip: float,
    omega: float,
    left: float,
) -> np.ndarray:
    """How far the DCM will be from where the plan has it at touch-down, at best [m].

    Args:
        dcm: The DCM now.
        landing: Where the plan has it at touch-down.
        stance: The foot that stands.
        extent: Ends of its sole.
        grip: Fraction of the sole within which the centre of pressure is trusted.
        omega: Natural frequency [1/s].
        left: Time to touch-down [s].
    """
    turn = _into(stance.yaw)
    now, goal = turn @ (dcm - stance.xy), turn @ (landing - stance.xy)
    back, front, right, left_edge = (grip * end for end in extent)
    reach = ((back, front), (right, left_edge))
    missed = [missed_capture(float(now[k]), float(goal[k]), reach[k], omega, left) for k in range(2)]
    return turn.T @ np.array(missed)


def limited_shift(
    shift: np.ndarray, step: Foothold, stance: Foothold, reach: tuple[float, float, float], width: float, apart: float
) -> np.ndarray:
    """The part of a shift that the legs can do [m].

    Args:
        shift: Desired shift.
        step: The foothold as planned.
        stance: The foot that stands.
        reach: Largest distance ahead of or behind that foot, and largest shifts outwards and inwards.
        width: Distance of the feet when standing.
        apart: Least distance of the feet, so that soles do not meet.
    """
    turn = _into(step.yaw)
    ahead, out, inward = reach
    local = turn @ shift
    side = 1.0 if step.side == 0 else -1.0
    beside, gap = turn @ (step.xy - stance.xy)
    gap *= side
    inward = max(0.0, min(inward + max(0.0, gap - width), gap - apart))
    local[0] = min(max(local[0], -ahead - beside), ahead - beside)
    local[1] = side * min(max(side * local[1], -inward), out)
    return turn.T @ local


def _into(yaw: float) -> np.ndarray:
    """Turns vectors of the world into a frame of that heading."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, s], [-s, c]])
