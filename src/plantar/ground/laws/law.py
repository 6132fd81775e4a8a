"""What every contact law is: force, stiffness and damping as functions of depth and speed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plantar._checks import require
from plantar._config import Checked
from plantar.errors import InvalidInput

Array = NDArray[np.float64]

DEEPEST = 10.0
"""Where the search for a static depth gives up [m]."""


class Law(Checked, ABC):
    """A normal contact force that depends on how deep and how fast a foot sinks.

    Depth and speed count positive into the ground. Arrays of any shapes that broadcast are fine. The
    force is never negative (the ground does not pull) and zero out of contact; both derivatives are
    exact and zero wherever the force is.
    """

    @abstractmethod
    def force(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Normal force [N] at `depth` [m] and sinking `speed` [m/s]."""

    @abstractmethod
    def stiffness_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by depth [N/m]."""

    @abstractmethod
    def damping_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by speed [N s/m]."""

    def static_depth(self, load: float) -> float:
        """Depth at which the force at rest carries `load` [m].

        Args:
            load: Force to carry [N].

        Raises:
            InvalidInput: If the load is not above zero, or the law cannot carry it.
        """
        require(math.isfinite(load) and load > 0, "load", load, "a force above 0 [N]")
        deep = 1e-6
        while float(self.force(deep)) < load:
            deep *= 2
            if deep > DEEPEST:
                raise InvalidInput(f"load = {load:g} N is not carried within {DEEPEST:g} m: give a stiffer law")
        return root_between(lambda depth: float(self.force(depth)) - load, 0.0, deep)


def root_between(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that changes its sign between `low` and `high` is zero."""
    from scipy.optimize import brentq  # noqa: PLC0415  (slow to load, and few need it)

    return float(brentq(function, low, high, xtol=1e-15, rtol=1e-13))  # type: ignore[arg-type]


def broadcast(depth: ArrayLike, speed: ArrayLike) -> tuple[Array, Array]:
    """Depth and speed as float arrays of one shape."""
    return np.broadcast_arrays(np.asarray(depth, dtype=float), np.asarray(speed, dtype=float))  # type: ignore[return-value]
