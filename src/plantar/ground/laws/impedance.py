"""MuJoCo's impedance d(r) and its slope, with the limits the engine puts on `solimp`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from plantar.ground.laws.law import Array

SolRef = tuple[float, float]
SolImp = tuple[float, float, float, float, float]

DEFAULT_SOLREF: SolRef = (0.02, 1.0)
DEFAULT_SOLIMP: SolImp = (0.9, 0.95, 0.001, 0.5, 2.0)
"""MuJoCo's defaults."""

MIN_IMPEDANCE, MAX_IMPEDANCE = 1e-4, 0.9999
"""The engine keeps d0, d_width, midpoint and so d within these (mjMINIMP, mjMAXIMP)."""
TINY = 1e-15
"""The engine's smallest divisor (mjMINVAL)."""


class Solver(NamedTuple):
    """The two vectors that MuJoCo takes for a contact."""

    solref: SolRef
    solimp: SolImp


def clamped(solimp: ArrayLike) -> Array:
    """`solimp` as the engine reads it; shape (..., 5)."""
    d0, dw, width, midpoint, power = np.moveaxis(np.asarray(solimp, dtype=float), -1, 0)
    limited = [np.clip(x, MIN_IMPEDANCE, MAX_IMPEDANCE) for x in (d0, dw)]
    middle = np.clip(midpoint, MIN_IMPEDANCE, MAX_IMPEDANCE)
    return np.stack([*limited, np.maximum(0.0, width), middle, np.maximum(1.0, power)], axis=-1)


def impedance(solimp: ArrayLike, depth: ArrayLike) -> tuple[Array, Array]:
    """Impedance d at `depth` and its slope dd/ddepth [1/m] (Gora and Dutta, eqs. 16-17).

    Args:
        solimp: (d0, d_width, width, midpoint, power), shape (..., 5); broadcasts against depth.
        depth: Penetration |r| [m]; negative counts as zero.
    """
    d0, dw, width, midpoint, power = np.moveaxis(clamped(solimp), -1, 0)
    depth = np.maximum(0.0, np.asarray(depth, dtype=float))
    flat = (d0 == dw) | (width <= TINY)
    x = np.clip(depth / np.where(flat, 1.0, width), 0.0, 1.0)
    below = x <= midpoint
    rise = np.where(below, x / midpoint, (1 - x) / (1 - midpoint)) ** (power - 1)
    y = np.where(below, x * rise, 1 - (1 - x) * rise)
    inside = ~flat & (x > 0) & (x < 1)
    d = np.where(flat, (d0 + dw) / 2, d0 + y * (dw - d0))
    slope = np.where(inside, power * rise * (dw - d0) / np.where(flat, 1.0, width), 0.0)
    return d, slope


def case_of(solimp: ArrayLike, depth: ArrayLike) -> np.ndarray:
    """Which of the paper's three cases of r a depth is in: 1 up to the midpoint, 2 up to the width, 3 beyond."""
    _, _, width, midpoint, _ = np.moveaxis(clamped(solimp), -1, 0)
    x = np.abs(np.asarray(depth, dtype=float)) / np.maximum(width, TINY)
    return np.where(x <= midpoint, 1, np.where(x <= 1, 2, 3))
