"""How a robot should walk: steps and their timing."""

from __future__ import annotations

import math
from dataclasses import dataclass

from plantar._checks import require, require_positive
from plantar._config import Checked


@dataclass(frozen=True, kw_only=True)
class Gait(Checked):
    """A walk on the spot, straight, sideways or round a bend; lengths are for a robot with legs of 0.7 m.

    The plan scales lengths with the legs of the robot, times with the square root of that, and shortens the time on one
    foot where hips are too weak to hold the robot on it, unless `scaled` is off.
    """

    steps: int = 20
    """Steps of the whole walk, the closing step that brings the feet side by side among them."""
    step_length: float = 0.20
    """How far each step goes ahead of the other foot; negative walks backwards [m]."""
    side_step: float = 0.0
    """How far every second step goes to the left; negative to the right [m]."""
    turn: float = 0.0
    """Turn of the path per step, positive to the left [rad]."""
    single_support: float = 0.70
    """Time on one foot [s]."""
    double_support: float = 0.25
    """Time on both feet between two steps [s]."""
    apex: float = 0.06
    """Height of the swinging foot above the higher end of its step [m]."""
    width: float | None = None
    """Distance of the middle lines of the feet [m]; None keeps that of the robot's stance."""
    start: float = 0.8
    """Time for shifting the weight to the first foot, and from the last one [s]."""
    settle: float = 0.6
    """Standing before the first step [s]."""
    scaled: bool = True
    """Whether lengths and times follow the length of the legs."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(0 <= self.steps <= 10_000, "steps", self.steps, "an integer from 0 to 10000")
        require_positive(self, "", ("single_support", "double_support", "apex", "start"))
        require(self.settle >= 0, "settle", self.settle, "a time in seconds, 0 or more")
        require(abs(self.step_length) <= 0.6, "step_length", self.step_length, "a length in metres within +-0.6")
        require(abs(self.side_step) <= 0.3, "side_step", self.side_step, "a length in metres within +-0.3")
        require(abs(self.turn) <= 0.5, "turn", self.turn, "an angle in radians within +-0.5")
        ok = self.width is None or 0.05 <= self.width <= 1.0
        require(ok, "width", self.width, "a length in metres from 0.05 to 1, or None")

    def for_legs(self, length: float, strength: float = math.inf) -> Gait:
        """The same walk for legs of `length` [m]: lengths in proportion, times as of a pendulum of that length.

        Args:
            length: From hip to ankle [m].
            strength: Strength of the hips on one foot over what is required; weak ones walk with quick steps.
        """
        if not self.scaled:
            return self
        scale = length / LEG
        times = {n: getattr(self, n) * math.sqrt(scale) for n in ("single_support", "double_support", "start")}
        times["single_support"] *= min(1.0, max(QUICKEST, strength / STRONG))
        lengths = {n: getattr(self, n) * scale for n in ("step_length", "side_step", "apex")}
        return Gait(**{**self.__dict__, **times, **lengths, "scaled": False})

    def with_speed(self, speed: float) -> Gait:
        """The same steps at another mean speed [m/s]: quicker ones take less time.

        Raises:
            InvalidInput: If the steps have no length, or would have to be too quick.
        """
        require(self.step_length != 0, "speed", speed, "a step length that is not 0")
        least = 0.45
        fastest = abs(self.step_length) / least
        ok = 0.02 <= abs(speed) <= fastest
        require(
            ok, "speed", speed, f"a speed from 0.02 to {fastest:.2g} m/s, or longer steps: one takes {least} s or more"
        )
        share = abs(self.step_length / speed) / (self.single_support + self.double_support)
        times = {n: getattr(self, n) * share for n in ("single_support", "double_support")}
        return Gait(**{**self.__dict__, **times, "step_length": math.copysign(self.step_length, speed)})

    @property
    def speed(self) -> float:
        """Mean speed of the middle of the walk [m/s]."""
        return self.step_length / (self.single_support + self.double_support)


LEG = 0.7
"""Length of the legs that the lengths of a `Gait` are for, hip to ankle [m]."""
STRONG, QUICKEST = 1.25, 0.6
"""Strength of hips below which steps are made quicker, in proportion, and the smallest fraction of their time on one
foot."""
