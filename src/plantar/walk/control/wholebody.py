r"""Joint torques for desired whole-body motions, by a quadratic program on MuJoCo's dynamics.

Unknown are the sizes :math:`f \ge 0` of forces along the edges of a friction pyramid at the points of each sole that
press the ground, four of a patch and one of a point, and all accelerations :math:`a`. The program is

.. math:: \min_{f, a} \tfrac12 \sum_k w_k |J_k a + \dot J_k v - \ddot y_k|^2 + \tfrac{w_e}{2} |a|^2
    + \tfrac{w_f}{2} |f - f_0|^2

with the six equations of motion of the base as equalities; largest forces, joint torques and joint limits are bounds.
"""

from __future__ import annotations

import math

import numpy as np

from plantar._extras import require_extra
from plantar.walk.control.contacts import ContactModel
from plantar.walk.control.program import Program, Solution, Targets, Task
from plantar.walk.control.tuning import Contact, Gains, Weights
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged

FAR = 1e30
"""No bound, as the solver writes it."""
JOINTS_Q, JOINTS_V = slice(7, None), slice(6, None)
"""Where joints are in positions and velocities: all after the base."""
PANIC = 400.0
"""Largest acceleration that keeps a joint from its limit [rad/s^2]."""
LOOK_AHEAD = 0.06
"""Time within which a joint may not reach its limit [s]."""


