"""Mass matrix, centre of mass and feet of a quadruped in one state, from MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

from plantar.foothold.walking.body import FourLegged
from plantar.walk.robot.dynamics import refresh


class Dynamics:
    """What the program of one control step needs; arrays are kept from one update to the next.

    Args:
        legged: The robot.
    """

    def __init__(self, legged: FourLegged):
        self.legged, n = legged, legged.nv
        self.data = mujoco.MjData(legged.model)
        self.mass_matrix = np.zeros((n, n))
        self.jacobian = np.zeros((4, 3, n))
        """Jacobians of the feet's points in the world."""
        self.drift = np.zeros((4, 3))
        """Accelerations of the points that come from velocities alone [m/s^2]."""
        self._dot = np.zeros((3, n))

    def update(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Compute everything for a position and velocity."""
        lg, m, d = self.legged, self.legged.model, self.data
        refresh(m, d, qpos, qvel, self.mass_matrix)
        self.bias = d.qfrc_bias
        self.points = lg.points(d)
        for k, sole in enumerate(lg.soles):
            mujoco.mj_jac(m, d, self.jacobian[k], None, self.points[k], sole.body)
            mujoco.mj_jacDot(m, d, self._dot, None, self.points[k], sole.body)
            self.drift[k] = self._dot @ d.qvel
        self.velocity = self.jacobian @ d.qvel  # (4, 3)
        self.com = d.subtree_com[lg.base]
        # The first three equations of motion are those of the momentum of the whole robot.
        self.com_jacobian = self.mass_matrix[:3] / lg.mass
        self.com_velocity = self.com_jacobian @ d.qvel
        self.com_drift = self.bias[:3] / lg.mass
        self.com_drift[2] -= lg.gravity
