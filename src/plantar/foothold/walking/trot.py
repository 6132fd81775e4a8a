"""The quadruped's trot: diagonals swing in turn, and feet are put where they catch the body."""

from __future__ import annotations

import math

import numpy as np

from plantar.foothold.legs import LEGS, Quadruped
from plantar.foothold.walking.body import FourLegged
from plantar.foothold.walking.chooser import Chooser, decide
from plantar.foothold.walking.controller import LATE, SETTLE, Controller, Step
from plantar.foothold.walking.eyes import Eyes
from plantar.foothold.walking.plan import Pose
from plantar.foothold.walking.swing import Swing
from plantar.foothold.walking.tuning import Trot, Tuning

PAIRS = ((LEGS.index("LF"), LEGS.index("RH")), (LEGS.index("RF"), LEGS.index("LH")))
"""Diagonals, as numbers of legs."""
DOWN = 0.55
"""Share of the swing from which on a touch is a landing."""
DEEPEST = 0.06
"""How far below its foothold a foot seeks the ground [m]."""
LOAD = 0.05
"""Time in which a foot takes over its load [s]."""
FOLLOW = 0.15
"""Time in which height and attitude follow the ground [s]."""
LEASH = 0.05
"""Most that the wished place of the centre of mass is ahead of the true one [m]."""
QUICK, APPROACH = 60.0, 0.005
"""Largest acceleration of a foot [m/s^2], and the way that it comes down slowly [m]."""


class TrotController(Controller):
    """Lets a quadruped trot along x; see `Controller`.

    Args:
        legged: The robot.
        legs: Measures of its legs, for choosing.
        eyes: The ground as it knows it.
        chooser: Who scores footholds.
        trot: The gait.
        tuning: Weights and gains.
        distance: Way of the base after which it stops [m].
    """

    def __init__(
        self,
        legged: FourLegged,
        legs: Quadruped,
        eyes: Eyes,
        chooser: Chooser,
        trot: Trot,
        tuning: Tuning,
        distance: float,
    ):
        super().__init__(legged, legs, eyes, chooser, trot.posture, tuning, distance)
        self.trot, self.swings = trot, dict[int, Swing]()
        self.ahead = np.array([trot.speed, 0.0])

    def reset(self, time: float, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Begin a walk from where the robot is."""
        super().reset(time, qpos, qvel)
        self.swings, self.half, self.before = {}, 0, time

    def _advance(self, time: float, loads: np.ndarray) -> None:
        spent = time - self.since
        if self.phase == "settle" and spent >= SETTLE:
            self._next(time)
        elif self.phase == "shift" and spent >= self.trot.both_time:
            self._lift(time)
        elif self.phase == "swing":
            self._touch(time, spent, loads)

    def _next(self, time: float) -> None:
        """All feet stand: the other diagonal is next, or the end."""
        self.since = time
        if self.dynamics.data.qpos[0] >= self.distance and self.half % 2 == 0:
            self.phase, self.goal = "stand", self.planner.pose(self.dynamics.points)
            self.origin = self.now
        else:
            self.phase, self.pair = "shift", PAIRS[self.half % 2]
            self.half += 1

    def _lift(self, time: float) -> None:
        """Choose the footholds of a diagonal and begin to swing it."""
        self.phase, self.since = "swing", time
        there, planner = self.dynamics.points.copy(), self.planner
        wanted = {k: self._wanted(k) for k in self.pair}
        for k, (x, y) in wanted.items():
            there[k] = [x, y, self.eyes.height(x, y) + planner.point_height]
        pose = planner.pose(there)
        for k, place in wanted.items():
            self.leg = k
            choice = decide(self._question(place, pose), self.chooser)
            x, y = place if choice is None else (choice.x, choice.y)
            z = self.eyes.height(x, y)
            there[k] = [x, y, z + planner.point_height]
            step = Step(leg=LEGS[k], time=time, nominal=tuple(place.tolist()), target=(x, y, z), choice=choice)
            self.steps.append(step)
            self._swing(k, there[k])
        self.goal = planner.pose(there)

    def _wanted(self, k: int) -> np.ndarray:
        """Where a foot catches the body: under its hip in the middle of its stance, further on if it is too fast."""
        t, dyn = self.trot, self.dynamics
        speed = dyn.com_velocity[:2]
        land = dyn.data.qpos[:2] + 0.5 * t.swing_time * (speed + self.ahead)
        catch = t.capture * math.sqrt(t.height / self.legged.gravity) * (speed - self.ahead)
        return land + self.planner.places[k] + 0.5 * t.period * self.ahead + catch - [0.0, t.centring * dyn.com[1]]

    def _swing(self, k: int, target: np.ndarray) -> None:
        t, sole = self.trot, self.legged.point_height
        start = self.dynamics.points[k]
        self.standing[k] = False
        self.swings[k] = Swing(start, target, t.swing_time, t.clearance, sole, self.eyes, QUICK, APPROACH)

    def _touch(self, time: float, spent: float, loads: np.ndarray) -> None:
        """Feet that carry stand; when both of the diagonal do, the other one is next."""
        for k in tuple(self.swings):
            carries = spent > DOWN * self.trot.swing_time and loads[k] > self.tuning.touch * self.weight
            if not carries and self.swings[k].late < DEEPEST:
                continue
            self.standing[k], self.loaded[k] = True, time
            self.normals[k] = self.eyes.normal(*self.dynamics.points[k, :2])
            self.late += bool(self.swings.pop(k).target[2] - self.dynamics.points[k, 2] > LATE)
            self.planner.turn += 1
        if not self.swings:
            self._next(time)

    def _reference(self, time: float) -> tuple[Pose, np.ndarray, np.ndarray]:
        """The body goes ahead evenly; height and attitude follow the ground."""
        passed, self.before = time - self.before, time
        if self.phase == "settle":
            return self.now, np.zeros(2), np.zeros(2)
        self.now = self.now.toward(self.goal, 0.0, min(1.0, passed / FOLLOW))
        if self.phase == "stand":
            self.now = self.now.toward(self.goal, min(1.0, passed / FOLLOW), 0.0)
            return self.now, np.zeros(2), np.zeros(2)
        here = self.dynamics.com[:2]
        com = self.now.com + self.ahead * passed
        com[0] = float(np.clip(com[0], here[0] - LEASH, here[0] + LEASH))
        self.now = Pose(com=com, height=self.now.height, pitch=self.now.pitch, roll=self.now.roll)
        return self.now, self.ahead, np.zeros(2)

    def _feet(self, time: float) -> np.ndarray:
        feet = -self.tuning.gains.stance * self.dynamics.velocity
        for k, swing in self.swings.items():
            feet[k] = self._follow(k, swing, time)
        return feet

    def _most(self, time: float) -> np.ndarray:
        most = self.weight * np.clip((time - self.loaded) / LOAD, 0.1, 1.5)
        if self.phase == "shift":
            left = 1.0 - (time - self.since) / self.trot.both_time
            most[list(self.pair)] *= min(1.0, max(0.02, left))
        return most
