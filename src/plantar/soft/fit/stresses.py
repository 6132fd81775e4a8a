"""Stresses of the laws: Ogden's by principal stretches, the tube's by both, the others' by I1 and I2."""

from __future__ import annotations

import numpy as np

from plantar.soft.fit.kinds import Floats, by_invariants, invariants, stretches

WALL = 0.01
"""What is left of a chain's length where a steep wall begins: beyond its limit a law has no stress, and the wall keeps
fits away from there."""


def ogden(mode: str, stretch: Floats, constants: Floats) -> Floats:
    """R. W. Ogden, Proceedings of the Royal Society A 326, 565 (1972)."""
    one, _, free = stretches(mode, stretch).T
    total = np.zeros_like(stretch)
    for mu, alpha in constants.reshape(-1, 2):
        total = total + mu * (one**alpha - free**alpha) / one
    return total


def tube(mode: str, stretch: Floats, constants: Floats) -> Floats:
    """M. Kaliske and G. Heinrich, Rubber Chemistry and Technology 72, 602 (1999).

    Chains that stretch no further than `delta` lets them, in tubes of neighbours.
    """
    cross, delta, tubes, beta = constants
    one, _, free = stretches(mode, stretch).T
    left = np.maximum(1 - delta**2 * (invariants(mode, stretch)[0] - 3), WALL)
    links = cross * ((1 - delta**2) / left**2 - delta**2 / left) * (one**2 - free**2)
    return (links - 2 * tubes / beta * (one**-beta - free**-beta)) / one


def _zeros(i: Floats) -> Floats:
    return np.zeros_like(i)


def _gent(i1: Floats, c: Floats) -> Floats:
    return c[0] / 2 / np.maximum(1 - (i1 - 3) / c[1], WALL)


neo_hookean = by_invariants(lambda i1, i2, c: (c[0] + _zeros(i1), _zeros(i1)))
mooney_rivlin = by_invariants(lambda i1, i2, c: (c[0] + _zeros(i1), c[1] + _zeros(i1)))
yeoh = by_invariants(lambda i1, i2, c: (c[0] + 2 * c[1] * (i1 - 3) + 3 * c[2] * (i1 - 3) ** 2, _zeros(i1)))
gent = by_invariants(lambda i1, i2, c: (_gent(i1, c), _zeros(i1)))
"""A. N. Gent, Rubber Chemistry and Technology 69, 59 (1996)."""
gent_gent = by_invariants(lambda i1, i2, c: (_gent(i1, c), c[2] / i2))
"""E. Pucci and G. Saccomandi, Rubber Chemistry and Technology 75, 839 (2002)."""
carroll = by_invariants(lambda i1, i2, c: (c[0] + 4 * c[1] * i1**3, c[2] / 2 / np.sqrt(i2)))
"""M. M. Carroll, Journal of Elasticity 103, 173 (2011)."""
lopez_pamies = by_invariants(
    lambda i1, i2, c: (0.5 * (c[0] * (i1 / 3) ** (c[1] - 1) + c[2] * (i1 / 3) ** (c[3] - 1)), _zeros(i1))
)
"""O. Lopez-Pamies, Comptes Rendus Mecanique 338, 3 (2010), two terms."""
