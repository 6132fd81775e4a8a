"""Planar robots with telescopic legs and series-elastic motors: hopper, biped, quadruped."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar._fields import to_record
from plantar.gait.motor import Motor
from plantar.gait.rubber import BALL_RADIUS, GRAVITY, RubberContact

RAMONE_MASS = 10.5
"""Mass of RAMone [kg], facts of its model files."""


@dataclass(frozen=True, kw_only=True)
class LeggedRobot(Checked):
    """A torso on telescopic legs, in units of total mass, leg length and gravity.

    Coordinates: x, y (torso's centre, which is the hip of the hopper), pitch, then hip angle and leg length of each
    leg, then the motor positions of each leg. Angles turn the foot forward. A leg hangs from its hip with the angle
    pitch + hip; its foot is a ball around the leg's end that rolls without slip in rigid stance.
    """

    name: ClassVar[str] = "legged"

    torso_mass: float = 0.7
    """Mass of the torso."""
    torso_inertia: float = 0.4
    """Inertia of the torso about its centre."""
    upper_mass: float = 0.2
    """Mass of one upper leg."""
    upper_inertia: float = 0.004
    """Inertia of one upper leg about its own centre."""
    lower_mass: float = 0.1
    """Mass of one lower leg with its foot."""
    lower_inertia: float = 0.004
    """Inertia of one lower leg about its own centre."""
    upper_centre: float = 0.25
    """From hip to the upper leg's centre of mass."""
    lower_centre: float = 0.25
    """From the foot's centre up to the lower leg's centre of mass."""
    foot_radius: float = 0.05
    """Radius of the foot."""
    hips: tuple[float, ...] = (0.0,)
    """Where along the torso each leg is, forward of its centre."""
    leg_stiffness: float = 20.0
    """Series spring of a leg."""
    hip_stiffness: float = 10.0
    """Series spring of a hip."""
    damping_ratio: float = 0.2
    """Of both springs, with the lower leg and the swinging leg as their masses."""
    leg_motor: Motor = Motor(no_load_speed=0.5)
    """Motor along the leg; its speed is that of Remy's 1-D hopper."""
    hip_motor: Motor = Motor(no_load_speed=1.88)
    """Motor at the hip; 7.84 rad/s of RAMone's in these units."""
    leg_range: tuple[float, float] = (0.5, 1.15)
    """Shortest and longest leg, hip to foot's centre."""
    hip_range: tuple[float, float] = (-math.pi / 2, math.pi / 2)
    """Smallest and largest hip angle [rad]."""
    motor_range: float = 0.15
    """Travel of the leg's motor to either side."""
    unit_mass: float = RAMONE_MASS
    """What one unit of mass is [kg]; brings the SI law of a real foot into these units."""
    unit_length: float = BALL_RADIUS / 0.05
    """What one unit of length is [m]; with this one a foot of radius 0.05 is the racquetball."""
    contact: RubberContact = field(default_factory=RubberContact)
    """Law of the feet in SI units."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        numbers = [f for f in self.__dataclass_fields__ if type(getattr(self, f)) in (int, float)]
        require_positive(self, "", [f for f in numbers if f != "damping_ratio"])
        require(self.damping_ratio >= 0, "damping_ratio", self.damping_ratio, "a number that is 0 or above")
        require(len(self.hips) >= 1, "hips", self.hips, "the place of at least one leg")
        low, high = self.leg_range
        require(0 < low < 1 < high, "leg_range", self.leg_range, "a length below 1 and one above")

    @property
    def legs(self) -> int:
        """Number of legs."""
        return len(self.hips)

    @property
    def mass(self) -> float:
        """Total mass; 1 for the models of the literature."""
        return self.torso_mass + self.legs * (self.upper_mass + self.lower_mass)

    @property
    def leg_damping(self) -> float:
        """Damper of a leg's series spring."""
        return 2 * self.damping_ratio * math.sqrt(self.leg_stiffness * self.lower_mass)

    @property
    def hip_damping(self) -> float:
        """Damper of a hip's series spring."""
        lower = self.lower_inertia + (1 - self.lower_centre) ** 2 * self.lower_mass
        upper = self.upper_inertia + self.upper_centre**2 * self.upper_mass
        return 2 * self.damping_ratio * math.sqrt(self.hip_stiffness * (lower + upper))

    @property
    def law(self) -> RubberContact:
        """Law of the feet in the robot's own units."""
        return self.contact.normalised(mass=self.unit_mass, length=self.unit_length)

    @property
    def unit_time(self) -> float:
        """What one unit of time is [s]."""
        return math.sqrt(self.unit_length / GRAVITY)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, motors last."""
        tags = [""] if self.legs == 1 else [f"_{tag}" for tag in self.leg_names]
        joints = [f"{part}{tag}" for tag in tags for part in ("hip", "leg")]
        return ("x", "y", "pitch", *joints, *(f"motor_{joint}" for joint in joints))

    @property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs."""
        return ("left", "right") if self.legs == 2 else ("LF", "RF", "LH", "RH")[: self.legs]

    @property
    def mirror(self) -> tuple[int, ...]:
        """For each leg the one that takes its place half a stride later."""
        return tuple(range(self.legs))

    def to_dict(self) -> dict[str, Any]:
        """The robot as plain data."""
        return {"robot": self.name, **to_record(self)}


@dataclass(frozen=True, kw_only=True)
class Hopper(LeggedRobot):
    """Remy's one-legged hopper, seven coordinates with its two motors; the robot of Raff and Remy's Figure 4."""

    name: ClassVar[str] = "hopper"


@dataclass(frozen=True, kw_only=True)
class Biped(LeggedRobot):
    """Remy's prismatic biped: the hopper's leg split into two, each with half its motors."""

    name: ClassVar[str] = "biped"

    upper_mass: float = 0.1
    upper_inertia: float = 0.002
    lower_mass: float = 0.05
    lower_inertia: float = 0.002
    hips: tuple[float, ...] = (0.0, 0.0)
    leg_motor: Motor = Motor(no_load_speed=0.5, size=0.5)
    hip_motor: Motor = Motor(no_load_speed=1.88, size=0.5)
    hip_stiffness: float = 5.0

    @property
    def mirror(self) -> tuple[int, ...]:
        """The legs change places."""
        return (1, 0)


@dataclass(frozen=True, kw_only=True)
class Quadruped(LeggedRobot):
    """A planar quadruped in the manner of RAMbi: the biped's legs, halved again, at both ends of the torso.

    Masses and links of RAMbi are not published; torso and legs share the mass as in the biped, and the hips are 1.0
    apart. Legs: left front, right front, left hind, right hind.
    """

    name: ClassVar[str] = "quadruped"

    upper_mass: float = 0.05
    upper_inertia: float = 0.001
    lower_mass: float = 0.025
    lower_inertia: float = 0.001
    hips: tuple[float, ...] = (0.5, 0.5, -0.5, -0.5)
    leg_stiffness: float = 10.0
    hip_stiffness: float = 2.5
    leg_motor: Motor = Motor(no_load_speed=0.5, size=0.25)
    hip_motor: Motor = Motor(no_load_speed=1.88, size=0.25)

    @property
    def mirror(self) -> tuple[int, ...]:
        """Left and right change places."""
        return (1, 0, 3, 2)


ROBOTS = {cls.name: cls for cls in (Hopper, Biped, Quadruped)}
"""Built-in robots by name."""
