"""One linearisation: free motion, rows of constraints and the compliance between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plantar.soft.solve.complementarity import Forces, Rows, solve_rows
from plantar.soft.solve.factor import Singular
from plantar.soft.solve.large import LargeProblem, linearise_large
from plantar.soft.solve.model import Model
from plantar.soft.solve.row_products import add_rows, rows_times
from plantar.soft.solve.rows import ActiveRows, active_rows, first_guess
from plantar.soft.solve.state import Commands, Method, State

NEARLY = 1e-9
"""Fraction of the largest compliance of a contact that counts as none: contacts may depend on each other."""


@dataclass(frozen=True, eq=False)
class StepProblem:
    """A d = s F + s G^T l about a state, solved for the known forces and for unit forces of the rows.

    `s` is the time step h in dynamics and 1 in statics; motion over the step is `free` + s^2 A^-1 G^T l. All that
    `solve` needs is here: solving a problem twice gives the same bits.
    """

    model: Model
    """What the scene is made of."""
    state: State
    """Where the step starts."""
    commands: Commands
    """What drives it."""
    method: Method
    """Dynamics or statics."""
    s: float
    """Scale between numbers solved for and motion."""
    y: np.ndarray
    """A^-1 s F of the free numbers."""
    v: np.ndarray
    """Velocities at the start, with those of moved boundaries (n, 3)."""
    drift: np.ndarray
    """Motion of all blocks that is there without any force (n, 3)."""
    X: np.ndarray
    """A^-1 G^T, one row a force (k, dofs); G is H unless cables have friction."""
    W: np.ndarray
    """Compliance s^2 H A^-1 G^T between rows (k, k)."""
    delta: np.ndarray
    """Rows at the end of the step if no force acted: paper's delta free (k)."""
    active: ActiveRows
    """Rows on all blocks, and the contacts that have any."""

    @property
    def rows(self) -> Rows:
        """Limits and friction of the rows."""
        return self.active.rows

    @property
    def names(self) -> list[tuple[str, int]]:
        """Owner and number of rows, in order."""
        return self.active.names

    def guess(self) -> np.ndarray:
        """Forces of the last step for these rows."""
        return first_guess(self.state, self.active)

    def motion(self, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Motion of all blocks under these forces of the rows, and the change of velocities (in statics, of places)."""
        y = self.y if not len(force) else add_rows(self.s * force, self.X, self.y.copy())
        change = self.model.system.expand(y, np.zeros_like(self.drift))
        return self.drift + self.s * change, change

    def find(self) -> tuple[Forces, np.ndarray, np.ndarray, None]:
        """Forces of the rows, motion, change, and what the next step starts from: nothing.

        Raises:
            Singular: If a contact would give way against a push, so that forces that fit mean nothing.
        """
        model = self.model
        if self.method.h is not None and model.may_soften and not self._pushes_back():
            raise Singular("contacts give way against a push: the step is too long for what the body bears")
        tolerance, limit = model.contact_tolerance, model.contact_rounds
        found = solve_rows(self.W, self.delta, self.rows, self.guess(), tolerance=tolerance, limit=limit)
        return found, *self.motion(found.value), None

    def _pushes_back(self) -> bool:
        """Whether the compliance between contacts is positive."""
        rows, row = [np.zeros(0, dtype=np.int64)], 0
        for name, count in self.names:
            if name in self.active.near:
                rows.append(np.arange(row, row + count))
            row += count
        touching = np.concatenate(rows)
        if not len(touching):
            return True
        W = self.W[np.ix_(touching, touching)]
        size = float(np.abs(np.diag(W)).max())
        try:
            np.linalg.cholesky(0.5 * (W + W.T) + NEARLY * size * np.eye(len(W)))
        except np.linalg.LinAlgError:
            return False
        return True


def advanced(
    problem: StepProblem | LargeProblem,
    d: np.ndarray,
    force: np.ndarray,
    change: np.ndarray | None = None,
    guess: Any = None,
) -> State:
    """The state after motion d under these forces of the rows; velocities change in dynamics alone."""
    h, model, start = problem.method.h, problem.model, problem.state
    v = problem.v if h is None or change is None else problem.v + change
    x, quat, v = model.system.advance(start.x, start.quat, v, d)
    moves = problem.commands.moves is not None and h is not None
    new = State(start.time + (h or 0.0), x, quat, v, boundary_moves=moves, guess=guess)
    return replace(new, **model.remember(start, new, problem.commands, problem.active, force))


def linearise(
    model: Model, state: State, commands: Commands, method: Method | None = None
) -> StepProblem | LargeProblem:
    """Assemble about a state and, unless the scene is large, factorise and solve; nothing that goes in is changed.

    Args:
        model: What the scene is made of.
        state: Where it is.
        commands: What drives it.
        method: Dynamics or statics; what the model's mode says if None.

    Raises:
        Singular: If the matrix has no factorisation.
    """
    if method is None:
        method = Method(h=model.dt if model.mode == "dynamic" else None)
    if model.system.large and not method.inverse:
        return linearise_large(model, state, commands, method)
    return linearise_dense(model, state, commands, method)


def linearise_dense(model: Model, state: State, commands: Commands, method: Method) -> StepProblem:
    """The same with a factorisation and the compliance between all rows."""
    system, h = model.tangent(state, commands, method), method.h
    v = model.start_velocity(state, commands, h)
    F = model.forces(state, commands, method, v)
    system.turn_arms(state.quat)
    inertia = system.world_inertia(state.quat) if system.frames else system.inertia
    system.factorise(*model.coefficients(method), inertia)
    # the first row of the stack is the known force, so that one call solves for all
    active = active_rows(model, state, commands, method)
    stack, k, loads = active.stack, len(active.value), active.loads
    s = 1.0 if h is None else h
    np.multiply(F, s, out=stack[0])
    reduced = system.reduce(stack)
    H = reduced[1:]
    if loads is None:
        solved = system.factor.solve(reduced)
    else:
        solved = system.factor.solve(np.concatenate([reduced[:1], system.reduce(loads)]))
    y, X = solved[0], solved[1:]
    drift = _drift(v, commands, h)
    moved = rows_times(H, solved)
    delta = active.value + s * moved[:, 0]
    if k and (h is not None or commands.moves is not None):
        delta += rows_times(stack[1:].reshape(k, -1), drift.reshape(1, -1))[:, 0]
    if h is not None and active.near:
        _after_impact(active, delta)
    W = (s * s) * moved[:, 1:]
    return StepProblem(model, state, commands, method, s, y, v, drift, X, W, delta, active)


def _drift(v: np.ndarray, commands: Commands, h: float | None) -> np.ndarray:
    """Motion without a change of velocity."""
    if h is not None:
        return v * h
    return np.zeros_like(v) if commands.moves is None else commands.moves


def _after_impact(active: ActiveRows, delta: np.ndarray) -> None:
    row = 0
    for name, count in active.names:
        if name in active.near:
            active.near[name].after_impact(delta[row : row + count])
        row += count
