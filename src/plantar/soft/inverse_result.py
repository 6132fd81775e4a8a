"""What an inverse step found, and how it ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass


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
