"""The engine interface used by the pool: workers that are started, sent jobs, listened to, and killed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from plantar.sweep.job import Job, Outcome


class Event(NamedTuple):
    """A message from a worker, or the news that it is gone."""

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
    """Target time of one chunk of jobs [s]: long compared with the cost of sending it, short for a user."""
    grace_s: ClassVar[float] = 0.2
    """Time that a report may take to arrive [s]."""

    @abstractmethod
    def start(self) -> int:
        """Start a worker and return its number; it reports `ready` later."""

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
