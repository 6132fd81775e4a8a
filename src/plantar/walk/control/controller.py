"""The controller that walks by DCM plan and whole-body quadratic program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import mujoco
import numpy as np

from plantar._checks import require_choice
from plantar.walk.control.planned import PlannedMotion
from plantar.walk.control.protocol import Command, Observation
from plantar.walk.control.stepper import Stepper
from plantar.walk.control.swing import heading_of
from plantar.walk.control.tuning import Tuning
from plantar.walk.control.wholebody import JOINTS_Q, JOINTS_V, Targets, WholeBody
from plantar.walk.plans.dcm import wished_pressure
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.plans.gait import LEG, Gait
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.polygons import nearest_inside, support_corners
from plantar.walk.robot.posture import find_stance, rotation_vector
from plantar.walk.sim.pushes import REFERENCE_MASS

Mode = Literal["torque", "impedance"]
MODES: tuple[Mode, ...] = ("torque", "impedance")
SURE = 0.02
"""A pressure point within this distance of its plan needs no check against the soles [m]."""


class DcmController:
    """Walks by a plan of the divergent component of motion and a whole-body quadratic program.

    Args:
        legged: The robot.
        gait: The walk.
        tuning: Weights, gains and all else.
        mode: `torque`, or `impedance` for stiff joints about the planned motion as well.
        torque_limits: Whether the controller knows the limits of the motors.
    """

    def __init__(
        self,
        legged: Legged,
        gait: Gait | None = None,
        tuning: Tuning | None = None,
        mode: Mode = "torque",
        *,
        torque_limits: bool = True,
    ):
        require_choice("mode", mode, MODES)
        self.legged, self.tuning, self.mode = legged, tuning or Tuning(), mode
        gait = gait or Gait()
        self.stance = find_stance(legged, self.tuning.bend, gait.width)
        self.gait = gait.for_legs(self.stance.leg)
        self.dt = 1 / self.tuning.rate
        t = self.tuning
        self.omega = math.sqrt(legged.gravity / self.stance.com_height)
        self.dynamics = Dynamics(legged)
        self.body = WholeBody(legged, t.weights, t.gains, t.contact, torque_limits=torque_limits)
        self.stepper = Stepper(
            self.omega,
            self.gait,
            [sole.extent for sole in legged.soles],
            self.stance.width,
            self.stance.leg / LEG,
            t.adaptation,
        )
        self.posture = self.stance.qpos[legged.q_joint].copy()
        n = len(legged.joints)
        self.stiffness, self.damping = np.zeros(n), np.zeros(n)
        self.planned: PlannedMotion | None = None
        if mode == "impedance":
            # a weak joint would only ever hit its limit
            self.stiffness += np.minimum(t.stiffness * legged.mass / REFERENCE_MASS, legged.torque_limit / 0.05)
            self.damping = t.damping * self.stiffness
            self.planned = PlannedMotion(legged, self.stance, self.dt)
        self.failures = 0
        self.dcm, self.dcm_plan, self.pressure_plan = np.zeros(2), np.zeros(2), np.zeros(2)
        self.com_plan = np.zeros(2)
        self.ground = self.heading = 0.0

    def reset(self, observation: Observation) -> None:
        """Begin anew: stand where the robot is, then walk."""
        self.dynamics.update(observation.qpos, observation.qvel)
        self._now = self._holds()
        self.stepper.reset(self._now, observation.time)
        self.ground = float(np.mean([h.position[2] for h in self.stepper.holds]))
        self.heading = float(np.mean([h.yaw for h in self.stepper.holds]))
        self.com_plan = self.dynamics.com[:2].copy()
        self.failures = 0
        if self.planned is not None:
            self.planned.reset(observation.qpos, self.stepper, self.com_plan, self.heading)

    @property
    def done(self) -> bool:
        """Whether the walk is over and the robot stands."""
        return self.stepper.done

    def act(self, observation: Observation) -> Command:
        """The torques of this control step."""
        dyn = self.dynamics
        dyn.update(observation.qpos, observation.qvel)
        self.dcm = dyn.com[:2] + dyn.com_velocity[:2] / self.omega
        weight = self.legged.mass * self.legged.gravity
        touching = (observation.loads > self.tuning.contact.touch * weight).tolist()
        self._now = self._holds()
        self.stepper.update(observation.time, self.dt, self.dcm, touching, self._now)
        targets = self._targets(observation)
        program = self.body.build(dyn, targets)
        solution = self.body.solve(program, dyn, targets)
        if not solution.found:
            self.failures += 1
        torque = solution.torque + self._friction(solution.acceleration)
        self.solution = solution
        if self.planned is None:
            return Command(torque=torque)
        angles, rates = self.planned.advance(self.stepper, self.com_plan, self.heading)
        return Command(torque=torque, position=angles, velocity=rates)

    def plan_row(self) -> tuple[float, ...]:
        """DCM, its plan, the planned centre of mass and pressure point, and the phase, for the record."""
        phase = {"stand": 0.0, "single": 1.0, "double": 2.0}[self.stepper.phase]
        return (*self.dcm, *self.dcm_plan, *self.com_plan, *self.pressure_plan, phase)

    def _holds(self) -> list[Foothold]:
        """Where the soles are now."""
        dyn = self.dynamics
        return [
            Foothold(side=i, position=tuple(dyn.sole_position(i).tolist()), yaw=heading_of(dyn.sole_matrix(i)))
            for i in range(len(self.legged.soles))
        ]

    def _targets(self, observation: Observation) -> Targets:
        stepper, dyn, g = self.stepper, self.dynamics, self.tuning.gains
        self.dcm_plan, self.pressure_plan = stepper.plan.at(observation.time)
        self.com_plan = self.com_plan + self.dt * self.omega * (self.dcm_plan - self.com_plan)
        pressure = wished_pressure(self.dcm_plan, self.pressure_plan, self.dcm, self.omega, g.dcm)
        contacts = tuple(stepper.swinging != i or stepper.landed for i in range(len(self.legged.soles)))
        pressure = self._reachable(pressure, contacts)
        self._follow_ground(contacts)
        height = self.ground + self.stance.com_height
        acceleration = np.empty(3)
        acceleration[:2] = self.omega**2 * (dyn.com[:2] - pressure)
        acceleration[2] = g.height[0] * (height - dyn.com[2]) - g.height[1] * dyn.com_velocity[2]
        lg = self.legged
        q, v = dyn.data.qpos[JOINTS_Q], dyn.data.qvel[JOINTS_V]
        return Targets(
            contacts=contacts,
            com_acceleration=acceleration,
            base_acceleration=self._base(),
            soles=[self._sole(i) for i in range(len(lg.soles))],
            posture_acceleration=g.posture[0] * (self.posture - q) - g.posture[1] * v,
            loads=self._loads(contacts),
        )

    def _reachable(self, pressure: np.ndarray, contacts: Sequence[bool]) -> np.ndarray:
        """The pressure point nearest to the wished one that the soles on the ground can give, or just cannot.

        What is left beyond the edge asks for angular momentum, in which trunk and arms help to a small degree.
        """
        soles = self.legged.soles
        on = [(h, s.extent) for h, s, c in zip(self._now, soles, contacts, strict=True) if c]
        # near its plan it is between the feet for sure; hulls cost time
        if not on or np.abs(pressure - self.pressure_plan).max() < SURE:
            return pressure
        corners = support_corners([h for h, _ in on], [e for _, e in on], self.tuning.contact.beyond)
        return nearest_inside(pressure, corners)

    def _follow_ground(self, contacts: Sequence[bool]) -> None:
        """Let the height of the ground under the robot follow the feet that stand, without jumps."""
        loads = self._loads(contacts)
        now = float(sum(w * self.dynamics.sole_position(i)[2] for i, w in enumerate(loads)))
        self.ground += (now - self.ground) * min(1.0, self.dt / 0.15)
        yaws = [h.yaw for h in self.stepper.holds]
        if self.stepper.swing is not None:
            yaws[self.stepper.swinging or 0] = float(self.stepper.swing.value[3])
        wanted = math.atan2(sum(map(math.sin, yaws)), sum(map(math.cos, yaws)))
        self.heading += math.remainder(wanted - self.heading, 2 * math.pi) * min(1.0, self.dt / 0.1)

    def _loads(self, contacts: Sequence[bool]) -> np.ndarray:
        """Share of the weight that the plan puts on each foot."""
        if not all(contacts):
            return np.array([1.0 if c else 0.0 for c in contacts])
        a, b = (h.xy for h in self.stepper.holds)
        along = float((self.pressure_plan - b) @ (a - b) / max((a - b) @ (a - b), 1e-9))
        share = min(max(along, 0.02), 0.98)
        return np.array([share, 1 - share])

    def _base(self) -> np.ndarray:
        """Turn acceleration of the base in its own frame."""
        kp, kd = self.tuning.gains.base
        c, s = math.cos(self.heading / 2), math.sin(self.heading / 2)
        wanted, turn = np.zeros(4), np.zeros(3)
        mujoco.mju_mulQuat(wanted, np.array([c, 0.0, 0.0, s]), self.stance.attitude)
        mujoco.mju_subQuat(turn, wanted, self.dynamics.data.qpos[3:7])
        return kp * turn - kd * self.dynamics.data.qvel[3:6]

    def _sole(self, i: int) -> np.ndarray | None:
        """Wished acceleration of a sole in the air; None on the ground."""
        swing = self.stepper.swing
        if swing is None or self.stepper.swinging != i or self.stepper.landed:
            return None
        dyn, g = self.dynamics, self.tuning.gains
        moving = dyn.sole_velocity(i)
        wish = np.empty(6)
        wish[:3] = (
            swing.curve[:3]
            + g.swing[0] * (swing.value[:3] - dyn.sole_position(i))
            + g.swing[1] * (swing.rate[:3] - moving[:3])
        )
        c, s = math.cos(swing.value[3]), math.sin(swing.value[3])
        level = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        turn = rotation_vector(level @ dyn.sole_matrix(i).reshape(3, 3).T)
        spin = np.array([0.0, 0.0, swing.rate[3]])
        wish[3:] = g.swing_turn[0] * turn + g.swing_turn[1] * (spin - moving[3:])
        return wish

    def _friction(self, acceleration: np.ndarray) -> np.ndarray:
        """Torque against the joints' own friction and damping in the motion that is wished."""
        lg = self.legged
        v = self.dynamics.data.qvel[JOINTS_V] + self.dt * acceleration[JOINTS_V]
        return lg.damping * v + lg.friction * np.tanh(v / 0.05)
