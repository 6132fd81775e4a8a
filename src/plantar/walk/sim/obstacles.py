"""Bars across the path, and their random placement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.walk.plans.footsteps import Foothold

Place = Literal["random", "heel", "arch", "toe"]
PLACES: tuple[Place, ...] = ("random", "heel", "arch", "toe")
BANDS: dict[str, tuple[float, float]] = {"heel": (0.03, 0.25), "arch": (0.35, 0.60), "toe": (0.70, 0.95)}
"""Extent of each place, as fractions of the sole's length from its back end."""
STEP = 3
"""Number of the step that a bar is meant for, from 0."""
LANE = 0.5
"""Length of a bar that lies under one foot only, from the middle of the path outwards [m]."""


@dataclass(frozen=True, kw_only=True)
class Bar(Checked):
    """A bar of rectangular section that lies across the path, fixed to the ground, also where that is not level."""

    x: float
    """Middle of the bar ahead of the start [m]."""
    height: float
    """Height above the ground [m]."""
    width: float | None = None
    """Length along the path [m]; None is as wide as high."""
    length: float = 1.2
    """Length across the path [m]."""
    y: float = 0.0
    """Middle of the bar to the left of the path [m]."""
    yaw: float = 0.0
    """Turn about z [rad]."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(0 < self.height <= 0.2, "obstacle", self.height, "a height in metres above 0, 0.2 at most")
        ok = self.width is None or 0 < self.width <= 1
        require(ok, "width", self.width, "a length in metres above 0, 1 at most, or None")
        require(0 < self.length <= 10, "length", self.length, "a length in metres above 0, 10 at most")

    def lying(self, above: float, elevation: Callable[[float, float], float]) -> tuple[np.ndarray, np.ndarray]:
        """Position and attitude (w, x, y, z) of a bar that lies on the ground at its middle, along it at its ends.

        Args:
            above: Height of the box's middle above the ground [m].
            elevation: Height of the ground at x and y [m].
        """
        c, s, reach = math.cos(self.yaw), math.sin(self.yaw), min(self.length / 2, LANE)
        found = [elevation(self.x - k * s, self.y + k * c) for k in (-reach, 0.0, reach)]
        right, middle, left = found if np.isfinite(found).all() else (0.0, 0.0, 0.0)
        roll = math.atan2(left - right, 2 * reach)
        cy, sy, cr, sr = (f(a / 2) for a in (self.yaw, roll) for f in (math.cos, math.sin))
        up = np.array([s * math.sin(roll), -c * math.sin(roll), math.cos(roll)])
        return np.array([self.x, self.y, middle]) + above * up, np.array([cy * cr, cy * sr, sy * sr, sy * cr])


def draw_bar(
    height: float,
    place: Place,
    steps: Sequence[Foothold],
    extents: Sequence[tuple[float, float, float, float]],
    chance: float,
    step: int = STEP,
) -> Bar:
    """A bar placed according to `chance`.

    Args:
        height: Height and width of the bar [m].
        place: Part of the sole that should come down on it; `random`: anywhere within the length
            of one step, the same for all feet, across the whole path.
        steps: Footholds of the walk as planned.
        extents: Ends of the soles from their middles, back, front, right and left [m].
        chance: A number drawn uniformly from 0 to 1.
        step: Number of the step that the bar is meant for, from 0.
    """
    require_choice("place", place, PLACES)
    require(len(steps) > step, "steps", len(steps), f"at least {step + 1} steps, as the bar lies under step {step + 1}")
    hold = steps[step]
    if place == "random":
        before = steps[step - 1] if step else hold
        stride = abs(float(hold.xy[0] - before.xy[0])) or 0.2
        return Bar(x=float(hold.xy[0]) + (chance - 0.5) * stride, height=height)
    back, front, _, _ = extents[hold.side]
    low, high = BANDS[place]
    along = back + (low + (high - low) * chance) * (front - back)
    side = 1.0 if hold.side == 0 else -1.0
    return Bar(x=float(hold.xy[0]) + along, height=height, length=LANE, y=side * (LANE / 2 + 0.005))
