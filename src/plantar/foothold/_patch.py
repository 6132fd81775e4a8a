"""The cells under a sole that stands on a cell, and the constants of the fit over them."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from plantar.errors import InvalidInput
from plantar.foothold.sole import BallSole, SoftSole


class Patch(NamedTuple):
    """Cells around a middle one, and what of the normal equations does not depend on heights.

    The set is symmetric about its middle, so that in the fit slopes separate from offset and curvatures.
    """

    rows: np.ndarray
    """Row offsets (n,)."""
    columns: np.ndarray
    """Column offsets (n,)."""
    x: np.ndarray
    """Place along the foot (n,) [m]."""
    y: np.ndarray
    """Place across the foot, left positive (n,) [m]."""
    slopes: np.ndarray
    """Sums of x x, x y, y y (3,) [m^2]."""
    curves: np.ndarray
    """The same of x^2 and y^2 less their means (3,) [m^4]."""
    means: np.ndarray
    """Means of x^2 and y^2 (2,) [m^2]."""


MOST = 2000
"""Cells along a sole, at most."""


@functools.lru_cache(maxsize=512)
def soft_patch(length: float, width: float, yaw: float, cell: float) -> Patch:
    """Cells whose middles are inside or on the edge of the sole's rectangle.

    Raises:
        InvalidInput: If there are too few to fit slopes and curvatures both ways.
    """
    reach = math.ceil(math.hypot(length, width) / 2 / cell) + 1
    j, i = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    c, s = math.cos(yaw), math.sin(yaw)
    x, y = cell * (c * i + s * j), cell * (c * j - s * i)
    # A cell that lies on the edge belongs to the sole, whatever rounding says.
    inside = (np.abs(x) <= length / 2 + 1e-9) & (np.abs(y) <= width / 2 + 1e-9)
    patch = _patch(j[inside], i[inside], x[inside], y[inside])
    scale = cell**2
    for sums, unit in ((patch.slopes, scale), (patch.curves, scale**2)):
        xx, xy, yy = sums / unit
        if len(patch.x) < 5 or xx * yy - xy * xy < 1e-6 * max(xx * yy, 1e-12) or min(xx, yy) < 1e-9:
            raise InvalidInput(
                f"cell = {cell:g} m is too large for a sole of {length:g} x {width:g} m at yaw {yaw:.3g}: "
                f"give a map with cells of at most {0.7 * width / 2:.2g} m"
            )
    return patch


@functools.lru_cache(maxsize=64)
def ball_patch(reach: float, cell: float) -> Patch:
    """Cells whose middles are within `reach`.

    Raises:
        InvalidInput: If there are none beside the middle one.
    """
    n = math.floor(reach / cell + 1e-9)
    if n < 1:
        raise InvalidInput(f"cell = {cell:g} m is too large for surroundings of {reach:g} m: give smaller cells")
    j, i = np.mgrid[-n : n + 1, -n : n + 1]
    inside = cell * np.hypot(j, i) <= reach + 1e-9
    return _patch(j[inside], i[inside], cell * i[inside], cell * j[inside])


def patch_of(sole: SoftSole | BallSole, yaw: float, cell: float) -> Patch:
    """The cells that count for a sole.

    Raises:
        InvalidInput: If they are too many, or too few to fit to.
    """
    size = max(sole.length, sole.width) if isinstance(sole, SoftSole) else 2 * sole.reach
    if size > MOST * cell:
        least = size / MOST
        raise InvalidInput(f"cell = {cell:g} m is too small for a sole of {size:g} m: give at least {least:.2g} m")
    if isinstance(sole, SoftSole):
        return soft_patch(sole.length, sole.width, float(yaw), float(cell))
    return ball_patch(sole.reach, float(cell))


def _patch(j: np.ndarray, i: np.ndarray, x: np.ndarray, y: np.ndarray) -> Patch:
    means = np.array([(x * x).mean(), (y * y).mean()])
    a, b = x * x - means[0], y * y - means[1]
    slopes = np.array([(x * x).sum(), (x * y).sum(), (y * y).sum()])
    curves = np.array([(a * a).sum(), (a * b).sum(), (b * b).sum()])
    return Patch(
        rows=np.ascontiguousarray(j, dtype=np.int64),
        columns=np.ascontiguousarray(i, dtype=np.int64),
        x=np.ascontiguousarray(x, dtype=np.float64),
        y=np.ascontiguousarray(y, dtype=np.float64),
        slopes=slopes,
        curves=curves,
        means=means,
    )
