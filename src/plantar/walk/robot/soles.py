"""Soles as the controller knows them: patches on legs that can level them, points on legs that cannot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.feet import BallFoot

if TYPE_CHECKING:
    from plantar.robots import Place, Robot

Extent = tuple[float, float, float, float]
TIPPED = 1.5
"""How much further than within a few degrees of pitch the centre of pressure of a soft foot can move when it tips."""
LEVELLING = 5
"""Number of joints from which a leg can hold its sole level; for others the ground's force acts at a point."""
WHOLE = 6
"""Joints of a leg that can put its sole anywhere in any attitude."""
NAMES = {"left_front": "LF", "right_front": "RF", "left_hind": "LH", "right_hind": "RH"}
"""Legs of a quadruped by the names of its feet, in the order in which they are counted."""


@dataclass(frozen=True, kw_only=True)
class Sole:
    """One foot of the robot as the controller knows it."""

    name: str
    """Name of the place, as `left`."""
    site: int
    """Number of the site in the middle of what carries, or where the ground's force goes through."""
    body: int
    """Number of the link that carries it."""
    extent: Extent
    """Back, front, right and left end of what carries, from its middle; back and right are negative [m]."""
    outline: Extent
    """The same of the whole sole [m]."""
    joints: tuple[int, ...]
    """Places of the leg's joints among the robot's joints, hip to ankle."""
    point: bool = False
    """Whether the ground exerts only a force on it, no moment."""
    give: float = 0.0
    """How far a soft foot pitches for a moment about its middle; 0 of rigid ones [rad/(N m)]."""
    height: float = 0.0
    """Height of the site above the ground when the foot stands [m]."""
    ankle: float = 0.0
    """Height of the leg's end above the ground when the foot stands [m]."""

    @property
    def rolls(self) -> bool:
        """Whether the sole rolls with the leg, as legs without ankle roll do."""
        return not self.point and len(self.joints) < WHOLE


def ordered(robot: Robot) -> list[Place]:
    """The places of a robot in the order in which its legs are counted: left before right, front before hind."""
    names = list(NAMES)
    return sorted(robot.places, key=lambda p: names.index(p.name) if p.name in NAMES else -1)


def is_point(place: Place) -> bool:
    """Whether the ground's force acts at a point of a foot."""
    return 0 < len(place.joints) < LEVELLING


def carrying(place: Place) -> tuple[float, Extent, Extent]:
    """Where the middle of what carries is ahead of a place's site, and its ends and the whole sole's from there [m].

    A soft foot carries between heel and metatarsus; tipped further it still does on toes and heel edge, so that the
    centre of pressure may go somewhat beyond what a few degrees of pitch give, but not beyond the sole.
    """
    back, front, right, left = place.extent
    rear, fore = (place.support or place.extent)[:2]
    middle, half = (fore - rear) / 2, (fore + rear) / 2
    outline = (-back - middle, front - middle, -right, left)
    if place.foot is None or place.support is None or half > 0.9 * (back + front) / 2:
        return middle, (-half, half, -right, left), outline
    half = min(TIPPED * half, -outline[0], outline[1])
    return middle, (-half, half, -right, left), outline


def heights(robot: Robot, source: mujoco.MjModel, place: Place) -> tuple[float, float]:
    """Height above the sole of the point that the ground's force goes through, and of the leg's end [m].

    It is the middle of a ball, and the hinge about which a soft foot tips freely.
    """
    if isinstance(place.foot, BallFoot):
        return place.foot.radius, place.foot.radius
    data = mujoco.MjData(source)
    if robot.keyframe:
        data.qpos[:] = source.key(robot.keyframe).qpos
    mujoco.mj_kinematics(source, data)
    ground = float(data.site_xpos[source.site(place.site).id, 2])
    link = source.body(place.body).id
    inside = [b for b in range(source.nbody) if place.prefix and source.body(b).name.startswith(place.prefix)]
    if not inside:
        balls = [g for g in range(source.ngeom) if source.geom_bodyid[g] == link and _is_ball(source, g)]
        radius = min((float(source.geom_size[g, 0]) for g in balls), default=0.0)
        return radius, radius
    ankle = float(data.xpos[inside[0], 2]) - ground  # parents come before their children
    arch = mujoco.mj_name2id(source, mujoco.mjtObj.mjOBJ_BODY, f"{place.prefix}front_arch")
    return (float(data.xpos[arch, 2]) - ground if arch >= 0 else ankle), ankle


def _is_ball(source: mujoco.MjModel, geom: int) -> bool:
    return bool(source.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE and source.geom_contype[geom])


def heading_of(matrix: np.ndarray) -> float:
    """Turn about z of a frame given as nine numbers, row by row [rad]."""
    return math.atan2(matrix[3], matrix[0])
