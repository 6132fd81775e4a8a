"""The request for a gait."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.gait.cost import COSTS, Cost


@dataclass(frozen=True, kw_only=True)
class Request(Checked):
    """Speed, apex and objective of a periodic gait, in the robot's units."""

    speed: float = 0.5
    """Average speed [sqrt(g l0)]."""
    apex: float | None = 1.2
    """Height of the torso at start and end, its highest point, with the feet off the ground [l0]; None leaves it
    free."""
    cost: Cost = "thermal"
    """Cost to minimise: thermal losses as in Raff and Remy, positive work, or electrical energy."""
    objective: Literal["losses", "transport"] = "losses"
    """The cost of a stride, as in Raff and Remy, or the same over weight times distance."""
    symmetric: bool = False
    """Whether the stride ends with left and right legs in each other's place, half of a symmetric gait."""
    stride_time: tuple[float, float] = (0.3, 8.0)
    """Shortest and longest time from start to end [sqrt(l0/g)]."""

    as_near_as_possible: bool = False
    """Whether speed and apex are only to be approached; this is how an infeasible request is explained."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(math.isfinite(self.speed) and self.speed > 0, "speed", self.speed, "a number above 0")
        if self.apex is not None:
            require(math.isfinite(self.apex) and self.apex > 0, "apex", self.apex, "a height above 0")
        require_choice("cost", self.cost, COSTS)
        require_choice("objective", self.objective, ("losses", "transport"))
        low, high = self.stride_time
        require(0 < low < high, "stride_time", self.stride_time, "two times above 0, the smaller first")

    def relaxed(self) -> Request:
        """The same request with speed and apex to be approached only."""
        return replace(self, as_near_as_possible=True)
