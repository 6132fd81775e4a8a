"""Small soft scenes that several tests share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plantar.soft import Corotational, Material, Mesh, Scene, SoftBody
from plantar.soft.reference.mesh import kuhn_beam


def bar(counts=(5, 3, 3), size=(0.1, 0.03, 0.03)) -> Mesh:
    """A bar along x, cut into tetrahedra."""
    return kuhn_beam(counts, size)


def body(mesh: Mesh, material: Material | None = None, **fields) -> SoftBody:
    """A body of 1000 kg/m^3, fixed where x = 0 unless told otherwise."""
    fields.setdefault("density", 1000.0)
    fields.setdefault("fixed", np.flatnonzero(mesh.nodes[:, 0] < 1e-12))
    return SoftBody(name="bar", mesh=mesh, material=material or Corotational(young=1e5, poisson=0.3), **fields)


def tangent(scene: Scene, exact: bool = True) -> np.ndarray:
    """Stiffness of all blocks as a dense matrix."""
    system = scene.system
    f = np.zeros((system.size, 3))
    system.assemble(scene.state.x, scene.state.quat, f, exact)
    A = np.zeros((3 * system.size, 3 * system.size))
    for s, (i, j) in enumerate(zip(system.row, system.col, strict=True)):
        A[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = system.K[s]
        A[3 * j : 3 * j + 3, 3 * i : 3 * i + 3] = system.K[s].T
    return A


def start(scene: Scene, **fields) -> None:
    """Put the scene into its present state with other places, orientations or velocities."""
    scene.restore(replace(scene.state, **{name: np.array(value, dtype=float) for name, value in fields.items()}))


def internal(scene: Scene, x: np.ndarray) -> np.ndarray:
    """Internal forces at positions x."""
    f = np.zeros_like(x)
    scene.system.assemble(x, scene.state.quat, f, True)
    return f
