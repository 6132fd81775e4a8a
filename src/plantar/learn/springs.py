"""The springs of feet: which they are, and how a factor makes them stiffer or locks the feet.

A foot has joints without a spring too, such as the arches and roll links of a SoftFoot-Q, on which it turns freely
whatever the factor. Locked feet hold every joint.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import mujoco
import numpy as np

from plantar.learn.config import LOCKED
from plantar.robots import Robot

STIFFEST, LEVER = 1.0, 0.01
"""Locked joints are at least a thousand times as stiff as this [N m/rad]; slides as a hinge with this lever [m]."""


class Springs(NamedTuple):
    """Names of what gives way in the feet of a robot, below the links that carry them."""

    joints: tuple[str, ...]
    """Joints without motors, with springs or without."""
    sprung: tuple[str, ...]
    """Those that springs hold, as the bands of a SoftFoot do."""
    tendons: tuple[str, ...]
    """Tendons that are springs, as between the arches of a SoftFoot-Q."""

    @property
    def soft(self) -> bool:
        """Whether there is a spring whose stiffness can be changed."""
        return bool(self.sprung or self.tendons)


def springs_of(walker: Robot, driven: Collection[str] = ()) -> Springs:
    """What gives way in the feet of a robot.

    Args:
        walker: The robot on its feet.
        driven: Joints that have servos of a policy, besides those with motors.
    """
    joints = _joints(walker.spec, walker, driven)
    return Springs(
        joints=tuple(joint.name for joint in joints),
        sprung=tuple(joint.name for joint in joints if joint.stiffness[0] > 0),
        tendons=tuple(tendon.name for tendon in _tendons(walker.spec, walker)),
    )


def held(stiffness: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Stiffness with which the joints of a foot are as good as fixed [N m/rad, N/m].

    Args:
        stiffness: Their usual stiffness (joints,).
        kinds: Their types (joints,), of `mujoco.mjtJoint`.
    """
    hinge = LOCKED * max(STIFFEST, float(stiffness.max(initial=0.0)))
    return np.where(kinds == int(mujoco.mjtJoint.mjJNT_SLIDE), hinge / LEVER**2, hinge)


def stiffen(spec: mujoco.MjSpec, walker: Robot, factor: float) -> None:
    """Make the springs of soft feet stiffer by a factor in a copy of the robot's spec; 1000 locks every joint."""
    joints, tendons = _joints(spec, walker), _tendons(spec, walker)
    usual, kinds = np.array([j.stiffness[0] for j in joints]), np.array([int(j.type) for j in joints])
    if not tendons and not usual.any():
        return
    if factor < LOCKED:
        for item in (*joints, *tendons):
            item.stiffness = factor * np.asarray(item.stiffness)
        return
    for joint, stiffness in zip(joints, held(usual, kinds), strict=True):
        joint.stiffness = [stiffness, 0.0, 0.0]


def _joints(spec: mujoco.MjSpec, walker: Robot, driven: Collection[str] = ()) -> list[mujoco.MjsJoint]:
    """Joints below the links that carry feet, except those that are driven."""
    motors = {actuator.target for actuator in spec.actuators} | set(driven)
    below = [body for place in walker.places for body in spec.body(place.body).find_all("body")]
    return [joint for body in below for joint in body.joints if not joint.name or joint.name not in motors]


def _tendons(spec: mujoco.MjSpec, walker: Robot) -> list[mujoco.MjsTendon]:
    """Tendons of mounted feet that are springs."""
    prefixes = tuple(place.prefix for place in walker.places if place.foot is not None)
    return [tendon for tendon in spec.tendons if tendon.name.startswith(prefixes) and tendon.stiffness[0] > 0]
