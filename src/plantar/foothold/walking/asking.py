"""What a robot asks before a step: the ground, its stance then and later, and what its leg may take at all."""

from __future__ import annotations

import math

import numpy as np

from plantar.foothold.legs import LEGS, Quadruped, Stance
from plantar.foothold.sole import LearnedSole, Sole
from plantar.foothold.walking.chooser import CELLS, Question
from plantar.foothold.walking.eyes import Eyes
from plantar.foothold.walking.limits import Limits, beside, room_along
from plantar.foothold.walking.plan import Planner, Pose
from plantar.ground.terrain.elevation_map import ElevationMap


class Asker:
    """Puts the questions of one robot.

    Args:
        planner: Where its body will be.
        legs: Measures of its legs.
        eyes: The ground as it knows it.
        sole: What its feet want.
        friction: Friction that it counts on.
    """

    def __init__(self, planner: Planner, legs: Quadruped, eyes: Eyes, sole: Sole | LearnedSole, friction: float):
        self.planner, self.legs, self.eyes, self.sole, self.friction = planner, legs, eyes, sole, friction

    def question(self, points: np.ndarray, k: int, wanted: np.ndarray, pose: Pose) -> Question:
        """What a chooser is asked: a level robot whose hip is where the leaning one's will be.

        Args:
            points: Points of the feet as they are (4, 3) [m].
            k: The leg that steps, as its number in `LEGS`.
            wanted: Its nominal foothold (2,) [m].
            pose: Where the body will be.
        """
        leg, planner = LEGS[k], self.planner
        hip = self.legs.hip_of(leg)
        middle = planner.base(pose) + pose.matrix @ hip - hip
        lift = planner.ankle_height - planner.point_height
        others = {
            name: (float(p[0]), float(p[1]), float(p[2] + lift))
            for name, p in zip(LEGS, points, strict=True)
            if name != leg
        }
        ahead = 0.75 * planner.crawl.stride  # three more steps are taken before this foot is lifted again
        on = np.array([ahead, 0.0, -ahead * math.tan(pose.pitch)])
        gone = middle + on
        elevation = self.eyes.elevation.crop((float(wanted[0]), float(wanted[1])), (CELLS, CELLS))
        return Question(
            elevation=elevation,
            leg=leg,
            robot=self.legs,
            stance=Stance(position=(float(middle[0]), float(middle[1]), float(middle[2])), feet=others),
            later=Stance(position=(float(gone[0]), float(gone[1]), float(gone[2]))),
            sole=self.sole,
            nominal=(float(wanted[0]), float(wanted[1])),
            limits=self._limits(elevation, points[k], k, wanted, pose, on),
        )

    def _limits(
        self, elevation: ElevationMap, point: np.ndarray, k: int, wanted: np.ndarray, pose: Pose, on: np.ndarray
    ) -> Limits:
        """Cells that the leg may take: in reach on the way there, and for the next lift, `on` further on."""
        c, leg, planner = self.planner.crawl, LEGS[k], self.planner
        x, y = np.meshgrid(elevation.x, elevation.y)
        known = np.isfinite(elevation.heights)
        short = known & (beside(x, y, point[:2], wanted) <= c.search)
        ends = np.stack([x[short], y[short], elevation.heights[short] + planner.ankle_height], axis=-1)
        base, climb = planner.base(pose), max(0.0, -c.stride * math.tan(pose.pitch))
        room = np.full(elevation.shape, np.nan)
        later = self.legs.margin(leg, (ends - base - on) @ pose.matrix)
        lifted = self.legs.margin(leg, (ends + [0.0, 0.0, c.clearance + climb] - base - on) @ pose.matrix)
        room[short] = np.minimum(np.minimum(later, lifted), self.room(point, k, pose, ends, c.clearance))
        return Limits(
            near=known & (np.hypot(x - wanted[0], y - wanted[1]) <= c.search),
            short=short,
            room=room,
            slope=self.eyes.slope(x, y),
            steepest=self.friction,
        )

    def room(self, point: np.ndarray, k: int, pose: Pose, ends: np.ndarray, clearance: float) -> np.ndarray:
        """Distance of a leg from the end of its reach on its way from a point to each of its ends (n,) [m]."""
        start = point + [0.0, 0.0, self.planner.ankle_height - self.planner.point_height]
        ground = np.maximum(self.eyes.tops(ends[:, 0], ends[:, 1]), self.eyes.top(start[0], start[1]))
        top = ground + clearance + self.planner.ankle_height
        return room_along(self.legs, LEGS[k], self.planner.base(pose), pose.matrix, start, ends, top)
