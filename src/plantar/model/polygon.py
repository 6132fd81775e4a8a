"""Convex polygons on the ground."""

from __future__ import annotations

from functools import lru_cache

import numpy as np


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points (n, 2), anticlockwise; on its edges are none; read-only.

    Points in a line have two corners, one point has one, none have none.
    """
    # rounded, as corners that differ by less would be told apart by chance
    return _hull(np.round(np.reshape(points, (-1, 2)), 9).tobytes())


@lru_cache(maxsize=64)  # soles stay where they are for many control steps
def _hull(points: bytes) -> np.ndarray:
    from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415  (a third of the time that a start takes)

    corners = np.frombuffer(points).reshape(-1, 2)
    try:
        hull = corners[ConvexHull(corners).vertices]
    except (QhullError, ValueError):  # fewer than three, or in a line, whose ends come first and last
        apart = np.unique(corners, axis=0)
        hull = apart if len(apart) < 3 else apart[[0, -1]]
    hull.flags.writeable = False
    return hull


def polygon_area(polygon: np.ndarray) -> float:
    """Area of a polygon given by its corners in order, positive if anticlockwise [m^2]."""
    if len(polygon) < 3:
        return 0.0
    x, y = polygon.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
