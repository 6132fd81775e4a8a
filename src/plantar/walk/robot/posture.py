"""Inverse kinematics of a robot on its feet: the stance it walks in, and the joints of a planned motion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.robot.legged import Legged


@dataclass(frozen=True, kw_only=True)
class Stance:
    """How the robot stands before it walks."""

    qpos: np.ndarray
    """Position of the robot on flat ground at height 0, soles flat, x forward."""
    com_height: float
    """Height of the centre of mass above the soles [m]."""
    leg: float
    """Length of a straight leg from hip to ankle, which is the same whatever foot is on it [m]."""
    width: float
    """Distance of the middles of the soles [m]."""
    attitude: np.ndarray
    """Attitude of the base when the robot stands upright (w, x, y, z)."""


class Kinematics:
    """Newton steps of inverse kinematics: soles, centre of mass, attitude of the base and posture at once.

    Args:
        legged: The robot.
    """

    def __init__(self, legged: Legged):
        self.legged = legged
        self.data = mujoco.MjData(legged.model)
        n, m = legged.nv, 6 * len(legged.soles) + 6
        self.rows, self.wish = np.zeros((m, n)), np.zeros(m)
        self._posture = np.full(n, 1e-2)
        self._posture[:6] = 0.0
        self._posture[legged.v_joint[~legged.is_leg]] = 1.0
        self._mass = np.zeros((n, n))

    def step(
        self,
        qpos: np.ndarray,
        soles: np.ndarray,
        com: np.ndarray,
        attitude: np.ndarray,
        posture: np.ndarray,
        free_height: bool = False,
    ) -> float:
        """Move `qpos` one step towards its targets, in place.

        Args:
            qpos: Position of the robot; changed.
            soles: Place (x, y, z) and heading of each sole (n, 4); soles are level.
            com: Place of the centre of mass.
            attitude: Attitude of the base (w, x, y, z).
            posture: Values of all joints that are preferred.
            free_height: Whether `com[2]` is the height of the base instead.

        Returns:
            Largest error before the step [m, rad].
        """
        lg, m, d = self.legged, self.legged.model, self.data
        d.qpos[:] = qpos
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        rows, wish = self.rows, self.wish
        for i, sole in enumerate(lg.soles):
            r = slice(6 * i, 6 * i + 6)
            mujoco.mj_jacSite(m, d, rows[r][:3], rows[r][3:], sole.site)
            wish[r][:3] = soles[i, :3] - d.site_xpos[sole.site]
            wish[r][3:] = _level_error(d.site_xmat[sole.site], float(soles[i, 3]))
        k = 6 * len(lg.soles)
        mujoco.mj_jacSubtreeCom(m, d, rows[k : k + 3], lg.base)
        wish[k : k + 3] = com - d.subtree_com[lg.base]
        if free_height:
            rows[k + 2], wish[k + 2] = 0.0, com[2] - qpos[2]
            rows[k + 2, 2] = 1.0
        rows[k + 3 : k + 6] = 0.0
        rows[k + 3 : k + 6, 3:6] = np.eye(3)
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, attitude, qpos[3:7])
        wish[k + 3 : k + 6] = turn
        pull = np.zeros(lg.nv)
        pull[lg.v_joint] = posture - qpos[lg.q_joint]
        lhs = 1e6 * rows.T @ rows
        lhs[np.diag_indices(lg.nv)] += self._posture + 1e-4
        change = np.linalg.solve(lhs, 1e6 * rows.T @ wish + self._posture * pull)
        biggest = float(np.abs(change).max())
        mujoco.mj_integratePos(m, qpos, change * min(1.0, 0.3 / max(biggest, 1e-9)), 1.0)
        qpos[lg.q_joint] = np.clip(qpos[lg.q_joint], lg.lower + 1e-3, lg.upper - 1e-3)
        return float(np.abs(wish).max())


def find_stance(legged: Legged, bend: float = 0.05, width: float | None = None) -> Stance:
    """The stance to walk in: keyframe posture, soles level on the ground, knees bent, weight over the feet.

    Args:
        legged: The robot.
        bend: How much nearer the hips are to the ankles than with straight legs, as a share of the legs' length.
        width: Distance of the soles [m]; None takes that of the keyframe.

    Raises:
        InvalidInput: If the robot cannot stand like that.
    """
    straight = legged.nominal.copy()
    knees = [sole.joints for sole in legged.soles]
    legged.place(straight)
    d = legged.data
    sites = np.array([d.site_xpos[s.site] for s in legged.soles])
    heading = _mean_heading(d, legged)
    across = np.array([-math.sin(heading), math.cos(heading), 0.0])
    spread = float((sites[0] - sites[1]) @ across) if width is None else width
    if abs(spread) < 0.03:
        raise InvalidInput(f"robot {legged.robot.name!r} has its feet {spread * 1e3:.0f} mm apart: give width")
    leg, sole = _leg_length(legged, knees)
    hip_height = _hip_height(legged)
    middle = sites.mean(axis=0)
    qpos = straight.copy()
    qpos[:3] -= middle
    targets = np.zeros((2, 4))
    targets[0, 1], targets[1, 1] = spread / 2, -spread / 2
    lowest = qpos[2] + (leg * (1 - bend) + sole - hip_height)
    attitude = _level_base(qpos[3:7], heading)
    qpos[3:7] = attitude
    _bend_knees(legged, qpos, lowest - qpos[2])
    kinematics, posture = Kinematics(legged), qpos[legged.q_joint].copy()
    com = np.array([0.0, 0.0, lowest])
    for _ in range(100):
        if kinematics.step(qpos, targets, com, attitude, posture, free_height=True) < 1e-4:
            break
    else:
        raise InvalidInput(
            f"robot {legged.robot.name!r} finds no stance with its soles level {spread * 1e3:.0f} mm apart: "
            "give another width or bend"
        )
    legged.place(qpos)
    height = float(d.subtree_com[legged.base][2])
    return Stance(qpos=qpos, com_height=height, leg=leg, width=spread, attitude=attitude)


def _level_error(matrix: np.ndarray, heading: float) -> np.ndarray:
    """Rotation vector in the world from a frame to a level one of that heading [rad]."""
    r = matrix.reshape(3, 3)
    c, s = math.cos(heading), math.sin(heading)
    target = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return rotation_vector(target @ r.T)


def rotation_vector(r: np.ndarray) -> np.ndarray:
    """Axis times angle of a rotation matrix."""
    twice = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    sine, cosine = 0.5 * math.sqrt(twice @ twice), 0.5 * (r[0, 0] + r[1, 1] + r[2, 2] - 1)
    angle = math.atan2(sine, cosine)
    return 0.5 * twice * (angle / sine if sine > 1e-9 else 1.0)


def _mean_heading(d: mujoco.MjData, legged: Legged) -> float:
    x = sum(d.site_xmat[s.site][0] for s in legged.soles)
    y = sum(d.site_xmat[s.site][3] for s in legged.soles)
    return math.atan2(y, x)


def _level_base(quat: np.ndarray, heading: float) -> np.ndarray:
    """The base's attitude seen from the heading of the feet, so that x is forward."""
    turn, result = np.array([math.cos(-heading / 2), 0, 0, math.sin(-heading / 2)]), np.zeros(4)
    mujoco.mju_mulQuat(result, turn, quat)
    return result


