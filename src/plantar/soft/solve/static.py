"""Equilibria by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from plantar.soft.solve.complementarity import Forces
from plantar.soft.solve.dump import diverged
from plantar.soft.solve.energy import has_potential, potential
from plantar.soft.solve.factor import Singular
from plantar.soft.solve.implicit import StepFailed, respond, verdict
from plantar.soft.solve.linearise import advanced, linearise
from plantar.soft.solve.mixer import Mixer
from plantar.soft.solve.model import Model
from plantar.soft.solve.result import StaticResult, StepResult
from plantar.soft.solve.rows import active_rows, first_guess
from plantar.soft.solve.state import Commands, Method, State

LONGEST = 0.05
"""Largest motion of one iteration, as a fraction of the size of the scene."""


@dataclass
class _Search:
    """Where a search for an equilibrium has got to."""

    model: Model
    state: State
    commands: Commands
    start: State
    longest: float
    """Largest motion of the next iteration [m]."""
    regular: float = 0.0
    floor: float = 0.0
    failures: int = 0
    wait: int = 0
    """Iterations before the exact tangent is tried again."""
    patience: int = 4
    """How many those are after it has failed the next time."""
    rounds: int = 0
    found: Forces | None = None
    history: list[float] = field(default_factory=list)
    mixer: Mixer | None = None
    descend: bool = False
    """Whether steps go downhill in potential energy: slow, but they cannot go round in circles."""


def solve_static(
    model: Model, state: State, commands: Commands, tolerance: float, limit: int
) -> tuple[State, StaticResult]:
    """Iterate to equilibrium; steps are shortened where they are too long or fail.

    Raises:
        Diverged: If there is none within the limit.
    """
    search = _Search(model, state.at_rest(), commands, state, longest=LONGEST * model.size)
    search.mixer = None if model.system.frames else Mixer()
    for iteration in range(limit):
        near = 1e-3 * model.size if not search.descend else 1e-5 * model.size
        exact = search.wait == 0 and bool(search.history) and search.history[-1] < near
        search.wait = max(search.wait - 1, 0)
        moved = _iterate(search, exact)
        # away from loads that follow the surface the exact tangent converges at once; else it is not worth having
        if exact and (moved is None or moved > 0.3 * search.history[-1]):
            search.wait, search.patience = search.patience, 2 * search.patience
        if moved is None:
            if _after_failure(search, iteration) < 1e-9 * model.size:
                break
            continue
        if _after_success(search, moved, tolerance):
            return _settled(search, state), _result(search, iteration + 1)
    reached = search.history[-1] if search.history else float("nan")
    why = f"no equilibrium after {limit} iterations (last motion {reached:.3g}); {_advice(model, reached)}"
    raise diverged(model, state, commands, why)


def _advice(model: Model, reached: float) -> str:
    """What to try where there is no equilibrium within the limit."""
    if not reached < model.size:
        return "is every body held?"
    if not model.conservative():
        return 'give commands in smaller steps, take rotation="polar", or let it settle in mode="dynamic"'
    return 'is every body held? else give commands in smaller steps, or let it settle in mode="dynamic"'


def _settled(search: _Search, start: State) -> State:
    """The equilibrium as the start of what comes next."""
    model, end = search.model, search.state
    cables = {n: (float(model.actuators[n].measure(end.x, end.quat)), way) for n, (_, way) in end.cables.items()}
    return replace(end, time=start.time + (model.dt if model.mode == "static" else 0.0), cables=cables)


def _after_failure(search: _Search, iteration: int) -> float:
    """Make the next iteration shorter, or add a trace of mass; returns its largest motion."""
    search.longest, search.failures = search.longest / 4, search.failures + 1
    if iteration < 4:
        # held by bonds or contacts alone: stiffness is singular, a trace of mass is not
        search.floor = max(10 * search.floor, 1e-3 * _first_regular(search.model))
        search.regular, search.longest = search.floor, LONGEST * search.model.size
    elif search.failures > 3:
        search.regular = max(4 * search.regular, _first_regular(search.model))
    return search.longest


def _after_success(search: _Search, moved: float, tolerance: float) -> bool:
    """Note the motion and choose how the next iteration is kept in check; whether the equilibrium is found."""
    model = search.model
    search.history.append(moved)
    search.longest, search.failures = min(2 * search.longest, LONGEST * model.size), 0
    small = moved <= tolerance * model.size or _at_rounding(search.history, model.size)
    if small and search.regular <= search.floor and search.commands.moves is None:
        return True
    first = _first_regular(model)
    if small:
        search.regular = search.floor
    elif _stuck(search.history) and not search.descend and has_potential(model):
        search.descend, search.wait, search.regular = True, 0, search.floor
    elif _stuck(search.history) and not search.descend:
        search.regular = max(2 * search.regular, first)
    else:
        search.regular = max(search.regular / 4, search.floor) if search.regular > 1e-3 * first else search.floor
    return False


def _result(search: _Search, iterations: int) -> StaticResult:
    found = search.found
    assert found is not None
    return StaticResult(
        status=verdict(search.model, search.state, found),
        iterations=iterations,
        motion=search.history[-1],
        imbalance=imbalance(search.model, search.state, search.commands, search.start),
        residual=found.residual,
        rounds=search.rounds,
        active=len(search.state.touches),
        history=tuple(search.history),
    )


def static_step(model: Model, state: State, found: StaticResult) -> StepResult:
    """An equilibrium as the result of a step."""
    return StepResult(
        status=found.status,
        time=state.time,
        efforts=state.efforts,
        strokes=model.strokes_at(state),
        motion=found.motion,
        residual=found.residual,
        rounds=found.rounds,
        active=found.active,
        iterations=found.iterations,
        touches=list(state.touches),
    )


def _first_regular(model: Model) -> float:
    """Mass in the matrix that makes a stray step about the size of a soft mode: (2 pi f)^2 of the scene's stiffness."""
    system = model.system
    stiffness = float(np.trace(system.K[system.row == system.col].mean(axis=0)) / 3)
    return 1e-4 * stiffness / float(system.mass[system.mass > 0].mean())


