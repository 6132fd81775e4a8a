"""The controller of all walks: a plan says what the body should do, a quadratic program finds the torques."""

from __future__ import annotations

from typing import Literal

import numpy as np

from plantar._checks import require_choice
from plantar.walk.control.planned import PlannedMotion
from plantar.walk.control.program import Solution, Targets
from plantar.walk.control.protocol import Command, Observation
from plantar.walk.control.tuning import REFERENCE_MASS
from plantar.walk.control.wholebody import JOINTS_V, WholeBody
from plantar.walk.plans.plan import Plan
from plantar.walk.robot.dynamics import Dynamics

Joints = Literal["torque", "impedance"]
JOINTS: tuple[Joints, ...] = ("torque", "impedance")
GIVE_WAY = 0.05
"""Largest position error at which a joint's impedance alone demands its full torque [rad]."""
RATTLING, QUIET = 1e4, 2e3
"""Damping of a stiff joint over its inertia beyond which feet rattle, and what all joints of that robot keep to then.
MuJoCo solves contacts without that damping; models whose motors have no rotors, as in URDF files, go so far [1/s]."""
MOST_TILT = 0.2
"""Largest angle by which stiff legs turn a sole from level [rad]."""


class WalkController:
    """Walks by a plan and a whole-body quadratic program.

    Args:
        plan: What to do; it knows the robot.
        joints: `torque`, or `impedance` for stiff joints about the planned motion as well.
        torque_limits: Whether the controller knows the limits of the motors.
    """

    def __init__(self, plan: Plan, joints: Joints = "torque", *, torque_limits: bool = True):
        require_choice("mode", joints, JOINTS)
        self.plan, self.legged, self.stance, self.joints = plan, plan.legged, plan.stance, joints
        t, lg = plan.tuning, plan.legged
        self.dt = plan.dt
        self.dynamics = Dynamics(lg)
        self.body = WholeBody(lg, t.weights, t.gains, t.contact, torque_limits=torque_limits)
        n = len(lg.joints)
        self.stiffness, self.damping = np.zeros(n), np.zeros(n)
        self.planned: PlannedMotion | None = None
        if joints == "impedance":
            # a weak joint would always be at its limit
            self.stiffness += np.minimum(t.stiffness * lg.mass / REFERENCE_MASS, lg.torque_limit / GIVE_WAY)
            inertias = self._inertias()
            if np.any(t.damping * self.stiffness > RATTLING * inertias):
                self.stiffness = np.minimum(self.stiffness, QUIET * inertias / t.damping)
            self.damping = t.damping * self.stiffness
            self.planned = PlannedMotion(lg, self.stance, self.dt)
        self.feels = joints == "impedance" and plan.tuning.feel > 0
        """Whether it uses where soles are pressed."""
        legs = [list(sole.joints) for sole in lg.soles] if self.feels else []
        self._springs = [(lg.v_joint[leg], 1 / self.stiffness[leg]) for leg in legs]
        self.torque = np.zeros(n)
        self.failures = 0
        """Control steps whose program had no solution; the last good torques were held in them."""
        self.solution: Solution | None = None

    def _inertias(self) -> np.ndarray:
        """Inertia that each joint feels in the stance with all other joints free [kg m^2]."""
        self.dynamics.update(self.stance.qpos, np.zeros(self.legged.nv))
        return 1 / np.diag(np.linalg.inv(self.dynamics.mass_matrix))[JOINTS_V]

    def reset(self, observation: Observation) -> None:
        """Start over: stand where the robot is, then walk."""
        self.dynamics.update(observation.qpos, observation.qvel)
        self.plan.reset(self.dynamics, observation.time)
        self.failures, self.torque = 0, np.zeros(len(self.legged.joints))
        if self.planned is not None:
            self.planned.reset(observation.qpos, self.plan.reference())

    @property
    def done(self) -> bool:
        """Whether the walk is over and the robot stands."""
        return self.plan.done

    def act(self, observation: Observation) -> Command:
        """The torques of this control step."""
        dyn = self.dynamics
        dyn.update(observation.qpos, observation.qvel)
        targets = self.plan.advance(dyn, observation.time, observation.loads)
        solution = self.solution = self.body.solve(self.body.build(dyn, targets), dyn)
        if solution.found:
            self.torque = solution.torque + self._passive(solution.acceleration)
        else:
            self.failures += 1
        if self.planned is None:
            return Command(torque=self.torque)
        if self.feels:
            self._feel(observation, targets)
        angles, rates = self.planned.advance(self.plan.reference())
        return Command(torque=self.torque, position=angles, velocity=rates)

    def _feel(self, observation: Observation, targets: Targets) -> None:
        """Turn the planned soles until the ground presses them where the program requires."""
        assert self.planned is not None and self.solution is not None and observation.pressure is not None
        share, least = self.dt / self.plan.tuning.feel, self.plan.tuning.contact.touch * self.plan.weight
        tilts, standing = self.planned.tilts, {contact.sole for contact in targets.contacts}
        for i, load in enumerate(observation.loads):
            if i not in standing or load < least:
                tilts[i] -= share * tilts[i]
                continue
            axes = self.dynamics.sole_matrix(i).reshape(3, 3)
            force, moment = self.solution.wrenches[i].reshape(2, 3) @ axes
            if force[2] < least:
                continue
            ahead, left = np.array([-moment[1], moment[0]]) / force[2] - observation.pressure[i]
            tilts[i] += share * load * np.array([-left, ahead]) * self._gives(i, axes)
            np.clip(tilts[i], -MOST_TILT, MOST_TILT, out=tilts[i])

    def _gives(self, i: int, axes: np.ndarray) -> np.ndarray:
        """How far a sole turns about its axes ahead and to the left for a moment, by leg and foot (2,) [rad/(N m)]."""
        joints, gives = self._springs[i]
        found = (axes[:, :2].T @ self.dynamics.jacobian[i, 3:][:, joints]) ** 2 @ gives
        found[1] += self.legged.soles[i].give
        return found

    def _passive(self, acceleration: np.ndarray) -> np.ndarray:
        """Torque against the joints' own friction, damping and springs in the desired motion."""
        lg = self.legged
        v = self.dynamics.qvel[JOINTS_V] + self.dt * acceleration[JOINTS_V]
        return lg.damping * v + lg.friction * np.tanh(v / 0.05) - self.dynamics.spring[JOINTS_V]
