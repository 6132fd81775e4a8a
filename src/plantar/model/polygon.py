"""Convex polygons on the ground."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

FLAT = 1e-12
"""Twice the area of a triangle that is taken for a line [m^2]."""


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points (n, 2), anticlockwise; on its edges are none; read-only.

    Points in a line have two corners, one point has one, none have none.
    """
    # rounded, because corners that differ by less would be distinguished by chance
    return _hull(np.round(np.reshape(points, (-1, 2)), 9).tobytes())


@lru_cache(maxsize=64)  # soles stay where they are for many control steps
def _hull(points: bytes) -> np.ndarray:
    # Andrew's chains: for the dozen corners that controllers need, a twentieth of the time of Qhull
    ordered = sorted({(x, y) for x, y in np.frombuffer(points).reshape(-1, 2).tolist()})
    chains = [_chain(ordered), _chain(ordered[::-1])] if len(ordered) > 2 else [ordered]
    hull = np.array([corner for chain in chains for corner in (chain[:-1] if len(chains) > 1 else chain)])
    hull = hull.reshape(-1, 2)
    hull.flags.writeable = False
    return hull


def _chain(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Corners of one side of the hull, from the first point to the last, turning left at each."""
    chain: list[tuple[float, float]] = []
    for x, y in ordered:
        while len(chain) > 1:
            (x0, y0), (x1, y1) = chain[-2:]
            if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > FLAT:
                break
            chain.pop()
        chain.append((x, y))
    return chain


def polygon_area(polygon: np.ndarray) -> float:
    """Area of a polygon given by its corners in order, positive if anticlockwise [m^2]."""
    if len(polygon) < 3:
        return 0.0
    x, y = polygon.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
