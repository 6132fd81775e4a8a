"""Joints turned into rigid connections at a given angle."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import mujoco
import numpy as np

HELD = re.compile(
    r"head|neck|finger|thumb|index|little|pinky|ring_|gripper|wrist|hand_|_hand|palm|camera|jaw|eye", re.IGNORECASE
)
"""Names of joints not used for walking."""
LIGHT = 0.012
"""A joint that moves a smaller fraction of the robot's mass is not used for walking either."""
_HINGE, _SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


def joints_to_lock(model: mujoco.MjModel, keep: Iterable[str]) -> list[str]:
    """Hinges and slides outside `keep` that belong to the head or a hand, or move almost nothing."""
    kept, total = set(keep), float(model.body_subtreemass[0])
    names = []
    for j in range(model.njnt):
        name, body = model.joint(j).name, int(model.jnt_bodyid[j])
        if name in kept or int(model.jnt_type[j]) not in (_HINGE, _SLIDE):
            continue
        if HELD.search(name) or model.body_subtreemass[body] < LIGHT * total:
            names.append(name)
    return names


def lock_joints(spec: mujoco.MjSpec, model: mujoco.MjModel, angles: Mapping[str, float]) -> None:
    """Remove joints of `spec` so that their bodies stay at the given values [rad, m].

    Equalities, tendons, actuators, sensors and keyframes must be removed first, as they may name the joints.

    Args:
        spec: What to edit.
        model: The compiled spec, which knows the poses of bodies however they were written.
        angles: Values of the joints to lock.
    """
    for body in spec.bodies:
        joints = [joint for joint in body.joints if joint.name in angles]
        if not joints:
            continue
        position, quat = _pose(body, model)
        for joint in joints:
            value = angles[joint.name] - float(joint.ref)
            slide = int(joint.type) == _SLIDE
            position, quat = moved_pose(position, quat, np.array(joint.pos), np.array(joint.axis), value, slide)
        body.pos, body.quat = position, quat
        body.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        for joint in joints:
            spec.delete(joint)


def _pose(body: mujoco.MjsBody, model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    if body.frame is None:
        of_model = model.body(body.name)
        return of_model.pos.copy(), of_model.quat.copy()
    return np.array(body.pos), np.array(body.quat)


def moved_pose(
    position: np.ndarray, quat: np.ndarray, anchor: np.ndarray, axis: np.ndarray, value: float, slide: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Pose of a body in its parent after one of its joints has moved by `value` [rad, m].

    Args:
        position: Place before.
        quat: Attitude before.
        anchor: Place of the joint in the body.
        axis: Axis of the joint in the body.
        value: How far it moves.
        slide: Whether it slides instead of turning.
    """
    axis, moved = axis / np.linalg.norm(axis), np.zeros(3)
    if slide:
        mujoco.mju_rotVecQuat(moved, axis * value, quat)
        return position + moved, quat
    turn, turned, result = np.zeros(4), np.zeros(3), np.zeros(4)
    mujoco.mju_axisAngle2Quat(turn, axis, value)
    mujoco.mju_rotVecQuat(turned, anchor, turn)
    mujoco.mju_rotVecQuat(moved, anchor - turned, quat)
    mujoco.mju_mulQuat(result, quat, turn)
    return position + moved, result
