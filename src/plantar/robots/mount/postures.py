"""Keyframes: which one stands, and what every element's numbers are in it."""

from __future__ import annotations

import re

import mujoco
import numpy as np

from plantar.robots._shape import lowest
from plantar.robots.tree import below, collides, geoms_of

_STANDING = re.compile(r"home|stand|nominal|default|init", re.IGNORECASE)


def standing_key(model: mujoco.MjModel, base: int) -> int | None:
    """Number of the keyframe in which the robot stands: by its name, else the one with the highest base."""
    named = [k for k in range(model.nkey) if _STANDING.search(model.key(k).name)]
    if named or not model.nkey:
        return named[0] if named else None
    data = mujoco.MjData(model)
    return max(range(model.nkey), key=lambda k: base_height(model, posed(model, data, model.key_qpos[k]), base))


def posed(model: mujoco.MjModel, data: mujoco.MjData, qpos: np.ndarray) -> mujoco.MjData:
    """`data` with the bodies where `qpos` puts them."""
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def base_height(model: mujoco.MjModel, data: mujoco.MjData, base: int) -> float:
    """Height of the base above the robot's lowest point [m]."""
    geoms = [g for g in geoms_of(model, (base, *below(model, base))) if collides(model, g)]
    return float(data.xpos[base, 2]) - lowest(model, data, geoms)


def free_address(model: mujoco.MjModel, base: int) -> int:
    """Where the free joint of the base starts in qpos."""
    return int(model.jnt_qposadr[model.body_jntadr[base]])