def _hip(legged: Legged, sole: int) -> np.ndarray:
    """Place of the hip: where the axes of the first three joints meet best, taken as the third one's anchor."""
    m, d = legged.model, legged.data
    names = [legged.joints[i] for i in legged.soles[sole].joints[:3]]
    anchors = np.array([d.xanchor[m.joint(n).id] for n in names])
    return anchors[np.argmax(anchors[:, 2] * 0 + np.arange(len(anchors)))]


def _hip_height(legged: Legged) -> float:
    """Height of the hips above the soles in the position that the robot is in [m]."""
    d = legged.data
    return float(np.mean([_hip(legged, i)[2] - d.site_xpos[s.site][2] for i, s in enumerate(legged.soles)]))


def _leg_length(legged: Legged, legs: list[tuple[int, ...]]) -> tuple[float, float]:
    """Greatest distance from hip to ankle over the range of the knee, and height of the ankle above the sole [m]."""
    best = sole_height = 0.0
    for i, joints in enumerate(legs):
        knee = _knee(legged, joints)
        qpos = legged.nominal.copy()
        low, high = max(legged.lower[knee], -1.5), min(legged.upper[knee], 1.5)
        ankle = joints[knee_place(legged, joints) + 1]
        m, d = legged.model, legged.data
        for angle in np.linspace(low, high, 61):
            qpos[legged.q_joint[knee]] = angle
            legged.place(qpos)
            at = d.xanchor[m.joint(legged.joints[ankle]).id]
            best = max(best, float(np.linalg.norm(_hip(legged, i) - at)))
        legged.place(legged.nominal)
        at = d.xanchor[m.joint(legged.joints[ankle]).id]
        sole_height = float(at[2] - d.site_xpos[legged.soles[i].site][2])
    return best, sole_height


def _knee(legged: Legged, joints: tuple[int, ...]) -> int:
    return joints[knee_place(legged, joints)]


def knee_place(legged: Legged, joints: tuple[int, ...]) -> int:
    """Which joint of a leg is its knee: the fourth of six, else the one whose body is nearest the leg's middle."""
    return 3 if len(joints) >= 5 else len(joints) // 2


def _bend_knees(legged: Legged, qpos: np.ndarray, drop: float) -> None:
    """Start with bent knees, as a straight one does not know which way to bend."""
    for sole in legged.soles:
        knee = _knee(legged, sole.joints)
        middle = 0.5 * (np.clip(legged.lower[knee], -2, 2) + np.clip(legged.upper[knee], -2, 2))
        at = legged.q_joint[knee]
        if abs(qpos[at]) < 0.2:
            qpos[at] = math.copysign(0.5, middle)
    qpos[2] += drop
