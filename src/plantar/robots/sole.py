"""Where the sole of a foot is: its plane, its middle and how far it reaches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from plantar.robots.place import Extent

MAX_TILT = np.radians(20)
"""A flat underside that is tilted more than this in the standing posture is not taken as the sole [rad]."""
FLAT_SHARE = 0.5
"""A face that covers this fraction of the footprint is a flat sole."""
THICKNESS = 0.002
"""Points this close to the plane of the sole belong to it [m]."""


@dataclass(frozen=True, kw_only=True)
class Sole:
    """A sole in the world, in the standing posture."""

    middle: np.ndarray
    """Middle of the rectangle around the sole, in its plane (3,) [m]."""
    axes: np.ndarray
    """Columns x forward, y left, z up (3, 3)."""
    extent: Extent
    """Reach from the middle: back, front, right, left [m]."""
    flat: bool
    """Whether the underside is a plane; the sole of a ball is level."""

    def corners(self) -> np.ndarray:
        """Corners in the world, counter-clockwise (4, 3)."""
        back, front, right, left = self.extent
        local = np.array([[-back, -right, 0], [front, -right, 0], [front, left, 0], [-back, left, 0]])
        return self.middle + local @ self.axes.T


def find_sole(points: np.ndarray, yaw: float, *, level: bool = False) -> Sole:
    """The sole under a cloud of points on the outline of what touches the ground.

    Args:
        points: Points of the foot in the world, in the standing posture (n, 3).
        yaw: Direction of forward in the world [rad].
        level: Whether the sole is known to be level, though its underside may be uneven; only a ball then has none.
    """
    forward = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    if level:
        normal = None if _is_ball(points) else np.array([0.0, 0.0, 1.0])
    else:
        normal = _flat_underside(points)
        if normal is None:
            normal = _straight_underside(points, forward)
    up = np.array([0.0, 0.0, 1.0]) if normal is None else normal
    forward -= forward @ up * up
    forward /= np.linalg.norm(forward)
    axes = np.stack([forward, np.cross(up, forward), up], axis=1)
    local = points @ axes
    bottom = local[:, 2].min()
    sole = local[local[:, 2] < bottom + THICKNESS] if normal is not None else local[local[:, 2] < bottom + 1e-6]
    low, high = sole[:, :2].min(axis=0), sole[:, :2].max(axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    extent = (float(half[0]), float(half[0]), float(half[1]), float(half[1]))
    return Sole(middle=axes @ [*middle, bottom], axes=axes, extent=extent, flat=normal is not None)


def _is_ball(points: np.ndarray) -> bool:
    """Whether what touches the ground is about as high as it is long and wide."""
    size = np.ptp(points, axis=0)
    return bool(size[:2].max() < 1.5 * size[2])


def _straight_underside(points: np.ndarray, forward: np.ndarray) -> np.ndarray | None:
    """Upward normal of a foot that stands on a line from heel to toe, as a single capsule does, or None."""
    seen = np.stack([points @ forward, points[:, 2]], axis=1)
    try:
        hull = ConvexHull(seen)
    except (QhullError, ValueError):
        return None
    ends = seen[hull.simplices]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    down = np.flatnonzero(-hull.equations[:, 1] > np.cos(MAX_TILT))
    if not len(down) or length[longest := down[np.argmax(length[down])]] < FLAT_SHARE * np.ptp(seen[:, 0]):
        return None
    x, z = -hull.equations[longest, :2]
    return x * forward + z * np.array([0.0, 0.0, 1.0])


def _flat_underside(points: np.ndarray) -> np.ndarray | None:
    """Upward normal of a face that covers most of the footprint, or None."""
    try:
        hull = ConvexHull(points)
        footprint = ConvexHull(points[:, :2]).volume  # in the plane, qhull's volume is the area
    except (QhullError, ValueError):
        return None
    corners = points[hull.simplices]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    normals = hull.equations[:, :3]
    best, most = None, FLAT_SHARE * footprint
    down = np.flatnonzero(-normals[:, 2] > np.cos(MAX_TILT))
    for i in down[np.argsort(-area[down])]:  # the largest facet has the truest normal
        together = normals @ normals[i] > np.cos(np.radians(0.5))
        if area[together].sum() > most:
            best, most = -normals[i], float(area[together].sum())
    return best
