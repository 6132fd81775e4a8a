"""Resistive force theory in three dimensions: the stress of grains on a surface that moves through them at any angle.

S. Agarwal, D. I. Goldman, K. Kamrin, Mechanistic framework for reduced-order models in soft materials, PNAS 120
(2023), doi 10.1073/pnas.2214017120. The coefficients are taken from public code; the printed table was not
seen. Copies disagree on two of them: row `x3 x2^2` of the second function (0.18589 here, 0.18519 there) and row
`x2 x3^2` of the third (-0.02730 here, -0.20770 there). The ones here fit 84 conditions of wheels driven through sand
a little better, and let the stress along a surface oppose its sliding in more directions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

TERMS = 20
"""Terms of each of the three polynomials."""
_TABLE = """
 0.00212 -0.06796 -0.02634
-0.02320 -0.10941 -0.03436
-0.20890  0.04725  0.45256
-0.43083 -0.06914  0.00835
-0.00259 -0.05835  0.02553
 0.48872 -0.65880 -1.31290
-0.00415 -0.11985 -0.05532
 0.07204 -0.25739  0.06790
-0.02750 -0.26834 -0.16404
-0.08772  0.02692  0.02287
 0.01992 -0.00736  0.02927
-0.45961  0.63758  0.95406
 0.40799  0.08997 -0.00131
-0.10107  0.21069 -0.11028
-0.06576  0.04748  0.01487
 0.05664  0.20406 -0.02730
-0.09269  0.18589  0.10911
 0.01892  0.04934 -0.04097
 0.01033  0.13527  0.07881
 0.15120 -0.33207 -0.27519
"""
GENERIC = np.array(_TABLE.split(), dtype=float).reshape(TERMS, 3)
"""Coefficients (20, 3), rows in the order of `terms`; the stress is `scale * depth * stress(...)`."""


def terms(x1: ArrayLike, x2: ArrayLike, x3: ArrayLike) -> np.ndarray:
    """Terms of the polynomials (..., 20): all products of up to three of the three numbers."""
    x1, x2, x3 = (np.asarray(x, dtype=float) for x in (x1, x2, x3))
    second = (x1**2, x2**2, x3**2, x1 * x2, x2 * x3, x3 * x1)
    third = (x1**3, x2**3, x3**3, x1 * x2**2, x2 * x1**2, x2 * x3**2, x3 * x2**2, x3 * x1**2, x1 * x3**2, x1 * x2 * x3)
    return np.stack(np.broadcast_arrays(np.ones_like(x1), x1, x2, x3, *second, *third), axis=-1)


def basis(normal: ArrayLike, motion: ArrayLike) -> np.ndarray:
    """What the coefficients multiply: (n, 60, 3), so that the stress is `coefficients.T.ravel() @ basis`.

    Args:
        normal: Outward directions of surfaces (n, 3).
        motion: Directions in which they move (n, 3), of length 1.
    """
    normal, motion = np.atleast_2d(np.asarray(normal, float)), np.atleast_2d(np.asarray(motion, float))
    # the theory is for plates: one that faces up is the one that faces down, from behind
    plate = normal * np.where(normal[:, 2:] <= 0, 1.0, -1.0)
    known = terms(-motion[:, 2], -plate[:, 2], (plate * motion).sum(axis=1))
    directions = np.stack([plate, motion, np.broadcast_to([0.0, 0.0, -1.0], plate.shape)], axis=1)
    return (directions[:, :, None, :] * known[:, None, :, None]).reshape(len(plate), 3 * TERMS, 3)


def stress(
    normal: ArrayLike, motion: ArrayLike, *, friction: float = np.inf, coefficients: np.ndarray = GENERIC
) -> np.ndarray:
    """Stress on surfaces that move through grains (n, 3), over depth and the scale of the grains.

    Only surfaces that move into the grains feel them.

    Args:
        normal: Outward directions (n, 3).
        motion: Directions of their motion (n, 3), of length 1.
        friction: Of the surface: the part along it is at most this times the part against it.
        coefficients: (20, 3).
    """
    normal, motion = np.atleast_2d(np.asarray(normal, float)), np.atleast_2d(np.asarray(motion, float))
    whole = np.einsum("k,nki->ni", coefficients.T.ravel(), basis(normal, motion))
    against = (whole * normal).sum(axis=1, keepdims=True) * normal
    along = whole - against
    size = np.linalg.norm(along, axis=1, keepdims=True)
    limit = np.minimum(1.0, friction * np.linalg.norm(against, axis=1, keepdims=True) / np.maximum(size, 1e-12))
    leading = (normal * motion).sum(axis=1, keepdims=True) > 0
    return np.where(leading, against + limit * along, 0.0)


def scale(density: float, friction: float) -> float:
    """Scale of a medium from its bulk density [kg/m^3] and internal friction, as the paper states it [N/m^3]."""
    return density * 9.81 * (894 * friction**3 - 386 * friction**2 + 89 * friction)


def _unit(coefficients: np.ndarray) -> np.ndarray:
    """Coefficients with which a level plate that is pushed straight down feels 1."""
    level = np.einsum("k,nki->ni", coefficients.T.ravel(), basis([0.0, 0.0, -1.0], [0.0, 0.0, -1.0]))[0, 2]
    return coefficients / level


UNIT = _unit(GENERIC)
"""The generic coefficients over their value for a level plate that is pushed straight down, 0.875."""
