"""The terrain's share of the cost: eqs. 3 and 4 for a soft sole, the earlier method's manner for a ball."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.foothold import _terrain_numba as loops
from plantar.foothold import _terrain_numpy as plain
from plantar.foothold._jit import has_numba
from plantar.foothold._patch import Patch, patch_of
from plantar.foothold.sole import BallSole, LearnedSole, SoftSole, Sole
from plantar.ground.terrain.elevation_map import ElevationMap

REFERENCE_CELL = 0.02
"""Cell size of the paper [m], to which `misfit="mean"` refers."""


class Fit(NamedTuple):
    """Terrain cost of every cell, and the shape of a soft sole there."""

    cost: np.ndarray
    """Eq. 3 (rows, columns); NaN where a cell under the sole is unknown or off the map."""
    shape: np.ndarray
    """c_0 [m], c_{1,1}, c_{1,2} [1/m], c_{2,1}, c_{2,2} [1/m] (5, rows, columns); (0, rows, columns) if not asked."""


@checks_arguments
def terrain_cost(elevation: ElevationMap, sole: Sole | LearnedSole, yaw: float = 0.0, *, shape: bool = False) -> Fit:
    """Cost of putting a sole on every cell, its length turned by `yaw` from the map's x [rad].

    Args:
        elevation: The ground.
        sole: What stands on it.
        yaw: Turn of the foot about z [rad].
        shape: Whether to return the coefficients of the fit as well.

    Raises:
        InvalidInput: If the map's cells are too large for the sole.
    """
    if isinstance(sole, LearnedSole):
        return Fit(sole.terrain_cost(elevation, yaw), np.empty((0, *elevation.shape)))
    patch = patch_of(sole, yaw, elevation.cell)
    heights = np.ascontiguousarray(elevation.heights)
    if isinstance(sole, BallSole):
        return Fit(_ball(heights, patch, sole), np.empty((0, *heights.shape)))
    return _soft(closed(heights) if sole.close_holes else heights, patch, sole, elevation.cell, shape)


def closed(heights: np.ndarray) -> np.ndarray:
    """Heights with holes of one cell closed, by whichever code is faster here."""
    if not has_numba():
        return close_holes(heights)
    out = np.empty_like(heights)
    loops.close_holes_loop(heights, out)
    return out


@checks_arguments
def close_holes(heights: ArrayLike) -> np.ndarray:
    """Close holes smaller than two cells by the convex hull.

    Exactly: along x and along y a cell and its two neighbours are three points on a line. Where the cell is
    lower than both, it is a hole of one cell on that line, and the upper hull of the three points passes it at
    the mean of the neighbours. The closed height is the higher of these means, or the cell's own height if
    there is none. All cells are closed at once, from the heights as they are, so that a hole of two cells by two
    stays, and a groove of one cell, straight or slanting, is closed. A line with an unknown neighbour, or one
    off the map, closes nothing, and an unknown cell stays unknown.

    Args:
        heights: Heights (..., rows, columns) [m].

    Returns:
        A new array of the same shape.
    """
    h = np.asarray(heights, dtype=float)
    require(h.ndim >= 2, "heights", h.shape, "rows and columns")
    wide = np.full((*h.shape[:-2], h.shape[-2] + 2, h.shape[-1] + 2), np.nan)
    wide[..., 1:-1, 1:-1] = h
    closed = h.copy()
    for dj, di in ((0, 1), (1, 0)):
        before = wide[..., 1 - dj : wide.shape[-2] - 1 - dj, 1 - di : wide.shape[-1] - 1 - di]
        after = wide[..., 1 + dj : wide.shape[-2] - 1 + dj, 1 + di : wide.shape[-1] - 1 + di]
        # Comparisons with NaN are false: such a line closes nothing.
        hole = (h < before) & (h < after)
        closed = np.where(hole, np.maximum(closed, (before + after) / 2), closed)
    return closed


def _soft(heights: np.ndarray, patch: Patch, sole: SoftSole, cell: float, keep: bool) -> Fit:
    limits = np.array([*sole.slope_limit, *sole.curvature_limit])
    wanted = np.array([*sole.slope_preferred, *sole.curvature_preferred])
    weights = np.array([*sole.slope_weight, *sole.curvature_weight]) / (2 * limits)
    fit = sole.fit_weight
    if sole.misfit == "mean":
        fit *= sole.length * sole.width / REFERENCE_CELL**2 / len(patch.x)
    if not has_numba():
        cost, shape = plain.soft_cost(heights, patch, limits, wanted, weights, fit)
        return Fit(cost, shape if keep else shape[:0])
    cost = np.empty(heights.shape)
    shape = np.empty((5 if keep else 0, *heights.shape))
    loops.soft_loop(heights, *patch, limits, wanted, weights, fit, cost, shape)
    return Fit(cost, shape)


def _ball(heights: np.ndarray, patch: Patch, sole: BallSole) -> np.ndarray:
    if not has_numba():
        return plain.ball_cost(heights, patch, sole.slope, sole.roughness, sole.bump)
    cost = np.empty(heights.shape)
    loops.ball_loop(heights, *patch[:5], sole.slope, sole.roughness, sole.bump, cost)
    return cost
