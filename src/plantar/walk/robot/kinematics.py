"""Inverse kinematics of a robot on its feet."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.soles import Sole

ROUNDS = 60
"""Largest number of inverse kinematics iterations for a stance on points."""


class Kinematics:
    """Newton steps of inverse kinematics: soles, centre of mass, attitude of the base and posture at once.

    Args:
        legged: The robot.
    """

    def __init__(self, legged: Legged):
        self.legged = legged
        self.data = d = mujoco.MjData(legged.model)
        self._places, self._turns, self._com = d.site_xpos, d.site_xmat, d.subtree_com[legged.base]
        n, m = legged.nv, sum(_rows(sole) for sole in legged.soles) + 6
        self.rows, self.wish = np.zeros((m, n)), np.zeros(m)
        self._posture = np.full(n, 1e-2)
        self._posture[:6] = 0.0
        self._posture[legged.v_joint[~legged.is_leg]] = 1.0
        self._jac, self._pull, self._square = np.zeros((6, n)), np.zeros(n), np.zeros((n, n))
        self._diagonal = self._square.reshape(-1)[:: n + 1]
        self.rows[-3:, 3:6] = np.eye(3)  # the base's turn is a coordinate

    def step(
        self,
        qpos: np.ndarray,
        soles: np.ndarray,
        com: np.ndarray,
        attitude: np.ndarray,
        posture: np.ndarray,
        free_height: bool = False,
        tilts: np.ndarray | None = None,
    ) -> float:
        """Move `qpos` one step towards its targets, in place.

        Args:
            qpos: Position of the robot; changed.
            soles: Place (x, y, z) and heading of each sole (n, 4).
            com: Place of the centre of mass.
            attitude: Attitude of the base (w, x, y, z).
            posture: Values of all joints that are preferred.
            free_height: Whether `com[2]` is the height of the base instead.
            tilts: Roll and pitch of each sole (n, 2), small; None: soles are level.

        Returns:
            Largest error before the step [m, rad].
        """
        lg, m, d = self.legged, self.legged.model, self.data
        d.qpos[:] = qpos
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        rows, wish = self.rows, self.wish
        k = 0
        for i, sole in enumerate(lg.soles):
            count, jac = _rows(sole), self._jac
            mujoco.mj_jacSite(m, d, jac[:3], jac[3:], sole.site)
            rows[k : k + count] = jac[:count]
            wish[k : k + 3] = soles[i, :3] - self._places[sole.site]
            axes = self._turns[sole.site].reshape(3, 3)
            if count > 3:
                wish[k + 3 : k + 6] = level_error(axes, float(soles[i, 3]))
                if tilts is not None:
                    wish[k + 3 : k + 6] += axes[:, :2] @ tilts[i]
            if sole.rolls:
                along, turn = axes[:, 0], slice(k + 3, k + 6)
                rows[turn] -= np.outer(along, along @ rows[turn])
                wish[turn] -= along * (along @ wish[turn])
            k += count
        mujoco.mj_jacSubtreeCom(m, d, rows[k : k + 3], lg.base)
        wish[k : k + 3] = com - self._com
        if free_height:
            rows[k + 2], wish[k + 2] = 0.0, com[2] - qpos[2]
            rows[k + 2, 2] = 1.0
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, attitude, qpos[3:7])
        wish[k + 3 : k + 6] = turn
        self._pull[lg.v_joint] = posture - qpos[lg.q_joint]
        heavy = 1e6 * rows.T
        np.dot(heavy, rows, out=self._square)
        self._diagonal += self._posture + 1e-4
        change = np.linalg.solve(self._square, heavy @ wish + self._posture * self._pull)
        biggest = float(np.abs(change).max())
        mujoco.mj_integratePos(m, qpos, change * min(1.0, 0.3 / max(biggest, 1e-9)), 1.0)
        qpos[lg.q_joint] = np.clip(qpos[lg.q_joint], lg.lower + 1e-3, lg.upper - 1e-3)
        return float(np.abs(wish).max())


def pose_on(legged: Legged, base: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Position in which the base is at `base` (7,) and the middles of the soles are at `points` (feet, 3).

    Raises:
        InvalidInput: If the legs do not reach.
    """
    qpos = legged.nominal.copy()
    qpos[:7] = base
    jac, worst = np.zeros((3, legged.nv)), np.inf
    for _ in range(ROUNDS):
        data = legged.place(qpos)
        off = points - legged.points(data)
        worst = float(np.abs(off).max())
        if worst < 1e-6:
            return qpos
        for sole, way in zip(legged.soles, off, strict=True):
            mujoco.mj_jacSite(legged.model, data, jac, None, sole.site)
            joints = list(sole.joints)
            step = np.linalg.lstsq(jac[:, legged.v_joint[joints]], way, rcond=1e-4)[0]
            qpos[legged.q_joint[joints]] += np.clip(step, -0.3, 0.3)
    raise InvalidInput(f"the legs of {legged.robot.name!r} miss the stance by {1e3 * worst:.0f} mm: stand lower")


def _rows(sole: Sole) -> int:
    """Equations of a sole: its place, and its attitude unless it is a point."""
    return 3 if sole.point else 6


def level_error(axes: np.ndarray, heading: float) -> np.ndarray:
    """Rotation vector in the world from a frame to a level one of that heading [rad]."""
    c, s = math.cos(heading), math.sin(heading)
    target = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return rotation_vector(target @ axes.T)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product of two vectors, to the bit as NumPy's, which takes ten times as long for a single pair."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def rotation_vector(r: np.ndarray) -> np.ndarray:
    """Axis times angle of a rotation matrix."""
    twice = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    sine, cosine = 0.5 * math.sqrt(twice @ twice), 0.5 * (r[0, 0] + r[1, 1] + r[2, 2] - 1)
    angle = math.atan2(sine, cosine)
    return 0.5 * twice * (angle / sine if sine > 1e-9 else 1.0)
