"""The solution of the plan, as motion and forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import qpsolvers

from plantar.errors import PlantarError
from plantar.walk.plans.predictive.horizon import Horizon
from plantar.walk.plans.predictive.problem import STATE, CentroidalProblem, Guess, even_forces


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
        now = horizon.of(interval)
        old = min(max(int(np.searchsorted(self.horizon.times, time)) - 1, 0), len(self.forces) - 1)
        feet, was = ([s.foot for s in phase.stances] for phase in (now, self.horizon.of(old)))
        if feet == was and len(now.points) == len(self.forces[old]):
            return self.forces[old]
        return even_forces(len(now.points))


def solve(problem: CentroidalProblem, solver: str = "piqp") -> Forecast:
    """Solve the program.

    Raises:
        PlantarError: If the solver gives no solution.
    """
    program = problem.program
    solution = qpsolvers.solve_problem(program, solver=solver)
    if not solution.found or solution.x is None:
        raise PlantarError("the predictive plan has no solution; does any foot stand in its horizon?")
    z, starts = solution.x, problem.starts
    intervals = len(problem.horizon.phase)
    states = np.vstack([problem.state, z[: starts[0]].reshape(intervals, STATE)])
    forces = tuple(z[starts[i] : starts[i + 1]].reshape(-1, 3) for i in range(intervals))
    residual = float(np.abs(program.A @ z - program.b).max())
    moved = z[starts[-1] :].reshape(-1, 2)
    return Forecast(horizon=problem.horizon, states=states, forces=forces, moved=moved, residual=residual)
