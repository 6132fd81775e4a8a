r"""Joint torques for wished motions of the whole body, by a quadratic program on MuJoCo's dynamics.

Unknown are accelerations :math:`a` and the sizes :math:`f \ge 0` of forces along the edges of a friction pyramid
at the four corners of each sole that is on the ground. The program is

.. math:: \min_{a, f} \tfrac12 \sum_k w_k |J_k a + \dot J_k v - \ddot y_k|^2 + \tfrac{w_e}{2} (|a|^2 + |f - f_0|^2)

with the six equations of motion of the base as equalities and joint torques and joint limits as bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar._extras import require_extra
from plantar.walk.control.tuning import Contact, Gains, Weights
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged

FAR = 1e30
"""No bound, as the solver writes it."""
JOINTS_Q, JOINTS_V = slice(7, None), slice(6, None)
"""Where joints are in positions and velocities: all after the base."""
PANIC = 400.0
"""Largest acceleration that keeps a joint from its limit [rad/s^2]."""
PUSHES = 16
"""Force directions of a sole: four at each of four corners."""
LOOK_AHEAD = 0.06
"""Time within which a joint may not reach its limit [s]."""


@dataclass(kw_only=True)
class Targets:
    """What the body is to do now, in the world."""

    contacts: tuple[bool, ...]
    """Which soles are on the ground."""
    com_acceleration: np.ndarray
    """Acceleration of the centre of mass [m/s^2]."""
    base_acceleration: np.ndarray
    """Turn acceleration of the base in its own frame [rad/s^2]."""
    soles: list[np.ndarray | None]
    """Acceleration and turn acceleration of each sole (6,); None where it only has to stay."""
    posture_acceleration: np.ndarray
    """Acceleration of each joint that is wished where nothing else matters [rad/s^2]."""
    loads: np.ndarray
    """Share of the weight on each sole that is expected."""
    momentum_rate: np.ndarray | None = None
    """Rate of the angular momentum about the centre of mass [N m]; None lets the momentum die out."""


@dataclass(kw_only=True)
class Program:
    """A quadratic program: minimise x'Hx / 2 + g'x with lower <= (x, Ax) <= upper."""

    H: np.ndarray
    g: np.ndarray
    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    sense: np.ndarray
    """5 for an equation, 0 for a bound."""
    forces: int
    """How many of the unknowns are forces; they come first, accelerations after them."""


@dataclass(kw_only=True)
class Solution:
    """What the program answers."""

    acceleration: np.ndarray
    """Accelerations of the robot."""
    torque: np.ndarray
    """Torque of each joint [N m]."""
    wrenches: np.ndarray
    """Force and moment about its middle on each sole, in the world (feet, 6) [N, N m]."""
    found: bool
    """Whether the solver found the optimum."""


class WholeBody:
    """Builds and solves the quadratic program of one robot; arrays are kept from step to step.

    Args:
        legged: The robot.
        weights: How much each wish counts.
        gains: Damping of soles on the ground.
        contact: Friction and margin of the soles.
        torque_limits: Whether joint torques are bounded as the robot's.
    """

    def __init__(self, legged: Legged, weights: Weights, gains: Gains, contact: Contact, *, torque_limits: bool = True):
        require_extra("walk")
        self.legged, self.weights, self.gains, self.contact = legged, weights, gains, contact
        n, feet = legged.nv, len(legged.soles)
        self.unit = 0.1 * legged.mass * legged.gravity
        """A force of size 1 in the program [N]."""
        self._rows, self._wish = np.zeros((9 + 6 * feet, n)), np.zeros(9 + 6 * feet)
        self._corners = [_corners(sole.extent, contact.margin) for sole in legged.soles]
        self._edges = self.unit * _edges(contact.friction)
        self._push = np.zeros((feet, 6, PUSHES))
        self._square = np.zeros((n, n))
        self._skew = np.zeros((4, 3, 3))
        self._posture = np.full(n, weights.effort)
        self._posture[legged.v_joint] += np.where(legged.is_leg, weights.legs, weights.upper)
        strong = (
            np.isfinite(legged.torque_limit) & legged.is_leg if torque_limits else np.zeros(len(legged.joints), bool)
        )
        self._pull = self._posture[JOINTS_V] - weights.effort
        self._lowest = np.where(np.isfinite(legged.lower), legged.lower, -1e6)
        self._highest = np.where(np.isfinite(legged.upper), legged.upper, 1e6)
        self._com_scale = np.sqrt([weights.com, weights.com, weights.height])
        self._swing_scale = np.sqrt(np.repeat([weights.swing, weights.swing_turn], 3))
        self._limited = np.flatnonzero(strong)
        self._tau_rows = np.r_[np.arange(6), legged.v_joint[self._limited]]
        self._solvers: dict[int, object] = {}
        self._sets = {k: self._allocate(k * PUSHES, n) for k in range(feet + 1)}

    def _allocate(self, nf: int, n: int) -> Program:
        rows = len(self._tau_rows)
        H = np.zeros((nf + n, nf + n))
        H[np.arange(nf), np.arange(nf)] = self.weights.effort
        lower, upper = np.full(nf + n + rows, -FAR), np.full(nf + n + rows, FAR)
        lower[:nf] = 0.0
        sense = np.zeros(nf + n + rows, np.int32)
        sense[nf + n : nf + n + 6] = 5
        A = np.zeros((rows, nf + n))
        return Program(H=H, g=np.zeros(nf + n), A=A, lower=lower, upper=upper, sense=sense, forces=nf)

    def corners(self, i: int) -> np.ndarray:
        """Corners of a sole that may press, in its own frame (4, 3) [m]."""
        return self._corners[i].T

    def build(self, dyn: Dynamics, targets: Targets) -> Program:
        """The program of one control step."""
        lg = self.legged
        on = [i for i, c in enumerate(targets.contacts) if c]
        program = self._sets[len(on)]
        nf = program.forces
        rows, wish = self._task_rows(dyn, targets)
        H, g = program.H, program.g
        np.dot(rows.T, rows, out=self._square)
        self._square.reshape(-1)[:: lg.nv + 1] += self._posture
        H[nf:, nf:] = self._square
        g[nf:] = -(rows.T @ wish)
        g[nf + 6 :] -= self._pull * targets.posture_acceleration
        picks = self._tau_rows
        program.A[:, nf:] = dyn.mass_matrix[picks]
        for k, i in enumerate(on):
            push = self._pushes(dyn, i)
            cols = slice(k * PUSHES, (k + 1) * PUSHES)
            program.A[:, cols] = -(dyn.jacobian[i][:, picks].T @ push)
            g[cols] = -self.weights.effort * targets.loads[i] * 10.0 / PUSHES
        self._bound(program, dyn)
        return program

    def _task_rows(self, dyn: Dynamics, t: Targets) -> tuple[np.ndarray, np.ndarray]:
        """Weighted rows and wishes of all tasks but the posture."""
        w, rows, wish = self.weights, self._rows, self._wish
        c, scale = math.sqrt(w.momentum), self._com_scale
        np.multiply(scale[:, None], dyn.com_jacobian, out=rows[:3])
        wish[:3] = scale * (t.com_acceleration - dyn.com_drift)
        rows[3:6] = c * dyn.momentum_matrix
        rate = t.momentum_rate
        if rate is None:  # it is to die out within half a second
            rate = -2.0 * (dyn.momentum_matrix @ dyn.data.qvel)
        wish[3:6] = c * (rate - dyn.momentum_drift)
        s = math.sqrt(w.base)
        rows[6, 3] = rows[7, 4] = rows[8, 5] = s
        wish[6:9] = s * t.base_acceleration
        for i, target in enumerate(t.soles):
            r = slice(9 + 6 * i, 15 + 6 * i)
            if target is None:
                s = math.sqrt(w.stance)
                np.multiply(s, dyn.jacobian[i], out=rows[r])
                wish[r] = s * (-self.gains.stance * dyn.sole_velocity(i) - dyn.sole_drift[i])
            else:
                np.multiply(self._swing_scale[:, None], dyn.jacobian[i], out=rows[r])
                wish[r] = self._swing_scale * (target - dyn.sole_drift[i])
        return rows, wish

    def _pushes(self, dyn: Dynamics, i: int) -> np.ndarray:
        """Forces and moments of a sole's unit forces in the world (6, 16)."""
        turn = dyn.sole_matrix(i).reshape(3, 3)
        heading = math.atan2(turn[1, 0], turn[0, 0])
        c, s = math.cos(heading), math.sin(heading)
        edges = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ self._edges  # (3, 4)
        x, y, z = turn @ self._corners[i]  # (3, 4), corners in the world
        skew, push = self._skew, self._push[i]
        skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 0] = -z, y, z
        skew[:, 1, 2], skew[:, 2, 0], skew[:, 2, 1] = -x, -y, x
        moments = skew @ edges  # (4 corners, 3, 4 edges)
        push[:3].reshape(3, 4, 4)[:] = edges[:, None, :]
        push[3:].reshape(3, 4, 4)[:] = moments.transpose(1, 0, 2)
        return push

    def _bound(self, program: Program, dyn: Dynamics) -> None:
        """Equations of the base, torques and joint limits."""
        lg, nf, n = self.legged, program.forces, self.legged.nv
        at = nf + n
        bias = dyn.bias[self._tau_rows]
        limit = lg.torque_limit[self._limited]
        program.lower[at : at + 6] = program.upper[at : at + 6] = -bias[:6]
        program.lower[at + 6 :] = -limit - bias[6:]
        program.upper[at + 6 :] = limit - bias[6:]
        T = LOOK_AHEAD
        ahead = dyn.data.qpos[JOINTS_Q] + T * dyn.data.qvel[JOINTS_V]
        program.lower[nf + 6 : at] = np.minimum(2 / T**2 * (self._lowest - ahead), PANIC)
        program.upper[nf + 6 : at] = np.maximum(2 / T**2 * (self._highest - ahead), -PANIC)

    def solve(self, program: Program, dyn: Dynamics, targets: Targets) -> Solution:
        """Solve the program and turn the answer into torques."""
        import daqp  # noqa: PLC0415  (extra `walk`)

        x, _, flag, _ = daqp.solve(program.H, program.g, program.A, program.upper, program.lower, program.sense.copy())
        nf, lg = program.forces, self.legged
        a = x[nf:]
        tau = dyn.mass_matrix @ a + dyn.bias
        wrenches = np.zeros((len(lg.soles), 6))
        on = [i for i, c in enumerate(targets.contacts) if c]
        for k, i in enumerate(on):
            wrenches[i] = self._push[i] @ x[k * PUSHES : (k + 1) * PUSHES]
            tau -= dyn.jacobian[i].T @ wrenches[i]
        return Solution(acceleration=a, torque=tau[JOINTS_V], wrenches=wrenches, found=flag > 0)


def _corners(extent: tuple[float, float, float, float], margin: float) -> np.ndarray:
    """Corners of the sole that may press, in the sole's frame (3, 4) [m]."""
    back, front, right, left = extent
    x, y = min(margin, (front - back) / 4), min(margin, (left - right) / 4)
    return np.array([[i, j, 0.0] for i in (back + x, front - x) for j in (right + y, left - y)]).T


def _edges(friction: float) -> np.ndarray:
    """Edges of the friction pyramid, upward part 1 (3, 4)."""
    mu = friction / math.sqrt(2)
    return np.array([[i * mu, j * mu, 1.0] for i in (-1, 1) for j in (-1, 1)]).T
