"""The stance of a robot: its height, mass, inertia and the ground it covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from plantar.model.keyframes import posed
from plantar.model.shape import lowest
from plantar.robots.place import Place


class Stance(NamedTuple):
    """A robot in its standing keyframe."""

    mass: float
    """Mass [kg]."""
    height: float
    """Height of the base over the lowest sole [m]."""
    inertia: tuple[float, ...]
    """Inertia about the centre of mass, xx yy zz, in the world's axes [kg m^2]."""
    com: tuple[float, ...]
    """Centre of mass from the base [m], in the world's axes."""
    support: tuple[float, float]
    """Length and width of the rectangle around all soles [m]."""


def stance_of(model: mujoco.MjModel, base: str, key: str, places: Sequence[Place], soles: Sequence[int]) -> Stance:
    """The stance of a robot in keyframe `key`, `soles` being the geoms that touch the ground."""
    data = posed(model, mujoco.MjData(model), model.key(key).qpos)
    root = model.body(base).id
    com = data.subtree_com[root].copy()
    corners = np.concatenate([_corners(data, place) for place in places])
    forward = data.site(places[0].site).xmat.reshape(3, 3)[:, 0]
    turn = np.array([[forward[0], -forward[1]], [forward[1], forward[0]]])
    span = np.ptp(corners[:, :2] @ turn, axis=0)
    floor = lowest(model, data, soles)
    return Stance(
        mass=float(model.body_subtreemass[root]),
        height=float(data.xpos[root, 2]) - floor,
        inertia=tuple(np.diag(_inertia(model, data, root, com)).tolist()),
        com=tuple((com - data.xpos[root]).tolist()),
        support=(float(span[0]), float(span[1])),
    )


def _corners(data: mujoco.MjData, place: Place) -> np.ndarray:
    site, (back, front, right, left) = data.site(place.site), place.extent
    local = np.array([[x, y, 0] for x in (-back, front) for y in (-right, left)])
    return site.xpos + local @ site.xmat.reshape(3, 3).T


def _inertia(model: mujoco.MjModel, data: mujoco.MjData, root: int, about: np.ndarray) -> np.ndarray:
    """Inertia of all bodies under `root` about a point, in the world's axes (3, 3)."""
    total = np.zeros((3, 3))
    for b in np.flatnonzero(model.body_rootid == root):
        axes, arm = data.ximat[b].reshape(3, 3), data.xipos[b] - about
        total += axes @ np.diag(model.body_inertia[b]) @ axes.T
        total += model.body_mass[b] * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return total
