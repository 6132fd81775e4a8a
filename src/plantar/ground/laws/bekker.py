"""Bekker's pressure and sinkage of a plate on soil."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_positive
from plantar.ground.laws.law import Array, Law, broadcast


@dataclass(frozen=True, kw_only=True)
class BekkerLaw(Law):
    """`pressure = (k_c / width + k_phi) * depth ** n` under a flat plate, slowly and for the first time.

    It knows neither speed nor rebound: loading only.
    """

    k_c: float
    """Cohesive modulus [N/m^(n + 1)]."""
    k_phi: float
    """Frictional modulus [N/m^(n + 2)]."""
    n: float
    """Exponent of sinkage."""
    width: float
    """Shorter side of the plate [m]."""
    area: float
    """Area of the plate [m^2]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("k_phi", "n", "width", "area"))
        require(self.k_c >= 0, "k_c", self.k_c, "a number that is 0 or above")

    @property
    def modulus(self) -> float:
        """Force over depth to the n-th [N/m^n]."""
        return self.area * (self.k_c / self.width + self.k_phi)

    def force(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Normal force [N]; the speed has no part in it."""
        depth, _ = broadcast(depth, speed)
        return (self.modulus * np.maximum(depth, 0.0) ** self.n)[()]

    def stiffness_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by depth [N/m]."""
        depth, _ = broadcast(depth, speed)
        inside = np.where(depth > 0, depth, 1.0)
        return np.where(depth > 0, self.modulus * self.n * inside ** (self.n - 1), 0.0)[()]

    def damping_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Zero: the law is of slow loading."""
        return np.zeros_like(broadcast(depth, speed)[0])[()]

    def static_depth(self, load: float) -> float:
        """Depth at which the plate carries `load` [m]."""
        require(load > 0, "load", load, "a force above 0 [N]")
        return float((load / self.modulus) ** (1 / self.n))
