"""A quadruped's crawl: shift the body, choose a foothold, swing the foot, repeat."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.control.contacts import SoleContact
from plantar.walk.control.program import Targets
from plantar.walk.control.swing import PEAK, Swing, smooth, swing_over
from plantar.walk.control.tuning import Tuning
from plantar.walk.footholds import Chooser, nominal
from plantar.walk.plans.asking import FootholdQuery
from plantar.walk.plans.body_pose import Planner, Pose
from plantar.walk.plans.gaits import Crawl
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.plans.plan import Plan, Reference
from plantar.walk.plans.polygons import outside
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.measures import legs_of
from plantar.walk.robot.posture import Stance

Phase = Literal["settle", "shift", "swing", "stand"]
SETTLE = 0.6
"""Standing time before the first step [s]."""
UNLOAD, LOAD = 0.12, 0.15
"""Times in which a foot releases and takes over its load [s]."""
FLAT = 0.1
"""Time in which a foot that has landed only leans on the ground, so that its sole takes the ground's shape [s]."""
LEAN = 0.06
"""Largest fraction of the weight with which it does."""
MOST = 2.0
"""Largest force on a foot, in weights of the robot."""
PATIENCE = 1.0
"""Longest wait for the body to be over its support [s]."""
DEEPEST = 0.12
"""How far below its foothold a foot searches for the ground [m]."""
CLEARANCES = (1.0, 0.67, 0.33)
"""Fractions of the usual clearance that are tried."""
TIPPED = 0.006
"""A foot whose point is this much higher than it is when it stands is still tipped [m]."""
LATE = 0.03
"""Ground found this far below a foothold counts as late [m]."""


