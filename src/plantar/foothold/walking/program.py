r"""Joint torques of a quadruped by one small quadratic program a control step.

Unknown are the sizes :math:`f \ge 0` of forces along the four edges of a friction pyramid at each foot that stands,
and all accelerations :math:`a`:

.. math:: \min_{f, a} \tfrac12 \sum_k w_k |J_k a + \dot J_k v - \ddot y_k|^2 + \tfrac{w_e}{2} (|a|^2 + |f - f_0|^2)

with the base's six equations of motion as equalities and torques as bounds. Feet that stand are not to accelerate;
the one in the air follows its path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar._extras import require_extra
from plantar.foothold.walking.body import FourLegged
from plantar.foothold.walking.dynamics import Dynamics
from plantar.foothold.walking.tuning import Tuning

FAR = 1e30
"""No bound, as the solver writes it."""
EDGES = 4
"""Edges of a friction pyramid."""
LEVEL = np.eye(3)
"""Axes of level ground."""


@dataclass(kw_only=True)
class Targets:
    """What the body is to do now, in the world."""

    com: np.ndarray
    """Acceleration of the centre of mass along the ground (2,) [m/s^2]."""
    height: float
    """Acceleration of the base upwards [m/s^2]."""
    turn: np.ndarray
    """Turn acceleration of the base in its own frame (3,) [rad/s^2]."""
    feet: np.ndarray
    """Accelerations of the feet's points (4, 3) [m/s^2]."""
    standing: np.ndarray
    """Which feet may push (4,)."""
    most: np.ndarray
    """Largest normal force of each foot (4,) [N]."""
    shares: np.ndarray
    """Share of the weight that is expected on each foot (4,)."""
    normals: np.ndarray
    """Normals of the ground under the feet (4, 3)."""


@dataclass(kw_only=True)
class Solution:
    """What the program answers."""

    acceleration: np.ndarray
    """Accelerations of the robot."""
    torque: np.ndarray
    """Torque of each joint [N m]."""
    forces: np.ndarray
    """Forces on the feet in the world (4, 3) [N]."""
    found: bool
    """Whether the solver found the optimum."""


class Program:
    """Builds and solves the program of one robot; arrays are kept from step to step.

    Args:
        legged: The robot.
        tuning: Weights and friction.
    """

    def __init__(self, legged: FourLegged, tuning: Tuning):
        require_extra("walk")
        import daqp  # noqa: PLC0415  (extra `walk`)

        self._daqp = daqp
        self.legged, self.tuning = legged, tuning
        self.unit = 0.1 * legged.mass * legged.gravity
        """A force of size 1 in the program [N]."""
        mu = tuning.friction / math.sqrt(2)
        self._edges = self.unit * np.array([[i * mu, j * mu, 1.0] for i in (-1, 1) for j in (-1, 1)]).T  # (3, 4)
        n = legged.nv
        self._rows, self._wish = np.zeros((18, n)), np.zeros(18)
        limit = legged.torque_limit
        self._strong = np.flatnonzero(np.isfinite(limit))
        self._picks = np.r_[np.arange(6), legged.v_joint[self._strong]]
        self._limit = limit[self._strong]
        self._sets = {k: self._allocate(k * EDGES, n) for k in range(5)}

    def _allocate(self, nf: int, n: int) -> tuple[np.ndarray, ...]:
        rows, total = len(self._picks), nf + n
        H = np.zeros((total, total))
        lower, upper = np.full(total + rows, -FAR), np.full(total + rows, FAR)
        lower[:nf] = 0.0
        sense = np.zeros(total + rows, np.int32)
        sense[total : total + 6] = 5
        H[np.arange(nf), np.arange(nf)] = self.tuning.weights.force
        return H, np.zeros(total), np.zeros((rows, total)), upper, lower, sense

    def solve(self, dyn: Dynamics, targets: Targets) -> Solution:
        """Build and solve the program of one control step."""
        lg, w = self.legged, self.tuning.weights
        on = np.flatnonzero(targets.standing)
        nf, n = len(on) * EDGES, lg.nv
        H, g, A, upper, lower, sense = self._sets[len(on)]
        rows, wish = self._tasks(dyn, targets)
        H[nf:, nf:] = rows.T @ rows
        H.reshape(-1)[nf * (nf + n + 1) :: nf + n + 1] += w.effort
        g[nf:] = -(wish @ rows)
        A[:, nf:] = dyn.mass_matrix[self._picks]
        push = np.empty((4, 3, EDGES))
        for k, i in enumerate(on):
            push[i] = _turned(targets.normals[i]) @ self._edges
            columns = slice(k * EDGES, (k + 1) * EDGES)
            A[:, columns] = -(dyn.jacobian[i][:, self._picks].T @ push[i])
            g[columns] = -w.force * targets.shares[i] * 10.0 / EDGES
            upper[columns] = targets.most[i] / self.unit / 2
        bias = dyn.bias[self._picks]
        at = nf + n
        lower[at : at + 6] = upper[at : at + 6] = -bias[:6]
        lower[at + 6 :] = -self._limit - bias[6:]
        upper[at + 6 :] = self._limit - bias[6:]
        x, _, flag, _ = self._daqp.solve(H, g, A, upper, lower, sense.copy())
        a = x[nf:]
        forces = np.zeros((4, 3))
        for k, i in enumerate(on):
            forces[i] = push[i] @ x[k * EDGES : (k + 1) * EDGES]
        tau = dyn.mass_matrix @ a + dyn.bias - np.einsum("kin,ki->n", dyn.jacobian, forces)
        return Solution(acceleration=a, torque=tau[lg.v_joint], forces=forces, found=flag > 0)

    def _tasks(self, dyn: Dynamics, t: Targets) -> tuple[np.ndarray, np.ndarray]:
        """Weighted rows and wishes: centre of mass, height and attitude of the base, four feet."""
        w, rows, wish = self.tuning.weights, self._rows, self._wish
        s = math.sqrt(w.com)
        np.multiply(s, dyn.com_jacobian[:2], out=rows[:2])
        wish[:2] = s * (t.com - dyn.com_drift[:2])
        s = math.sqrt(w.height)
        rows[2], wish[2] = 0.0, s * t.height
        rows[2, 2] = s
        s = math.sqrt(w.turn)
        rows[3:6] = 0.0
        rows[3, 3] = rows[4, 4] = rows[5, 5] = s
        wish[3:6] = s * t.turn
        for k in range(4):
            s = math.sqrt(w.stance if t.standing[k] else w.swing)
            r = slice(6 + 3 * k, 9 + 3 * k)
            np.multiply(s, dyn.jacobian[k], out=rows[r])
            wish[r] = s * (t.feet[k] - dyn.drift[k])
        return rows, wish


def _turned(normal: np.ndarray) -> np.ndarray:
    """Axes whose third is along a normal."""
    x, y, z = normal
    if z > 0.9999:
        return LEVEL
    long = math.hypot(z, x)
    first = np.array([z / long, 0.0, -x / long])
    second = np.array([y * first[2] - z * first[1], z * first[0] - x * first[2], x * first[1] - y * first[0]])
    return np.stack([first, second, normal], axis=1)
