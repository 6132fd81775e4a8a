"""Everything the controller needs to know about the robot in one state, from MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

from plantar.walk.robot.legged import Legged


class Dynamics:
    """Mass matrix, bias force, centre of mass, momentum and soles in the state last given to `update`.

    The arrays are reused from one update to the next.

    Args:
        legged: The robot.
    """

    def __init__(self, legged: Legged):
        self.legged = legged
        n, feet = legged.nv, len(legged.soles)
        self.data = d = mujoco.MjData(legged.model)
        # views, because fetching one from MuJoCo takes as long as a matrix product
        self.qpos, self.qvel, self.bias, self.com = d.qpos, d.qvel, d.qfrc_bias, d.subtree_com[legged.base]
        self.spring = d.qfrc_spring
        """Forces of springs in the joints."""
        self._springs = bool(np.any(legged.model.jnt_stiffness) or np.any(legged.model.jnt_stiffnesspoly))
        self._places, self._turns = d.site_xpos, d.site_xmat
        self._base, self._base_turn = d.xpos[legged.base], d.xmat[legged.base].reshape(3, 3)
        self.mass_matrix = np.zeros((n, n))
        self.jacobian = np.zeros((feet, 6, n))
        """Jacobians of the soles: three rows for the middle's velocity, three for the turn rate, in the world."""
        self.sole_drift = np.zeros((feet, 6))
        """Accelerations of the soles that come from velocities alone."""
        self._momentum = np.zeros((3, n))
        self._dot = np.zeros((6, n))
        self._sites = np.array([sole.site for sole in legged.soles])

    def update(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Compute everything for a position and velocity of the robot."""
        lg, m, d = self.legged, self.legged.model, self.data
        self.qpos[:], self.qvel[:] = qpos, qvel
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_crb(m, d)
        mujoco.mj_comVel(m, d)
        mujoco.mj_rne(m, d, 0, self.bias)
        mujoco.mj_fullM(m, d, self.mass_matrix)
        if self._springs:
            mujoco.mj_passive(m, d)
        self._centroid()
        for i, sole in enumerate(lg.soles):
            jac, dot = self.jacobian[i], self._dot
            mujoco.mj_jacSite(m, d, jac[:3], jac[3:], sole.site)
            mujoco.mj_jacDot(m, d, dot[:3], None if sole.point else dot[3:], self._places[sole.site], sole.body)
            np.dot(dot, self.qvel, out=self.sole_drift[i])

    def _centroid(self) -> None:
        """Velocity of the centre of mass, off the base's rows: the first three equations are those of the momentum."""
        lg, mm = self.legged, self.mass_matrix
        self.com_jacobian = mm[:3] / lg.mass
        self.com_velocity = self.com_jacobian @ self.qvel
        self.com_drift = self.bias[:3] / lg.mass
        self.com_drift[2] -= lg.gravity

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """What gives the angular momentum about the centre of mass times the velocity (3, n), and its rate without any.

        It is read off the base's rows too: the second three equations of motion are those of the angular momentum
        about the base's origin, in the base's frame.
        """
        mm, turn = self.mass_matrix, self._base_turn
        x, y, z = self.com - self._base
        arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        np.dot(turn, mm[3:6], out=self._momentum)
        self._momentum -= arm @ mm[:3]
        return self._momentum, turn @ self.bias[3:6] - arm @ self.bias[:3]

    @property
    def points(self) -> np.ndarray:
        """Middles of all soles in the world (feet, 3) [m]."""
        return self._places[self._sites]

    def sole_position(self, i: int) -> np.ndarray:
        """Middle of a sole in the world [m]."""
        return self._places[self._sites[i]]

    def sole_matrix(self, i: int) -> np.ndarray:
        """Attitude of a sole in the world, nine numbers row by row."""
        return self._turns[self._sites[i]]

    def sole_velocity(self, i: int) -> np.ndarray:
        """Velocity and turn rate of a sole in the world [m/s, rad/s]."""
        return self.jacobian[i] @ self.qvel
