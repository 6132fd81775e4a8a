"""How large feet are."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from scipy.spatial import ConvexHull

from plantar.model.tree import below


def top_of(model: mujoco.MjModel, data: mujoco.MjData, foot: int) -> float:
    """Height of the top of a foot or of the joint that carries it, whichever is higher [m]."""
    bodies = {foot, *below(model, foot)}
    geoms = [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in bodies]
    heights = [float(_corners(model, data, g)[:, 2].max()) for g in geoms]
    heights += [float(data.xanchor[j, 2]) for j in range(model.njnt) if model.jnt_bodyid[j] == foot and model.nbody > 2]
    return max(heights)


def rectangle(model: mujoco.MjModel, data: mujoco.MjData, geoms: Sequence[int]) -> tuple[float, float]:
    """Longer and shorter side of the smallest upright box around geoms, however it is turned about z [m, m]."""
    points = np.concatenate([_corners(model, data, g)[:, :2] for g in geoms])
    hull = points[ConvexHull(points).vertices]
    edges = np.roll(hull, -1, axis=0) - hull
    along = edges / np.linalg.norm(edges, axis=1, keepdims=True)
    # the smallest one has an edge of the hull as one of its sides
    sides = [np.ptp(hull @ np.array([[x, -y], [y, x]]), axis=0) for x, y in along]
    length, width = sorted(min(sides, key=np.prod), reverse=True)
    return float(length), float(width)


def _corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> np.ndarray:
    """Corners of a geom's box, in the world (8, 3); that of a ball is upright."""
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE:
        return data.geom_xpos[geom] + signs * half
    return data.geom_xpos[geom] + (centre + signs * half) @ data.geom_xmat[geom].reshape(3, 3).T
