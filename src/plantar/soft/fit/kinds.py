"""Three kinds of test on incompressible rubber: principal stretches, invariants, stress by an energy of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mode = Literal["uniaxial", "equibiaxial", "planar"]
MODES: tuple[Mode, ...] = ("uniaxial", "equibiaxial", "planar")
OTHERS = {"uniaxial": (-0.5, -0.5), "equibiaxial": (1.0, -2.0), "planar": (0.0, -1.0)}
"""Powers of the stretch that the other two principal stretches have; `planar` is also called pure shear."""
Stress = Callable[[str, Floats, Floats], Floats]
"""Nominal stress [Pa] in the stretched direction: mode, stretches (n,), constants."""


def stretches(mode: str, stretch: Floats) -> Floats:
    """The three principal stretches (n, 3); the first is the one measured, the last is free of stress."""
    second, third = OTHERS[mode]
    return np.stack([stretch, stretch**second, stretch**third], axis=1)


def invariants(mode: str, stretch: Floats) -> tuple[Floats, Floats]:
    """I1 and I2 of an incompressible stretch."""
    squared = stretches(mode, stretch) ** 2
    return squared.sum(axis=1), (1 / squared).sum(axis=1)


def by_invariants(dW: Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]) -> Stress:
    """Nominal stress of an energy of I1 and I2: with the free direction without stress, divided among the loaded.

    Args:
        dW: I1, I2 and constants to the derivatives of the energy by I1 and I2.
    """

    def stress(mode: str, stretch: Floats, constants: Floats) -> Floats:
        first, second = dW(*invariants(mode, stretch), constants)
        one, two, free = stretches(mode, stretch).T
        # Rivlin: sigma_1 - sigma_3 = 2 (l1^2 - l3^2) (W1 + l2^2 W2), nominal stress sigma_1 / l1
        return 2 * (one**2 - free**2) * (first + two**2 * second) / one

    return stress