class CrawlPlan(Plan):
    """Makes a quadruped crawl along x.

    Args:
        legged: The robot.
        gait: The gait.
        tuning: Weights and gains.
        ground: The ground as the robot knows it; None: level at the height of its feet.
        chooser: Foothold chooser; None takes nominal ones.
    """

    feet: ClassVar[int] = 4
    fallen: ClassVar[tuple[float, float]] = (0.45, math.radians(50))
    patience: ClassVar[float] = 2.5
    arrives: ClassVar[bool] = False

    def __init__(
        self,
        legged: Legged,
        gait: Crawl,
        tuning: Tuning,
        ground: KnownGround | None = None,
        chooser: Chooser | None = None,
    ):
        super().__init__(legged, tuning)
        if chooser not in (None, nominal) and (ground is None or ground.elevation is None):
            raise InvalidInput("choose is not allowed without a map: give a terrain that is not yielding, or a map")
        self.crawl, self.legs = gait, legs_of(legged)
        self.ground, self.chooser = ground or KnownGround(), chooser or nominal
        lift = legged.soles[0]
        self.point_height = lift.height
        offset = legged.place(legged.nominal).subtree_com[legged.base] - legged.nominal[:3]
        self.planner, self.com_above = Planner(gait, self.legs, lift.height, lift.ankle, offset[:2]), float(offset[2])
        self.query = FootholdQuery(self.planner, legged, self.legs, self.ground, tuning.contact.friction)
        qpos = self.planner.standing(legged, self.ground, (0.0, 0.0))
        size = {
            "com_height": gait.height + lift.ankle,
            "leg": gait.height,
            "width": 2 * float(self.planner.places[0, 1]),
        }
        self.stance = Stance(qpos=qpos, attitude=qpos[3:7].copy(), **size)

    def start(self, draw: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Position at the start: some centimetres off, all feet on the ground."""
        at = (0.03 * float(draw[0]), 0.02 * float(draw[1]))
        return self.planner.standing(self.legged, self.ground, at)

    def reset(self, dyn: Dynamics, time: float) -> None:
        """Begin from where the robot stands."""
        self.planner.step_index = self.taken = self.late = 0
        self.steps.clear()
        self.phase: Phase = "settle"
        self.since, self.shift_time, self.begun = time, self.crawl.shift_time, float(dyn.qpos[0])
        self.standing = [True] * 4
        self.loaded = [-10.0] * 4
        """When each foot touched the ground [s]."""
        self.normals = np.array([self.ground.normal(x, y) for x, y in dyn.points[:, :2]])
        self.goal = self.planner.pose(dyn.points)
        self.origin = self.now = self.goal
        self.swings: dict[int, Swing] = {}
        self.points = dyn.points.copy()

    @property
    def done(self) -> bool:
        """Whether the robot has gone its distance and stands."""
        return self.phase == "stand"

    @property
    def seconds(self) -> float:
        """Approximate duration of the walk [s]."""
        c = self.crawl
        return SETTLE + (c.distance / c.stride + 1) * 4 * (c.shift_time + 1.5 * c.swing_time)

    def path(self) -> np.ndarray:
        """Straight ahead (2, 2) [m]."""
        return np.array([[0.0, 0.0], [self.crawl.distance, 0.0]])

    def advance(self, dyn: Dynamics, time: float, loads: np.ndarray) -> Targets:
        """Advance to `time`, and return what the body should do."""
        self._advance(dyn, time, loads)
        g = self.tuning.gains
        pose, rate, bend = self._reference(dyn, time)
        wish = np.empty(3)
        wish[:2] = bend + g.com[0] * (pose.com - dyn.com[:2]) + g.com[1] * (rate - dyn.com_velocity[:2])
        wish[2] = g.height[0] * (pose.height - dyn.qpos[2]) - g.height[1] * dyn.qvel[2]
        most, on = self._most(time), [k for k, stands in enumerate(self.standing) if stands]
        self.points = dyn.points
        soles: list[np.ndarray | None] = [None] * 4
        for k, swing in self.swings.items():
            path = swing.advance(self.dt)
            self.points[k], soles[k] = path[0][:3], self.follow(dyn, k, path)
        return Targets(
            contacts=tuple(SoleContact(sole=k, share=1 / len(on), normal=self.normals[k], most=most[k]) for k in on),
            com_acceleration=wish,
            base_acceleration=self.turn_base(dyn, pose.quat),
            soles=soles,
        )

    def row(self) -> tuple[float, ...]:
        """Planned centre of mass and phase, for the record."""
        phase = {"settle": 0.0, "stand": 0.0, "shift": 2.0, "swing": 1.0}[self.phase]
        return (*(math.nan,) * 4, *self.now.com, math.nan, math.nan, phase)

    def reference(self) -> Reference:
        """The planned pose over the feet as they stand."""
        com = np.array([*self.now.com, self.now.height + self.com_above])
        return Reference(com=com, soles=np.c_[self.points, np.zeros(4)], attitude=self.now.quat)

    def _advance(self, dyn: Dynamics, time: float, loads: np.ndarray) -> None:
        """Move on to the next phase when it is time to."""
        spent = time - self.since
        if self.phase == "settle" and spent >= SETTLE:
            self._shift(dyn, time)
        elif self.phase == "shift" and spent >= self.shift_time:
            if self._supported(dyn) or spent >= self.shift_time + PATIENCE:
                self._lift(dyn, time)
        elif self.phase == "swing":
            self._land(dyn, time, loads)

    def _supported(self, dyn: Dynamics) -> bool:
        """Whether the centre of mass is well within the feet that will stand."""
        return outside(dyn.com[:2], np.delete(dyn.points[:, :2], self.leg, axis=0)) < -0.5 * self.crawl.margin

    def _shift(self, dyn: Dynamics, time: float) -> None:
        """Choose the next foothold and begin to move the body; or stop, if it is far enough."""
        planner, points = self.planner, dyn.points
        self.since, self.origin = time, self.now
        if dyn.qpos[0] >= self.crawl.distance:
            self.phase, self.goal = "stand", planner.pose(points)
            return
        self.phase, self.leg = "shift", planner.leg
        wanted = planner.nominal(points)
        there = points.copy()
        there[self.leg] = [*wanted, self.ground.height(*wanted) + self.point_height]
        pose = planner.pose(there, self.leg, points)
        there[self.leg] = self.target = self._choose(dyn, self.leg, wanted, pose, time)
        self.goal = planner.pose(there, self.leg, points)
        way = float(np.linalg.norm(self.goal.com - self.origin.com))
        self.shift_time = max(self.crawl.shift_time, math.sqrt(PEAK * way / self.crawl.acceleration))

    def _choose(self, dyn: Dynamics, k: int, wanted: np.ndarray, pose: Pose, time: float) -> np.ndarray:
        """Where a foot's point goes, by the chooser (3,) [m]."""
        step = self.query.choose(self.chooser, dyn.points, k, wanted, pose, time)
        self.steps.append(step)
        x, y, z = step.target
        return np.array([x, y, z + self.point_height])

    def _lift(self, dyn: Dynamics, time: float) -> None:
        """Begin the swing."""
        self.phase, self.since = "swing", time
        self.standing[self.leg] = False
        c, start = self.crawl, dyn.points[self.leg]
        clearance = self.query.clearance(start, self.leg, self.goal, self.target, CLEARANCES)
        pace = {"clearance": clearance, "duration": c.swing_time, "acceleration": c.swing_acceleration}
        ends = (np.r_[start, 0.0], np.r_[self.target, 0.0])
        self.swings[self.leg] = swing_over(*ends, self.ground, self.point_height, **pace)

    def _land(self, dyn: Dynamics, time: float, loads: np.ndarray) -> None:
        """End the swing when the foot carries, or when there is no ground as deep as it may go."""
        swing = self.swings[self.leg]
        touched = swing.elapsed > swing.timing.fall and self._landed(dyn, float(loads[self.leg]))
        if not touched and swing.late < DEEPEST:
            return
        self._stand(dyn, self.leg, time)
        self._shift(dyn, time)

    def _stand(self, dyn: Dynamics, k: int, time: float) -> None:
        """A foot has landed."""
        self.standing[k], self.loaded[k] = True, time
        self.normals[k] = self.ground.normal(*dyn.points[k, :2])
        self.late += bool(self.swings.pop(k).target[2] - dyn.points[k, 2] > LATE)
        self.planner.step_index += 1
        self.taken += 1

    def _landed(self, dyn: Dynamics, load: float) -> bool:
        """Whether the foot in the air stands: it carries, and a loose sole that came down on its tip lies flat."""
        share, contact = load / self.weight, self.tuning.contact
        if share > contact.firm:
            return True
        x, y, z = dyn.points[self.leg]
        return share > contact.touch and z - self.point_height - self.ground.top(x, y) < TIPPED

    def _reference(self, dyn: Dynamics, time: float) -> tuple[Pose, np.ndarray, np.ndarray]:
        """Target pose of the body, and velocity and acceleration of the centre of mass."""
        c, span = self.crawl, self.shift_time
        spent = time - self.since + (span if self.phase == "swing" else 0.0)
        share, rate, bend = smooth(min(1.0, spent / span))
        rest = smooth(min(1.0, spent / (span + c.swing_time)))[0]
        way = self.goal.com - self.origin.com
        self.now = self.origin.toward(self.goal, share, rest)
        return self.now, way * rate / span, way * bend / span**2

    def _most(self, time: float) -> list[float]:
        """Largest force of each foot: little for one that has just landed, less and less for one about to lift."""
        most = [self.weight * min(max(MOST * (time - t - FLAT) / LOAD, LEAN), MOST) for t in self.loaded]
        if self.phase == "shift":
            left = self.shift_time - (time - self.since)
            if left < UNLOAD:
                most[self.leg] *= max(0.02, left / UNLOAD)
        return most
