"""Pressure and sinkage of a plate on soil: Bekker's law, and one whose modulus grows with the plate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_positive
from plantar.ground.laws.law import Array, Law, broadcast

REFERENCE = 0.1
"""Diameter of a plate at which `k_phi` is the modulus, whatever the exponent of size [m]."""


@dataclass(frozen=True, kw_only=True)
class BekkerLaw(Law):
    """`pressure = (k_c / width + k_phi * (2 * width / 0.1) ** m) * depth ** n` under a flat plate, for the first time.

    With m = 0 it is Bekker's. Sand under soles of 6 to 10 cm needs m of about 1, as the bearing capacity of
    foundations does, which grows with their width; Bekker's form could follow that by a `k_c` below 0 alone, which is
    allowed as long as the modulus is above 0. The law has neither speed nor rebound: loading only.
    """

    k_c: float
    """Cohesive modulus [N/m^(n + 1)]."""
    k_phi: float
    """Frictional modulus [N/m^(n + 2)]; of a plate with `width` 0.05 m where `m` is not 0."""
    n: float
    """Exponent of sinkage."""
    m: float = 0.0
    """Exponent of size."""
    width: float
    """Twice the area of the plate over its girth: radius of a round one, half the side of a square, and nearly the
    shorter side of a long one [m]."""
    area: float
    """Area of the plate [m^2]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("k_phi", "n", "width", "area"))
        require(abs(self.m) <= 10, "m", self.m, "an exponent from -10 to 10")
        require(self.n <= 20, "n", self.n, "an exponent above 0, 20 at most")
        require(self.modulus > 0, "k_c", self.k_c, "a number with which the modulus of this plate is above 0")

    @property
    def modulus(self) -> float:
        """Force over depth to the n-th [N/m^n]."""
        return self.area * (self.k_c / self.width + self.k_phi * (2 * self.width / REFERENCE) ** self.m)

    def force(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Normal force [N]; independent of speed."""
        depth, _ = broadcast(depth, speed)
        return (self.modulus * np.maximum(depth, 0.0) ** self.n)[()]

    def stiffness_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by depth [N/m]."""
        depth, _ = broadcast(depth, speed)
        inside = np.where(depth > 0, depth, 1.0)
        return np.where(depth > 0, self.modulus * self.n * inside ** (self.n - 1), 0.0)[()]

    def damping_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Zero: the law is for slow loading."""
        return np.zeros_like(broadcast(depth, speed)[0])[()]

    def static_depth(self, load: float) -> float:
        """Depth at which the plate carries `load` [m]."""
        require(load > 0, "load", load, "a force above 0 [N]")
        return float((load / self.modulus) ** (1 / self.n))
