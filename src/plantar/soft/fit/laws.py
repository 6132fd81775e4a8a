"""Hyperelastic laws of incompressible rubber, and the stress that a stretch makes in three kinds of test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mode = Literal["uniaxial", "equibiaxial", "planar"]
MODES: tuple[Mode, ...] = ("uniaxial", "equibiaxial", "planar")
OTHERS = {"uniaxial": (-0.5, -0.5), "equibiaxial": (1.0, -2.0), "planar": (0.0, -1.0)}
"""Powers of the stretch that the other two principal stretches have; `planar` is also called pure shear."""


def stretches(mode: str, stretch: Floats) -> Floats:
    """The three principal stretches (n, 3); the first is the one measured, the last is free of stress."""
    second, third = OTHERS[mode]
    return np.stack([stretch, stretch**second, stretch**third], axis=1)


def invariants(mode: str, stretch: Floats) -> tuple[Floats, Floats]:
    """I1 and I2 of an incompressible stretch."""
    squared = stretches(mode, stretch) ** 2
    return squared.sum(axis=1), (1 / squared).sum(axis=1)


@dataclass(frozen=True)
class Law:
    """A strain energy of incompressible rubber that is linear in some of its constants."""

    name: str
    """Name on the command line."""
    title: str
    """Display name, with the energy."""
    constants: tuple[str, ...]
    """Names of the constants; moduli in Pa, exponents without unit."""
    stress: Callable[[str, Floats, Floats], Floats]
    """Nominal stress [Pa] in the stretched direction: mode, stretches (n,), constants."""
    shear: Callable[[Floats], float]
    """Shear modulus at rest [Pa]."""
    pairs: int = 0
    """Pairs of a modulus, which enters linearly, and a shape, as Ogden's exponent; 0: linear in all constants."""
    starts: tuple[tuple[float, ...], ...] = ()
    """Shapes from which fits start."""
    low: float = -12.0
    """Smallest shape that is searched."""
    high: float = 25.0
    """Largest shape that is searched."""


def _by_invariants(
    dW: Callable[[Floats, Floats, Floats], tuple[Floats, Floats]],
) -> Callable[[str, Floats, Floats], Floats]:
    """Nominal stress of an energy of I1 and I2: with the free direction without stress, divided among the loaded."""

    def stress(mode: str, stretch: Floats, constants: Floats) -> Floats:
        first, second = dW(*invariants(mode, stretch), constants)
        one, two, free = stretches(mode, stretch).T
        # Rivlin: sigma_1 - sigma_3 = 2 (l1^2 - l3^2) (W1 + l2^2 W2), nominal stress sigma_1 / l1
        return 2 * (one**2 - free**2) * (first + two**2 * second) / one

    return stress


def _ogden(mode: str, stretch: Floats, constants: Floats) -> Floats:
    one, _, free = stretches(mode, stretch).T
    total = np.zeros_like(stretch)
    for mu, alpha in constants.reshape(-1, 2):
        total = total + mu * (one**alpha - free**alpha) / one
    return total


def _tube(mode: str, stretch: Floats, constants: Floats) -> Floats:
    """Kaliske and Heinrich (1999): chains that stretch no further than `delta` lets them, in tubes of neighbours."""
    cross, delta, tube, beta = constants
    one, _, free = stretches(mode, stretch).T
    # beyond the limit of its chains the law has no stress; a steep wall keeps fits away from there
    left = np.maximum(1 - delta**2 * (invariants(mode, stretch)[0] - 3), 0.01)
    links = cross * ((1 - delta**2) / left**2 - delta**2 / left) * (one**2 - free**2)
    return (links - 2 * tube / beta * (one**-beta - free**-beta)) / one


def _zeros(i: Floats) -> Floats:
    return np.zeros_like(i)


LAWS = {
    law.name: law
    for law in (
        Law(
            "neo_hookean",
            "Neo-Hookean, C10 (I1 - 3)",
            ("C10",),
            _by_invariants(lambda i1, i2, c: (c[0] + _zeros(i1), _zeros(i1))),
            lambda c: 2 * float(c[0]),
        ),
        Law(
            "mooney_rivlin",
            "Mooney-Rivlin, C10 (I1 - 3) + C01 (I2 - 3)",
            ("C10", "C01"),
            _by_invariants(lambda i1, i2, c: (c[0] + _zeros(i1), c[1] + _zeros(i1))),
            lambda c: 2 * float(c[0] + c[1]),
        ),
        Law(
            "yeoh",
            "Yeoh, C10 (I1 - 3) + C20 (I1 - 3)^2 + C30 (I1 - 3)^3",
            ("C10", "C20", "C30"),
            _by_invariants(lambda i1, i2, c: (c[0] + 2 * c[1] * (i1 - 3) + 3 * c[2] * (i1 - 3) ** 2, _zeros(i1))),
            lambda c: 2 * float(c[0]),
        ),
        Law(
            "ogden2",
            "Ogden with two terms, sum of mu / alpha (l1^alpha + l2^alpha + l3^alpha - 3)",
            ("mu1", "alpha1", "mu2", "alpha2"),
            _ogden,
            lambda c: 0.5 * float((c[0::2] * c[1::2]).sum()),
            pairs=2,
            starts=((2.0, -2.0), (1.5, 5.0), (3.0, -1.0)),
        ),
        Law(
            "ogden3",
            "Ogden with three terms",
            ("mu1", "alpha1", "mu2", "alpha2", "mu3", "alpha3"),
            _ogden,
            lambda c: 0.5 * float((c[0::2] * c[1::2]).sum()),
            pairs=3,
            starts=((1.5, 5.0, -2.0), (1.3, 5.0, -2.0), (2.0, 8.0, -1.0)),
        ),
        Law(
            "extended_tube",
            "Extended tube of Kaliske and Heinrich, cross-links that stretch to a limit in tubes of their neighbours",
            ("Gc", "delta", "Ge", "beta"),
            _tube,
            lambda c: float(c[0] * (1 - 2 * c[1] ** 2) + c[2]),
            pairs=2,
            starts=((0.1, 0.3), (0.05, 0.8)),
            low=0.01,
            high=1.0,
        ),
    )
}
"""Laws by name."""


def drucker_range(
    law: Law, constants: Floats, low: float, high: float, count: int = 200
) -> dict[str, tuple[float, float]]:
    """Stretches around 1, within `low` to `high`, in which the stress of each mode rises with the stretch.

    Drucker's condition on the three paths that are tested: a law that breaks it makes simulations diverge.
    """
    out = {}
    for mode in MODES:
        grid = np.unique(np.concatenate([np.geomspace(low, high, count), [1.0]]))
        rising = np.diff(law.stress(mode, grid, constants)) > 0
        start = int(np.searchsorted(grid, 1.0))
        up, down = start, start
        while up < len(rising) and rising[up]:
            up += 1
        while down > 0 and rising[down - 1]:
            down -= 1
        out[mode] = (float(grid[down]), float(grid[up]))
    return out
