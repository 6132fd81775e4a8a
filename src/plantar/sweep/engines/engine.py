"""What an engine is to the pool: workers that are started, sent jobs, heard from, and killed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from plantar.sweep.job import Job, Outcome


class Event(NamedTuple):
    """Something a worker says, or that it is no more."""

    worker: int
    kind: Literal["ready", "report", "broken", "dead"]
    """`ready`: it can take jobs. `report`: outcomes came. `broken`: no worker can ever run the function."""
    outcomes: Sequence[Outcome] = ()
    idle: bool = False
    """Whether the worker is done with the jobs it was sent, even if it did not get to all of them."""
    message: str = ""
    """Why it is broken."""


class Engine(ABC):
    """The workers of one engine."""

    streams: ClassVar[bool] = False
    """Whether every outcome is reported as it comes, so that the trial at fault is known when a worker dies."""
    budget_s: ClassVar[float] = 0.1
    """Time that one chunk of jobs should take [s]: long against the cost of sending it, short against a user."""
    grace_s: ClassVar[float] = 0.2
    """Time that a report may be on its way [s]."""

    @abstractmethod
    def start(self) -> int:
        """Begin to start a worker and return its number; it says `ready` later."""

    @abstractmethod
    def send(self, worker: int, jobs: Sequence[Job]) -> None:
        """Give jobs to a worker that is ready and idle."""

    @abstractmethod
    def stop(self, worker: int) -> None:
        """End a worker now, whatever it is doing, and forget it."""

    @abstractmethod
    def wait(self, timeout: float) -> list[Event]:
        """What happened, waiting at most `timeout` [s] for the first thing."""

    @abstractmethod
    def close(self) -> None:
        """End all workers."""
