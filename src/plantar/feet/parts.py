"""Masses and inertias of the SoftFoot's rigid parts.

The figures are those of the authors' CAD, as their released twin carries them (Crotti et al.,
"Soft Adaptive Feet for Legged Robots", 2024; model file under BSD-3), turned into axes x forward,
y left, z up of the straight foot.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from plantar._checks import require
from plantar._config import Checked

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Part(Checked, prefix="part."):
    """One rigid part."""

    mass: float
    """Mass [kg]."""
    com: Vector
    """Centre of mass from the part's own origin [m]."""
    inertia: Vector
    """Ixx, Iyy, Izz about the centre of mass [kg m^2]."""
    products: Vector = (0.0, 0.0, 0.0)
    """Ixy, Ixz, Iyz about the centre of mass [kg m^2]."""

    def __post_init__(self) -> None:
        """Check that the part can exist."""
        require(self.mass > 0, "part.mass", self.mass, "more than 0 kg")
        xx, yy, zz = self.inertia
        xy, xz, yz = self.products
        small, middle, large = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        # The largest moment of a body is at most the sum of the others; a rod reaches it.
        ok = small > 0 and large <= (small + middle) * (1 + 1e-9)
        require(ok, "part.inertia", (self.inertia, self.products), "moments and products that a rigid body can have")

    def scaled(self, factor: float) -> Part:
        """The same part with mass and inertia multiplied by `factor`."""
        return replace(
            self,
            mass=factor * self.mass,
            inertia=_times(factor, self.inertia),
            products=_times(factor, self.products),
        )

    def mirrored(self) -> Part:
        """The part of the other foot: left and right change places."""
        x, y, z = self.com
        xy, xz, yz = self.products
        return replace(self, com=(x, -y, z), products=(-xy, xz, -yz))


def _times(factor: float, vector: Vector) -> Vector:
    x, y, z = vector
    return factor * x, factor * y, factor * z


_MODULE = Part(5.23906e-3, (4.22892e-3, 0, -4.58611e-4), (2.19926e-7, 2.78880e-7, 1.90046e-7))


@dataclass(frozen=True, kw_only=True)
class Parts(Checked):
    """The rigid parts of a SoftFoot; a part's origin is its joint with the part behind it."""

    ankle: Part = Part(
        0.45418805,
        (-9.5664949e-5, 1.3880927e-3, 1.6749134e-5),
        (1.79789e-4, 1.6882624e-4, 1.7806823e-4),
    )
    """Ankle cube, which holds the joint unit in the prototype; origin at the ankle axis."""
    posterior_arch: Part = Part(
        0.067640931,
        (-0.03061955, 0, -0.04238064),
        (9.80025610e-5, 4.8226456e-5, 8.62928888e-5),
        (-2.77008e-7, -2.03100e-5, -3.47120e-7),
    )
    """Rear half of the arch, fixed to the ankle."""
    anterior_arch: Part = Part(
        0.0720266,
        (0.06139257, 0, -0.03741109),
        (1.29342583e-4, 1.05624e-4, 1.80224417e-4),
        (0, 4.32207e-5, 0),
    )
    """Front half of the arch, hinged at the ankle."""
    heel: Part = Part(
        0.0795653,
        (-0.01207506, 6.619e-5, -0.01097013),
        (7.8342278e-5, 1.4307809e-5, 8.5032413e-5),
        (-2.38146e-8, 3.53695e-8, 2.63555e-9),
    )
    """Heel of a five-chain foot; a narrower foot takes its share."""
    module: Part = _MODULE
    """Module of the plantar fascia."""
    reverse: Part = Part(4.82342e-3, (5.14694e-3, -1.09751e-5, -1.59805e-3), (1.46524e-7, 2.34003e-7, 2.21199e-7))
    """Last module of the fascia, whose front coupling bends the other way."""
    metatarsus: Part = Part(6.92955e-3, (9.82416e-3, 0, 1.92716e-3), (3.23790980e-7, 6.25619670e-7, 4.86811890e-7))
    """Module that carries the joint with the anterior arch."""
    toe: Part = field(default_factory=lambda: replace(_MODULE, com=(4.77108e-3, 0, -4.58611e-4)))
    """Module of a toe."""
    tip: Part = Part(
        9.55892e-3, (0.0109173, 0, -2.03691e-3), (3.05502332e-7, 7.4877e-7, 6.57082668e-7), (0, -2.04226e-8, 0)
    )
    """Last module of a toe."""
