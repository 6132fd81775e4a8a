"""A stop-watch for controllers."""

from __future__ import annotations

import time as clock
from typing import Any

from plantar.walk.control.protocol import Command, Controller, Observation


class Timed:
    """A controller that is timed."""

    def __init__(self, inner: Controller):
        self.inner, self.spent = inner, 0.0

    def act(self, observation: Observation) -> Command:
        """The command of the controller inside."""
        start = clock.perf_counter()
        command = self.inner.act(observation)
        self.spent += clock.perf_counter() - start
        return command

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)
