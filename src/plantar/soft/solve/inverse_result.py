"""What an inverse step found, and how it ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from plantar.soft.scene.scene import Scene


class InverseStatus(enum.StrEnum):
    """How an inverse step ended; the text is the advice."""

    REACHED = "every goal is at its target"
    UNDER_WAY = "no limit is active, but the model is nonlinear or moving: call again until it settles"
    HELD_BACK = "no limit is active, but the weight of energy holds the goals back: lower `energy`"
    UNREACHABLE = "limits of stroke or effort are active: the goals are as near to their targets as these allow"


@dataclass(frozen=True, kw_only=True)
class InverseResult:
    """What an inverse step found."""

    status: InverseStatus
    """Whether the targets are reached."""
    efforts: dict[str, float]
    """Tension of cables [N] and pressure of cavities [Pa]."""
    strokes: dict[str, float]
    """Cable length pulled in [m] and growth of volume [m^3]: the set-points for hardware driven by displacement."""
    errors: dict[str, float]
    """Distance of every goal from its target after the step [m]."""
    error: float
    """Largest of the distances [m]."""
    motion: float
    """Largest motion of a node in the step [m]."""
    active: tuple[str, ...]
    """Actuators at a limit."""
    iterations: int
    """Quadratic programs solved (more than one with contacts)."""


def summarise(
    scene: Scene, names: list[str], effort: np.ndarray, rounds: int, moved: float, tolerance: float
) -> InverseResult:
    """How an inverse step ended, read off the scene after it."""
    x, quat = scene.state.x, scene.state.quat
    errors = {n: float(np.linalg.norm((g.position(x, quat) - g.target)[g.axes])) for n, g in scene.goals.items()}
    strokes = scene.strokes()
    scale = float(np.abs(effort).max())
    active = tuple(n for n, f in zip(names, effort, strict=True) if _at_limit(scene, n, f, strokes[n], scale))
    worst = max(errors.values())
    status = InverseStatus.UNDER_WAY
    if worst <= tolerance:
        status = InverseStatus.REACHED
    elif active and moved <= tolerance:
        status = InverseStatus.UNREACHABLE
    elif moved <= 1e-2 * tolerance:
        status = InverseStatus.HELD_BACK
    return InverseResult(
        status=status,
        efforts=dict(scene.efforts),
        strokes=strokes,
        errors=errors,
        error=worst,
        motion=moved,
        active=active,
        iterations=rounds,
    )


def _at_limit(scene: Scene, name: str, effort: float, stroke: float, size: float) -> bool:
    config = scene.configs[name]
    low, high = config.limits
    at_effort = effort - low <= 1e-9 * size or high - effort <= 1e-9 * size
    reach = 1e-6 * scene.actuators[name].rest
    return bool(at_effort or stroke - config.stroke[0] <= reach or config.stroke[1] - stroke <= reach)
