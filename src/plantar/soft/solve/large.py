"""One linearisation of a large scene: its matrix is not factorised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from plantar.soft.solve.augmented import Guess, Search
from plantar.soft.solve.blocks import BlockMatrix, Sparse, expansion
from plantar.soft.solve.complementarity import Forces, Rows
from plantar.soft.solve.model import Model
from plantar.soft.solve.rows import first_guess
from plantar.soft.solve.sparse_rows import SparseRows, sparse_rows
from plantar.soft.solve.state import Commands, Method, State


@dataclass(frozen=True, eq=False)
class LargeProblem:
    """A u = b + s G^T l about a state, with rows w = delta + s H u; see `StepProblem`."""

    model: Model
    state: State
    commands: Commands
    method: Method
    s: float
    A: BlockMatrix
    b: np.ndarray
    """Known forces on the free numbers, times s."""
    v: np.ndarray
    drift: np.ndarray
    H: Sparse
    """Derivatives of the rows by the free numbers (k, dofs)."""
    G: Sparse
    delta: np.ndarray
    """Rows at the end of the step if nothing changed its velocity (k)."""
    active: SparseRows

    @property
    def rows(self) -> Rows:
        """Limits and friction of the rows."""
        return self.active.rows

    def guess(self) -> np.ndarray:
        """Forces of the last step for these rows."""
        return first_guess(self.state, self.active)

    def find(self) -> tuple[Forces, np.ndarray, np.ndarray, Guess]:
        """Forces of the rows, motion, change, and what the next step starts from."""
        search = Search(self)
        found = search.run()
        change = self.model.system.expand(search.u, np.zeros_like(self.drift))
        return found, self.drift + self.s * change, change, search.leave()


def linearise_large(model: Model, state: State, commands: Commands, method: Method) -> LargeProblem:
    """Assemble about a state; nothing is factorised."""
    system, h = model.system, method.h
    v = model.start_velocity(state, commands, h)
    F = model.forces(state, commands, method, v)
    system.turn_arms(state.quat)
    inertia = system.world_inertia(state.quat) if system.frames else system.inertia
    A = system.matrix(*model.coefficients(method), inertia)
    active = sparse_rows(model, state, commands, method)
    s = 1.0 if h is None else h
    drift = v * h if h is not None else (np.zeros_like(v) if commands.moves is None else commands.moves)
    T = expansion(system)
    H = csr_array(active.H @ T)
    G = H if active.G is active.H else csr_array(active.G @ T)
    delta = active.value + active.H @ drift.ravel()
    b = s * system.reduce(F[None])[0]
    return LargeProblem(model, state, commands, method, s, A, b, v, drift, H, G, delta, active)
