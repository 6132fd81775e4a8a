"""The law of Hunt and Crossley: a power of the depth, with damping that grows with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_positive
from plantar.ground.laws.law import Array, Law, broadcast


@dataclass(frozen=True, kw_only=True)
class HuntCrossley(Law):
    """`force = (stiffness + damping * speed) * depth ** exponent`, never negative.

    The exponent of a ball on a plane is 3/2 (Hertz). Gora and Dutta print 3/8, but their units (N m^-3/2) and their
    Figure 3, 9.81 N at 10 mm with 9810 N m^-3/2, are those of 3/2.
    """

    stiffness: float
    """Stiffness [N/m^exponent]."""
    damping: float = 0.0
    """Damping [N s/m^(exponent + 1)]."""
    exponent: float = 1.5
    """Power of the depth, 1 or above."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("stiffness",))
        ok = math.isfinite(self.damping) and self.damping >= 0
        require(ok, "damping", self.damping, "a number that is 0 or above [N s/m^(exponent + 1)]")
        require(math.isfinite(self.exponent) and self.exponent >= 1, "exponent", self.exponent, "a number from 1")

    def force(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Normal force [N]."""
        depth, speed = broadcast(depth, speed)
        return (np.maximum(0.0, self.stiffness + self.damping * speed) * self._power(depth, self.exponent))[()]

    def stiffness_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by depth [N/m]."""
        depth, speed = broadcast(depth, speed)
        slope = self.exponent * self._power(depth, self.exponent - 1)
        return (np.maximum(0.0, self.stiffness + self.damping * speed) * slope)[()]

    def damping_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by speed [N s/m]."""
        depth, speed = broadcast(depth, speed)
        pushing = self.stiffness + self.damping * speed > 0
        return np.where(pushing, self.damping * self._power(depth, self.exponent), 0.0)[()]

    @staticmethod
    def _power(depth: Array, exponent: float) -> Array:
        return np.where(depth > 0, np.maximum(depth, 0.0) ** exponent, 0.0)
