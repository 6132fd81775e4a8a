"""A walk from its first control step to its end."""

from __future__ import annotations

from collections.abc import Callable

from plantar.walk.result import WalkStatus
from plantar.walk.sim.metrics import Recorder
from plantar.walk.sim.simulation import Simulation

TELL = 0.1
"""Simulated time between two calls of whoever shows how far a walk is [s]."""


def walk_on(
    sim: Simulation, recorder: Recorder, most: float, rest: float, progress: Callable[[float], None] | None = None
) -> WalkStatus:
    """Tick until the robot stands for a while, falls, or the time is over.

    Args:
        sim: The walk.
        recorder: Takes it down.
        most: Time after which it is given up, but for the rest [s].
        rest: How long the robot has to stand [s].
        progress: Called with the time simulated since the last call [s].
    """
    stood, told = None, 0.0
    while True:
        sim.tick()
        recorder(sim)
        now = float(sim.data.time)
        if progress is not None and now - told >= TELL:
            progress(now - told)
            told = now
        if sim.fallen:
            return WalkStatus.FELL
        stood = (now if stood is None else stood) if sim.controller.done else None
        if stood is not None and now - stood >= rest:
            return WalkStatus.WALKED
        if now > most + rest:
            return WalkStatus.STUCK
