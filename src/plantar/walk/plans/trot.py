"""A quadruped's trot: diagonals swing in turn, and feet are put where they catch the body."""

from __future__ import annotations

import math

import numpy as np

from plantar.walk.control.swing import swing_over
from plantar.walk.control.tuning import Tuning
from plantar.walk.footholds import Chooser
from plantar.walk.plans.body_pose import Pose
from plantar.walk.plans.crawl import MOST, SETTLE, CrawlPlan
from plantar.walk.plans.gaits import Trot
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.legs import LEGS

PAIRS = ((LEGS.index("LF"), LEGS.index("RH")), (LEGS.index("RF"), LEGS.index("LH")))
"""Diagonals, as numbers of legs."""
DOWN = 0.55
"""Fraction of the swing after which a touch is a landing."""
DEEPEST = 0.06
"""How far below its foothold a foot searches for the ground [m]."""
LOAD = 0.05
"""Time in which a foot takes over its load [s]."""
FOLLOW = 0.15
"""Time in which height and attitude follow the ground [s]."""
LEASH = 0.05
"""Largest lead of the planned centre of mass over the true one [m]."""
QUICK, APPROACH = 60.0, 0.005
"""Largest acceleration of a foot [m/s^2], and the distance over which it comes down slowly [m]."""


class TrotPlan(CrawlPlan):
    """Makes a quadruped trot along x; see `CrawlPlan`."""

    def __init__(
        self,
        legged: Legged,
        gait: Trot,
        tuning: Tuning,
        ground: KnownGround | None = None,
        chooser: Chooser | None = None,
    ):
        super().__init__(legged, gait.posture, tuning, ground, chooser)
        self.trot, self.ahead = gait, np.array([gait.speed, 0.0])

    def reset(self, dyn: Dynamics, time: float) -> None:
        """Begin from where the robot stands."""
        super().reset(dyn, time)
        self.half, self.before = 0, time

    @property
    def seconds(self) -> float:
        """Approximate duration of the walk [s]."""
        return SETTLE + self.trot.distance / self.trot.speed + 1.0

    def _advance(self, dyn: Dynamics, time: float, loads: np.ndarray) -> None:
        spent = time - self.since
        if self.phase == "settle" and spent >= SETTLE:
            self._next(dyn, time)
        elif self.phase == "shift" and spent >= self.trot.both_time:
            self._lift(dyn, time)
        elif self.phase == "swing":
            self._touch(dyn, time, loads)

    def _next(self, dyn: Dynamics, time: float) -> None:
        """All feet stand: the other diagonal is next, or the end."""
        self.since = time
        if dyn.qpos[0] >= self.trot.distance and self.half % 2 == 0:
            self.phase, self.goal = "stand", self.planner.pose(dyn.points)
            self.origin = self.now
        else:
            self.phase, self.pair = "shift", PAIRS[self.half % 2]
            self.half += 1

    def _lift(self, dyn: Dynamics, time: float) -> None:
        """Choose the footholds of a diagonal and begin to swing it."""
        self.phase, self.since, t = "swing", time, self.trot
        there = dyn.points.copy()
        wanted = {k: self._wanted(dyn, k) for k in self.pair}
        for k, (x, y) in wanted.items():
            there[k] = [x, y, self.ground.height(x, y) + self.point_height]
        pose = self.planner.pose(there)
        for k, place in wanted.items():
            there[k] = self._choose(dyn, k, place, pose, time)
            self.standing[k] = False
            self.swings[k] = swing_over(
                np.r_[dyn.points[k], 0.0],
                np.r_[there[k], 0.0],
                self.ground,
                self.point_height,
                clearance=t.clearance,
                duration=t.swing_time,
                acceleration=QUICK,
                approach=APPROACH,
            )
        self.goal = self.planner.pose(there)

    def _wanted(self, dyn: Dynamics, k: int) -> np.ndarray:
        """Where a foot catches the body: under its hip in the middle of its stance, further on if it is too fast."""
        t = self.trot
        speed = dyn.com_velocity[:2]
        land = dyn.qpos[:2] + 0.5 * t.swing_time * (speed + self.ahead)
        catch = t.capture * math.sqrt(t.height / self.legged.gravity) * (speed - self.ahead)
        return land + self.planner.places[k] + 0.5 * t.stance_time * self.ahead + catch - [0.0, t.centring * dyn.com[1]]

    def _touch(self, dyn: Dynamics, time: float, loads: np.ndarray) -> None:
        """Feet that carry stand; when both of the diagonal do, the other one is next."""
        down = time - self.since > DOWN * self.trot.swing_time
        for k in tuple(self.swings):
            carries = down and loads[k] > self.tuning.contact.touch * self.weight
            if carries or self.swings[k].late >= DEEPEST:
                self._stand(dyn, k, time)
        if not self.swings:
            self._next(dyn, time)

    def _reference(self, dyn: Dynamics, time: float) -> tuple[Pose, np.ndarray, np.ndarray]:
        """The body goes ahead evenly; height and attitude follow the ground."""
        passed, self.before = time - self.before, time
        if self.phase == "settle":
            return self.now, np.zeros(2), np.zeros(2)
        self.now = self.now.toward(self.goal, 0.0, min(1.0, passed / FOLLOW))
        if self.phase == "stand":
            self.now = self.now.toward(self.goal, min(1.0, passed / FOLLOW), 0.0)
            return self.now, np.zeros(2), np.zeros(2)
        here = dyn.com[:2]
        com = self.now.com + self.ahead * passed
        com[0] = float(np.clip(com[0], here[0] - LEASH, here[0] + LEASH))
        self.now = Pose(com=com, height=self.now.height, pitch=self.now.pitch, roll=self.now.roll)
        return self.now, self.ahead, np.zeros(2)

    def _most(self, time: float) -> list[float]:
        most = [self.weight * min(max(MOST * (time - t) / LOAD, 0.2), 1.5 * MOST) for t in self.loaded]
        if self.phase == "shift":
            left = 1.0 - (time - self.since) / self.trot.both_time
            for k in self.pair:
                most[k] *= min(1.0, max(0.02, left))
        return most
