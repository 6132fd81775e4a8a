"""RAMone's numbers, and planar robots that squat on its legs."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from plantar._checks import require_positive
from plantar._config import Checked
from plantar.gait._casadi import casadi
from plantar.gait.rubber import GRAVITY, RubberContact


@dataclass(frozen=True, kw_only=True)
class Ramone(Checked):
    """Segments and series springs of RAMone in SI units, on any number of legs.

    Numbers are those of the laboratory's own model files (nilssmit/MUSCOD_models, 2015). RAMbi, the quadruped of
    Raff and Remy's Figure 3, has no published masses; `quadruped()` puts four of RAMone's legs under two of its bodies.
    Coordinates: x, y of the body's centre, pitch, then hip and knee angle of each leg.
    """

    name: ClassVar[str] = "ramone"

    body_mass: float = 6.54
    """Main body [kg]."""
    body_inertia: float = 0.04
    """About its own centre [kg m^2]."""
    thigh_mass: float = 1.56
    """Each thigh [kg]."""
    thigh_inertia: float = 0.0085
    """About its own centre [kg m^2]."""
    shank_mass: float = 0.42
    """Each shank with foot [kg]."""
    shank_inertia: float = 0.0035
    """About its own centre [kg m^2]."""
    hip_drop: float = 0.137675
    """From the body's centre down to the hips [m]."""
    thigh: float = 0.200
    """Length of the thigh [m]."""
    shank: float = 0.2385
    """Knee to foot centre [m]."""
    thigh_centre: float = 0.016
    """Hip to the thigh's centre of mass [m]."""
    shank_centre: float = 0.080
    """Knee to the shank's centre of mass [m]."""
    foot_radius: float = 0.0282
    """Radius of the foot [m]."""
    hip_stiffness: float = 70.0
    """Series spring of a hip [N m/rad]."""
    hip_damping: float = 7.0
    """Its damper [N m s/rad]."""
    knee_stiffness: float = 36.0
    """Series spring of a knee, the soft zone that the series branch of the model uses [N m/rad]."""
    knee_damping: float = 1.0
    """Its damper [N m s/rad]."""
    hips: tuple[float, ...] = (0.0, 0.0)
    """Where along the body each leg is [m]."""
    names: tuple[str, ...] = ("L", "R")
    """Names of the legs."""
    knees: tuple[int, ...] = (-1, -1)
    """Which way each knee bends: -1 with the knee in front of the leg, 1 with it behind."""
    guided: tuple[str, ...] = ("pitch",)
    """Of x and pitch, what a boom or a slide holds: feet in one place cannot balance a body open loop."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", [f.name for f in fields(self) if f.type == "float"])

    @classmethod
    def quadruped(cls) -> Ramone:
        """Four legs, 0.5 m between front and hind hips, the mass of two bodies spread over that length.

        Front and hind knees bend towards each other, so that sagging springs do not carry the body away.
        """
        return cls(
            body_mass=2 * 6.54,
            body_inertia=2 * (0.04 + 6.54 * 0.25**2),
            hips=(0.25, 0.25, -0.25, -0.25),
            names=("LF", "RF", "LH", "RH"),
            knees=(-1, -1, 1, 1),
            guided=(),
        )

    @classmethod
    def leg(cls) -> Ramone:
        """Half of RAMone on one leg and a vertical slide, as on a test stand."""
        return cls(body_mass=3.27, body_inertia=0.02, hips=(0.0,), names=("leg",), knees=(-1,), guided=("x", "pitch"))

    @property
    def legs(self) -> int:
        """Number of legs."""
        return len(self.hips)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return self.body_mass + self.legs * (self.thigh_mass + self.shank_mass)

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return 3 + 2 * self.legs

    @property
    def free(self) -> list[int]:
        """Coordinates that may move."""
        held = {"x": 0, "pitch": 2}
        return [i for i in range(self.size) if i not in {held[name] for name in self.guided}]

    def bent(self, knee: float, way: int = -1) -> tuple[float, float]:
        """Hip and knee angle with the foot under the hip, for a knee bent by `knee` [rad] the way of `knees`."""
        hip = math.atan2(self.shank * math.sin(knee), self.thigh + self.shank * math.cos(knee))
        return -way * hip, way * knee

    def terms(self) -> Any:
        """CasADi function: q, v -> mass matrix, bias, foot velocities' Jacobian, drift, foot places (x, gap)."""
        return _terms(self)


@functools.lru_cache(maxsize=8)
def _terms(robot: Ramone) -> Any:
    ca = casadi()
    q, v = ca.SX.sym("q", robot.size), ca.SX.sym("v", robot.size)
    points = [(robot.body_mass, robot.body_inertia, q[0], q[1], q[2])]
    place, turn = [], []
    for i, along in enumerate(robot.hips):
        x = q[0] + along * ca.cos(q[2]) + robot.hip_drop * ca.sin(q[2])
        y = q[1] + along * ca.sin(q[2]) - robot.hip_drop * ca.cos(q[2])
        upper = q[2] + q[3 + 2 * i]
        lower = upper + q[4 + 2 * i]
        for mass, inertia, a, b, angle in (
            (robot.thigh_mass, robot.thigh_inertia, robot.thigh_centre, 0.0, upper),
            (robot.shank_mass, robot.shank_inertia, robot.thigh, robot.shank_centre, lower),
        ):
            px = x + a * ca.sin(upper) + b * ca.sin(lower)
            py = y - a * ca.cos(upper) - b * ca.cos(lower)
            points.append((mass, inertia, px, py, angle))
        place.append(x + robot.thigh * ca.sin(upper) + robot.shank * ca.sin(lower))
        place.append(y - robot.thigh * ca.cos(upper) - robot.shank * ca.cos(lower) - robot.foot_radius)
        turn += [robot.foot_radius * lower, ca.SX(0)]
    kinetic = potential = 0
    for mass, inertia, px, py, angle in points:
        speed = ca.jtimes(ca.vertcat(px, py), q, v)
        kinetic += mass / 2 * ca.dot(speed, speed) + inertia / 2 * ca.jtimes(angle, q, v) ** 2
        potential += mass * GRAVITY * py
    momentum = ca.gradient(kinetic, v)
    bias = ca.jtimes(momentum, q, v) - ca.gradient(kinetic - potential, q)
    slip = ca.jtimes(ca.vertcat(*place) + ca.vertcat(*turn), q, v)
    outputs = [ca.jacobian(momentum, v), bias, ca.jacobian(slip, v), ca.jtimes(slip, q, v), ca.vertcat(*place)]
    return ca.Function("ramone", [q, v], [ca.densify(o) for o in outputs])


BUILT_IN = {"ramone": Ramone, "quadruped": Ramone.quadruped, "leg": Ramone.leg}
"""Robots that squat, by name."""

FOOT = RubberContact()
"""RAMone's foot is the racquetball."""


def rest(robot: Ramone, knee: float) -> np.ndarray:
    """Coordinates of a robot that stands with its knees bent and its feet just touching."""
    q = np.zeros(robot.size)
    for i, way in enumerate(robot.knees):
        q[3 + 2 * i : 5 + 2 * i] = robot.bent(knee, way)
    gap = float(np.asarray(robot.terms()(q, np.zeros(robot.size))[4])[1, 0])
    q[1] -= gap
    return q
