"""The inverse: efforts of actuators that bring goals to their targets (Coevoet et al., eqs. 15 and 16).

The inverse method by quadratic programming on a real-time finite-element model is the subject of patent FR3002047;
commercial users should check whether it concerns them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import qpsolvers

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.soft.solve._qp import Infeasible, solve_qp
from plantar.soft.solve.complementarity import Forces, solve_rows
from plantar.soft.solve.dump import diverged
from plantar.soft.solve.eliminate import Eliminated, eliminate, same_regime
from plantar.soft.solve.inverse_result import InverseResult, InverseStatus, summarise
from plantar.soft.solve.linearise import StepProblem, advanced, linearise_dense
from plantar.soft.solve.model import Model
from plantar.soft.solve.state import Commands, Method, State
from plantar.soft.solve.static import LONGEST

__all__ = ["InverseResult", "InverseStatus", "build_inverse", "coupling", "solve_inverse"]


@dataclass(frozen=True)
class _Setup:
    linear: StepProblem
    names: list[str]
    held: Eliminated
    W_ea: np.ndarray
    W_aa: np.ndarray
    delta_e: np.ndarray
    delta_a: np.ndarray
    weight: np.ndarray


@checks_arguments
def build_inverse(model: Model, state: State, commands: Commands, *, energy: float = 1e-5) -> qpsolvers.Problem:
    r"""The quadratic program of one step, to look at or to solve with any library.

    .. math:: \min_\lambda \tfrac12 \lambda^T (W_{ea}^T W_{ea} + \epsilon' W_{aa}) \lambda + \lambda^T W_{ea}^T \delta_e
        \quad\text{with}\quad \delta_{min} \le W_{aa}\lambda + \delta_a \le \delta_{max},
        \ \lambda_{min} \le \lambda \le \lambda_{max}

    Args:
        model: A scene with goals and actuators.
        state: Where it is.
        commands: What drives it; commands of actuators do not count.
        energy: Weight of the deformation energy, relative: epsilon' = energy |W_ea^T W_ea| / |W_aa| with the largest
            row sums. It chooses among equal efforts of redundant actuators, and pulls a little away from the targets.
    """
    return _problem(model, _setup(model, state, commands), energy)


@checks_arguments
def solve_inverse(
    model: Model,
    state: State,
    commands: Commands,
    *,
    energy: float = 1e-5,
    solver: str = "daqp",
    tolerance: float | None = None,
    pace: float | None = None,
) -> tuple[State, InverseResult]:
    """Make one step in which the actuators bring the goals to their targets.

    Args:
        model: A scene with goals and actuators; in dynamic mode the step lasts `dt`, in static mode it is one
            linearisation of the equilibrium.
        state: Where it is.
        commands: What drives it; commands of actuators do not count.
        energy: Weight of the deformation energy; see `build_inverse`.
        solver: Back end of `qpsolvers`.
        tolerance: Distance that counts as reached [m]; 1e-4 of the scene's size if None.
        pace: Largest motion of a goal in one step [m]; 5 % of the scene's size if None.

    Raises:
        Diverged: If the step makes no sense; the state is then as before.
    """
    pace = LONGEST * model.size if pace is None else pace
    require(pace > 0, "pace", pace, "a number above 0, in m")
    setup = _setup(model, state, commands, pace)
    effort, others, programs, setup = _solve(model, setup, energy, solver, pace)
    force, d, change = _damped(model, setup, effort, others.value)
    effort = force[: len(effort)]
    moved = float(np.abs(d).max())
    if not moved < 10 * model.size:
        raise diverged(model, state, commands, "the inverse step is not finite; give nearer targets or a smaller pace")
    end = advanced(setup.linear, d, force, change)
    if model.mode == "static":  # a step of the scene, as an equilibrium is one
        end = replace(end, time=state.time + model.dt)
    if not model.sound(end):
        raise diverged(
            model, state, commands, "the inverse step inverts elements; give nearer targets or a smaller pace"
        )
    tolerance = 1e-4 * model.size if tolerance is None else tolerance
    return end, summarise(model, end, effort, programs, others, moved, tolerance)


def _damped(
    model: Model, setup: _Setup, effort: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forces and motion; in statics, part of the way where the linear model would be left behind."""
    linear, a = setup.linear, len(effort)
    force = np.zeros(len(linear.delta))
    force[:a], force[a : a + len(others)] = effort, others
    d, change = linear.motion(force)
    moved, most = float(np.abs(d).max()), 2 * LONGEST * model.size
    if model.mode == "dynamic" or not moved > most:
        return force, d, change
    last = np.array([linear.state.efforts[n] for n in setup.names])
    part = last + most / moved * (effort - last)
    mid = slice(a, a + len(others))
    free = linear.delta[mid] + linear.W[mid, :a] @ part
    force[:a], force[mid] = part, solve_rows(linear.W[mid, mid], free, _slice(linear.rows, mid), others).value
    d, change = linear.motion(force)
    return force, d * min(1.0, most / max(float(np.abs(d).max()), 1e-300)), change


def coupling(model: Model, state: State, commands: Commands) -> np.ndarray:
    """W_ea W_aa^-1: how goals move per stroke of each actuator (eq. 14), the Jacobian of the robot as it stands."""
    setup = _setup(model, state, commands)
    return np.linalg.solve(setup.W_aa.T, setup.W_ea.T).T


def _setup(model: Model, state: State, commands: Commands, pace: float = np.inf) -> _Setup:
    if not model.goals:
        raise InvalidInput("the inverse needs a goal: give the scene goals=[Goal(...)]")
    if not model.actuators:
        raise InvalidInput("the inverse needs an actuator: give the scene cables or cavities")
    method = Method(h=model.dt if model.mode == "dynamic" else None, inverse=True)
    linear = linearise_dense(model, state, commands, method)
    names = list(model.actuators)
    a = len(names)
    e = sum(g.rows for g in model.goals.values())
    k = len(linear.delta)
    start = linear.guess()
    held = eliminate(linear, slice(a, k - e), start[:a], start[a : k - e])
    return _condense(model, linear, names, held, pace)


def _condense(model: Model, linear: StepProblem, names: list[str], held: Eliminated, pace: float) -> _Setup:
    """Compliance and free motion with bonds and touching contacts eliminated."""
    a, k = len(names), len(linear.delta)
    e = sum(g.rows for g in model.goals.values())
    act, mid, eff = slice(0, a), slice(a, k - e), slice(k - e, k)
    W, d = linear.W, linear.delta
    weight = np.concatenate([np.full(g.rows, g.goal.weight) for g in model.goals.values()])
    delta_e = d[eff] + W[eff, mid] @ held.constant - _shortfall(model, linear.state, pace)
    return _Setup(
        linear,
        names,
        held,
        W_ea=W[eff, act] + W[eff, mid] @ held.slope,
        W_aa=W[act, act] + W[act, mid] @ held.slope,
        delta_e=delta_e,
        delta_a=d[act] + W[act, mid] @ held.constant,
        weight=weight,
    )


def _shortfall(model: Model, state: State, pace: float) -> np.ndarray:
    """From the targets of this step, at most `pace` away, to the final ones."""
    parts = []
    for goal in model.goals.values():
        away = (goal.position(state.x, state.quat) - goal.target)[goal.axes]
        distance = float(np.linalg.norm(away))
        parts.append(away * (1 - pace / distance) if distance > pace else np.zeros(len(away)))
    return np.concatenate(parts)


def _problem(model: Model, s: _Setup, energy: float) -> qpsolvers.Problem:
    Q = (s.W_ea.T * s.weight) @ s.W_ea
    W = 0.5 * (s.W_aa + s.W_aa.T)
    size = float(np.abs(W).sum(axis=1).max())
    P = Q + energy * (float(np.abs(Q).sum(axis=1).max()) / size if size > 0 else 0.0) * W
    q = s.W_ea.T @ (s.weight * s.delta_e)
    limits = np.array([model.configs[n].limits for n in s.names])
    stroke = np.array([model.configs[n].stroke for n in s.names])
    G = [s.W_aa[np.isfinite(stroke[:, 1])], -s.W_aa[np.isfinite(stroke[:, 0])]]
    h = [(stroke[:, 1] - s.delta_a)[np.isfinite(stroke[:, 1])], (s.delta_a - stroke[:, 0])[np.isfinite(stroke[:, 0])]]
    if len(s.held.inequality):
        G.append(s.held.inequality)
        h.append(s.held.bound)
    rows = np.concatenate(G)
    return qpsolvers.Problem(
        P, q, rows if len(rows) else None, np.concatenate(h) if len(rows) else None, lb=limits[:, 0], ub=limits[:, 1]
    )


def _solve(model: Model, s: _Setup, energy: float, solver: str, pace: float) -> tuple[np.ndarray, Forces, int, _Setup]:
    """Efforts and forces of bonds and contacts; where contacts change regime, the program is built again."""
    linear, a = s.linear, len(s.names)
    e = sum(g.rows for g in model.goals.values())
    mid = slice(a, len(linear.delta) - e)
    best: tuple[float, np.ndarray, Forces, _Setup] | None = None
    rounds = 0
    while rounds < 20:
        rounds += 1
        effort = _efforts(model, s, energy, solver)
        d = linear.delta[mid] + linear.W[mid, :a] @ effort
        rows = _slice(linear.rows, mid)
        others = solve_rows(linear.W[mid, mid], d, rows, s.held.constant + s.held.slope @ effort)
        eff = slice(len(linear.delta) - e, len(linear.delta))
        error = linear.delta[eff] + linear.W[eff, :a] @ effort + linear.W[eff, mid] @ others.value
        cost = float(error @ (s.weight * error))
        if best is None or cost < best[0]:
            best = (cost, effort, others, s)
        held = eliminate(linear, mid, effort, others.value)
        if same_regime(held, s.held):
            break
        s = _condense(model, linear, s.names, held, pace)
    assert best is not None
    return best[1], best[2], rounds, best[3]


def _efforts(model: Model, s: _Setup, energy: float, solver: str) -> np.ndarray:
    """Solve the program; where staying in the present regime of contact is impossible, without that demand."""
    try:
        return solve_qp(_problem(model, s, energy), solver)
    except Infeasible:
        if len(s.held.inequality):
            held = replace(s.held, inequality=s.held.inequality[:0], bound=s.held.bound[:0])
            return _efforts(model, replace(s, held=held), energy, solver)
        raise InvalidInput(
            "the limits of the actuators contradict each other here: stroke limits cannot be met with the allowed "
            "efforts; widen `stroke` or `max_force`"
        ) from None


def _slice(rows, part):  # noqa: ANN001, ANN202
    return type(rows)(rows.low[part], rows.high[part], rows.friction[part])
