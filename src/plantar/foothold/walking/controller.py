"""The quadruped's controller: shift the body, choose a foothold, swing the foot, and again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np

from plantar.foothold.choose import Choice
from plantar.foothold.legs import LEGS, Quadruped
from plantar.foothold.walking.asking import Asker
from plantar.foothold.walking.body import FourLegged
from plantar.foothold.walking.chooser import Chooser, Question, decide
from plantar.foothold.walking.dynamics import Dynamics
from plantar.foothold.walking.eyes import Eyes
from plantar.foothold.walking.plan import Planner, Pose
from plantar.foothold.walking.program import Program, Targets
from plantar.foothold.walking.swing import PEAK, Swing, smooth
from plantar.foothold.walking.tuning import Crawl, Tuning
from plantar.walk.robot.polygons import outside

Phase = Literal["settle", "shift", "swing", "stand"]
SETTLE = 0.6
"""Time of standing before the first step [s]."""
UNLOAD, LOAD = 0.12, 0.15
"""Times in which a foot gives up and takes over its load [s]."""
FLAT = 0.1
"""Time in which a foot that has landed only leans on the ground, so that its sole takes the ground's shape [s]."""
LEAN = 0.03
"""Share of the weight with which it does."""
PATIENCE = 1.0
"""Longest wait for the body to be over its support [s]."""
DEEPEST = 0.12
"""How far below its foothold a foot seeks the ground [m]."""
CLEARANCES = (1.0, 0.67, 0.33)
"""Shares of the usual clearance that are tried."""
FIRMEST = 25.0
"""Largest acceleration with which a foot is brought back to its path [m/s^2]."""
TIPPED = 0.006
"""A foot whose point is this much higher than it is when it stands is still tipped [m]."""
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
        self.asker = Asker(self.planner, legs, eyes, legged.sole, tuning.friction)
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
        """What the chooser is asked."""
        return self.asker.question(self.dynamics.points, self.leg, wanted, pose)

    def _lift(self, time: float) -> None:
        """Begin the swing."""
        self.phase, self.since = "swing", time
        self.standing[self.leg] = False
        start = self.dynamics.points[self.leg]
        end = (self.target + [0.0, 0.0, self.planner.ankle_height - self.planner.point_height])[None]
        # a leg that would have to fold too far for its usual clearance does with less
        heights = [share * self.crawl.clearance for share in CLEARANCES]
        clearance = next(
            (h for h in heights if self.asker.room(start, self.leg, self.goal, end, h)[0] > 0), heights[-1]
        )
        self.swing = Swing(
            start,
            self.target,
            self.crawl.swing_time,
            clearance,
            self.legged.point_height,
            self.eyes,
            self.crawl.swing_acceleration,
        )

    def _land(self, time: float, spent: float, loads: np.ndarray) -> None:
        """End the swing when the foot carries, or when there is no ground as deep as it may go."""
        swing = self.swing
        assert swing is not None
        touched = spent > swing.descending and self._landed(float(loads[self.leg]))
        if not touched and swing.late < DEEPEST:
            return
        self.standing[self.leg], self.loaded[self.leg] = True, time
        self.normals[self.leg] = self.eyes.normal(*self.dynamics.points[self.leg, :2])
        self.late += bool(self.target[2] - self.dynamics.points[self.leg, 2] > LATE)
        self.swing = None
        self.planner.turn += 1
        self._shift(time)

    def _landed(self, load: float) -> bool:
        """Whether the foot in the air stands: it carries, and a loose sole that came down on its tip lies flat."""
        share = load / self.weight
        if share > self.tuning.firm:
            return True
        x, y, z = self.dynamics.points[self.leg]
        above = z - self.legged.point_height - self.eyes.top(x, y)
        return share > self.tuning.touch and above < TIPPED

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
        return Targets(
            com=com,
            height=height,
            turn=g.turn[0] * turn - g.turn[1] * d.qvel[3:6],
            feet=self._feet(time),
            standing=self.standing,
            most=self._most(time),
            shares=self.standing / self.standing.sum(),
            normals=self.normals,
        )

    def _feet(self, time: float) -> np.ndarray:
        """Wished accelerations of the feet (4, 3) [m/s^2]."""
        feet = -self.tuning.gains.stance * self.dynamics.velocity
        if self.swing is not None:
            feet[self.leg] = self._follow(self.leg, self.swing, time)
        return feet

    def _follow(self, k: int, swing: Swing, time: float) -> np.ndarray:
        """Wished acceleration of a foot in the air (3,) [m/s^2]."""
        gains, dyn = self.tuning.gains.swing, self.dynamics
        place, speed, bend = swing.at(time - self.since)
        back = gains[0] * (place - dyn.points[k]) + gains[1] * (speed - dyn.velocity[k])
        # a leg that is stopped by something, be it its own joint, must not throw the body over
        return bend + back * min(1.0, FIRMEST / max(float(np.linalg.norm(back)), 1e-9))

    def _most(self, time: float) -> np.ndarray:
        """Largest force of each foot: little for one that has just landed, less and less for one about to lift."""
        most = self.weight * np.clip((time - self.loaded - FLAT) / LOAD, LEAN, 1.0)
        if self.phase == "shift":
            left = self.shift_time - (time - self.since)
            if left < UNLOAD:
                most[self.leg] *= max(0.02, left / UNLOAD)
        return most
