"""What an inverse step found, and how it ended."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plantar._notebook import Shown
from plantar.soft.solve.complementarity import Forces
from plantar.soft.solve.model import Model
from plantar.soft.solve.state import State


class InverseStatus(enum.StrEnum):
    """How an inverse step ended; the text is the advice."""

    REACHED = "every goal is at its target"
    UNDER_WAY = "no limit is active, but the model is nonlinear or moving: call again until it settles"
    HELD_BACK = "no limit is active, but the weight of energy holds the goals back: lower `energy`"
    UNREACHABLE = "limits of stroke or effort are active: the goals are as near to their targets as these allow"


@dataclass(frozen=True, kw_only=True)
class InverseResult(Shown):
    """What an inverse step found."""

    status: InverseStatus
    """Whether the targets are reached."""
    efforts: Mapping[str, float]
    """Tension of cables [N] and pressure of cavities [Pa]."""
    strokes: dict[str, float]
    """Cable length pulled in [m] and growth of volume [m^3]: the set-points for hardware driven by displacement."""
    errors: dict[str, float]
    """Distance of every goal from its target after the step [m]."""
    error: float
    """Largest of the distances [m]."""
    motion: float
    """Largest motion of a node in the step [m]."""
    at_limit: tuple[str, ...]
    """Actuators at a limit."""
    iterations: int
    """Quadratic programs solved (more than one with contacts)."""
    converged: bool
    """Whether forces of bonds and contacts reach the requested accuracy."""
    residual: float
    """Largest violation of what bonds and contacts ask for, as a fraction of the largest gap."""
    rounds: int
    """Rounds of their solver."""
    active: int
    """Contacts with a force."""


def summarise(
    model: Model, state: State, effort: np.ndarray, programs: int, others: Forces, moved: float, tolerance: float
) -> InverseResult:
    """How an inverse step ended, read off the state after it."""
    x, quat = state.x, state.quat
    errors = {n: float(np.linalg.norm((g.position(x, quat) - g.target)[g.axes])) for n, g in model.goals.items()}
    strokes = model.strokes_at(state)
    scale = float(np.abs(effort).max())
    pairs = zip(model.actuators, effort, strict=True)
    at_limit = tuple(n for n, f in pairs if _at_limit(model, n, f, strokes[n], scale))
    worst = max(errors.values())
    status = InverseStatus.UNDER_WAY
    if worst <= tolerance:
        status = InverseStatus.REACHED
    elif at_limit and moved <= tolerance:
        status = InverseStatus.UNREACHABLE
    elif moved <= 1e-2 * tolerance:
        status = InverseStatus.HELD_BACK
    return InverseResult(
        status=status,
        efforts=state.efforts,
        strokes=strokes,
        errors=errors,
        error=worst,
        motion=moved,
        at_limit=at_limit,
        iterations=programs,
        converged=others.converged,
        residual=others.residual,
        rounds=others.iterations,
        active=len(state.touches),
    )


def _at_limit(model: Model, name: str, effort: float, stroke: float, size: float) -> bool:
    config = model.configs[name]
    low, high = config.limits
    at_effort = effort - low <= 1e-9 * size or high - effort <= 1e-9 * size
    reach = 1e-6 * model.actuators[name].rest
    return bool(at_effort or stroke - config.stroke[0] <= reach or config.stroke[1] - stroke <= reach)
