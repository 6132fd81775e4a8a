"""How large feet are."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from plantar.model.tree import below


def top_of(model: mujoco.MjModel, data: mujoco.MjData, foot: int) -> float:
    """Height of the top of a foot or of the joint that carries it, whichever is higher [m]."""
    bodies = {foot, *below(model, foot)}
    geoms = [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in bodies]
    heights = [float(_corners(model, data, g)[:, 2].max()) for g in geoms]
    heights += [float(data.xanchor[j, 2]) for j in range(model.njnt) if model.jnt_bodyid[j] == foot and model.nbody > 2]
    return max(heights)


def footprint(model: mujoco.MjModel, data: mujoco.MjData, geoms: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the box around geoms, along the axes of the world [m]."""
    points = np.concatenate([_corners(model, data, g) for g in geoms])
    return points.min(axis=0), points.max(axis=0)


def _corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> np.ndarray:
    """Corners of a geom's box, in the world (8, 3)."""
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    return data.geom_xpos[geom] + (centre + signs * half) @ data.geom_xmat[geom].reshape(3, 3).T
