"""Independent check of a gait: integrate its motor forces with another integrator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from plantar._arguments import checks_arguments
from plantar.gait._boundary import mirrored_rows
from plantar.gait._dynamics import Dynamics
from plantar.gait._mesh import parabolas
from plantar.gait.result import GaitResult, Segment


@dataclass(frozen=True, kw_only=True)
class Check:
    """A gait integrated from its start with its motor forces alone."""

    times: np.ndarray
    """Times at which the mesh has nodes."""
    q: np.ndarray
    """Integrated coordinates, one row per time."""
    v: np.ndarray
    """Integrated velocities."""
    return_error: float
    """Largest difference between end and start, except for the distance travelled [robot's units]."""
    path_error: float
    """Largest difference from the optimiser's states along the motion."""
    cost: float
    """Cost along the integrated motion."""
    cost_error: float
    """Their relative difference from the optimiser's."""
    evaluations: int
    """Evaluations of the equations of motion."""


@checks_arguments
def check(result: GaitResult, *, rtol: float = 1e-9, atol: float = 1e-11) -> Check:
    """Integrate a gait with SciPy's DOP853, an explicit Runge-Kutta scheme of eighth order.

    Only the start state, the motor forces at the mesh's points (parabolas in between) and, of a rigid gait, the times
    at which its phases end are taken from the result. A rigid stance is integrated with its constraint; touch-down
    goes through the impact law.

    Args:
        result: A gait that was found.
        rtol: Relative tolerance of the integrator.
        atol: Absolute tolerance.
    """
    model = Dynamics(result.robot)
    size = model.size
    state = np.concatenate([result.q[0], result.v[0], result.deflection[0], [0.0]])
    start, row = state.copy(), 0
    path, times, errors, count = [state], [result.times[0]], [0.0], 0
    for i, segment in enumerate(result.segments):
        stance = segment.phase.stance
        if i and set(stance) - set(result.segments[i - 1].phase.stance):
            state = state.copy()
            state[size : 2 * size] = model.impact(state[:size], state[size : 2 * size], stance)
        torque = result.torque[row : row + len(segment.points)]
        found = np.hstack([result.q, result.v])[row : row + len(segment.points)]
        row += len(segment.points)
        nodes = segment.start + segment.duration * segment.nodes
        for k in range(len(segment.mesh)):
            slope = _slope(model, segment, torque, result.request.cost)
            step = solve_ivp(slope, nodes[k : k + 2], state, method="DOP853", rtol=rtol, atol=atol)
            state, count = step.y[:, -1], count + step.nfev
            path.append(state)
            times.append(nodes[k + 1])
            errors.append(float(np.abs(state[: 2 * size] - found[2 * k + 2]).max()))
    y = np.array(path)
    return Check(
        times=np.array(times),
        q=y[:, :size],
        v=y[:, size : 2 * size],
        return_error=_return_error(result, start, state, size),
        path_error=max(errors),
        cost=float(state[-1]),
        cost_error=abs(float(state[-1]) / result.cost - 1),
        evaluations=count,
    )


def _slope(model: Dynamics, segment: Segment, torque: np.ndarray, cost: str):  # noqa: ANN202
    """The right-hand side within a phase: coordinates, velocities, deflections, cost."""
    size, legs = model.size, model.robot.legs

    def slope(time: float, y: np.ndarray) -> np.ndarray:
        q, v, d = y[None, :size], y[None, size : 2 * size], y[None, 2 * size : 2 * size + legs]
        u = parabolas(segment, torque, np.array([time]))
        if segment.phase.contact == "soft":
            a, rate, _ = model.soft(q, v, d, u)
        else:
            a, _ = model.rigid(q, v, u, segment.phase.stance)
            rate = np.zeros((1, legs))
        return np.concatenate([v[0], a[0], rate[0], model.drawn(cost, u, v[:, model.bodies :])])

    return slope


def _return_error(result: GaitResult, start: np.ndarray, end: np.ndarray, size: int) -> float:
    rows = mirrored_rows(result.robot) if result.request.symmetric else list(range(size))
    q = end[:size] - start[rows]
    q[0] -= result.request.speed * result.stride_time
    v = end[size : 2 * size] - start[size + np.array(rows)]
    return float(np.abs(np.concatenate([q, v])).max())
