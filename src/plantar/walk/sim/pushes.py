"""Pushes against the robot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco

from plantar._checks import require
from plantar._config import Checked
from plantar.errors import InvalidInput
from plantar.walk.control.tuning import REFERENCE_MASS


@dataclass(frozen=True, kw_only=True)
class Push(Checked):
    """A push along the ground at the base's height, with the force of half a sine."""

    impulse: float
    """Impulse for a robot of 60 kg; it scales with the mass [N s]."""
    direction: float = 0.0
    """Where it pushes to: 0 is forward, pi/2 to the left [rad]."""
    time: float = 1.0
    """When it begins [s]."""
    duration: float = 0.1
    """How long it lasts [s]."""
    body: str | None = None
    """Body that is pushed at its centre of mass; None is the base."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(0 <= self.impulse <= 200, "impulse", self.impulse, "an impulse in N s from 0 to 200")
        require(self.time >= 0, "time", self.time, "a time in seconds, 0 or more")
        require(0.002 <= self.duration <= 5, "duration", self.duration, "a time in seconds from 0.002 to 5")


class Pusher:
    """Applies pushes to a simulation over time.

    Args:
        model: The simulated model.
        base: Number of the base's body.
        pushes: What to apply.
        mass: Mass of the robot [kg].
    """

    def __init__(self, model: mujoco.MjModel, base: int, pushes: Sequence[Push], mass: float):
        self.pushes = [(push, self._body(model, base, push)) for push in pushes]
        self.bodies = sorted({body for _, body in self.pushes})
        self.over = max((push.time + push.duration for push in pushes), default=0.0)
        """When the last one is over [s]."""
        self.scale, self.step = mass / REFERENCE_MASS, model.opt.timestep

    @staticmethod
    def _body(model: mujoco.MjModel, base: int, push: Push) -> int:
        if push.body is None:
            return base
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, push.body)
        if body <= 0:  # pushes against the world go nowhere
            known = ", ".join(model.body(i).name for i in range(1, model.nbody))
            raise InvalidInput(f"push body {push.body!r} is not in the model: its bodies are {known}")
        return body

    def apply(self, data: mujoco.MjData) -> None:
        """Set the mean forces of the time step that begins; those of several pushes on a body add up.

        The mean gives the whole impulse, however few steps a push lasts.
        """
        if not self.pushes:
            return
        data.xfrc_applied[self.bodies, :3] = 0.0
        for push, body in self.pushes:
            ends = (data.time - push.time, data.time + self.step - push.time)
            share, end = (min(max(passed / push.duration, 0.0), 1.0) for passed in ends)
            if end > share:
                part = (math.cos(math.pi * share) - math.cos(math.pi * end)) / 2
                size = push.impulse * self.scale * part / self.step
                data.xfrc_applied[body, 0] += size * math.cos(push.direction)
                data.xfrc_applied[body, 1] += size * math.sin(push.direction)
