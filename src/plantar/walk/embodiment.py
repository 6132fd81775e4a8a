"""The robot of an environment: how it stands and lies, how strong it is, and which velocity it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar._checks import require
from plantar.walk.course import BIPED
from plantar.walk.plans.crawl import CrawlPlan
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.gaits import Crawl
from plantar.walk.plans.plan import Plan
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Stance, find_stance


def standing(legged: Legged) -> tuple[Stance, tuple[float, float]]:
    """How a robot stands, and how low and tilted it lies; as walks on two feet, or crawls on four."""
    if len(legged.soles) <= BIPED:
        return find_stance(legged, 0.05, Gait().width), Plan.fallen
    return CrawlPlan(legged, Crawl(), Crawl.tuning()).stance, CrawlPlan.fallen


def as_velocity(wish: Any) -> np.ndarray:
    """A desired velocity ahead, to the left, and turn rate (3,)."""
    found = np.asarray(wish, float)
    ok = found.shape == (3,) and bool(np.isfinite(found).all())
    require(ok, "velocity", wish, "three numbers: ahead and to the left in m/s, turn rate in rad/s")
    return found


def strength_of(legged: Legged) -> np.ndarray:
    """Largest torque of each joint; by default the torque that holds its weight at a third of the leg's length."""
    guess = legged.mass * legged.gravity * 0.3
    return np.where(np.isfinite(legged.torque_limit), legged.torque_limit, guess)
