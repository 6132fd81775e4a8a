"""Quadrupeds and maps for tests of walking."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar import feet, robots
from plantar.ground import ElevationMap, Flat
from plantar.walk import Course, Crawl
from plantar.walk.control.controllers import Setting
from plantar.walk.plans.crawl import CrawlPlan
from plantar.walk.plans.known_ground import MappedGround
from plantar.walk.robot.dynamics import Dynamics


def crossing_on(foot: str, distance: float = 0.3, **more: Any) -> Course:
    """The built-in quadruped on fast SoftFoot-Q, or on another foot, that crawls."""
    worn = feet.get("softfoot_q:fast" if foot == "softfoot_q" else foot)
    more.setdefault("gait", Crawl(distance=distance))
    return Course(robots.mount("quadruped", worn), **{"terrain": Flat(), **more})


def setting_of(course: Course) -> Setting:
    """What the walks of a course are made from."""
    return course._setting


def crawl_on(course: Course, grid: ElevationMap) -> tuple[CrawlPlan, Dynamics]:
    """A robot at its start on a map that it knows, and its dynamics there."""
    legged = course.scene.legged
    plan = CrawlPlan(legged, Crawl(distance=1.0), Crawl.tuning(), MappedGround(grid, 0.159, 0.056))
    dyn = Dynamics(legged)
    dyn.update(plan.stance.qpos, np.zeros(legged.nv))
    plan.reset(dyn, 0.0)
    return plan, dyn


def flat_map(heights: float = 0.0) -> ElevationMap:
    """A level map that a walk fits on."""
    return ElevationMap.from_function(lambda x, y: heights + 0 * x, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
