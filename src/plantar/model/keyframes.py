"""Keyframes: which one stands, where it puts the bodies, and how it is transferred to a robot with other joints."""

from __future__ import annotations

import re
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.model.shape import lowest
from plantar.model.tree import below, collides, geoms_of

_STANDING = re.compile(r"home|stand|nominal|default|init", re.IGNORECASE)
_WIDTH = {int(mujoco.mjtJoint.mjJNT_FREE): (7, 6), int(mujoco.mjtJoint.mjJNT_BALL): (4, 3)}


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


@dataclass(frozen=True, kw_only=True)
class Key:
    """A keyframe, in numbers of the model it was made for."""

    name: str
    time: float
    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    ctrl: np.ndarray
    mpos: np.ndarray
    mquat: np.ndarray


def take_keys(spec: mujoco.MjSpec, model: mujoco.MjModel) -> list[Key]:
    """The keyframes of a compiled spec; they are removed from it."""
    keys = [
        Key(
            name=model.key(k).name,
            time=float(model.key_time[k]),
            qpos=model.key_qpos[k].copy(),
            qvel=model.key_qvel[k].copy(),
            act=model.key_act[k].copy(),
            ctrl=model.key_ctrl[k].copy(),
            mpos=model.key_mpos[k].copy(),
            mquat=model.key_mquat[k].copy(),
        )
        for k in range(model.nkey)
    ]
    for key in list(spec.keys):
        spec.delete(key)
    return keys


def carried(key: Key, old: mujoco.MjModel, new: mujoco.MjModel) -> Key:
    """A keyframe for `new`: joints and actuators by name, new ones in their reference position."""
    qpos, qvel = new.qpos0.copy(), np.zeros(new.nv)
    for j in range(old.njnt):
        wide, fast = _WIDTH.get(int(old.jnt_type[j]), (1, 1))
        joint = new.joint(old.joint(j).name)
        there, here = int(joint.qposadr[0]), int(old.jnt_qposadr[j])
        qpos[there : there + wide] = key.qpos[here : here + wide]
        there, here = int(joint.dofadr[0]), int(old.jnt_dofadr[j])
        qvel[there : there + fast] = key.qvel[here : here + fast]
    ctrl, act = np.zeros(new.nu), np.zeros(new.na)
    for i in range(old.nu):
        at = new.actuator(old.actuator(i).name).id
        ctrl[at] = key.ctrl[i]
        here, there, wide = int(old.actuator_actadr[i]), int(new.actuator_actadr[at]), int(old.actuator_actnum[i])
        if here >= 0:
            act[there : there + wide] = key.act[here : here + wide]
    return Key(name=key.name, time=key.time, qpos=qpos, qvel=qvel, act=act, ctrl=ctrl, mpos=key.mpos, mquat=key.mquat)


def add_key(spec: mujoco.MjSpec, key: Key) -> None:
    """Add a keyframe to a spec."""
    made = spec.add_key(name=key.name, time=key.time, qpos=key.qpos.tolist(), qvel=key.qvel.tolist())
    if key.act.size:
        made.act = key.act.tolist()
    if key.ctrl.size:
        made.ctrl = key.ctrl.tolist()
    if key.mpos.size:
        made.mpos, made.mquat = key.mpos.flatten().tolist(), key.mquat.flatten().tolist()
