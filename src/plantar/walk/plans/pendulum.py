"""Walking on two feet by a plan of the divergent component of motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.control.contacts import SoleContact
from plantar.walk.control.program import Targets
from plantar.walk.control.tuning import Tuning
from plantar.walk.control.wholebody import JOINTS_Q, JOINTS_V
from plantar.walk.footholds import Chooser, nominal
from plantar.walk.plans.choosing import StepChooser
from plantar.walk.plans.dcm import desired_pressure
from plantar.walk.plans.footsteps import Foothold, mean_heading, plan_footsteps
from plantar.walk.plans.gait import LEG, Gait
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.plans.plan import Plan, Reference
from plantar.walk.plans.polygons import nearest_inside, support_corners
from plantar.walk.plans.stepper import Stepper
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import find_stance
from plantar.walk.robot.soles import heading_of

SURE = 0.02
"""A centre of pressure within this distance of its plan needs no check against the soles [m]."""
FOLLOW = 0.08
"""Time in which the planned motion follows feet that came down elsewhere [s]."""


class PendulumPlan(Plan):
    """Steps by a `Stepper`; the centre of mass by the divergent component of motion.

    Args:
        legged: The robot, with two feet.
        gait: The walk.
        tuning: Weights, gains and all else.
        ground: The ground as the robot knows it; None: nothing.
        chooser: Foothold chooser; None or `nominal`: none.
    """

    stepper_class: ClassVar[type[Stepper]] = Stepper

    def __init__(
        self,
        legged: Legged,
        gait: Gait,
        tuning: Tuning,
        ground: KnownGround | None = None,
        chooser: Chooser | None = None,
    ):
        super().__init__(legged, tuning)
        if len(legged.soles) != 2 or any(sole.point for sole in legged.soles):
            raise InvalidInput(
                f"robot {legged.robot.name!r} has {len(legged.soles)} feet on legs of "
                f"{len(legged.soles[0].joints)} joints: this plan walks on two soles on legs of 5 or more, "
                "quadrupeds crawl and trot"
            )
        if any(sole.rolls for sole in legged.soles):
            self.notes.append(
                f"robot {legged.robot.name!r} has no ankle roll (its legs have {len(legged.soles[0].joints)} joints): "
                "soles roll with the legs, and it balances sideways by foot placement; try short, quick steps"
            )
        self.stance = find_stance(legged, tuning.bend, gait.width)
        self.gait = gait.for_legs(self.stance.leg, self.stance.strength)
        self.omega = math.sqrt(legged.gravity / self.stance.com_height)
        extents = [sole.extent for sole in legged.soles]
        scale = self.stance.leg / LEG
        self.stepper = self.stepper_class(self.omega, self.gait, extents, self.stance.width, scale, tuning.adaptation)
        if chooser not in (None, nominal):
            t = tuning
            self.stepper.chooser = StepChooser(legged, ground, chooser, t.adaptation, scale, t.contact.friction)
        self.posture = self.stance.qpos[legged.q_joint].copy()
        self.dcm, self.dcm_plan, self.pressure_plan = np.zeros(2), np.zeros(2), np.zeros(2)
        self.com_plan, self.soles = np.zeros(2), np.zeros((2, 4))
        self.ground = self.heading = 0.0

    def reset(self, dyn: Dynamics, time: float) -> None:
        """Stand where the robot is, then walk."""
        self._now = self._holds(dyn)
        self.stepper.reset(self._now, time)
        self.ground = float(np.mean([h.position[2] for h in self._now]))
        self.heading = mean_heading([h.yaw for h in self._now])
        self.com_plan = dyn.com[:2].copy()
        self.soles = np.array([(*h.xy, 0.0, h.yaw) for h in self._now])

    @property
    def done(self) -> bool:
        """Whether the walk is over and the robot stands."""
        return self.stepper.done

    @property
    def seconds(self) -> float:
        """Time that the walk takes [s]."""
        g = self.gait
        return g.settle + 2 * g.start + g.steps * (g.single_support + g.double_support)

    def footsteps(self) -> list[Foothold]:
        """Footholds of the walk as planned from a perfect start."""
        half = self.stance.width / 2
        stance = [Foothold(side=i, position=(0.0, y, 0.0), yaw=0.0) for i, y in enumerate((half, -half))]
        return plan_footsteps(stance, self.gait)

    def path(self) -> np.ndarray:
        """Middles between the feet, from step to step (n, 2) [m]."""
        steps = self.footsteps()
        middles = [(a.xy + b.xy) / 2 for a, b in zip(steps, steps[1:], strict=False)]
        return np.array([np.zeros(2), *middles] if middles else np.zeros((2, 2)))

    def advance(self, dyn: Dynamics, time: float, loads: np.ndarray) -> Targets:
        """Advance to `time`, and return what the body should do."""
        self.dcm = dyn.com[:2] + dyn.com_velocity[:2] / self.omega
        touching = (loads > self.tuning.contact.touch * self.weight).tolist()
        self._now = self._holds(dyn)
        self.stepper.update(time, self.dt, self.dcm, touching, self._now)
        self.taken, self.recoveries = self.stepper.taken, self.stepper.recoveries
        if self.stepper.chooser is not None:
            self.steps = list(self.stepper.chooser.chosen.values())
        return self._targets(dyn, time)

    def row(self) -> tuple[float, ...]:
        """DCM, its plan, the planned centre of mass and centre of pressure, and the phase, for the record."""
        phase = {"stand": 0.0, "single": 1.0, "double": 2.0}[self.stepper.phase]
        return (*self.dcm, *self.dcm_plan, *self.com_plan, *self.pressure_plan, phase)

    def reference(self) -> Reference:
        """The walk as planned on level ground: soles level and on one plane, whatever the feet have met.

        Only their positions along the ground are the actual ones, so that legs do not pull against each
        other.
        """
        stepper, follow = self.stepper, min(1.0, self.dt / FOLLOW)
        for i, hold in enumerate(stepper.holds):
            if stepper.swing is not None and stepper.swinging == i:
                x, y, z, yaw = stepper.swing.value
                self.soles[i] = (x, y, max(z - stepper.holds[1 - i].position[2], 0.0), yaw)
            else:
                self.soles[i, :2] += follow * (hold.xy - self.soles[i, :2])
                self.soles[i, 2] -= follow * self.soles[i, 2]
                self.soles[i, 3] = hold.yaw
        com = np.array([*self.com_plan, self.stance.com_height])
        return Reference(com=com, soles=self.soles, attitude=self._attitude())

    def _holds(self, dyn: Dynamics) -> list[Foothold]:
        """Where the soles are now."""
        return [
            Foothold(side=i, position=tuple(dyn.sole_position(i).tolist()), yaw=heading_of(dyn.sole_matrix(i)))
            for i in range(len(self.legged.soles))
        ]

    def _targets(self, dyn: Dynamics, time: float) -> Targets:
        stepper, g = self.stepper, self.tuning.gains
        self.dcm_plan, self.pressure_plan = stepper.plan.at(time)
        self.com_plan = self.com_plan + self.dt * self.omega * (self.dcm_plan - self.com_plan)
        pressure = desired_pressure(self.dcm_plan, self.pressure_plan, self.dcm, self.omega, g.dcm)
        standing = [stepper.swinging != i or stepper.landed for i in range(2)]
        pressure = self._reachable(pressure, standing)
        shares = self._shares(standing)
        self._follow_ground(dyn, shares)
        height = self.ground + self.stance.com_height
        acceleration = np.empty(3)
        acceleration[:2] = self.omega**2 * (dyn.com[:2] - pressure)
        acceleration[2] = g.height[0] * (height - dyn.com[2]) - g.height[1] * dyn.com_velocity[2]
        q, v = dyn.qpos[JOINTS_Q], dyn.qvel[JOINTS_V]
        return Targets(
            contacts=tuple(SoleContact(sole=i, share=shares[i]) for i in range(2) if standing[i]),
            com_acceleration=acceleration,
            base_acceleration=self.turn_base(dyn, self._attitude()),
            soles=[self._sole(dyn, i) for i in range(2)],
            posture_acceleration=g.posture[0] * (self.posture - q) - g.posture[1] * v,
        )

    def _reachable(self, pressure: np.ndarray, standing: Sequence[bool]) -> np.ndarray:
        """The centre of pressure nearest to the desired one that the soles on the ground can realise, or just cannot.

        What remains beyond the edge requires angular momentum, to which trunk and arms contribute a little.
        """
        on = [(h, s.extent) for h, s, c in zip(self._now, self.legged.soles, standing, strict=True) if c]
        # near its plan it is between the feet for sure; hulls cost time
        if not on or np.abs(pressure - self.pressure_plan).max() < SURE:
            return pressure
        corners = support_corners([h for h, _ in on], [e for _, e in on], self.tuning.contact.beyond)
        return nearest_inside(pressure, corners)

    def _follow_ground(self, dyn: Dynamics, shares: Sequence[float]) -> None:
        """Let the height of the ground under the robot follow the feet that stand, without jumps."""
        now = float(sum(w * dyn.sole_position(i)[2] for i, w in enumerate(shares)))
        self.ground += (now - self.ground) * min(1.0, self.dt / 0.15)
        yaws = [h.yaw for h in self.stepper.holds]
        if self.stepper.swing is not None:
            yaws[self.stepper.swinging or 0] = float(self.stepper.swing.value[3])
        self.heading += math.remainder(mean_heading(yaws) - self.heading, 2 * math.pi) * min(1.0, self.dt / 0.1)

    def _shares(self, standing: Sequence[bool]) -> Sequence[float]:
        """Fraction of the weight that the plan puts on each foot."""
        if not all(standing):
            return [1.0 if c else 0.0 for c in standing]
        a, b = (h.xy for h in self.stepper.holds)
        along = float((self.pressure_plan - b) @ (a - b) / max((a - b) @ (a - b), 1e-9))
        share = min(max(along, 0.02), 0.98)
        return [share, 1 - share]

    def _attitude(self) -> np.ndarray:
        """Planned attitude of the base."""
        c, s = math.cos(self.heading / 2), math.sin(self.heading / 2)
        wanted = np.zeros(4)
        mujoco.mju_mulQuat(wanted, np.array([c, 0.0, 0.0, s]), self.stance.attitude)
        return wanted

    def _sole(self, dyn: Dynamics, i: int) -> np.ndarray | None:
        """Acceleration of a sole in the air; None on the ground."""
        swing = self.stepper.swing
        if swing is None or self.stepper.swinging != i or self.stepper.landed:
            return None
        return self.follow(dyn, i, (swing.value, swing.rate, swing.acceleration))
