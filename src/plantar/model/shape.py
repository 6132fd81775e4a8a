"""Points on the outline of geoms."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

Array = np.ndarray

_KIND = mujoco.mjtGeom
_ROUND = 24
"""Directions around a round geom."""


def _directions() -> Array:
    """The axes of the world, and rings around them, so that extremes along the axes are exact."""
    turn = np.linspace(0, 2 * np.pi, _ROUND, endpoint=False)
    rings = [
        np.stack([np.cos(turn) * np.sin(tilt), np.sin(turn) * np.sin(tilt), np.full(_ROUND, -np.cos(tilt))], axis=1)
        for tilt in np.radians([5, 20, 45, 70, 90, 135])
    ]
    return np.concatenate([np.eye(3), -np.eye(3), *rings])


_DIRECTIONS = _directions()


def outline(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Points on a geom's surface in the world (n, 3); among them its extremes along the axes."""
    frame, kind = data.geom_xmat[geom].reshape(3, 3), int(model.geom_type[geom])
    if kind == _KIND.mjGEOM_MESH:
        local = _mesh_points(model, int(model.geom_dataid[geom]))
    elif kind in (_KIND.mjGEOM_SPHERE, _KIND.mjGEOM_CAPSULE, _KIND.mjGEOM_CYLINDER, _KIND.mjGEOM_ELLIPSOID):
        local = _support(kind, model.geom_size[geom], _DIRECTIONS @ frame)
    else:
        centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        local = centre + signs * half
    return data.geom_xpos[geom] + local @ frame.T


def outlines(model: mujoco.MjModel, data: mujoco.MjData, geoms: Iterable[int]) -> Array:
    """Points on the surfaces of several geoms in the world (n, 3)."""
    parts = [outline(model, data, g) for g in geoms]
    return np.concatenate(parts) if parts else np.zeros((0, 3))


def lowest(model: mujoco.MjModel, data: mujoco.MjData, geoms: Iterable[int]) -> float:
    """Height of the lowest point of some geoms [m]; infinite for none."""
    points = outlines(model, data, geoms)
    return float(points[:, 2].min()) if len(points) else np.inf


def _mesh_points(model: mujoco.MjModel, mesh: int) -> Array:
    """Vertices of a mesh; those of its convex hull where the model has one, as that is what touches."""
    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[start : start + count].astype(float)
    graph = int(model.mesh_graphadr[mesh])
    if graph < 0:
        return vertices
    hull = int(model.mesh_graph[graph])
    ids = model.mesh_graph[graph + 2 + hull : graph + 2 + 2 * hull]
    return vertices[ids]


def _support(kind: int, size: Array, directions: Array) -> Array:
    """Farthest points of a round geom along directions given in its frame (n, 3)."""
    radius = size[0]
    if kind == _KIND.mjGEOM_SPHERE:
        return radius * directions
    if kind == _KIND.mjGEOM_ELLIPSOID:
        scaled = directions * size
        return scaled * size / np.linalg.norm(scaled, axis=1, keepdims=True)
    # both ends for every direction, as a level one is lowest along a line
    ends = np.repeat([[0, 0, size[1]], [0, 0, -size[1]]], len(directions), axis=0)
    directions = np.tile(directions, (2, 1))
    if kind == _KIND.mjGEOM_CAPSULE:
        return ends + radius * directions
    across = directions * [1, 1, 0]
    length = np.linalg.norm(across, axis=1, keepdims=True)
    return ends + radius * np.divide(across, length, out=np.zeros_like(across), where=length > 1e-12)
