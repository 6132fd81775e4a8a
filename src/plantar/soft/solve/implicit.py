"""One time step: backward Euler with one linearisation, smaller where it fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from plantar.soft.solve.complementarity import Forces
from plantar.soft.solve.dump import diverged
from plantar.soft.solve.factor import Singular
from plantar.soft.solve.large import LargeProblem
from plantar.soft.solve.linearise import StepProblem, advanced, linearise, linearise_dense
from plantar.soft.solve.model import Model
from plantar.soft.solve.result import StepResult, StepStatus
from plantar.soft.solve.state import Commands, Method, State

SMALLEST = 2.0**-8
"""Smallest fraction of dt tried before a step is given up."""
FARTHEST = 3.0
"""A step that moves anything by more than this many sizes of the scene has failed."""


class StepFailed(Exception):
    """A step that gives nothing that can be used; a smaller one may."""


def solve(problem: StepProblem | LargeProblem) -> tuple[State, StepResult]:
    """Find the forces of all rows and the state they lead to.

    Raises:
        StepFailed: If the numbers are not finite, go too far or turn an element inside out.
    """
    model = problem.model
    found, d, change, guess = respond(problem)
    moved = float(np.abs(d).max())
    if not moved < FARTHEST * model.size:  # also catches NaN
        raise StepFailed
    state = advanced(problem, d, found.value, change, guess)
    if not model.sound(state):
        raise StepFailed
    return state, StepResult(
        status=verdict(model, state, found),
        time=state.time,
        efforts=state.efforts,
        strokes=model.strokes_at(state),
        motion=moved,
        residual=found.residual,
        rounds=found.iterations,
        active=len(state.touches),
        touches=list(state.touches),
    )


def verdict(model: Model, state: State, found: Forces) -> StepStatus:
    """How a step ended at this state under these forces."""
    if not found.converged:
        return StepStatus.CONTACT
    if model.inside_out(state):
        return StepStatus.INVERTED
    return StepStatus.CLOSED if model.pulled_shut(state) else StepStatus.CONVERGED


def respond(problem: StepProblem | LargeProblem) -> tuple[Forces, np.ndarray, np.ndarray, Any]:
    """Forces of the rows of a problem, motion of all blocks, its change, and what the next step starts from.

    Raises:
        StepFailed: If there are none that can be used.
    """
    if not np.isfinite(problem.delta).all():
        raise StepFailed
    try:
        answer = problem.find()
    except Singular:
        if isinstance(problem, StepProblem):
            raise
        # a stiffness that is not positive needs a factorisation
        dense = linearise_dense(problem.model, problem.state, problem.commands, problem.method)
        answer = dense.find()
    found = answer[0]
    # off by as much as the rows themselves: worth nothing
    if not found.residual < 1.0:
        raise StepFailed
    return answer


def step_dynamic(model: Model, state: State, commands: Commands) -> tuple[State, StepResult]:
    """Advance by dt, in smaller parts if the step fails.

    Raises:
        Diverged: If it fails however small it is made.
    """
    try:
        end, parts = _advance(model, state, commands, model.dt, 1.0)
    except StepFailed:
        raise diverged(model, state, commands) from None
    if len(parts) == 1:
        return end, parts[0]
    return end, _joined(parts)


def _advance(model: Model, state: State, commands: Commands, h: float, share: float) -> tuple[State, list[StepResult]]:
    try:
        method = Method(h=h)
        end, result = solve(linearise(model, state, commands, method))
        shutting = model.shutting(state, end.x, end.quat, commands, method)
        if shutting is not None:
            end, result = solve(linearise(model, state, commands, replace(method, shutting=shutting)))
        return end, [result]
    except (StepFailed, Singular, FloatingPointError, np.linalg.LinAlgError):
        if share / 2 < SMALLEST:
            raise StepFailed from None
    half = commands.part(0.5)
    middle, first = _advance(model, state, half, h / 2, share / 2)
    end, second = _advance(model, middle, half, h / 2, share / 2)
    return end, first + second


def _joined(parts: list[StepResult]) -> StepResult:
    """The parts of a step as one."""
    last = parts[-1]
    return StepResult(
        status=max(StepStatus.CUT, *(p.status for p in parts), key=list(StepStatus).index),
        time=last.time,
        efforts=last.efforts,
        strokes=last.strokes,
        motion=sum(p.motion for p in parts),
        residual=max(p.residual for p in parts),
        rounds=sum(p.rounds for p in parts),
        active=last.active,
        substeps=len(parts),
        iterations=len(parts),
        touches=last.touches,
    )
