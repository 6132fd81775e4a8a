"""Hyperelastic laws of incompressible rubber by name, and where their stress rises with the stretch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plantar.soft.fit import stresses
from plantar.soft.fit.kinds import MODES, OTHERS, Floats, Mode, Stress, invariants, stretches

__all__ = ["LAWS", "MODES", "OTHERS", "Floats", "Law", "Mode", "drucker_range", "invariants", "stretches"]


@dataclass(frozen=True)
class Law:
    """A strain energy of incompressible rubber: linear in its moduli, with shapes that are searched."""

    name: str
    """Name on the command line."""
    title: str
    """Display name, with the energy."""
    constants: tuple[str, ...]
    """Names of the constants; moduli in Pa, shapes (exponents, limits of stretch) without unit."""
    stress: Stress
    """Nominal stress [Pa] in the stretched direction: mode, stretches (n,), constants."""
    shear: Callable[[Floats], float]
    """Shear modulus at rest [Pa]."""
    shapes: tuple[int, ...] = ()
    """Which constants are shapes; none: linear in all constants, of either sign unless `positive`."""
    starts: tuple[tuple[float, ...], ...] = ((),)
    """Shapes from which fits start."""
    low: float = -12.0
    """Smallest shape that is searched."""
    high: float = 25.0
    """Largest shape that is searched."""
    size: float = 1.0
    """How large shapes are, about."""
    signed: bool = False
    """Whether each modulus has the sign of the shape after it, as in Ogden's law, which is then stable everywhere."""
    positive: bool = False
    """Whether moduli are kept from falling below 0 where there are no shapes; with shapes they always are."""

    @property
    def moduli(self) -> tuple[int, ...]:
        """Which constants enter linearly."""
        return tuple(k for k in range(len(self.constants)) if k not in self.shapes)


def _ogden(terms: int, title: str, starts: tuple[tuple[float, ...], ...]) -> Law:
    names = tuple(f"{name}{k + 1}" for k in range(terms) for name in ("mu", "alpha"))
    return Law(
        f"ogden{terms}",
        title,
        names,
        stresses.ogden,
        lambda c: 0.5 * float((c[0::2] * c[1::2]).sum()),
        shapes=tuple(range(1, 2 * terms, 2)),
        starts=starts,
        signed=True,
    )


LAWS = {
    law.name: law
    for law in (
        Law(
            "neo_hookean",
            "Neo-Hookean, C10 (I1 - 3)",
            ("C10",),
            stresses.neo_hookean,
            lambda c: 2 * float(c[0]),
        ),
        Law(
            "mooney_rivlin",
            "Mooney-Rivlin, C10 (I1 - 3) + C01 (I2 - 3)",
            ("C10", "C01"),
            stresses.mooney_rivlin,
            lambda c: 2 * float(c[0] + c[1]),
        ),
        Law(
            "yeoh",
            "Yeoh, C10 (I1 - 3) + C20 (I1 - 3)^2 + C30 (I1 - 3)^3",
            ("C10", "C20", "C30"),
            stresses.yeoh,
            lambda c: 2 * float(c[0]),
        ),
        Law(
            "gent",
            "Gent, -mu Jm / 2 ln(1 - (I1 - 3) / Jm)",
            ("mu", "Jm"),
            stresses.gent,
            lambda c: float(c[0]),
            shapes=(1,),
            starts=((5.0,), (80.0,)),
            low=0.5,
            high=1e4,
            size=30.0,
        ),
        Law(
            "gent_gent",
            "Pucci and Saccomandi (Gent-Gent), -mu Jm / 2 ln(1 - (I1 - 3) / Jm) + C2 ln(I2 / 3)",
            ("mu", "Jm", "C2"),
            stresses.gent_gent,
            lambda c: float(c[0] + 2 * c[2] / 3),
            shapes=(1,),
            starts=((5.0,), (80.0,)),
            low=0.5,
            high=1e4,
            size=30.0,
        ),
        Law(
            "carroll",
            "Carroll, A I1 + B I1^4 + C I2^(1/2)",
            ("A", "B", "C"),
            stresses.carroll,
            lambda c: float(2 * c[0] + 216 * c[1] + c[2] / np.sqrt(3)),
            positive=True,
        ),
        Law(
            "lopez_pamies",
            "Lopez-Pamies with two terms, sum of 3^(1 - alpha) / (2 alpha) mu (I1^alpha - 3^alpha)",
            ("mu1", "alpha1", "mu2", "alpha2"),
            stresses.lopez_pamies,
            lambda c: float(c[0] + c[2]),
            shapes=(1, 3),
            starts=((0.6, 4.0), (0.9, 3.0)),
        ),
        _ogden(
            2,
            "Ogden with two terms, sum of mu / alpha (l1^alpha + l2^alpha + l3^alpha - 3)",
            ((2.0, -2.0), (1.5, 5.0), (3.0, -1.0)),
        ),
        _ogden(3, "Ogden with three terms", ((1.5, 5.0, -2.0), (1.3, 5.0, -2.0), (2.0, 8.0, -1.0))),
        Law(
            "extended_tube",
            "Extended tube of Kaliske and Heinrich, cross-links that stretch to a limit in tubes of their neighbours",
            ("Gc", "delta", "Ge", "beta"),
            stresses.tube,
            lambda c: float(c[0] * (1 - 2 * c[1] ** 2) + c[2]),
            shapes=(1, 3),
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
