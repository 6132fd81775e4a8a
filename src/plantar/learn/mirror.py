"""The mirror image of a robot in its middle plane: which joint and foot stand for which, and which way they turn."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.learn.drives import Drive
from plantar.learn.subject import Subject

NEAR, PARALLEL = 0.02, 0.97
"""How far apart a joint and the mirror image of its partner may be [m], and the least cosine between their axes."""
ANGLE, SHARE = 0.05, 0.05
"""How much the postures [rad] and the servos (as a fraction) of partners may differ."""
ACROSS = np.array([1.0, -1.0, 1.0])
"""What a vector becomes in the mirror; an axis of rotation becomes the opposite of that."""


@dataclass(frozen=True, kw_only=True)
class Mirror:
    """Partners on the other side; what is in the middle is its own partner."""

    joints: dict[str, tuple[str, float]]
    """By driven joint, its partner, and the sign of the partner's angle in the mirror image."""
    feet: dict[str, str]
    """By link that carries a foot, its partner."""


def mirror_of(subject: Subject) -> Mirror:
    """Find the partners of all driven joints and feet in the standing posture.

    Raises:
        InvalidInput: If the robot is not its own mirror image there.
    """
    data = _standing(subject)
    middle = np.array([0.0, subject.root[1], 0.0])
    joints = [data.joint(drive.joint) for drive in subject.drives]
    places, axes = np.array([j.xanchor for j in joints]) - middle, np.array([j.xaxis for j in joints])
    apart = np.linalg.norm(places[:, None] * ACROSS - places, axis=2)
    cosines = axes * -ACROSS @ axes.T
    found: dict[str, tuple[str, float]] = {}
    for drive, far, cosine in zip(subject.drives, apart, cosines, strict=True):
        nearest = int(np.argmin(np.where(np.abs(cosine) > PARALLEL, far, np.inf)))
        partner, sign = subject.drives[nearest], float(np.sign(cosine[nearest]))
        if far[nearest] > NEAR or abs(cosine[nearest]) < PARALLEL or not _alike(subject, drive, partner, sign):
            raise InvalidInput(f"{subject.name} is not its own mirror image: {drive.joint!r} has no partner")
        found[drive.joint] = (partner.joint, sign)
    spots = np.array([data.site(name).xpos for name in subject.sites]) - middle
    across = np.linalg.norm(spots[:, None] * ACROSS - spots, axis=2)
    if max(across.min(axis=1)) > NEAR:
        raise InvalidInput(f"{subject.name} is not its own mirror image: its feet are not")
    feet = {body: subject.bodies[int(far.argmin())] for body, far in zip(subject.bodies, across, strict=True)}
    return Mirror(joints=found, feet=feet)


def _standing(subject: Subject) -> mujoco.MjData:
    model = subject.spec.copy().compile()
    data = mujoco.MjData(model)
    data.joint(int(model.body_jntadr[model.body(subject.base).id])).qpos[:] = subject.root
    for name, angle in subject.posture.items():
        data.joint(name).qpos[:] = angle
    mujoco.mj_kinematics(model, data)
    return data


def _alike(subject: Subject, drive: Drive, partner: Drive, sign: float) -> bool:
    """Whether two joints stand and are driven alike."""
    posture = abs(subject.posture[drive.joint] - sign * subject.posture[partner.joint]) < ANGLE
    ours, theirs = ((one.stiffness, one.damping, one.effort, one.armature) for one in (drive, partner))
    return posture and all(abs(a - b) <= SHARE * max(a, b) for a, b in zip(ours, theirs, strict=True))
