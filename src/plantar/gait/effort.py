"""Effort of a gait search."""

from __future__ import annotations

from dataclasses import dataclass

from plantar._checks import require
from plantar._config import Checked


@dataclass(frozen=True, kw_only=True)
class Effort(Checked):
    """Effort of a solve."""

    intervals: int = 20
    """Intervals of the first mesh, shared by the phases."""
    tolerance: float = 1e-5
    """Defect below which intervals are no longer split."""
    refinements: int = 6
    """Largest number of meshes after the first."""
    iterations: int = 400
    """Largest number of IPOPT iterations per mesh."""
    seconds: float = 60.0
    """Processor time limit in total [s]; an explanation may take a quarter more."""
    cushions: tuple[float, ...] = (4.0, 2.0)
    """Rubber feet this many times as soft are solved first, each from the one before, when there is only a guess;
    none if empty."""
    explain: bool = True
    """Whether a failure is followed by a search for the part of the request that must be relaxed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(self.intervals >= 4, "intervals", self.intervals, "an integer from 4")
        require(self.tolerance > 0, "tolerance", self.tolerance, "a number above 0")
        require(self.refinements >= 0, "refinements", self.refinements, "an integer from 0")
        require(self.iterations >= 1, "iterations", self.iterations, "an integer from 1")
        require(self.seconds > 0, "seconds", self.seconds, "a number above 0 [s]")
        require(all(c > 1 for c in self.cushions), "cushions", self.cushions, "numbers above 1, falling")
