"""The joint motion that goes with a plan: what stiff joints are held to."""

from __future__ import annotations

import numpy as np

from plantar.walk.plans.plan import Reference
from plantar.walk.robot.kinematics import Kinematics
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Stance

SMOOTH = 0.3
"""Smoothing factor of the joint velocity per control step."""


class PlannedMotion:
    """Joint angles of the walk as planned, by inverse kinematics.

    Args:
        legged: The robot.
        stance: How it stands.
        dt: Time of a control step [s].
    """

    def __init__(self, legged: Legged, stance: Stance, dt: float):
        self.legged, self.dt = legged, dt
        self.kinematics = Kinematics(legged)
        self.posture = stance.qpos[legged.q_joint].copy()
        self.qpos = stance.qpos.copy()
        self.velocity = np.zeros(len(legged.joints))
        self.tilts = np.zeros((len(legged.soles), 2))
        """How far soles are turned about their axes ahead and to the left, from level [rad]."""

    def reset(self, qpos: np.ndarray, reference: Reference) -> None:
        """Begin from the position that the robot is in."""
        self.qpos = qpos.copy()
        for _ in range(10):
            self._solve(reference)
        self.velocity[:] = 0.0
        self.tilts[:] = 0.0

    def advance(self, reference: Reference) -> tuple[np.ndarray, np.ndarray]:
        """Angles and velocities of all joints for the plan as it is now."""
        before = self.qpos[self.legged.q_joint].copy()
        self._solve(reference)
        angles = self.qpos[self.legged.q_joint]
        self.velocity += SMOOTH * ((angles - before) / self.dt - self.velocity)
        return angles, self.velocity

    def _solve(self, reference: Reference) -> None:
        r = reference
        self.kinematics.step(self.qpos, r.soles, r.com, r.attitude, self.posture, tilts=self.tilts)
