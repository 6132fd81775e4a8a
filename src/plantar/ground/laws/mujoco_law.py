"""The law that MuJoCo realises from `solref` and `solimp` (Gora and Dutta, eqs. 12-28)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_positive
from plantar.ground.laws.impedance import (
    DEFAULT_SOLIMP,
    DEFAULT_SOLREF,
    TINY,
    SolImp,
    SolRef,
    case_of,
    clamped,
    impedance,
)
from plantar.ground.laws.law import Array, Law, broadcast


@dataclass(frozen=True, kw_only=True)
class MujocoLaw(Law):
    """The normal force of MuJoCo's contacts, row by row as the engine computes it.

    With the impedance d(r), the reference acceleration `aref = b v + k r` (positive: pushing out) and the
    regulariser `R = Ahat (1 - d) / d`, each contact obeys `R f = aref + a`, where `a` is the acceleration
    with which the contact really sinks. Hence two readings of one law:

    - **inverse**, `force(depth, speed, acceleration)`: motion given, `f = (aref + a) / R`. At rest this is
      `aref / R`, the static force-depth curve.
    - **forward**, `forward_force(depth, speed, free_acceleration)`: `a` is not known, only the acceleration
      `a0` with which the foot would sink if there were no contact; `f = (aref + a0) / (A + R)`.
    """

    solref: SolRef = DEFAULT_SOLREF
    """(time constant [s], damping ratio), or both <= 0: (-stiffness [1/s^2], -damping [1/s])."""
    solimp: SolImp = DEFAULT_SOLIMP
    """(d0, d_width, width [m], midpoint, power)."""
    effective_mass: float
    """Inertia of one contact as the solver takes it, 1 / efc_diagA [kg]; of a free body its mass."""
    contacts: int = 1
    """Equal contacts that act together; forces are of all of them."""
    timestep: float = 0.0
    """Time step [s]; a time constant below two of them is raised to two, as flag `refsafe` does. 0: not raised."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        numbers = (*self.solref, *self.solimp)
        require(len(self.solref) == 2, "solref", self.solref, "two numbers")
        require(len(self.solimp) == 5, "solimp", self.solimp, "five numbers")
        require(all(map(math.isfinite, numbers)), "solref or solimp", numbers, "finite numbers")
        same = (self.solref[0] > 0) == (self.solref[1] > 0)
        require(same, "solref", self.solref, "two numbers above 0, or two that are 0 or below")
        require_positive(self, "", ("effective_mass",))
        require(self.contacts >= 1, "contacts", self.contacts, "an integer from 1")
        require(self.timestep >= 0, "timestep", self.timestep, "0 or a time step above it [s]")

    @property
    def inverse_inertia(self) -> float:
        """Ahat of one contact, the engine's efc_diagA [1/kg]."""
        return 1.0 / self.effective_mass

    @property
    def gains(self) -> tuple[float, float]:
        """Stiffness before the factor d(r) [1/s^2] and damping b [1/s] of the reference acceleration."""
        first, second = self.solref
        dw = float(clamped(self.solimp)[1])
        if first > 0:
            first = max(first, 2 * self.timestep)
            return 1 / max(TINY, (dw * first * second) ** 2), 2 / max(TINY, dw * first)
        return -first / max(TINY, dw**2), -second / max(TINY, dw)

    def impedance(self, depth: ArrayLike) -> Array:
        """Impedance d at `depth` [m]."""
        return impedance(self.solimp, depth)[0]

    def case(self, depth: ArrayLike) -> np.ndarray:
        """The paper's case of r, 1 to 3, at `depth` [m]."""
        return case_of(self.solimp, depth)

    def reference(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Reference acceleration aref, positive out of the ground [m/s^2]."""
        k, b = self.gains
        depth, speed = broadcast(depth, speed)
        return b * speed + k * self.impedance(depth) * depth

    def regulariser(self, depth: ArrayLike) -> Array:
        """R of one contact, the engine's efc_R [1/kg]."""
        d = self.impedance(depth)
        return np.maximum(TINY, self.inverse_inertia * (1 - d) / d)

    def force(self, depth: ArrayLike, speed: ArrayLike = 0.0, acceleration: ArrayLike = 0.0) -> Array:
        """Normal force of all contacts in a given motion: the inverse form [N].

        Args:
            depth: Penetration [m].
            speed: Sinking speed [m/s].
            acceleration: Acceleration of sinking that the contact really has [m/s^2]; 0 for the static law.
        """
        depth, speed = broadcast(depth, speed)
        each = (self.reference(depth, speed) + np.asarray(acceleration, dtype=float)) / self.regulariser(depth)
        return np.where(depth > 0, np.maximum(0.0, self.contacts * each), 0.0)[()]

    def forward_force(
        self,
        depth: ArrayLike,
        speed: ArrayLike = 0.0,
        free_acceleration: ArrayLike = 9.81,
        inverse_inertia: float | None = None,
    ) -> Array:
        """Normal force of all contacts in forward dynamics [N].

        Args:
            depth: Penetration [m].
            speed: Sinking speed [m/s].
            free_acceleration: Acceleration of sinking without any contact force [m/s^2]; falling: gravity.
            inverse_inertia: What a unit force at every contact adds to the acceleration of each (a row sum
                of J M^-1 J^T) [1/kg]; None: `contacts * Ahat`, right for a free body that does not turn.
        """
        depth, speed = broadcast(depth, speed)
        a = self.contacts * self.inverse_inertia if inverse_inertia is None else inverse_inertia
        each = (self.reference(depth, speed) + np.asarray(free_acceleration, dtype=float)) / (
            a + self.regulariser(depth)
        )
        return np.where(depth > 0, np.maximum(0.0, self.contacts * each), 0.0)[()]

    def stiffness_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative by depth of the force at zero acceleration [N/m]."""
        k, b = self.gains
        depth, speed = broadcast(depth, speed)
        d, slope = impedance(self.solimp, depth)
        aref = b * speed + k * d * depth
        each = k * (d + slope * depth) * d / (1 - d) + aref * slope / (1 - d) ** 2
        return self._where_pushing(depth, speed, each)

    def damping_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative by speed of the force at zero acceleration [N s/m]."""
        depth, speed = broadcast(depth, speed)
        d = self.impedance(depth)
        return self._where_pushing(depth, speed, self.gains[1] * d / (1 - d))

    def added_mass(self, depth: ArrayLike) -> Array:
        """Derivative of the force by acceleration: what the contacts add to the inertia [kg]."""
        return (self.contacts / self.regulariser(depth))[()]

    def _where_pushing(self, depth: Array, speed: Array, each: Array) -> Array:
        scale = self.contacts * self.effective_mass
        return np.where(np.asarray(self.force(depth, speed)) > 0, scale * each, 0.0)[()]
