"""Shapes that a scene moves in: snapshots and their proper orthogonal decomposition."""

from __future__ import annotations

import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.soft.fem.turning import rotation_matrix, rotation_vectors, turned
from plantar.soft.mesh.mesh import Floats
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.state import State
from plantar.soft.solve.system import System

IDENTITY = np.array([[1.0, 0.0, 0.0, 0.0]])


def displacement(system: System, state: State, carrier: str | None = None) -> Floats:
    """Motion of the free numbers from rest (dofs,): positions, and rotation vectors of frames.

    Args:
        system: The scene's system.
        state: The state.
        carrier: A rigid body whose motion is taken out: what is left is the deformation that it sees.
    """
    x, quat = state.x, state.quat
    if carrier is not None:
        frame = system.frame_name[carrier]
        block = system.frame_block[frame]
        turn = rotation_vectors(system.quat0[[frame]], quat[[frame]])
        R = rotation_matrix(turned(IDENTITY, turn)[0])
        x = (x - x[block]) @ R + system.x0[block]
        quat = turned(quat, -turn)
    u = np.where(system.rotational[:, None], 0.0, x - system.x0)
    if system.frames:
        u[system.frame_block + 1] = rotation_vectors(system.quat0, quat)
    return u[system.free].ravel()


def basis(scene: Scene, snapshots: Floats, *, modes: int, tolerance: float, carrier: str | None = None) -> Floats:
    """Modes (dofs, m) that are orthonormal with respect to mass.

    Args:
        scene: The scene at rest.
        snapshots: Motions (dofs, samples).
        modes: Most modes to keep.
        tolerance: Fraction of the snapshots' squared size that may be lost.
        carrier: A free rigid body; its six motions, with everything that moves along, come first.

    Raises:
        InvalidInput: If the snapshots hold no motion.
    """
    require(modes >= 1, "modes", modes, "1 or more")
    weight = np.sqrt(_masses(scene.system))
    U, size, _ = np.linalg.svd(weight[:, None] * snapshots, full_matrices=False)
    if not size[0] > 0:
        raise InvalidInput("the snapshots hold no motion: drive the scene while they are taken")
    lost = 1 - np.cumsum(size**2) / (size**2).sum()
    count = min(modes, int(np.searchsorted(-lost, -tolerance)) + 1, int((size > 1e-10 * size[0]).sum()))
    shapes = U[:, :count] / weight[:, None]
    if carrier is not None:
        shapes = np.column_stack([rigid_modes(scene.system, carrier), shapes])
    return _orthonormal(shapes, weight)


def rigid_modes(system: System, carrier: str) -> Floats:
    """Three translations and three small rotations of everything about a rigid body (dofs, 6)."""
    centre = system.x0[system.frame_block[system.frame_name[carrier]]]
    columns = []
    for axis in np.eye(3):
        columns.append(np.where(system.rotational[:, None], 0.0, axis))
    for axis in np.eye(3):
        columns.append(np.where(system.rotational[:, None], axis, np.cross(axis, system.x0 - centre)))
    return np.stack([c[system.free].ravel() for c in columns], axis=1)


def _masses(system: System) -> Floats:
    """Mass or moment of inertia of every free number (dofs,)."""
    mass = np.repeat(system.mass[:, None], 3, axis=1)
    for f, block in enumerate(system.frame_block):
        mass[block + 1] = np.maximum(np.diag(system.inertia[f]), 0.0)
    least = mass[mass > 0].min()
    return np.maximum(mass, least)[system.free].ravel()


def _orthonormal(shapes: Floats, weight: Floats) -> Floats:
    Q, R = np.linalg.qr(weight[:, None] * shapes)
    keep = np.abs(np.diag(R)) > 1e-9 * np.abs(np.diag(R)).max()
    return Q[:, keep] / weight[:, None]
