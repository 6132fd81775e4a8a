"""Polygons on the ground: hulls of soles and contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from plantar.model.polygon import convex_hull
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.robot.soles import Extent


def outside(point: np.ndarray, corners: np.ndarray, inset: float = 0.0) -> float:
    """How far a point is beyond the nearest edge of the hull of `corners` made smaller by `inset`; negative inside."""
    return beyond(point, convex_hull(corners)) + inset


def beyond(point: np.ndarray, hull: np.ndarray) -> float:
    """How far a point is beyond the nearest edge of a convex polygon, corners anticlockwise; negative inside."""
    edges = np.roll(hull, -1, axis=0) - hull
    lengths = np.hypot(edges[:, 0], edges[:, 1])
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1) / lengths[:, None]
    return float(np.max(np.einsum("ij,ij->i", normals, point - hull)))


def nearest_inside(point: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The point itself if it is inside of the hull of `corners`, else the nearest one of the hull."""
    hull = convex_hull(corners)
    ends = np.roll(hull, -1, axis=0)
    edges, away = ends - hull, point - hull
    if np.all(edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0] >= 0):
        return point
    share = np.clip(np.einsum("ij,ij->i", away, edges) / np.einsum("ij,ij->i", edges, edges), 0.0, 1.0)
    near = hull + share[:, None] * edges
    return near[np.argmin(np.sum((near - point) ** 2, axis=1))]


def sole_corners(hold: Foothold, extent: Extent, grow: float = 0.0) -> np.ndarray:
    """Corners of a sole on the ground in the world (4, 2) [m], made larger by `grow`."""
    back, front, right, left = extent
    c, s = math.cos(hold.yaw), math.sin(hold.yaw)
    turn = np.array([[c, s], [-s, c]])
    x0, x1, y0, y1 = back - grow, front + grow, right - grow, left + grow
    return hold.xy + np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]) @ turn


def support_corners(holds: Sequence[Foothold], extents: Sequence[Extent], grow: float = 0.0) -> np.ndarray:
    """Corners of several soles (n, 2) [m]."""
    return np.concatenate([sole_corners(h, e, grow) for h, e in zip(holds, extents, strict=True)])
