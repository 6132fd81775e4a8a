"""A quadruped's legs: where they reach, how far from the end of reach they are, and where their links are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_choice, require_positive
from plantar._config import Checked

LegName = Literal["LF", "RF", "LH", "RH"]
LEGS: tuple[LegName, ...] = ("LF", "RF", "LH", "RH")
"""Left front, right front, left hind, right hind."""
Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Quadruped(Checked):
    """Legs of three hinges: hip roll (HAA, about x), hip pitch (HFE) and knee (KFE, about y).

    All legs are mirror images of the left front one; the knees of front legs point back, those of hind legs
    forward. The defaults are ANYmal C's as in MuJoCo Menagerie (ANYbotics, BSD-3), rounded.
    """

    hip: Vector = (0.2999, 0.104, 0.0)
    """Left front HAA hinge, in the base's frame [m]."""
    hip_forward: float = 0.0599
    """From the HAA to the HFE hinge, away from the robot's middle [m]."""
    thigh_out: float = 0.0838
    """From the HAA axis to the start of the thigh, outwards [m]."""
    knee_out: float = 0.1841
    """From the HAA axis to the knee, outwards [m]."""
    foot_out: float = 0.1971
    """From the HAA axis to the leg's end, outwards [m]."""
    thigh: float = 0.285
    """From the HFE to the KFE hinge [m]."""
    shank: float = 0.3275
    """From the KFE hinge to the leg's end [m]."""
    roll_range: tuple[float, float] = (-0.72, 0.49)
    """Hip roll inwards and outwards [rad]."""
    knee_range: tuple[float, float] = (0.15, 2.6)
    """Bend of the knee, 0 is straight [rad]."""
    thigh_radius: float = 0.045
    """Radius of the thigh as a capsule [m]."""
    shank_radius: float = 0.025
    """Radius of the shank as a capsule [m]."""
    ankle_free: float = 0.05
    """This much of the shank above the leg's end is not checked against the ground [m]."""
    stand_height: float = 0.50
    """Height of the base over the ground when the robot stands [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("thigh", "shank", "foot_out", "thigh_radius", "shank_radius", "stand_height"))
        low, high = self.roll_range
        ok = -math.pi / 2 < low < high < math.pi / 2
        require(ok, "roll_range", self.roll_range, "two rising angles in radians within +-pi/2")
        low, high = self.knee_range
        require(0 <= low < high <= math.pi, "knee_range", self.knee_range, "two rising angles from 0 to pi [rad]")
        for name in ("hip", "thigh", "shank", "foot_out", "stand_height"):
            value = getattr(self, name)
            most = max(map(abs, value)) if isinstance(value, tuple) else abs(value)
            require(most <= 5, name, value, "metres, 5 at most")

    @classmethod
    def anymal_b(cls) -> Quadruped:
        """ANYmal B as in MuJoCo Menagerie; hip limits are those of C, since its file has none."""
        return cls(
            hip=(0.277, 0.116, 0.0),
            hip_forward=0.0635,
            thigh_out=0.041,
            knee_out=0.150,
            foot_out=0.130,
            thigh=0.250,
            shank=math.hypot(0.298, 0.100),
            stand_height=0.45,
        )

    @property
    def reach(self) -> tuple[float, float]:
        """Least and largest distance of the leg's end from the HFE axis' crossing with the HAA axis [m]."""
        lengths = []
        for bend in (self.knee_range[1], self.knee_range[0]):
            square = self.thigh**2 + self.shank**2 + 2 * self.thigh * self.shank * math.cos(bend)
            lengths.append(math.sqrt(square + self.foot_out**2))
        return lengths[0], lengths[1]

    def sides(self, leg: LegName) -> tuple[int, int]:
        """(1 front or -1 hind, 1 left or -1 right)."""
        require_choice("leg", leg, LEGS)
        return (1 if leg[1] == "F" else -1), (1 if leg[0] == "L" else -1)

    def hip_of(self, leg: LegName) -> np.ndarray:
        """The HAA hinge of a leg in the base's frame [m], (3,)."""
        front, left = self.sides(leg)
        x, y, z = self.hip
        return np.array([front * x, left * y, z])

    def nominal(self, leg: LegName, height: float | None = None) -> np.ndarray:
        """Leg's end under the hip in the base's frame when standing [m], (3,)."""
        front, left = self.sides(leg)
        x, y, z = self.hip_of(leg)
        drop = self.stand_height if height is None else height
        return np.array([x + front * self.hip_forward, y + left * self.foot_out, z - drop])

    def margin(self, leg: LegName, points: ArrayLike) -> np.ndarray:
        """Distance from leg's ends to the end of the leg's reach [m]; negative where they are out of it.

        The workspace is bounded by two spheres (knee straight and folded), the cylinder of the hip's offset and
        two planes (hip roll at its limits); the distance to each is exact. It is the radius of a ball of points
        that can all be reached, the largest where the nearest point of the nearest surface is itself in reach.

        Args:
            leg: Which leg.
            points: Leg's ends in the base's frame (..., 3) [m].
        """
        x, y, z = self._local(leg, points)
        inner, outer = self.reach
        d, (low, high) = self.foot_out, self.roll_range
        far = np.sqrt((x - self.hip_forward) ** 2 + y**2 + z**2)
        found = np.minimum(outer - far, far - inner)
        found = np.minimum(found, np.hypot(y, z) - d)
        found = np.minimum(found, d - (y * math.cos(high) + z * math.sin(high)))
        return np.minimum(found, (y * math.cos(low) + z * math.sin(low)) - d)

    def inverse(self, leg: LegName, points: ArrayLike) -> np.ndarray:
        """Hip roll (outwards), hip pitch (front down) and knee of leg's ends (..., 3) [rad]; NaN out of reach.

        Args:
            leg: Which leg.
            points: Leg's ends in the base's frame (..., 3) [m].
        """
        x, y, z = self._local(leg, points)
        front, _ = self.sides(leg)
        d, a, b = self.foot_out, self.thigh, self.shank
        with np.errstate(invalid="ignore"):
            down = np.sqrt(y**2 + z**2 - d**2)
            roll = np.arctan2(y, -z) - np.arctan2(d, down)
            ahead = x - self.hip_forward
            far = np.hypot(ahead, down)
            bend = np.arccos((far**2 - a**2 - b**2) / (2 * a * b))
            lead = np.arccos((a**2 + far**2 - b**2) / (2 * a * far))
        # Seen from the robot's middle all legs are front legs: the knee is on the inner side of the foot.
        swing = np.arctan2(ahead, down) - lead
        angles = np.stack([roll, -front * swing, -front * bend], axis=-1)
        inside = np.asarray(self.margin(leg, points) >= 0)
        return np.where(inside[..., None], angles, np.nan)

    def forward(self, leg: LegName, angles: ArrayLike) -> np.ndarray:
        """Start of the thigh, knee and leg's end of hip roll, hip pitch and knee (..., 3) -> (..., 3, 3) [m]."""
        roll, pitch, knee = np.moveaxis(np.asarray(angles, float), -1, 0)
        front, left = self.sides(leg)
        swing, bend = -front * pitch, -front * knee
        zero = np.zeros_like(roll)
        knee_x, knee_z = self.thigh * np.sin(swing), self.thigh * np.cos(swing)
        end_x = knee_x + self.shank * np.sin(swing + bend)
        end_z = knee_z + self.shank * np.cos(swing + bend)
        points = []
        for ahead, out, down in (
            (zero, self.thigh_out, zero),
            (knee_x, self.knee_out, knee_z),
            (end_x, self.foot_out, end_z),
        ):
            y = out * np.cos(roll) + down * np.sin(roll)
            z = out * np.sin(roll) - down * np.cos(roll)
            points.append(np.stack([front * (self.hip_forward + ahead), left * y, z], axis=-1))
        return np.stack(points, axis=-2) + self.hip_of(leg)

    def _local(self, leg: LegName, points: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points from the hip, with x away from the robot's middle and y outwards."""
        front, left = self.sides(leg)
        p = np.asarray(points, float) - self.hip_of(leg)
        return front * p[..., 0], left * p[..., 1], p[..., 2]


@dataclass(frozen=True, kw_only=True)
class Stance(Checked):
    """Where the robot is while it looks for a foothold; its base is level."""

    position: Vector = (0.0, 0.0, 0.5)
    """Middle of the base in the map's frame [m]."""
    yaw: float = 0.0
    """Heading in the map's frame [rad]."""
    feet: Mapping[str, Vector] = field(default_factory=dict)
    """Leg's ends of other legs in the map's frame [m]; those not given are at their nominal places."""

    def __post_init__(self) -> None:
        """Check every field."""
        for name, point in self.feet.items():
            require_choice("feet", name, LEGS)
            ok = len(point) == 3 and all(math.isfinite(v) for v in point)
            require(ok, f"feet[{name}]", point, "x, y and z in metres")

    @property
    def rotation(self) -> np.ndarray:
        """Axes of the base in the map's frame, (3, 3)."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])

    def to_map(self, points: ArrayLike) -> np.ndarray:
        """Points of the base's frame in the map's (..., 3)."""
        return np.asarray(points, float) @ self.rotation.T + np.array(self.position)

    def to_base(self, points: ArrayLike) -> np.ndarray:
        """Points of the map's frame in the base's (..., 3)."""
        return (np.asarray(points, float) - np.array(self.position)) @ self.rotation

    @classmethod
    def under_hip(cls, robot: Quadruped, leg: LegName, height: float | None = None) -> Stance:
        """The robot with the nominal place of a leg's end over the map's origin, hips `height` above z = 0."""
        x, y, _ = robot.nominal(leg)
        drop = robot.stand_height if height is None else height
        return cls(position=(-float(x), -float(y), drop - robot.hip[2]))
