"""A mechanism with every joint fixed."""

from __future__ import annotations

import mujoco

from plantar.errors import InvalidInput

_KINDS = (mujoco.mjtObj.mjOBJ_JOINT, mujoco.mjtObj.mjOBJ_TENDON, mujoco.mjtObj.mjOBJ_ACTUATOR)


def lock(spec: mujoco.MjSpec, name: str) -> mujoco.MjSpec:
    """Remove joints, tendons, equalities, actuators and keyframes from a foot's spec, and the sensors that read them.

    Raises:
        InvalidInput: If it has a flex, whose nodes are not joints.
    """
    if len(spec.flexes):
        raise InvalidInput(f"foot {name!r} is a flex and cannot be locked: use its condensed form")
    for sensor in list(spec.sensors):
        if sensor.objtype in _KINDS:
            spec.delete(sensor)
    for group in (spec.keys, spec.actuators, spec.equalities, spec.tendons, spec.joints):
        for item in list(group):
            spec.delete(item)
    return spec
