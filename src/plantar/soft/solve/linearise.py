"""One linearisation: free motion, rows of constraints and the compliance between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from plantar.soft.solve.complementarity import Forces, Rows, solve_rows
from plantar.soft.solve.factor import Singular

if TYPE_CHECKING:
    from plantar.soft.scene.scene import Scene

SPARSE = 200_000
"""Rows times free numbers above which zeros are left out."""


@dataclass
class Linear:
    """A d = s F + s G^T l about the present state, with A factorised.

    `s` is the time step h in dynamics and 1 in statics; motion over the step is `free` + s^2 A^-1 G^T l.
    """

    s: float
    """Scale between numbers solved for and motion."""
    y: np.ndarray
    """A^-1 s F of the free numbers."""
    drift: np.ndarray
    """Motion of all blocks that is there without any force (n, 3)."""
    H: np.ndarray
    """Derivatives of the rows by the free numbers (k, dofs)."""
    X: np.ndarray
    """A^-1 G^T, one row a force (k, dofs); G is H unless cables have friction."""
    W: np.ndarray
    """Compliance s^2 H A^-1 G^T between rows (k, k)."""
    delta: np.ndarray
    """Rows at the end of the step if no force acted: paper's delta free (k)."""
    rows: Rows
    """Limits and friction of the rows."""
    names: list[tuple[str, int]]
    """Owner and number of rows, in order."""


def linearise(scene: Scene, h: float | None, inverse: bool = False, regular: float = 0.0) -> Linear:
    """Assemble, factorise and solve about the present state.

    Args:
        scene: The scene.
        h: Time step, or None for statics.
        inverse: Whether all actuators become rows, whatever drives them, and goals are added at the end.
        regular: In statics, share of mass in the matrix: A = K + regular M.
    """
    system, state = scene.system, scene.state
    F = scene._forces(h)
    system.turn_arms(state.quat)
    inertia = system.world_inertia(state.quat) if system.frames else system.inertia
    system.factorise(*scene._coefficients(h, regular), inertia)
    # the first row of the stack is the known force, so that one call solves for all
    active = scene._active_rows(inverse)
    stack, k, loads = active.stack, len(active.value), active.loads
    scene._known_loads(F, inverse)
    s = 1.0 if h is None else h
    np.multiply(F, s, out=stack[0])
    reduced = system.reduce(stack)
    H = reduced[1:]
    if loads is None:
        solved = system.factor.solve(reduced)
    else:
        solved = system.factor.solve(np.concatenate([reduced[:1], system.reduce(loads)]))
    y, X = solved[0], solved[1:]
    drift = scene._drift(h)
    W = (s * s) * _product(H, X)
    delta = active.value + s * (H @ y)
    if k and (h is not None or scene._prescribed is not None):
        delta += stack[1:].reshape(k, -1) @ drift.ravel()
    if h is not None and scene.contacts:
        scene._after_impact(active.names, delta)
    return Linear(s, y, drift, H, X, W, delta, active.rows, active.names)


def _product(H: np.ndarray, X: np.ndarray) -> np.ndarray:
    """H X^T; rows of contacts hold a few numbers each, so that many of them are cheaper without their zeros."""
    return csr_array(H) @ X.T if H.size > SPARSE else H @ X.T


def respond(scene: Scene, h: float | None, regular: float = 0.0) -> tuple[Linear, Forces] | None:
    """Linearise about the present state and find the forces of all rows; None if the matrix or its numbers fail."""
    try:
        linear = linearise(scene, h, regular=regular)
    except (Singular, FloatingPointError, np.linalg.LinAlgError):
        return None
    if not np.isfinite(linear.delta).all():
        return None
    start = scene._start(linear.names)
    tolerance, limit = scene.contact_tolerance, scene.contact_rounds
    return linear, solve_rows(linear.W, linear.delta, linear.rows, start, tolerance=tolerance, limit=limit)


def motion(scene: Scene, linear: Linear, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Motion of all blocks, and the change of the free numbers."""
    y = linear.y if not len(force) else linear.y + linear.s * (force @ linear.X)
    change = scene.system.expand(y, np.zeros_like(linear.drift))
    return linear.drift + linear.s * change, change
