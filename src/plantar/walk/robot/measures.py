"""Measures of a robot's legs, read off its model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.legs import Quadruped
from plantar.walk.robot.soles import NAMES


def legs_of(legged: Legged) -> Quadruped:
    """The legs of a robot for reach and collisions, from its left front leg; link radii are ANYmal's.

    The leg is measured with its hip roll at zero; where it stands otherwise, hinges are turned back first.

    Raises:
        InvalidInput: If the hinges are not hip roll, hip pitch and knee pitch.
    """
    names = [s.name for s in legged.soles]
    if names != list(NAMES):
        raise InvalidInput(f"robot {legged.robot.name!r} has feet {', '.join(names)}: a quadruped is needed")
    for s in legged.soles:
        if len(s.joints) != 3:
            raise InvalidInput(f"leg {s.name!r} has {len(s.joints)} joints: crawling needs legs of 3 hinges")
    m, sole = legged.model, legged.soles[0]
    joints = [m.joint(legged.joints[i]).id for i in sole.joints]
    qpos = legged.nominal.copy()
    qpos[:7] = [0, 0, 0, *legged.nominal[3:7]]
    qpos[m.jnt_qposadr[joints[0]]] = 0.0
    data = legged.place(qpos)
    axes = np.abs(data.xaxis[joints])
    if axes[0, 0] < 0.9 or axes[1, 1] < 0.9 or axes[2, 1] < 0.9:
        raise InvalidInput(f"the legs of {legged.robot.name!r} are not hip roll, hip pitch and knee: it cannot crawl")
    roll, hip, knee = data.xanchor[joints]
    end = legged.points(data)[0] + [0.0, 0.0, sole.ankle - sole.height]
    low, high = m.jnt_range[joints[0]] if m.jnt_limited[joints[0]] else (-0.72, 0.49)
    outward = float(data.xaxis[joints[0], 0]) > 0
    default = Quadruped()
    return replace(
        default,
        hip=tuple(float(v) for v in roll),
        hip_forward=float(hip[0] - roll[0]),
        thigh_out=float(hip[1] - roll[1]),
        knee_out=float(knee[1] - roll[1]),
        foot_out=float(end[1] - roll[1]),
        thigh=float(np.hypot(*(knee - hip)[[0, 2]])),
        shank=float(np.hypot(*(end - knee)[[0, 2]])),
        roll_range=(float(-high), float(-low)) if not outward else (float(low), float(high)),
    )