def _at_rounding(history: list[float], size: float) -> bool:
    """Whether motion is tiny and has stopped shrinking: what is left is rounding."""
    return len(history) > 8 and history[-1] <= 1e-9 * size and min(history[-6:]) >= 0.2 * min(history[:-6])


def _stuck(history: list[float]) -> bool:
    """Whether motion has not shrunk over the last dozen iterations."""
    return len(history) > 24 and min(history[-8:]) > 0.5 * min(history[-24:-8])


def _iterate(search: _Search, exact: bool) -> float | None:
    """One linearisation and the motion it leads to; None, and the state as it was, if it fails."""
    model, state, mixer = search.model, search.state, None if exact else search.mixer
    method = Method(h=None, regular=search.regular, exact=exact, start=search.start)
    try:
        problem = linearise(model, state, search.commands, method)
        found, d, _, guess = respond(problem)
        shutting = None if exact else model.shutting(state, *_moved(search, d), search.commands, method)
        if shutting is not None:
            problem = linearise(model, state, search.commands, replace(method, shutting=shutting))
            found, d, _, guess = respond(problem)
    except (StepFailed, Singular, FloatingPointError, np.linalg.LinAlgError):
        return None
    moved = float(np.abs(d).max())
    if not moved < 1e6 * model.size:
        return None
    share = min(1.0, search.longest / moved) if moved > 0 else 1.0
    step = d
    if mixer is not None:
        d = mixer.mix(state.x, d, moved) if share == 1.0 and search.commands.moves is None else mixer.forget(d)
    if search.descend and not exact:
        d, share = _downhill(search, [step] if d is step else [d, step], share)
    new = advanced(problem, share * d, found.value, guess=guess)
    # which way a cable slid is a matter of the whole search, not of one iteration
    new = replace(new, cables={n: (state.cables[n][0], way) for n, (_, way) in new.cables.items()})
    if not model.sound(new):
        if mixer is not None:
            mixer.forget(d)
        return None
    search.state, search.found, search.rounds = new, found, search.rounds + found.iterations
    search.commands = search.commands.part(1 - share) if share < 1 else replace(search.commands, moves=None)
    return moved


def _moved(search: _Search, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and orientations after motion d."""
    start = search.state
    return search.model.system.advance(start.x, start.quat, start.v, d)[:2]


def _downhill(search: _Search, steps: list[np.ndarray], share: float) -> tuple[np.ndarray, float]:
    """The first of these steps after which the potential energy is less; the last is made shorter until it is."""
    model, start = search.model, search.state
    first = potential(model, start, search.commands)

    def falls(d: np.ndarray) -> bool:
        x, quat = _moved(search, d)
        return potential(model, State(0.0, x, quat, start.v), search.commands) <= first + 1e-14 * abs(first)

    for d in steps[:-1]:
        if falls(share * d):
            return d, share
    for _ in range(20):
        if falls(share * steps[-1]):
            break
        share /= 2
    return steps[-1], share


def imbalance(model: Model, state: State, commands: Commands, start: State | None = None) -> float:
    """Largest force out of balance on a free number, with the present efforts and contact forces [N]."""
    method = Method(h=None, start=start)
    F = model.forces(state, commands, method, state.v)
    active = active_rows(model, state, commands, method)
    loads = active.stack[1:] if active.loads is None else active.loads
    force = first_guess(state, active)
    if len(force):
        F = F + np.tensordot(force, loads, axes=(0, 0))
    model.system.turn_arms(state.quat)
    return float(np.abs(model.system.reduce(F[None])[0]).max())
