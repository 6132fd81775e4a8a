"""Workers that are actors of a Ray cluster: of this machine, or of a real one by its address."""

from __future__ import annotations

import importlib
import logging
import os
import pickle
from collections.abc import Sequence
from typing import Any

from plantar.errors import InvalidInput, PlantarError
from plantar.sweep.engines.engine import Engine, Event
from plantar.sweep.job import Job, Outcome, Work, name_of


class Ray(Engine):
    """Actors of one processor each; those of a machine that disappears are restarted on the others.

    Args:
        work: What they do.
        address: Address of a cluster, `auto` for the one this machine is part of, or None for a cluster
            on this machine only that ends with the run.
        workers: Processors of that single-machine cluster.
    """

    budget_s = 0.5
    grace_s = 1.0

    def __init__(self, work: Work, address: str | None, workers: int | None):
        ray: Any = importlib.import_module("ray")
        self._ray = ray
        self._owns = not ray.is_initialized()
        if self._owns:
            _connect(ray, address, workers)
        self._payload = ray.put(_pickled(work))
        self._actor = ray.remote(num_cpus=1, max_restarts=0)(Actor)
        self._actors: dict[int, Any] = {}
        self._heard: dict[Any, int] = {}
        self._count = 0

    @property
    def processors(self) -> int:
        """Processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def start(self) -> int:
        """Ask the cluster for an actor; it is ready when there is room for it."""
        self._count += 1
        actor = self._actor.remote(self._payload, self.budget_s)
        self._actors[self._count] = actor
        self._heard[actor.ready.remote()] = self._count
        return self._count

    def send(self, worker: int, jobs: Sequence[Job]) -> None:
        """Call an actor."""
        self._heard[self._actors[worker].run.remote(jobs)] = worker

    def stop(self, worker: int) -> None:
        """Kill an actor."""
        self._heard = {ref: number for ref, number in self._heard.items() if number != worker}
        self._ray.kill(self._actors.pop(worker))

    def wait(self, timeout: float) -> list[Event]:
        """What the actors said."""
        refs = list(self._heard)
        done, _ = self._ray.wait(refs, num_returns=1, timeout=timeout)
        if done:
            done, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        return [self._event(ref, self._heard.pop(ref)) for ref in done]

    def close(self) -> None:
        """Kill all actors, and end the cluster if it was only for this run."""
        for worker in list(self._actors):
            self.stop(worker)
        if self._owns:
            self._ray.shutdown()

    def _event(self, ref: Any, worker: int) -> Event:
        errors = self._ray.exceptions
        try:
            outcomes = self._ray.get(ref)
        except errors.RayTaskError as error:
            return Event(worker, "broken", message=str(error.cause))
        except errors.RayError:
            return Event(worker, "dead")
        return Event(worker, "ready") if outcomes is None else Event(worker, "report", outcomes, idle=True)


class Actor:
    """What runs on the cluster."""

    def __init__(self, payload: bytes, budget_s: float):
        self._payload, self._budget_s = payload, budget_s
        self._work: Work | None = None

    def ready(self) -> None:
        """Import the function; an error comes back to the caller."""
        self._work = pickle.loads(self._payload)

    def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Run jobs until the budget is spent."""
        assert self._work is not None
        return list(self._work.run(jobs, self._budget_s))


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    # no usage data is sent to Ray's makers unless the user opts in
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    local = {} if address else {"num_cpus": workers, "include_dashboard": False}
    try:
        # a RAY_ADDRESS left in the environment must not send the trials elsewhere
        ray.init(address=address or "local", logging_level=logging.ERROR, log_to_driver=False, **local)
    except Exception as error:  # of Ray's processes, which raise nothing more special
        why = str(error).strip().split("\n")[0]
        if address is None:
            raise PlantarError(f"Ray cannot be started on this machine ({why}): take another engine") from error
        raise InvalidInput(
            f"address = {address!r} cannot be used ({why}): give the address of a running Ray cluster, or none"
        ) from error


def _pickled(work: Work) -> bytes:
    # unlike pickle it includes functions of scripts, which no node could import
    cloudpickle: Any = importlib.import_module("ray.cloudpickle")
    try:
        return cloudpickle.dumps(work)
    except Exception as error:
        raise InvalidInput(f"function = {name_of(work.function)} cannot go to a cluster: {error}") from None
