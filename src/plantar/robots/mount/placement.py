"""Where the feet of a robot go: the frame of each, and the sole that follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.model.legs import Leg, leg_at
from plantar.model.shape import outlines
from plantar.model.tree import collides, geoms_of
from plantar.robots.mount.balance import Balance
from plantar.robots.old_foot import ankle_point, has_ankle, old_geoms, touching
from plantar.robots.place import Place
from plantar.robots.sole import Sole, find_sole


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The sole of a foot alone, from its ankle."""

    sole: Sole
    """The sole, level, in the frame of the foot."""
    radius: float
    """Radius of a foot that is a ball, else 0 [m]."""

    @property
    def reach(self) -> tuple[float, float]:
        """Rear and front end of the sole, in front of the ankle [m]."""
        middle, (back, front, _, _) = float(self.sole.middle[0]), self.sole.extent
        return middle - back, middle + front


@dataclass(frozen=True, kw_only=True)
class FootPlacement:
    """Where a foot goes, in the world and in the standing posture."""

    place: Place
    """The place, as the robot's own foot has it."""
    leg: Leg
    """The leg."""
    foot: Foot
    """The foot for this side."""
    shape: Shape
    """Its sole."""
    own: Sole
    """The old sole."""
    turned: np.ndarray
    """Axes of the foot before pitch, columns (3, 3); a ball at the end of a shank points along it."""
    origin: np.ndarray
    """Where the foot's ankle goes without offset (3,) [m]."""
    ankle: np.ndarray | None
    """The robot's ankle joint (3,) [m]; None for a foot at the end of a shank."""
    geoms: tuple[int, ...]
    """Geoms of the old foot."""

    @property
    def forward(self) -> np.ndarray:
        """Level direction in which the old sole points (3,); a centre of mass is above its projection along z."""
        level = self.own.axes[:, 0] * [1, 1, 0]
        return level / np.linalg.norm(level)

    @property
    def tilt(self) -> float:
        """Pitch of the old sole over level ground, toes down [rad]."""
        return -math.asin(float(self.own.axes[2, 0]))

    def frame(self, balance: Balance) -> tuple[np.ndarray, np.ndarray]:
        """Origin and axes of the foot."""
        c, s = math.cos(balance.pitch), math.sin(balance.pitch)
        turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        return self.origin + balance.offset * self.own.axes[:, 0], self.turned @ turn

    def sole(self, balance: Balance) -> Sole:
        """The new sole."""
        origin, axes = self.frame(balance)
        sole, up = self.shape.sole, np.array([0, 0, self.shape.radius])
        if sole.flat:
            return Sole(middle=origin + axes @ sole.middle, axes=axes, extent=sole.extent, flat=True)
        centre = origin + axes @ (sole.middle + up)  # whichever way a ball is turned, its lowest point is below that
        return Sole(middle=centre - self.own.axes @ up, axes=self.own.axes, extent=sole.extent, flat=False)


def shape_of(foot: Foot) -> Shape:
    """The sole of a foot alone.

    Raises:
        InvalidInput: If nothing of it can touch.
    """
    model = foot.model()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    bodies = {model.body(name).id for name in foot.contact_bodies}
    points = outlines(model, data, [g for g in geoms_of(model, bodies) if collides(model, g)])
    if not len(points):
        parts = ", ".join(foot.contact_bodies) or "none"
        raise InvalidInput(
            f"foot {foot.name!r} has nothing that can touch the ground: give its contact bodies ({parts}) geoms that "
            "collide"
        )
    sole = find_sole(points, 0.0, level=True)
    return Shape(sole=sole, radius=0.0 if sole.flat else float(np.ptp(points[:, 2])) / 2)


def placement_of(
    model: mujoco.MjModel, data: mujoco.MjData, base: int, place: Place, foot: Foot, shape: Shape
) -> FootPlacement:
    """Where a foot goes at one place of a robot in its standing posture.

    A foot on an ankle has its own ankle there, its sole centred sideways where the old one was. At the end of a shank
    the ankle goes to the middle of the old foot, so that the shank ends there; a ball takes the place of the old one.
    """
    leg = leg_at(model, base, model.body(place.body).id)
    site = data.site(place.site)
    own = Sole(middle=site.xpos.copy(), axes=site.xmat.reshape(3, 3).copy(), extent=place.extent, flat=True)
    joint = ankle_point(model, data, leg)
    local = own.axes.T @ (joint - own.middle)
    on_ankle, turned, middle = has_ankle(model, data, leg), own.axes, shape.sole.middle
    if on_ankle:
        origin = own.middle + own.axes @ [local[0], -middle[1], local[2]]
    elif shape.sole.flat:
        points = outlines(model, data, touching(model, data, leg))
        origin = (points.min(axis=0) + points.max(axis=0)) / 2
    else:
        up = np.array([0, 0, shape.radius])
        turned = _along(own.axes, local - up)
        origin = own.middle + own.axes @ up - turned @ (middle + up)
    return FootPlacement(
        place=place,
        leg=leg,
        foot=_sided(foot, place.name),
        shape=shape,
        own=own,
        turned=turned,
        origin=origin,
        ankle=joint if on_ankle else None,
        geoms=tuple(old_geoms(model, data, leg)),
    )


def _sided(foot: Foot, place: str) -> Foot:
    """The left or right one of a foot that has sides."""
    return foot.with_(side="left" if place.startswith("left") else "right") if hasattr(foot, "side") else foot


def _along(axes: np.ndarray, leg: np.ndarray) -> np.ndarray:
    """Axes turned by the least angle so that z points along `leg`, which is given in them."""
    z = leg / np.linalg.norm(leg)
    quat, turn = np.array([1 + z[2], -z[1], z[0], 0.0]), np.zeros(9)
    mujoco.mju_normalize4(quat)
    mujoco.mju_quat2Mat(turn, quat)
    return axes @ turn.reshape(3, 3)
