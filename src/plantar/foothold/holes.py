"""Closing of holes that a sole bridges."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

LINES = ((0, 1), (1, 0))
"""The lines through a cell: along x and along y (rows, columns)."""


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
    wide = np.full((*h.shape[:-2], h.shape[-2] + 2, h.shape[-1] + 2), np.nan)
    wide[..., 1:-1, 1:-1] = h
    closed = h.copy()
    for dj, di in LINES:
        before = wide[..., 1 - dj : wide.shape[-2] - 1 - dj, 1 - di : wide.shape[-1] - 1 - di]
        after = wide[..., 1 + dj : wide.shape[-2] - 1 + dj, 1 + di : wide.shape[-1] - 1 + di]
        # Comparisons with NaN are false: such a line closes nothing.
        hole = (h < before) & (h < after)
        closed = np.where(hole, np.maximum(closed, (before + after) / 2), closed)
    return closed
