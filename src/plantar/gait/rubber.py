"""The rubber foot's own contact law: Raff and Remy normal to the ground, Neunert et al. along it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_positive
from plantar.gait import _formulas as formulas
from plantar.ground.laws.law import Array, Law, broadcast

GRAVITY = 9.81
"""Gravity of every SI figure of this room [m/s^2]."""
BALL_RADIUS, BALL_MASS, BALL_STIFFNESS = 0.0282, 0.075, 1282.0
"""The racquetball foot of StarlETH, RAMone and RAMbi [m, kg, m g / r^2]; Raff and Remy."""


class TangentSlopes(NamedTuple):
    """Derivatives of the tangential force."""

    depth: Array
    """By depth [N/m]."""
    speed: Array
    """By sinking speed [N s/m]."""
    slip: Array
    """By slip velocity [N s/m]."""
    deflection: Array
    """By deflection [N/m]."""


@dataclass(frozen=True, kw_only=True)
class RubberContact(Law):
    """Quadratic spring, saturating damper, smooth transition; anchored tangential spring with a friction limit.

    The normal law is eq. 1 of Raff and Remy (ICRA workshop 2023), the tangential one eq. 10 of Neunert et al. (RA-L
    2017) with its damping read as `d_t` in every branch and its friction limit as the smaller of the two forces. Both
    are continuously differentiable, and the ground never pulls. The defaults are the racquetball foot in SI units;
    `stiffness` is published, the other numbers are choices explained beside them.
    """

    stiffness: float = BALL_STIFFNESS * BALL_MASS * GRAVITY / BALL_RADIUS**2
    """k_N: normal force over depth squared [N/m^2]. 1282 m g / r^2 of the racquetball."""
    damping: float = 15.16
    """d_N1: largest damping force [N]. Not printed in Raff and Remy; with this one a bare 40 g racquetball dropped from
    100 inches bounces to 70, the middle of the range of the sport's rule 2.2."""
    damping_speed: float = 0.1
    """d_N2: speed scale of the damper [m/s]; at twice this speed it gives 76 % of its force. A choice."""
    tangential_stiffness: float = 2.5e6
    """k_t: tangential stiffness per metre of depth [N/m^2]. A choice within the 0 to 5e6 of Neunert et al.; it
    makes a loaded foot about as stiff along the ground as across it."""
    tangential_damping: float = 5e3
    """d_t: tangential damping per metre of depth [N s/m^2]. The upper end of Neunert et al."""
    smoothing_depth: float = 0.002
    """alpha_c: depth over which tangential forces fade in [m]. A choice; Neunert et al. have 0.01 for a robot of 80 kg
    or so."""
    friction: float = 0.8
    """mu: largest tangential over normal force. A choice."""
    release_rate: float = 200.0
    """How fast the anchor of the tangential spring follows a foot in the air or sliding [1/s]. Neunert et al. reset the
    anchor at touch-down instead, which cannot be differentiated."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("stiffness", "damping", "damping_speed", "smoothing_depth", "release_rate"))
        for name in ("tangential_stiffness", "tangential_damping", "friction"):
            value = getattr(self, name)
            require(math.isfinite(value) and value >= 0, name, value, "a number that is 0 or above")

    @property
    def transition_depth(self) -> float:
        """Depth from which the damper acts in full, sqrt(3 d_N1 / k_N) [m]; it keeps the force from pulling."""
        return math.sqrt(3.0 * self.damping / self.stiffness)

    @property
    def edge(self) -> float:
        """Force over which the corner of the friction limit is rounded [N]."""
        return formulas.EDGE * self.stiffness * self.smoothing_depth**2

    def force(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Normal force [N]."""
        depth, speed = broadcast(depth, speed)
        return formulas.normal(self, depth, speed, np)[()]

    def stiffness_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the normal force by depth [N/m]."""
        depth, speed = broadcast(depth, speed)
        damper = self.damping * np.tanh(speed / (2 * self.damping_speed))
        spring = 2 * self.stiffness * np.fmax(depth, 0.0)
        return (spring + damper * formulas.ramp_slope(depth, self.transition_depth, np))[()]

    def damping_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the normal force by speed [N s/m]."""
        depth, speed = broadcast(depth, speed)
        slope = (1 - np.tanh(speed / (2 * self.damping_speed)) ** 2) * self.damping / (2 * self.damping_speed)
        return (slope * formulas.ramp(depth, self.transition_depth, np))[()]

    def tangential_force(
        self, depth: ArrayLike, speed: ArrayLike, slip: ArrayLike, deflection: ArrayLike = 0.0
    ) -> Array:
        """Force along the ground on the foot [N], at `slip` [m/s] and `deflection` [m]."""
        p, v, s, x = _arrays(depth, speed, slip, deflection)
        return formulas.tangential(self, p, v, s, x, np)[()]

    def tangential_slopes(
        self, depth: ArrayLike, speed: ArrayLike, slip: ArrayLike, deflection: ArrayLike = 0.0
    ) -> TangentSlopes:
        """Derivatives of the tangential force."""
        p, v, s, x = _arrays(depth, speed, slip, deflection)
        pull = self.tangential_stiffness * x + self.tangential_damping * s
        share = formulas.gate(p, self.smoothing_depth, np)
        share_slope = np.fmin(np.fmax(p, 0.0), self.smoothing_depth) / self.smoothing_depth
        stick, limit = share * pull, self.friction * np.asarray(self.force(p, v))
        root = (limit**4 + stick**4 + self.edge**4) ** 1.25
        by_stick = -limit * (limit**4 + self.edge**4) / root
        by_limit = -stick * (stick**4 + self.edge**4) / root
        by_depth = by_stick * share_slope * pull + by_limit * self.friction * np.asarray(self.stiffness_at(p, v))
        by_speed = by_limit * self.friction * np.asarray(self.damping_at(p, v))
        by_slip = by_stick * share * self.tangential_damping
        return TangentSlopes(by_depth, by_speed, by_slip, by_stick * share * self.tangential_stiffness)

    def deflection_rate(self, depth: ArrayLike, speed: ArrayLike, slip: ArrayLike, deflection: ArrayLike) -> Array:
        """Time derivative of the deflection [m/s]."""
        p, v, s, x = _arrays(depth, speed, slip, deflection)
        return formulas.deflection_rate(self, p, v, s, x, np)[()]

    def dissipation(
        self, depth: ArrayLike, speed: ArrayLike, slip: ArrayLike = 0.0, deflection: ArrayLike = 0.0
    ) -> Array:
        """Power turned into heat [W]: by the normal damper, and by the tangential damper, release and sliding.

        The tangential part counts the spring's store at the present depth. Lifting or pressing a foot whose anchor
        is off centre changes that store without any normal force, as it does in the law of Neunert et al.
        """
        p, v, s, x = _arrays(depth, speed, slip, deflection)
        normal = (np.asarray(self.force(p, v)) - self.stiffness * np.fmax(p, 0.0) ** 2) * v
        elastic = self.tangential_force(p, v, 0.0, x)
        along = (elastic - self.tangential_force(p, v, s, x)) * s
        return (normal + along - elastic * formulas.release(self, p, v, s, x, np) * x)[()]

    def normalised(self, *, mass: float, length: float, gravity: float = GRAVITY) -> Self:
        """The same foot in units of a robot's mass, length and gravity.

        Args:
            mass: Unit of mass [kg].
            length: Unit of length [m].
            gravity: Unit of acceleration [m/s^2].
        """
        for name, value in (("mass", mass), ("length", length), ("gravity", gravity)):
            require(math.isfinite(value) and value > 0, name, value, "a number above 0")
        force, speed = mass * gravity, math.sqrt(gravity * length)
        return dataclasses.replace(
            self,
            stiffness=self.stiffness * length**2 / force,
            damping=self.damping / force,
            damping_speed=self.damping_speed / speed,
            tangential_stiffness=self.tangential_stiffness * length**2 / force,
            tangential_damping=self.tangential_damping * length * speed / force,
            smoothing_depth=self.smoothing_depth / length,
            release_rate=self.release_rate * length / speed,
        )

    def symbolic(self, depth: Any, speed: Any, slip: Any, deflection: Any) -> tuple[Any, Any, Any]:
        """Normal force, tangential force and deflection rate as CasADi expressions."""
        from plantar.gait._casadi import casadi  # noqa: PLC0415  (extra `gait`)

        ca = casadi()
        return (
            formulas.normal(self, depth, speed, ca),
            formulas.tangential(self, depth, speed, slip, deflection, ca),
            formulas.deflection_rate(self, depth, speed, slip, deflection, ca),
        )


def _arrays(*values: ArrayLike) -> list[Array]:
    return list(np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values)))
