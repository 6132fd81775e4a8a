"""The linear spring and damper in SI units, and its conversion to and from MuJoCo."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_positive
from plantar.errors import InvalidInput
from plantar.ground.laws.impedance import MAX_IMPEDANCE, MIN_IMPEDANCE, SolImp, SolRef, Solver, clamped
from plantar.ground.laws.law import Array, Law, broadcast
from plantar.ground.laws.mujoco_law import MujocoLaw

SOFT_IMPEDANCE = 0.01
"""Impedance of a converted law: the contacts then add 1 % of the effective mass to what moves."""


@dataclass(frozen=True, kw_only=True)
class ContactLaw(Law):
    """`force = stiffness * depth + damping * speed`, never negative.

    MuJoCo realises it exactly with a constant impedance d. Its contacts then obey `f = stiffness * depth +
    damping * speed + m * acceleration`, where `m = contacts * effective_mass * d / (1 - d)` is the price of
    the solver's regularisation: nothing at rest, and in motion as little as d is small.
    """

    stiffness: float
    """Stiffness [N/m]."""
    damping: float = 0.0
    """Damping [N s/m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("stiffness",))
        ok = math.isfinite(self.damping) and self.damping >= 0
        require(ok, "damping", self.damping, "a number that is 0 or above [N s/m]")

    def force(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Normal force [N]."""
        depth, speed = broadcast(depth, speed)
        return np.where(depth > 0, np.maximum(0.0, self.stiffness * depth + self.damping * speed), 0.0)[()]

    def stiffness_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by depth [N/m]."""
        return np.where(np.asarray(self.force(depth, speed)) > 0, self.stiffness, 0.0)[()]

    def damping_at(self, depth: ArrayLike, speed: ArrayLike = 0.0) -> Array:
        """Derivative of the force by speed [N s/m]."""
        return np.where(np.asarray(self.force(depth, speed)) > 0, self.damping, 0.0)[()]

    def to_mujoco(self, *, effective_mass: float, contacts: int = 1, impedance: float = SOFT_IMPEDANCE) -> Solver:
        """The `solref` and `solimp` with which `contacts` contacts together follow this law.

        Args:
            effective_mass: Inertia of one contact as the solver takes it, 1 / efc_diagA [kg]; of a free body
                its mass. `plantar.ground.explain` reports it for any pair of geoms.
            contacts: Equal contacts that share the force: 1 for a ball on a plane, 4 for a box.
            impedance: Constant impedance d. The law at rest is the same for any; a smaller one adds less
                inertia in motion.
        """
        require(effective_mass > 0, "effective_mass", effective_mass, "a number above 0 [kg]")
        require(contacts >= 1, "contacts", contacts, "an integer from 1")
        allowed = f"a number from {MIN_IMPEDANCE:g} to {MAX_IMPEDANCE:g}"
        require(MIN_IMPEDANCE <= impedance <= MAX_IMPEDANCE, "impedance", impedance, allowed)
        scale = (1 - impedance) / (effective_mass * contacts)
        return Solver((-self.stiffness * scale, -self.damping * scale), (impedance, impedance, 0.001, 0.5, 2.0))

    @classmethod
    def from_mujoco(
        cls,
        solref: SolRef,
        solimp: SolImp,
        *,
        effective_mass: float,
        contacts: int = 1,
        depth: float | None = None,
        timestep: float = 0.0,
    ) -> ContactLaw:
        """The linear law that MuJoCo's contacts follow: exact if the impedance is constant, else near `depth`.

        Args:
            solref: As in MuJoCo, either format.
            solimp: As in MuJoCo.
            effective_mass: Inertia of one contact as the solver takes it [kg].
            contacts: Equal contacts that share the force.
            depth: Where to take the law if the impedance varies [m]: the stiffness is then the force at rest
                over this depth, the damping the derivative there.
            timestep: Time step [s], for MuJoCo's limit on the time constant; 0 for none.
        """
        law = MujocoLaw(
            solref=solref, solimp=solimp, effective_mass=effective_mass, contacts=contacts, timestep=timestep
        )
        d0, dw = clamped(solimp)[:2]
        if depth is None:
            if d0 != dw:
                raise InvalidInput(
                    f"depth = None is not allowed: the impedance of solimp {solimp} varies, give a depth"
                )
            depth = 1e-3
        require(depth > 0, "depth", depth, "a depth above 0 [m]")
        return cls(stiffness=float(law.force(depth)) / depth, damping=float(law.damping_at(depth)))


LinearLaw = ContactLaw
"""The same law by its shape."""
