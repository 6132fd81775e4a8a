"""Where the next foot goes, and the body pose it requires."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from plantar.walk.plans.gaits import Crawl
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.plans.polygons import nearest_inside
from plantar.walk.robot.kinematics import pose_on
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.legs import LEGS, LegName, Quadruped

DRIFT = 0.06
"""Largest sideways correction per step [m]."""
STEEPEST = math.radians(25)
"""Largest pitch of the base [rad]."""
ROOM = 0.015
"""Desired distance of all legs from their reach limit [m]."""
DROPS = (0.0, 0.02, 0.04, 0.06, 0.08, 0.10, 0.12)
"""How much lower than usual the body may be [m]."""
BACK = (0.0, 0.04, 0.08)
"""How far behind the middle of the feet it may stay [m]."""


@dataclass(frozen=True, kw_only=True)
class Pose:
    """Target pose of the body."""

    com: np.ndarray
    """Centre of mass along the ground (2,) [m]."""
    height: float
    """Height of the base [m]."""
    pitch: float
    """Nose down [rad]."""
    roll: float
    """Left side up [rad]."""

    @property
    def quat(self) -> np.ndarray:
        """Attitude as a quaternion: pitch after roll."""
        cp, sp, cr, sr = (f(a / 2) for a in (self.pitch, self.roll) for f in (math.cos, math.sin))
        return np.array([cp * cr, cp * sr, sp * cr, -sp * sr])

    @property
    def matrix(self) -> np.ndarray:
        """Axes of the base in the world (3, 3)."""
        cp, sp, cr, sr = (f(a) for a in (self.pitch, self.roll) for f in (math.cos, math.sin))
        return np.array([[cp, sp * sr, sp * cr], [0, cr, -sr], [-sp, cp * sr, cp * cr]])

    def toward(self, other: Pose, com: float, rest: float) -> Pose:
        """A pose between this and another: fractions of the displacement of the centre of mass and of the rest."""
        return Pose(
            com=self.com + com * (other.com - self.com),
            height=self.height + rest * (other.height - self.height),
            pitch=self.pitch + rest * (other.pitch - self.pitch),
            roll=self.roll + rest * (other.roll - self.roll),
        )


class Planner:
    """Plans a crawl along x from where the feet are.

    Args:
        crawl: The gait.
        legs: Measures of the robot's legs.
        point_height: Points of the feet above the ground [m].
        ankle_height: Ends of the legs above the ground [m].
        com_offset: Centre of mass from the base's origin along the ground, when standing level (2,) [m].
    """

    def __init__(self, crawl: Crawl, legs: Quadruped, point_height: float, ankle_height: float, com_offset: np.ndarray):
        self.crawl, self.legs, self.com_offset = crawl, legs, com_offset
        self.point_height, self.ankle_height = point_height, ankle_height
        self.places = np.array([self._place(leg) for leg in LEGS])
        """Places of the feet below the base when standing (4, 2) [m]."""
        self.step_index = 0
        """Steps taken."""

    def _place(self, leg: LegName) -> np.ndarray:
        front, left = self.legs.sides(leg)
        return self.legs.nominal(leg)[:2] + np.array([front, left]) * self.crawl.spread

    @property
    def leg(self) -> int:
        """The leg whose turn it is, as its number in `LEGS`."""
        return LEGS.index(self.crawl.sequence[self.step_index % 4])  # type: ignore[arg-type]

    def centre(self, points: np.ndarray) -> np.ndarray:
        """Where the middle of the gait is, from the feet (2,) [m]."""
        ahead = np.zeros(4)
        for k in range(4):  # the one to step next is furthest behind
            ahead[LEGS.index(self.crawl.sequence[(self.step_index + k) % 4])] = (k - 1.5) / 4 * self.crawl.stride  # type: ignore[arg-type]
        middle = (points[:, :2] - self.places).mean(axis=0)
        middle[0] -= ahead.mean()
        return middle

    def nominal(self, points: np.ndarray) -> np.ndarray:
        """Where the next foot would go on level ground (2,) [m]."""
        x, y = self.centre(points)
        aside = y + float(np.clip(-y, -DRIFT, DRIFT))
        return self.places[self.leg] + np.array([x + (0.25 + 0.375) * self.crawl.stride, aside])

    def pose(self, points: np.ndarray, lifted: int | None = None, before: np.ndarray | None = None) -> Pose:
        """The body over feet at `points`, with its centre of mass in the support of those that stand.

        Where legs would be stretched the body stays lower, and further back.

        Args:
            points: Points of the feet, that of a lifted one where it will land (4, 3) [m].
            lifted: The leg in the air; None if all stand.
            before: Points of the feet as they are now (4, 3) [m].
        """
        best, most = None, -math.inf
        for back in BACK if lifted is not None else BACK[:1]:
            pose = self._over(points, lifted, back)
            for drop in DROPS:
                lower = replace(pose, height=pose.height - drop)
                room = min(self._room(lower, points), self._room(lower, points if before is None else before))
                if room > ROOM:
                    return lower
                if room > most:
                    best, most = lower, room
        assert best is not None
        return best

    def _room(self, pose: Pose, points: np.ndarray) -> float:
        """Least distance of the legs from the end of their reach [m]."""
        ends = (points + [0.0, 0.0, self.ankle_height - self.point_height] - self.base(pose)) @ pose.matrix
        return min(float(self.legs.margin(leg, end)) for leg, end in zip(LEGS, ends, strict=True))

    def _over(self, points: np.ndarray, lifted: int | None, back: float) -> Pose:
        """The body at its usual height, its centre of mass `back` behind the middle of the feet."""
        ground = points - [0.0, 0.0, self.point_height]
        com = ground[:, :2].mean(axis=0) - [back, 0.0]
        if lifted is not None:
            com = within(com, np.delete(ground[:, :2], lifted, axis=0), self.crawl.margin)
        matrix = np.column_stack([np.ones(4), ground[:, :2] - ground[:, :2].mean(axis=0)])
        level, along, across = np.linalg.lstsq(matrix, ground[:, 2], rcond=None)[0]
        pitch = -float(np.clip(self.crawl.lean * math.atan(along), -STEEPEST, STEEPEST))
        roll = float(np.clip(0.5 * self.crawl.lean * math.atan(across), -STEEPEST / 2, STEEPEST / 2))
        off = com - ground[:, :2].mean(axis=0)
        height = level + along * off[0] + across * off[1]
        height += self.ankle_height + self.crawl.height - self.legs.hip[2]
        return Pose(com=com, height=float(height), pitch=pitch, roll=roll)

    def standing(self, legged: Legged, ground: KnownGround, at: tuple[float, float]) -> np.ndarray:
        """Position of a robot that stands on the ground with its base over a point."""
        points = np.array([[x, y, ground.height(x, y) + self.point_height] for x, y in self.places + at])
        pose = self.pose(points)
        return pose_on(legged, np.r_[self.base(pose), pose.quat], points)

    def base(self, pose: Pose) -> np.ndarray:
        """Origin of the base in a pose (3,) [m]."""
        return np.array([*(pose.com - self.com_offset), pose.height])


def within(point: np.ndarray, corners: np.ndarray, margin: float) -> np.ndarray:
    """The point of a triangle nearest to `point` that is `margin` within, or its middle if it is too small."""
    sides = np.array([np.linalg.norm(corners[(i + 1) % 3] - corners[(i + 2) % 3]) for i in range(3)])
    around = float(sides.sum())
    middle = sides @ corners / around
    (ax, ay), (bx, by) = corners[1] - corners[0], corners[2] - corners[0]
    radius = abs(ax * by - ay * bx) / around
    if radius <= margin * 1.05:
        return middle
    return nearest_inside(point, middle + (corners - middle) * (1 - margin / radius))
