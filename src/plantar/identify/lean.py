"""The posture in which a robot balances unaided: leaning at the ankles until its weight is over its soles."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.ground.contact.ground import Ground
from plantar.ground.laws.law import root_between
from plantar.identify.stage import Stage
from plantar.identify.stand import stand

MOST = 0.6
"""Largest lean in the search [rad]."""
NEAR = 1e-4
"""Robots whose weight is this close to the middle of their soles do not lean [m]."""
ROUNDS = 4
"""How often soft feet settle before the robot stands unaided."""
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)


def leaning(stage: Stage, slope: float = 0.0, target: float | None = None) -> np.ndarray:
    """The posture of `stage` with the whole robot turned about y at its ankles, its soles level as before.

    The line of its weight then meets the ground in the middle of its contacts, so that all carry alike and it needs
    no help to stand on soft ground.

    Args:
        stage: The robot; it is not changed.
        slope: Angle of the ground, downhill along x [rad].
        target: Where the line is to meet the ground, in front of the middle of the feet's bodies [m]; None: in the
            middle of the contacts of the posture, which soft feet do not have before they have settled.

    Raises:
        InvalidInput: If a foot has no ankle that turns about y, or no such lean is found.
    """
    before = stage.posture.copy()
    try:
        if abs(_ahead(stage, slope, target)) < NEAR:
            return before
        if not stage.free_base:
            raise InvalidInput(f"robot {stage.name!r} is guided and cannot lean: leave out `unaided`")
        ankles = [_ankle(stage, foot) for foot in stage.feet]

        def missing(angle: float) -> float:
            stage.posture = _turned(stage, before, ankles, angle)
            return _ahead(stage, slope, target)

        if missing(-MOST) * missing(MOST) > 0:
            raise InvalidInput(f"robot {stage.name!r} cannot lean so that its weight is over its feet: give a posture")
        return _turned(stage, before, ankles, root_between(missing, -MOST, MOST))
    finally:
        stage.posture = before


def _ahead(stage: Stage, slope: float, target: float | None) -> float:
    """How far in front of its target the line of gravity meets the ground [m]."""
    contacts = stage.place(stage.touch_height() - 2e-4)
    middle = float(stage.data.xpos[list(stage.feet), 0].mean())
    wanted = float(contacts.place.mean()) if target is None else middle + target
    centre = stage.data.subtree_com[stage.root]
    height = centre[2] - stage.model.geom_pos[stage.ground, 2]
    return float(centre[0] + height * math.tan(slope) - wanted)


def settled(stage: Stage, ground: Ground, height: float, slope: float = 0.0) -> np.ndarray:
    """As `leaning`, for soft feet: it first stands with help, then leans over where its feet actually press."""
    before = stage.posture.copy()
    try:
        for _ in range(ROUNDS):
            standing = stand(stage, ground, height, slope=slope, duration=1.5)
            stage.settle(standing.state)
            stage.posture = leaning(stage, slope, standing.pressure)
        return stage.posture
    finally:
        stage.posture = before


def _turned(stage: Stage, posture: np.ndarray, ankles: list[tuple[int, float]], angle: float) -> np.ndarray:
    """The posture with its base turned by `angle` about y and its ankles turned back."""
    made = posture.copy()
    quat = stage.height_address + 1
    turn = np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])
    turned = np.zeros(4)
    mujoco.mju_mulQuat(turned, turn, posture[quat : quat + 4])
    made[quat : quat + 4] = turned
    for address, sign in ankles:
        made[address] -= sign * angle
    return made


def _ankle(stage: Stage, foot: int) -> tuple[int, float]:
    """Address of the nearest joint above the sole that turns about y, and in which sense it does."""
    model, body = stage.model, foot
    stage.data.qpos[:] = stage.posture
    mujoco.mj_kinematics(model, stage.data)
    while body > 0:
        first = int(model.body_jntadr[body])
        for j in reversed(range(first, first + int(model.body_jntnum[body]))):
            across = float(stage.data.xaxis[j][1])
            if model.jnt_type[j] == _HINGE and abs(across) > 0.99:
                return int(model.jnt_qposadr[j]), math.copysign(1.0, across)
        body = int(model.body_parentid[body])
    raise InvalidInput(
        f"foot {model.body(foot).name!r} has no ankle that turns about y: leave out `unaided`, or give a posture with "
        "its weight over its feet"
    )
