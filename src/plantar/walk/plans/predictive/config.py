"""Objectives of the predictive plan."""

from __future__ import annotations

from dataclasses import dataclass

from plantar._checks import require_positive
from plantar._config import Checked


@dataclass(frozen=True, kw_only=True)
class PredictiveConfig(Checked):
    """Horizon and objectives of the predictive controller."""

    seconds: float = 1.6
    """How far ahead [s]."""
    longest: float = 0.1
    """Longest interval of the plan [s]."""
    period: float = 0.03
    """Time between two plans [s]."""
    friction: float = 0.5
    """Friction assumed by the plan."""
    divergent: float = 200.0
    """Weight of the divergent component of motion along the plan [1/m^2]."""
    end: float = 1000.0
    """Additional weight of the divergent component at the end of the plan [1/m^2]."""
    height: float = 200.0
    """Weight of its height [1/m^2]."""
    climb: float = 20.0
    """Weight of its velocity up and down [s^2/m^2]."""
    momentum: float = 1000.0
    """Weight of the angular momentum over mass [s^2/m^4]."""
    even: float = 1.0
    """Weight of an even distribution of the load over the corners of the soles."""
    tangential: float = 0.2
    """Weight of horizontal contact forces."""
    displacement: float = 300.0
    """Weight of moving a step from where it was planned [1/m^2]."""
    reach: float = 0.12
    """How far a step may be moved, each way [m]; 0 keeps all steps where they were planned."""

    def __post_init__(self) -> None:
        """Check that all are positive where they must be."""
        require_positive(self, "predictive.", ["seconds", "longest", "period", "friction", "even", "end"])
