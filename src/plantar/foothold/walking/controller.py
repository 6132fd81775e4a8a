"""The quadruped's controller: shift the body, choose a foothold, swing the foot, and again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np

from plantar.foothold.choose import Choice
from plantar.foothold.legs import LEGS, Quadruped, Stance
from plantar.foothold.walking.body import FourLegged
from plantar.foothold.walking.chooser import CELLS, Chooser, Question, decide
from plantar.foothold.walking.dynamics import Dynamics
from plantar.foothold.walking.eyes import Eyes
from plantar.foothold.walking.plan import Planner, Pose
from plantar.foothold.walking.program import Program, Targets
from plantar.foothold.walking.swing import Swing, smooth
from plantar.foothold.walking.tuning import Crawl, Tuning
from plantar.walk.polygons import outside

Phase = Literal["settle", "shift", "swing", "stand"]
SETTLE = 0.6
"""Time of standing before the first step [s]."""
UNLOAD, LOAD = 0.12, 0.15
"""Times in which a foot gives up and takes over its load [s]."""
PATIENCE = 1.0
"""Longest wait for the body to be over its support [s]."""
DEEPEST = 0.12
"""How far below its foothold a foot seeks the ground [m]."""
PEAK = 10 / math.sqrt(3)
"""Largest acceleration of the smooth way of length 1 in time 1."""
LATE = 0.03
"""Ground found this far below a foothold counts as late [m]."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step as it was planned."""

    leg: str
    """Which leg."""
    time: float
    """When it was chosen [s]."""
    nominal: tuple[float, float]
    """Where the foot would have gone on level ground [m]."""
    target: tuple[float, float, float]
    """Where it was sent, on the ground [m]."""
    choice: Choice | None
    """The choice; None where the nominal foothold was taken."""


