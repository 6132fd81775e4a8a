"""The question a robot asks before a step: the ground, its stance then and later, and what its leg may take at all."""

from __future__ import annotations

import math

import numpy as np

from plantar.ground import ElevationMap
from plantar.walk.footholds import Chooser, Limits, Question, Step, nominal
from plantar.walk.plans.body_pose import Planner, Pose
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.legs import LEGS, Quadruped, Stance

CELLS = 60
"""Cells per side of the map that a chooser sees around the nominal foothold, including the ground below the hip."""


class FootholdQuery:
    """Asks the questions of one quadruped.

    Args:
        planner: Where its body will be.
        legged: The robot.
        legs: Measures of its legs.
        ground: The ground as the robot knows it.
        friction: Assumed friction.
    """

    def __init__(self, planner: Planner, legged: Legged, legs: Quadruped, ground: KnownGround, friction: float):
        self.planner, self.legged, self.legs, self.ground = planner, legged, legs, ground
        self.friction = friction
        self.shortened = np.zeros(4, bool)
        """Whether the last step of each leg was shorter than planned."""

    def choose(self, chooser: Chooser, points: np.ndarray, k: int, wanted: np.ndarray, pose: Pose, time: float) -> Step:
        """The step that a chooser takes; see `question`."""
        choice = None if chooser is nominal else chooser(self.question(points, k, wanted, pose))
        x, y = wanted if choice is None else (choice.x, choice.y)
        self.shortened[k] = math.hypot(x - wanted[0], y - wanted[1]) > self.planner.crawl.search
        target = (float(x), float(y), self.ground.height(x, y))
        place = (float(wanted[0]), float(wanted[1]))
        return Step(leg=LEGS[k], time=time, nominal=place, target=target, choice=choice)

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
        known = self.ground.elevation
        assert known is not None, "without a map there is nothing to choose from"
        elevation = known.crop((float(wanted[0]), float(wanted[1])), (CELLS, CELLS))
        return Question(
            elevation=elevation,
            leg=leg,
            robot=self.legs,
            stance=Stance(position=(float(middle[0]), float(middle[1]), float(middle[2])), feet=others),
            later=Stance(position=(float(gone[0]), float(gone[1]), float(gone[2]))),
            foot=self.legged.places[k].foot,
            outline=self.legged.soles[k].outline,
            nominal=(float(wanted[0]), float(wanted[1])),
            limits=self._limits(elevation, points[k], k, wanted, pose, on),
            shortened=bool(self.shortened[k]),
        )

    def _limits(
        self, elevation: ElevationMap, point: np.ndarray, k: int, wanted: np.ndarray, pose: Pose, on: np.ndarray
    ) -> Limits:
        """Cells that the leg may take: in reach along the path there, and for the next lift, `on` further on."""
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
        links = np.full(elevation.shape, np.inf)
        links[short] = self.above(point, k, pose, ends, c.clearance)
        return Limits(
            links=links,
            near=known & (np.hypot(x - wanted[0], y - wanted[1]) <= c.search),
            short=short,
            room=room,
            slope=self.ground.slope(x, y),
            steepest=self.friction,
        )

    def _way(self, point: np.ndarray, ends: np.ndarray, clearance: float) -> tuple[np.ndarray, np.ndarray]:
        """Where the leg's end lifts off a point (3,), and how high it rises towards each of its ends (n,) [m]."""
        start = point + [0.0, 0.0, self.planner.ankle_height - self.planner.point_height]
        ground = np.maximum(self.ground.tops(ends[:, 0], ends[:, 1]), self.ground.top(start[0], start[1]))
        return start, ground + clearance + self.planner.ankle_height

    def above(self, point: np.ndarray, k: int, pose: Pose, ends: np.ndarray, clearance: float) -> np.ndarray:
        """Least height of the leg's shank above the ground on the path from a point to each of its ends (n,) [m]."""
        start, top = self._way(point, ends, clearance)
        share, rise = np.array([(0.3, 1.0), (0.7, 1.0), (1.0, 1.0), (1.0, 0.4)]).T[:, :, None]
        way = start + share[:, :, None] * (ends - start)
        way[:, :, 2] = rise * top + (1 - rise) * ends[:, 2]
        return self._shank_above(k, pose, way.reshape(-1, 3)).reshape(-1, len(ends)).min(axis=0)

    def _shank_above(self, k: int, pose: Pose, ends: np.ndarray) -> np.ndarray:
        """Least height of a leg's shank above the ground with its end at points (n,) [m]; infinite out of reach."""
        legs, leg, base, matrix = self.legs, LEGS[k], self.planner.base(pose), pose.matrix
        _, knee, foot = np.moveaxis(legs.forward(leg, legs.inverse(leg, (ends - base) @ matrix)), -2, 0)
        known = np.isfinite(foot + knee).all(axis=1)
        foot, knee = foot[known], knee[known]
        shares = np.linspace(min(1.0, legs.ankle_free / legs.shank), 1.0, 10)[:, None, None]
        x, y, z = np.moveaxis((foot + shares * (knee - foot)) @ matrix.T + base, -1, 0)
        least = np.full(len(ends), np.inf)
        least[known] = (z - legs.shank_radius - self.ground.heights(x, y)).min(axis=0)
        return least

    def room(self, point: np.ndarray, k: int, pose: Pose, ends: np.ndarray, clearance: float) -> np.ndarray:
        """Distance of a leg from its reach limit on the path up from a point, across and down to its ends [m]."""
        start, top = self._way(point, ends, clearance)
        legs, leg, base, matrix = self.legs, LEGS[k], self.planner.base(pose), pose.matrix
        least = legs.margin(leg, (ends - base) @ matrix)
        for share in (0.0, 0.5, 1.0):
            high = start + share * (ends - start)
            high[:, 2] = top
            least = np.minimum(least, legs.margin(leg, (high - base) @ matrix))
        return least

    def clearance(self, point: np.ndarray, k: int, pose: Pose, target: np.ndarray, shares: tuple[float, ...]) -> float:
        """Height of a swing above the ground: a leg that would have to fold too far for its usual one does with less.

        Args:
            point: Point of the foot at lift-off (3,) [m].
            k: The leg.
            pose: Where the body will be.
            target: Where the point will land (3,) [m].
            shares: Fractions of the usual clearance to try.
        """
        end = (target + [0.0, 0.0, self.planner.ankle_height - self.planner.point_height])[None]
        heights = [share * self.planner.crawl.clearance for share in shares]
        return next((h for h in heights if self.room(point, k, pose, end, h)[0] > 0), heights[-1])


def beside(x: np.ndarray, y: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distance of points from the straight line between two [m]."""
    (ax, ay), (bx, by) = start, end
    dx, dy = bx - ax, by - ay
    share = np.clip(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-12), 0.0, 1.0)
    return np.hypot(x - ax - share * dx, y - ay - share * dy)
