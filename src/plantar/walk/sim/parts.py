"""Parts of a compiled model: the subtree of a body, and what pictures leave out."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from plantar.walk.robot.legged import Legged

HIDDEN = 3
"""Group of geoms that pictures do not show."""


def hide_doubles(model: mujoco.MjModel) -> None:
    """Hide collision meshes in pictures if the body has visual ones: drawn together they flicker."""
    mesh = model.geom_type == mujoco.mjtGeom.mjGEOM_MESH
    collides = (model.geom_contype | model.geom_conaffinity) > 0
    seen = np.unique(model.geom_bodyid[mesh & ~collides & (model.geom_group < HIDDEN)])
    model.geom_group[mesh & collides & np.isin(model.geom_bodyid, seen)] = HIDDEN


def subtree(model: mujoco.MjModel, root: int) -> list[int]:
    """A body and its subtree."""
    inside = {root}
    for b in range(root + 1, model.nbody):
        if int(model.body_parentid[b]) in inside:
            inside.add(b)
    return sorted(inside)


def settle_feet(model: mujoco.MjModel, data: mujoco.MjData, legged: Legged) -> None:
    """Put the joints of soft feet where the standing keyframe has them, if there is one."""
    source = legged.source
    if not legged.robot.keyframe:
        return
    key = source.key(legged.robot.keyframe).qpos
    for j in range(source.njnt):
        here = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, source.joint(j).name)
        if here >= 0 and source.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE:
            data.qpos[model.jnt_qposadr[here]] = key[source.jnt_qposadr[j]]


def gap(legged: Legged, elevation: Callable[[float, float], float], qpos: np.ndarray) -> float:
    """How far a robot in a position has to be lifted so that no sole is in the ground [m]."""
    gaps = []
    for (x, y, z), sole in zip(legged.points(legged.place(qpos)), legged.soles, strict=True):
        back, front, right, left = sole.outline
        ground = max(elevation(x + i, y + j) for i in (back, 0, front) for j in (right, 0, left))
        gaps.append(ground - (z - sole.height))
    return max(gaps)


def height_of(model: mujoco.MjModel, data: mujoco.MjData, root: int) -> float:
    """Height of the highest point of a body and all that hangs on it, by the boxes around its geoms [m]."""
    return float(tops(model, data)[np.isin(model.geom_bodyid, subtree(model, root))].max())


def tops(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Height of the highest point of each geom, by the box around it; infinite of planes that are not level [m]."""
    up = data.geom_xmat[:, 6:9]
    found = data.geom_xpos[:, 2] + np.einsum("gi,gi->g", up, model.geom_aabb[:, :3])
    found += np.einsum("gi,gi->g", np.abs(up), model.geom_aabb[:, 3:])
    plane = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    return np.where(plane, np.where(up[:, 2] > 1 - 1e-9, data.geom_xpos[:, 2], np.inf), found)
