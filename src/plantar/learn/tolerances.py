"""How far the joints of any robot may leave its standing posture while walking, by their function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from plantar.model.tree import ancestors
from plantar.robots import Robot

LONG_LEG = 5
"""Joints of a leg that has an ankle; the last two are its."""


class Tolerance(NamedTuple):
    """Deviations at which a joint has lost 63 % of its reward for posture [rad]; mjlab's for the G1, by function."""

    standing: float
    """Under a command to stand."""
    walking: float
    """Under a command to walk."""
    running: float
    """Under a command above 1.5 m/s."""


PITCH, ANKLE_PITCH = Tolerance(0.05, 0.32, 0.55), Tolerance(0.05, 0.25, 0.35)
SIDE, ANKLE_SIDE = Tolerance(0.05, 0.15, 0.2), Tolerance(0.05, 0.1, 0.15)
WAIST, ARM = Tolerance(0.05, 0.12, 0.2), Tolerance(0.05, 0.15, 0.35)
SHORT, SHORT_LAST = Tolerance(0.05, 0.3, 0.3), Tolerance(0.1, 0.6, 0.6)
"""Legs without ankles, as of quadrupeds: all joints but the last, and the last (mjlab's for the Go1)."""


def tolerances(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot, joints: Sequence[str]) -> dict[str, Tolerance]:
    """A tolerance for each of `joints`, the robot standing in `data`."""
    legs = {name: (place.joints, i) for place in robot.places for i, name in enumerate(place.joints)}
    ends = {model.joint(j).bodyid[0] for j in joints if j not in legs}
    found = {}
    for name in joints:
        joint = model.joint(name).id
        if name in legs:
            found[name] = _of_leg(*legs[name], pitches=bool(abs(data.xaxis[joint, 1]) > np.sqrt(0.5)))
        else:
            body = int(model.jnt_bodyid[joint])
            carries = sum(body in ancestors(model, int(end)) for end in ends)
            found[name] = WAIST if carries > len(ends) / 2 else ARM
    return found


def _of_leg(joints: Sequence[str], place: int, *, pitches: bool) -> Tolerance:
    if len(joints) < LONG_LEG:
        return SHORT_LAST if place == len(joints) - 1 else SHORT
    if place >= len(joints) - 2:
        return ANKLE_PITCH if pitches else ANKLE_SIDE
    return PITCH if pitches else SIDE