class Controller:
    """Lets a quadruped crawl along x.

    Args:
        legged: The robot.
        legs: Measures of its legs, for choosing.
        eyes: The ground as it knows it.
        chooser: Who scores footholds.
        crawl: The gait.
        tuning: Weights and gains.
        distance: Way of the base after which it stops [m].
    """

    def __init__(
        self,
        legged: FourLegged,
        legs: Quadruped,
        eyes: Eyes,
        chooser: Chooser,
        crawl: Crawl,
        tuning: Tuning,
        distance: float,
    ):
        self.legged, self.legs, self.eyes, self.chooser = legged, legs, eyes, chooser
        self.crawl, self.tuning, self.distance = crawl, tuning, distance
        self.dynamics, self.program = Dynamics(legged), Program(legged, tuning)
        legged.place(legged.nominal)
        offset = legged.data.subtree_com[legged.base][:2] - legged.nominal[:2]
        self.planner = Planner(crawl, legs, legged.point_height, legged.ankle_height, offset)
        self.weight = legged.mass * legged.gravity
        self.dt = 1 / tuning.rate
        self.steps: list[Step] = []
        self.failures = self.late = 0

    def start(self, at: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
        """Positions of the robot standing on the ground with its base over a point."""
        lg, planner = self.legged, self.planner
        xy = planner.places + at
        points = np.array([[x, y, self.eyes.height(x, y) + lg.point_height] for x, y in xy])
        pose = planner.pose(points)
        return lg.pose(np.r_[planner.base(pose), pose.quat], points)

    def reset(self, time: float, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Begin a walk from where the robot is."""
        self.dynamics.update(qpos, qvel)
        self.planner.turn, self.steps, self.failures, self.late = 0, [], 0, 0
        self.phase: Phase = "settle"
        self.since, self.shift_time = time, self.crawl.shift_time
        self.standing = np.ones(4, bool)
        self.loaded = np.full(4, -10.0)
        """When each foot touched the ground [s]."""
        self.normals = np.array([self.eyes.normal(x, y) for x, y in self.dynamics.points[:, :2]])
        self.goal = self.planner.pose(self.dynamics.points)
        self.origin = self.now = self.goal
        self.swing: Swing | None = None
        self.torque = np.zeros(len(self.legged.joints))

    @property
    def done(self) -> bool:
        """Whether the robot has crossed its distance and stands."""
        return self.phase == "stand"

    def act(self, time: float, qpos: np.ndarray, qvel: np.ndarray, loads: np.ndarray) -> np.ndarray:
        """Torques of the joints in this control step [N m].

        Args:
            time: Now [s].
            qpos: Positions of the robot without the joints of its feet.
            qvel: Its velocities.
            loads: Vertical force on each foot, in the order of `LEGS` [N].
        """
        dyn = self.dynamics
        dyn.update(qpos, qvel)
        self._advance(time, loads)
        solution = self.program.solve(dyn, self._targets(time))
        if solution.found:
            lg = self.legged
            v = qvel[lg.v_joint] + self.dt * solution.acceleration[lg.v_joint]
            self.torque = solution.torque + lg.damping * v + lg.friction * np.tanh(v / 0.05)
        else:
            self.failures += 1
        return self.torque

    def _advance(self, time: float, loads: np.ndarray) -> None:
        """Go on to the next phase where it is time to."""
        spent = time - self.since
        if self.phase == "settle" and spent >= SETTLE:
            self._shift(time)
        elif self.phase == "shift" and spent >= self.shift_time:
            if self._supported() or spent >= self.shift_time + PATIENCE:
                self._lift(time)
        elif self.phase == "swing":
            self._land(time, spent, loads)

    def _supported(self) -> bool:
        """Whether the centre of mass is well within the feet that will stand."""
        corners = np.delete(self.dynamics.points[:, :2], self.leg, axis=0)
        return outside(self.dynamics.com[:2], corners) < -0.5 * self.crawl.margin

    def _shift(self, time: float) -> None:
        """Choose the next foothold and begin to move the body; or stop, if it is far enough."""
        planner, points = self.planner, self.dynamics.points
        self.since, self.origin = time, self.now
        if self.dynamics.data.qpos[0] >= self.distance:
            self.phase, self.goal = "stand", planner.pose(points)
            return
        self.phase, self.leg = "shift", planner.leg
        wanted = planner.nominal(points)
        there = points.copy()
        there[self.leg] = [*wanted, self.eyes.height(*wanted) + planner.point_height]
        pose = planner.pose(there, self.leg, points)
        choice = decide(self._question(wanted, pose), self.chooser)
        x, y = wanted if choice is None else (choice.x, choice.y)
        z = self.eyes.height(x, y)
        there[self.leg] = [x, y, z + planner.point_height]
        self.goal, self.target = planner.pose(there, self.leg, points), there[self.leg]
        way = float(np.linalg.norm(self.goal.com - self.origin.com))
        self.shift_time = max(self.crawl.shift_time, math.sqrt(PEAK * way / self.crawl.acceleration))
        self.steps.append(
            Step(leg=LEGS[self.leg], time=time, nominal=tuple(wanted.tolist()), target=(x, y, z), choice=choice)
        )

    def _question(self, wanted: np.ndarray, pose: Pose) -> Question:
        """What the chooser is asked: a level robot whose hip is where the leaning one's will be."""
        leg, planner = LEGS[self.leg], self.planner
        hip = self.legs.hip_of(leg)
        middle = planner.base(pose) + pose.matrix @ hip - hip
        lift = planner.ankle_height - planner.point_height
        others = {
            name: (float(p[0]), float(p[1]), float(p[2] + lift))
            for name, p in zip(LEGS, self.dynamics.points, strict=True)
            if name != leg
        }
        ahead = 0.75 * self.crawl.stride  # three more steps are taken before this foot is lifted again
        gone = middle + [ahead, 0.0, -ahead * math.tan(pose.pitch)]
        return Question(
            elevation=self.eyes.elevation.crop((float(wanted[0]), float(wanted[1])), (CELLS, CELLS)),
            leg=leg,
            robot=self.legs,
            stance=Stance(position=(float(middle[0]), float(middle[1]), float(middle[2])), feet=others),
            later=Stance(position=(float(gone[0]), float(gone[1]), float(gone[2]))),
            sole=self.legged.sole,
            search=self.crawl.search,
            nominal=(float(wanted[0]), float(wanted[1])),
        )

    def _lift(self, time: float) -> None:
        """Begin the swing."""
        self.phase, self.since = "swing", time
        self.standing[self.leg] = False
        self.swing = Swing(
            self.dynamics.points[self.leg],
            self.target,
            self.crawl.swing_time,
            self.crawl.clearance,
            self.legged.point_height,
            self.eyes,
        )

    def _land(self, time: float, spent: float, loads: np.ndarray) -> None:
        """End the swing when the foot carries, or when there is no ground as deep as it may go."""
        swing = self.swing
        assert swing is not None
        touched = spent > swing.descending and loads[self.leg] > self.tuning.touch * self.weight
        if not touched and swing.late < DEEPEST:
            return
        self.standing[self.leg], self.loaded[self.leg] = True, time
        self.normals[self.leg] = self.eyes.normal(*self.dynamics.points[self.leg, :2])
        self.late += swing.late > LATE
        self.swing = None
        self.planner.turn += 1
        self._shift(time)

    def _reference(self, time: float) -> tuple[Pose, np.ndarray, np.ndarray]:
        """Where the body is to be, and velocity and acceleration of the centre of mass."""
        c, spent = self.crawl, time - self.since
        span = self.shift_time
        if self.phase == "swing":
            spent += span
        share, rate, curve = smooth(min(1.0, spent / span))
        rest = smooth(min(1.0, spent / (span + c.swing_time)))[0]
        way = self.goal.com - self.origin.com
        self.now = self.origin.toward(self.goal, share, rest)
        return self.now, way * rate / span, way * curve / span**2

    def _targets(self, time: float) -> Targets:
        dyn, g = self.dynamics, self.tuning.gains
        d = dyn.data
        pose, rate, curve = self._reference(time)
        com = curve + g.com[0] * (pose.com - dyn.com[:2]) + g.com[1] * (rate - dyn.com_velocity[:2])
        height = g.height[0] * (pose.height - d.qpos[2]) - g.height[1] * d.qvel[2]
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, pose.quat, d.qpos[3:7])
        feet = -g.stance * dyn.velocity
        if self.swing is not None:
            k = self.leg
            place, speed, bend = self.swing.at(time - self.since)
            feet[k] = bend + g.swing[0] * (place - dyn.points[k]) + g.swing[1] * (speed - dyn.velocity[k])
        return Targets(
            com=com,
            height=height,
            turn=g.turn[0] * turn - g.turn[1] * d.qvel[3:6],
            feet=feet,
            standing=self.standing,
            most=self._most(time),
            shares=self.standing / self.standing.sum(),
            normals=self.normals,
        )

    def _most(self, time: float) -> np.ndarray:
        """Largest force of each foot: little for one that has just landed, less and less for one about to lift."""
        most = self.weight * np.clip((time - self.loaded) / LOAD, 0.1, 1.0)
        if self.phase == "shift":
            left = self.shift_time - (time - self.since)
            if left < UNLOAD:
                most[self.leg] *= max(0.02, left / UNLOAD)
        return most