class WholeBody:
    """Builds and solves the quadratic program of one robot; arrays are kept from step to step.

    Args:
        legged: The robot.
        weights: Weight of each task.
        gains: Damping of soles on the ground.
        contact: Friction and margin of the soles.
        torque_limits: Whether joint torques are bounded as the robot's.
    """

    def __init__(self, legged: Legged, weights: Weights, gains: Gains, contact: Contact, *, torque_limits: bool = True):
        require_extra("walk")
        import daqp  # noqa: PLC0415  (extra `walk`)

        self._daqp = daqp
        self.legged, self.weights, self.gains = legged, weights, gains
        n = legged.nv
        self.unit = 0.1 * legged.mass * legged.gravity
        """A force of size 1 in the program [N]."""
        self.models = [ContactModel(sole, contact.friction, contact.margin, self.unit) for sole in legged.soles]
        sizes = [3 if sole.point else 6 for sole in legged.soles]
        rows, wish = np.zeros((9 + sum(sizes), n)), np.zeros(9 + sum(sizes))
        names, ends = ["com", "momentum", "base", *(s.name for s in legged.soles)], np.cumsum([0, 3, 3, 3, *sizes])
        parts = zip(names, ends[:-1], ends[1:], strict=True)
        self.tasks = tuple(Task(name=name, rows=rows[a:b], wish=wish[a:b]) for name, a, b in parts)
        self._rows, self._wish, self._square = rows, wish, np.zeros((n, n))
        self._posture = np.full(n, weights.effort)
        self._posture[legged.v_joint] += np.where(legged.is_leg, weights.legs, weights.upper)
        self._pull = self._posture[JOINTS_V] - weights.effort
        strong = np.isfinite(legged.torque_limit) & legged.is_leg & torque_limits
        limited = np.flatnonzero(strong)
        self._limit = legged.torque_limit[limited]
        self._lowest = np.where(np.isfinite(legged.lower), legged.lower, -1e6)
        self._highest = np.where(np.isfinite(legged.upper), legged.upper, 1e6)
        self._com_scale = np.sqrt([weights.com, weights.com, weights.height])
        self._swing_scale = np.sqrt(np.repeat([weights.swing, weights.swing_turn], 3))
        self._stance_scale = np.full(sum(sizes), math.sqrt(weights.stance))
        starts = ends[3:-1] - 9
        self._of_sole = [slice(a, a + k) for a, k in zip(starts, sizes, strict=True)]
        taken = np.concatenate([6 * i + np.arange(k) for i, k in enumerate(sizes)])
        self._taken = slice(None) if len(taken) == 6 * len(sizes) else taken
        """Rows of the soles' Jacobians that count: a point does not turn."""
        self._rolling = [i for i, sole in enumerate(legged.soles) if sole.rolls]
        picks = np.r_[np.arange(6), legged.v_joint[limited]]
        self._count = len(picks)
        # a robot all of whose joints are limited needs no copies
        self._picks = slice(None) if np.array_equal(picks, np.arange(n)) else picks
        self._sets: dict[tuple[int, int], Program] = {}

    def _allocated(self, forces: int, caps: int) -> Program:
        """The program for these numbers of unit forces and largest forces, with all constant parts filled in."""
        if (forces, caps) not in self._sets:
            n, rows = self.legged.nv, self._count + caps
            total = forces + n
            H = np.zeros((total, total))
            H[np.arange(forces), np.arange(forces)] = self.weights.force
            lower, upper = np.full(total + rows, -FAR), np.full(total + rows, FAR)
            lower[:forces] = 0.0
            sense = np.zeros(total + rows, np.int32)
            sense[total : total + 6] = 5
            empty = np.zeros((rows, total))
            self._sets[forces, caps] = Program(
                H=H, g=np.zeros(total), A=empty, lower=lower, upper=upper, sense=sense, forces=forces, tasks=self.tasks
            )
        return self._sets[forces, caps]

    def corners(self, i: int) -> np.ndarray:
        """Points of a sole that may press, in its own frame (points, 3) [m]."""
        return self.models[i].corners.T

    def build(self, dyn: Dynamics, targets: Targets) -> Program:
        """The program of one control step."""
        capped = [c for c in targets.contacts if math.isfinite(c.most)]
        program = self._allocated(sum(self.models[c.sole].size for c in targets.contacts), len(capped))
        program.contacts, nf = targets.contacts, program.forces
        self._fill_tasks(dyn, targets)
        rows, g = self._rows, program.g
        np.dot(rows.T, rows, out=self._square)
        self._square.reshape(-1)[:: self.legged.nv + 1] += self._posture
        program.H[nf:, nf:] = self._square
        g[nf:] = -(rows.T @ self._wish)
        if targets.posture_acceleration is not None:
            g[nf + 6 :] -= self._pull * targets.posture_acceleration
        program.A[: self._count, nf:] = dyn.mass_matrix[self._picks]
        self._fill_contacts(program, dyn)
        self._bound(program, dyn)
        return program

    def _fill_tasks(self, dyn: Dynamics, t: Targets) -> None:
        """Weighted rows and targets of all tasks except the posture."""
        w, scale = self.weights, self._com_scale
        com, momentum, base, *soles = self.tasks
        np.multiply(scale[:, None], dyn.com_jacobian, out=com.rows)
        com.wish[:] = scale * (t.com_acceleration - dyn.com_drift)
        if w.momentum > 0:
            matrix, drift = dyn.momentum()
            # it should decay within half a second unless requested otherwise
            rate = -2.0 * (matrix @ dyn.qvel) if t.momentum_rate is None else t.momentum_rate
            s = math.sqrt(w.momentum)
            np.multiply(s, matrix, out=momentum.rows)
            momentum.wish[:] = s * (rate - drift)
        s = math.sqrt(w.base)
        base.rows[0, 3] = base.rows[1, 4] = base.rows[2, 5] = s
        base.wish[:] = s * t.base_acceleration
        jacobian = dyn.jacobian.reshape(-1, self.legged.nv)[self._taken]
        drift = dyn.sole_drift.reshape(-1)[self._taken]
        scale = self._stance_scale.copy()
        wish = -(self.gains.stance * (jacobian @ dyn.qvel) + drift)
        for mine, target in zip(self._of_sole, t.soles, strict=True):
            if target is not None:
                scale[mine] = self._swing_scale[: len(target)]
                wish[mine] = target - drift[mine]
        np.multiply(scale[:, None], jacobian, out=self._rows[9:])
        np.multiply(scale, wish, out=self._wish[9:])
        for i in self._rolling:
            if t.soles[i] is not None:  # no joint of the leg chooses this turn
                task, along = soles[i], dyn.sole_matrix(i)[0::3]
                task.rows[3:] -= np.outer(along, along @ task.rows[3:])
                task.wish[3:] -= along * (along @ task.wish[3:])

    def _fill_contacts(self, program: Program, dyn: Dynamics) -> None:
        """Effect of the unit forces on base and limited joints, their expected sizes, and their largest sum."""
        picks, first, cap = self._picks, 0, self._count
        at = program.forces + self.legged.nv
        for contact in program.contacts:
            model, i = self.models[contact.sole], contact.sole
            push = model.update(dyn.sole_matrix(i).reshape(3, 3), contact.normal)
            columns = slice(first, first + model.size)
            k = 3 if model.sole.point else 6
            program.A[: self._count, columns] = -(dyn.jacobian[i, :k][:, picks].T @ push[:k])
            program.g[columns] = -self.weights.force * contact.share * 10.0 / model.size
            if math.isfinite(contact.most):
                program.A[cap] = 0.0
                program.A[cap, columns] = 1.0
                program.upper[at + cap] = contact.most / self.unit
                cap += 1
            first += model.size

    def _bound(self, program: Program, dyn: Dynamics) -> None:
        """Equations of the base, torques and joint limits."""
        nf = program.forces
        at = nf + self.legged.nv
        bias, strong = dyn.bias[self._picks], slice(at + 6, at + self._count)
        program.lower[at : at + 6] = program.upper[at : at + 6] = -bias[:6]
        program.lower[strong] = -self._limit - bias[6:]
        program.upper[strong] = self._limit - bias[6:]
        T = LOOK_AHEAD
        ahead = dyn.qpos[JOINTS_Q] + T * dyn.qvel[JOINTS_V]
        program.lower[nf + 6 : at] = np.minimum(2 / T**2 * (self._lowest - ahead), PANIC)
        program.upper[nf + 6 : at] = np.maximum(2 / T**2 * (self._highest - ahead), -PANIC)

    def solve(self, program: Program, dyn: Dynamics) -> Solution:
        """Solve the program and convert the solution into torques."""
        p = program
        x, _, flag, _ = self._daqp.solve(p.H, p.g, p.A, p.upper, p.lower, p.sense.copy())
        found, a = flag > 0 and bool(np.isfinite(x).all()), x[p.forces :]
        tau = dyn.mass_matrix @ a + dyn.bias
        wrenches, first = np.zeros((len(self.models), 6)), 0
        for contact in p.contacts:
            model, i = self.models[contact.sole], contact.sole
            k = 3 if model.sole.point else 6
            wrenches[i, :k] = model.push[:k] @ x[first : first + model.size]
            tau -= dyn.jacobian[i, :k].T @ wrenches[i, :k]
            first += model.size
        return Solution(acceleration=a, torque=tau[JOINTS_V], wrenches=wrenches, found=found)
