"""The soles of a model: what the soil needs to know about them, the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from plantar.ground.soil.loop import AREA, LIMIT, POINT
from plantar.ground.soil.sole_points import SolePoints, covered, facing_down, sole_points
from plantar.model.feet import find_feet, foot_geoms

FINEST, MOST_POINTS = 0.005, 150
"""Points lie this far apart [m], or further where a foot would have more than this many, unless the spacing is
given."""
DOWN, UP = -0.25, 0.5
"""Undersides look lower than the one in the model's reference pose; what looks higher than the other, the top, is left
out, while sides press where they are pushed into soil."""
STEADY = 0.5
"""Stiffness of the ground on relief, times the square of the time step, over the mass of a foot: what a step bears."""
TOGETHER = 2.5
"""Points are connected, as one patch of a sole, if they lie closer than this many of their widths."""


class Soles(NamedTuple):
    """Points of the feet of a model, read only."""

    bodies: np.ndarray
    """Bodies with points, the feet and what moves within them (b)."""
    root: np.ndarray
    """Root of the tree of each body (b)."""
    reach: np.ndarray
    """Radius of a ball about each body's place that holds its points (b) [m]."""
    of: np.ndarray
    """Body of each point, as a place in `bodies` (n)."""
    patch: np.ndarray
    """Patch of each point (n)."""
    points: np.ndarray
    """Place, direction, half edges, area and stiffest relief of each point (n, 14), see `loop`."""

    @property
    def patches(self) -> int:
        """Number of patches."""
        return int(self.patch.max(initial=0)) + 1


def find_soles(model: mujoco.MjModel, feet: Sequence[str] | None, spacing: float | None) -> Soles:
    """Sample the soles of a model.

    Args:
        model: The model.
        feet: Bodies or geoms; None finds feet by name.
        spacing: Between points [m]; None takes 5 mm, or more for large soles.
    """
    found = find_feet(model, feet, "model")
    by_foot = [foot_geoms(model, foot) for foot in found]
    geoms = sorted({g for mine in by_foot for g in mine})
    points = _outside(model, geoms, spacing or FINEST)
    share = np.count_nonzero(points.normal[:, 2] < DOWN) / (MOST_POINTS * len(found))
    if spacing is None and share > 1:
        points = _outside(model, geoms, FINEST * 1.02 * np.sqrt(share))
    bodies, of = np.unique(points.body, return_inverse=True)
    reach = np.linalg.norm(points.place, axis=1)
    table = np.zeros((len(of), POINT))
    table[:, :3], table[:, 3:6], table[:, 6:12] = points.place, points.normal, points.edges.reshape(-1, 6)
    table[:, AREA], table[:, LIMIT] = points.area, _stiffest(model, points, bodies, of)
    return Soles(
        bodies=bodies,
        root=model.body_rootid[bodies],
        reach=np.array([reach[of == b].max() for b in range(len(bodies))]),
        of=of.astype(np.int32),
        patch=_patches(model, points, by_foot),
        points=table,
    )


def _outside(model: mujoco.MjModel, geoms: list[int], spacing: float) -> SolePoints:
    """Points of undersides and sides in the reference pose that no other part of the feet covers."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    points = sole_points(model, geoms, spacing)
    points = points.pick(facing_down(model, data, points, UP))
    return points.pick(~covered(model, data, points, geoms))


def _stiffest(model: mujoco.MjModel, points: SolePoints, bodies: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Stiffness on relief that the time step bears under each point [Pa/m]."""
    under = np.bincount(of, points.area * (points.normal[:, 2] < DOWN), len(bodies))
    mass = 1 / np.maximum(model.body_invweight0[bodies, 0], 1e-12)
    return (STEADY * mass / model.opt.timestep**2 / np.maximum(under, 1e-9))[of]


def _patches(model: mujoco.MjModel, points: SolePoints, by_foot: list[list[int]]) -> np.ndarray:
    """Patch of each point: the connected pieces of each foot in the reference pose."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    spots = np.einsum("nij,nj->ni", data.xmat[points.body].reshape(-1, 3, 3), points.place) + data.xpos[points.body]
    patch, count = np.zeros(len(spots), np.int32), 0
    for geoms in by_foot:
        mine = np.flatnonzero(np.isin(points.geom, geoms))
        if not len(mine):
            continue
        near = TOGETHER * float(np.sqrt(points.area[mine].max()))
        pairs = KDTree(spots[mine]).query_pairs(near, output_type="ndarray")
        links = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(mine), len(mine)))
        pieces, label = connected_components(links, directed=False)
        patch[mine] = label + count
        count += pieces
    return patch
