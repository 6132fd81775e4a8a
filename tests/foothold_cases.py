"""Quadrupeds and maps for tests of walking."""

from __future__ import annotations

from plantar import feet, robots
from plantar.foothold import ElevationMap
from plantar.foothold.walking import Crossing


def crossing_on(foot: str) -> Crossing:
    """The built-in quadruped on fast SoftFoot-Q, or on another foot."""
    return Crossing(robots.mount("quadruped", feet.get(foot, **({"fidelity": "fast"} if foot == "softfoot_q" else {}))))


def flat_map(heights: float = 0.0) -> ElevationMap:
    """A level map that a walk fits on."""
    return ElevationMap.from_function(lambda x, y: heights + 0 * x, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
