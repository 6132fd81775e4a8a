"""Loads on bodies and tendons at one moment of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.model.polygon import convex_hull


@dataclass(frozen=True)
class Loads:
    """Forces on bodies that can move, and tensions in tendons."""

    points: np.ndarray
    """Where (n, 3) [m]."""
    forces: np.ndarray
    """Forces on the bodies (n, 3) [N]."""
    bodies: np.ndarray
    """Which bodies (n,)."""
    pulls: np.ndarray
    """Tension of each tendon (ntendon,) [N]."""

    def by_body(self) -> tuple[np.ndarray, np.ndarray]:
        """Centres of pressure (bodies, 3) [m] and forces (bodies, 3) [N], one for each body that is touched."""
        points, forces = [], []
        for body in np.unique(self.bodies):
            mine = self.bodies == body
            size = np.linalg.norm(self.forces[mine], axis=1)
            if size.sum() > 0:
                points.append(size @ self.points[mine] / size.sum())
                forces.append(self.forces[mine].sum(axis=0))
        return np.array(points).reshape(-1, 3), np.array(forces).reshape(-1, 3)

    def pressure_point(self) -> np.ndarray:
        """Where the vertical force of all of them acts (1, 3), or (0, 3) if there is none [m]."""
        load = np.clip(self.forces[:, 2], 0, None)
        return (load @ self.points / load.sum())[None] if load.sum() > 0 else np.zeros((0, 3))

    def support(self) -> np.ndarray:
        """Edges (n, 2, 3) of the polygon around those that carry [m]."""
        load = self.forces[:, 2]
        points = self.points[load > 0.01 * max(load.sum(), 1e-9)]
        hull = convex_hull(points[:, :2]) if len(points) >= 3 else np.zeros((0, 2))
        if len(hull) < 3:
            return np.zeros((0, 2, 3))
        ring = np.column_stack([hull, np.full(len(hull), points[:, 2].min())])
        return np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)


Pushes = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Points (n, 3) [m], forces (n, 3) [N] and bodies (n,)."""


def loads_of(model: mujoco.MjModel, data: mujoco.MjData, more: Pushes | None = None) -> Loads:
    """Contact forces on bodies that can move, of two such bodies on the second, and tensions.

    Args:
        model: The model.
        data: Its state.
        more: Forces that are not MuJoCo contacts, such as those of soil.
    """
    points, forces, bodies = [], [], []
    moves = (model.body_weldid > 0) & (model.body_mocapid < 0)
    wrench = np.empty(6)
    for i in range(data.ncon):
        contact = data.contact[i]
        first, second = model.geom_bodyid[contact.geom] if contact.geom.min() >= 0 else (0, 0)
        if contact.efc_address < 0 or not (moves[first] or moves[second]):
            continue
        mujoco.mj_contactForce(model, data, i, wrench)
        force = contact.frame.reshape(3, 3).T @ wrench[:3]
        points.append(contact.pos.copy())
        forces.append(force if moves[second] else -force)
        bodies.append(second if moves[second] else first)
    places, pushes, on = np.array(points).reshape(-1, 3), np.array(forces).reshape(-1, 3), np.array(bodies, int)
    if more is not None:
        places, pushes, on = (np.concatenate(pair) for pair in zip((places, pushes, on), more, strict=True))
    return Loads(places, pushes, on, tensions(model, data))


def tensions(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Tension of each tendon by its spring and its limit, positive where it pulls (ntendon,) [N]."""
    spring = model.tendon_lengthspring
    stretch = np.clip(data.ten_length - spring[:, 1], 0, None) - np.clip(spring[:, 0] - data.ten_length, 0, None)
    pull = model.tendon_stiffness.reshape(model.ntendon, -1)[:, 0] * stretch if model.ntendon else np.zeros(0)
    limits = np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)
    np.add.at(pull, data.efc_id[limits], data.efc_force[limits])
    return pull


def tendon_paths(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
    """Straight pieces (n, 2, 3) of all spatial tendons [m], and the tendon of each (n,)."""
    pieces, owners = [np.zeros((0, 2, 3))], []
    for t in range(model.ntendon):
        start, count = int(data.ten_wrapadr[t]), int(data.ten_wrapnum[t])
        path = data.wrap_xpos.reshape(-1, 3)[start : start + count]
        bound = data.wrap_obj.ravel()[start : start + count]
        there = (bound[:-1] != -2) & (bound[1:] != -2) if count > 1 else np.zeros(0, bool)  # a pulley splits the path
        pieces.append(np.stack([path[:-1][there], path[1:][there]], axis=1))
        owners += [t] * int(there.sum())
    return np.concatenate(pieces), np.array(owners, int)
