"""The solution of the plan, as motion and forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import qpsolvers
from scipy import sparse

from plantar.errors import PlantarError
from plantar.walk.predictive.horizon import Horizon
from plantar.walk.predictive.problem import STATE, CentroidalProblem, Guess, points_of


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What the robot will do if nothing disturbs it."""

    horizon: Horizon
    """Intervals that were planned."""

    states: np.ndarray
    """Centre of mass, velocity and angular momentum over mass at the ends of the intervals, first now."""

    forces: tuple[np.ndarray, ...]
    """Forces over weight at the contact points of each interval."""

    moved: np.ndarray
    """How far the steps ahead are moved, shape (steps, 2) [m]."""

    residual: float
    """Largest violation of an equation of the program."""

    def acceleration(self) -> np.ndarray:
        """Acceleration of the centre of mass in the first interval [m/s^2]."""
        return (self.states[1, 3:6] - self.states[0, 3:6]) / self.horizon.lengths[0]

    def momentum_rate(self) -> np.ndarray:
        """Rate of the angular momentum over mass in the first interval [m^2/s^2]."""
        return (self.states[1, 6:9] - self.states[0, 6:9]) / self.horizon.lengths[0]

    def state(self, time: float) -> np.ndarray:
        """State at a time, between the planned ones."""
        times = self.horizon.times
        return np.array([np.interp(time, times, column) for column in self.states.T])

    def guess(self, horizon: Horizon, first: int = 0) -> Guess:
        """This plan seen from a later horizon, in which `first` of the steps have been taken."""
        middle = horizon.times[:-1] + 0.5 * horizon.lengths
        position = np.column_stack([np.interp(middle, self.horizon.times, column) for column in self.states.T[:3]])
        moved = np.zeros((horizon.steps, 2))
        kept = self.moved[first : first + horizon.steps]
        moved[: len(kept)] = kept
        forces = tuple(self._forces_at(horizon, i, t) for i, t in enumerate(middle))
        return Guess(position=position, forces=forces, moved=moved)

    def _forces_at(self, horizon: Horizon, interval: int, time: float) -> np.ndarray:
        points, _ = points_of(horizon, interval)
        old = int(np.clip(np.searchsorted(self.horizon.times, time) - 1, 0, len(self.forces) - 1))
        feet = [s.foot for s in horizon.phases[horizon.phase[interval]].stances]
        was = [s.foot for s in self.horizon.phases[self.horizon.phase[old]].stances]
        if feet == was and len(points) == len(self.forces[old]):
            return self.forces[old]
        return np.tile([0.0, 0.0, 1.0 / max(len(points), 1)], (len(points), 1))


def solve(problem: CentroidalProblem, solver: str = "piqp") -> Forecast:
    """Solve the program.

    Raises:
        PlantarError: If the solver gives no solution.
    """
    program = qpsolvers.Problem(
        _matrix(problem.P),
        problem.q,
        _matrix(problem.G),
        problem.h,
        _matrix(problem.A),
        problem.b,
        problem.lower,
        problem.upper,
    )
    solution = qpsolvers.solve_problem(program, solver=solver)
    if not solution.found or solution.x is None:
        raise PlantarError("the predictive plan has no solution; does any foot stand in its horizon?")
    z, starts = solution.x, problem.starts
    intervals = len(problem.horizon.phase)
    states = np.vstack([problem.state, z[: starts[0]].reshape(intervals, STATE)])
    forces = tuple(z[starts[i] : starts[i + 1]].reshape(-1, 3) for i in range(intervals))
    residual = float(np.abs(problem.A @ z - problem.b).max())
    return Forecast(
        horizon=problem.horizon, states=states, forces=forces, moved=z[starts[-1] :].reshape(-1, 2), residual=residual
    )


def _matrix(array: sparse.csc_array) -> sparse.csc_matrix:
    """The older of SciPy's two kinds, which the solvers know."""
    return sparse.csc_matrix(array)
