"""The stance that a robot walks in."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.robot.kinematics import Kinematics
from plantar.walk.robot.legged import Legged

ASTRIDE = 1.25
"""Soles further apart than hips by this factor are brought together."""
APART = 0.03
"""Least gap between soles then [m]."""


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
    strength: float = math.inf
    """Largest sideways torque of a hip over what the weight on one foot requires."""


def find_stance(legged: Legged, bend: float = 0.05, width: float | None = None) -> Stance:
    """The stance to walk in: keyframe posture, soles level on the ground, knees bent, weight over the feet.

    Args:
        legged: The robot.
        bend: How much nearer the hips are to the ankles than with straight legs, as a fraction of the legs' length.
        width: Distance of the soles [m]; None takes that of the keyframe, or that of the hips where legs are astride.

    Raises:
        InvalidInput: If the robot cannot stand like that.
    """
    found = _found(legged, bend, width)
    return replace(found, qpos=found.qpos.copy(), attitude=found.attitude.copy())


@functools.lru_cache(maxsize=8)  # each walk has its own plan, and all walks of one robot share the stance
def _found(legged: Legged, bend: float, width: float | None) -> Stance:
    straight = legged.nominal.copy()
    d = legged.place(straight)
    sites = legged.points(d)
    heading = _mean_heading(d, legged)
    across = np.array([-math.sin(heading), math.cos(heading), 0.0])
    spread = _spread(legged, d, across) if width is None else width
    if abs(spread) < 0.03:
        raise InvalidInput(f"robot {legged.robot.name!r} has its feet {spread * 1e3:.0f} mm apart: give width")
    leg, sole = _leg_length(legged)
    hip_height = _hip_height(legged, d)
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
            f"robot {legged.robot.name!r} has no stance with its soles level {spread * 1e3:.0f} mm apart: "
            "give another width or bend"
        )
    d = legged.place(qpos)
    height, strength = float(d.subtree_com[legged.base][2]), _hip_strength(legged, d)
    return Stance(qpos=qpos, com_height=height, leg=leg, width=spread, attitude=attitude, strength=strength)


def _spread(legged: Legged, d: mujoco.MjData, across: np.ndarray) -> float:
    """Distance of the soles to walk with: as they are, but below the hips if legs are astride, as at zero angles."""
    sites = legged.points(d)
    soles, hips = (float((a - b) @ across) for a, b in (sites[:2], (_hip(legged, d, 0), _hip(legged, d, 1))))
    if abs(soles) <= ASTRIDE * abs(hips):
        return soles
    wide = max(sole.extent[3] - sole.extent[2] for sole in legged.soles)
    return math.copysign(max(abs(hips), wide + APART), soles)


def _hip_strength(legged: Legged, d: mujoco.MjData) -> float:
    """Sideways strength of the hips over what the whole weight on one foot requires."""
    middle, least = d.xpos[legged.base][1], math.inf
    for sole in legged.soles:
        ids = [legged.model.joint(legged.joints[j]).id for j in sole.joints[:3]]
        k = int(np.argmax(np.abs(d.xaxis[ids, 0])))  # the one that rolls
        needed = legged.mass * legged.gravity * abs(d.xanchor[ids[k], 1] - middle)
        least = min(least, legged.torque_limit[sole.joints[k]] * abs(d.xaxis[ids[k], 0]) / max(needed, 1e-9))
    return float(least)


def _mean_heading(d: mujoco.MjData, legged: Legged) -> float:
    x = sum(d.site_xmat[s.site][0] for s in legged.soles)
    y = sum(d.site_xmat[s.site][3] for s in legged.soles)
    return math.atan2(y, x)


def _level_base(quat: np.ndarray, heading: float) -> np.ndarray:
    """The base's attitude seen from the heading of the feet, so that x is forward."""
    turn, result = np.array([math.cos(-heading / 2), 0, 0, math.sin(-heading / 2)]), np.zeros(4)
    mujoco.mju_mulQuat(result, turn, quat)
    return result


def _anchor(legged: Legged, d: mujoco.MjData, joint: int) -> np.ndarray:
    """Place of a joint in the world [m]."""
    return d.xanchor[legged.model.joint(legged.joints[joint]).id]


def _hip(legged: Legged, d: mujoco.MjData, sole: int) -> np.ndarray:
    """Place of the hip, taken as that of the leg's third joint [m]."""
    return _anchor(legged, d, legged.soles[sole].joints[:3][-1])


def _hip_height(legged: Legged, d: mujoco.MjData) -> float:
    """Height of the hips above the soles [m]."""
    return float(np.mean([_hip(legged, d, i)[2] - d.site_xpos[s.site][2] for i, s in enumerate(legged.soles)]))


def _leg_length(legged: Legged) -> tuple[float, float]:
    """Greatest distance from hip to ankle over the range of the knee, and height of the ankle above the sole [m]."""
    best = sole_height = 0.0
    for i, joints in enumerate(sole.joints for sole in legged.soles):
        knee, ankle = joints[_knee(joints)], joints[_knee(joints) + 1]
        qpos = legged.nominal.copy()
        low, high = max(legged.lower[knee], -1.5), min(legged.upper[knee], 1.5)
        for angle in np.linspace(low, high, 61):
            qpos[legged.q_joint[knee]] = angle
            d = legged.place(qpos)
            best = max(best, float(np.linalg.norm(_hip(legged, d, i) - _anchor(legged, d, ankle))))
        d = legged.place(legged.nominal)
        sole_height = float(_anchor(legged, d, ankle)[2] - d.site_xpos[legged.soles[i].site][2])
    return best, sole_height


def _knee(joints: tuple[int, ...]) -> int:
    """Place of the knee among a leg's joints: the fourth of six, else the one nearest the leg's middle."""
    return 3 if len(joints) >= 5 else len(joints) // 2


def _bend_knees(legged: Legged, qpos: np.ndarray, drop: float) -> None:
    """Start with bent knees, as a straight one is undecided which way to bend."""
    for sole in legged.soles:
        knee = sole.joints[_knee(sole.joints)]
        middle = 0.5 * (np.clip(legged.lower[knee], -2, 2) + np.clip(legged.upper[knee], -2, 2))
        at = legged.q_joint[knee]
        if abs(qpos[at]) < 0.2:
            qpos[at] = math.copysign(0.5, middle)
    qpos[2] += drop
