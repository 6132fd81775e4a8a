"""Places that name parts of a mesh: boxes, balls, planes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plantar._checks import require

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def in_box(low: ArrayLike, high: ArrayLike) -> Callable[[Floats], Bools]:
    """Which places are in the box from `low` to `high`, faces included."""
    a, b = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    require(a.shape == (3,) and b.shape == (3,), "box", (low, high), "two corners of three numbers")
    require(bool((a <= b).all()), "box", (low, high), "a low corner that is nowhere above the high one")
    return lambda p: np.asarray(((p >= a) & (p <= b)).all(axis=-1))


def in_sphere(centre: ArrayLike, radius: float) -> Callable[[Floats], Bools]:
    """Which places are within `radius` of `centre`."""
    require(radius > 0, "radius", radius, "a number above 0")
    middle = np.asarray(centre, dtype=float)
    return lambda p: np.asarray(np.linalg.norm(p - middle, axis=-1) <= radius)


def near_plane(point: ArrayLike, normal: ArrayLike, tolerance: float) -> Callable[[Floats], Bools]:
    """Which places are within `tolerance` of the plane through `point`."""
    n = _unit(normal)
    return lambda p: np.asarray(np.abs((p - np.asarray(point, dtype=float)) @ n) <= tolerance)


def beyond_plane(point: ArrayLike, normal: ArrayLike) -> Callable[[Floats], Bools]:
    """Which places are on the side of the plane that `normal` points to, or on it."""
    n = _unit(normal)
    return lambda p: np.asarray((p - np.asarray(point, dtype=float)) @ n >= 0)


def _unit(normal: ArrayLike) -> Floats:
    n = np.asarray(normal, dtype=float)
    require(n.shape == (3,) and bool(n.any()), "normal", normal, "three numbers, not all 0")
    return n / np.linalg.norm(n)
