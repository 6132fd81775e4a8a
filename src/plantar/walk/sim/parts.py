"""Parts of a compiled model: what hangs on a body, and what pictures leave out."""

from __future__ import annotations

import mujoco
import numpy as np

HIDDEN = 3
"""Group of geoms that pictures do not show."""


def hide_doubles(model: mujoco.MjModel) -> None:
    """Leave meshes that collide out of pictures where the body has others to be seen: drawn together they flicker."""
    mesh = model.geom_type == mujoco.mjtGeom.mjGEOM_MESH
    collides = (model.geom_contype | model.geom_conaffinity) > 0
    seen = np.unique(model.geom_bodyid[mesh & ~collides & (model.geom_group < HIDDEN)])
    model.geom_group[mesh & collides & np.isin(model.geom_bodyid, seen)] = HIDDEN


def subtree(model: mujoco.MjModel, root: int) -> list[int]:
    """A body and all that hangs on it."""
    inside = {root}
    for b in range(root + 1, model.nbody):
        if int(model.body_parentid[b]) in inside:
            inside.add(b)
    return sorted(inside)


def height_of(model: mujoco.MjModel, data: mujoco.MjData, root: int) -> float:
    """Height of the highest point of a body and all that hangs on it, by the boxes around its geoms [m]."""
    mine = np.isin(model.geom_bodyid, subtree(model, root))
    turns = data.geom_xmat[mine].reshape(-1, 3, 3)
    middles, halves = model.geom_aabb[mine, :3], model.geom_aabb[mine, 3:]
    up = data.geom_xpos[mine, 2] + np.einsum("gi,gi->g", turns[:, 2], middles)
    return float((up + np.einsum("gi,gi->g", np.abs(turns[:, 2]), halves)).max())
