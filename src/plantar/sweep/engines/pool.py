"""Hand out trials to workers, collect their outcomes, and survive workers that hang or die."""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from plantar.errors import InvalidInput, PlantarError
from plantar.sweep.engines.engine import Engine, Event
from plantar.sweep.job import Job, Outcome, Work, died, timed_out

LARGEST_CHUNK = 1000
"""Largest number of trials sent to a worker at once."""
FAILED_STARTS = 5
"""Workers in a row that die before they are ready, after which none will be."""
TICK = 0.1
"""Longest silence [s]."""


@dataclass
class _Worker:
    """One worker, as the pool sees it."""

    pending: deque[Job] = field(default_factory=deque)
    """Jobs sent and not reported, in order."""
    ready: bool = False
    busy: bool = False
    """Whether it has jobs, or has not said that it is done with them."""
    sent: float = 0.0
    """When the jobs were sent [s]."""
    heard: float = 0.0
    """When the oldest pending job began, as far as is known [s]."""
    chunk_size: int = 0
    """Jobs sent last."""
    served: int = 0
    """Jobs done in its life."""


class Pool:
    """Runs jobs on the workers of an engine.

    Args:
        engine: The workers.
        work: What they do.
        size: How many of them.
        batch_size: Trials of a batch, for work that runs batches.
        attempts: How often a trial may take its worker down before it counts as died; one that merely
            happened to be running when a machine disappeared succeeds the next time.
        recycle: Trials after which a worker is replaced, or None to keep it.
    """

    def __init__(
        self, engine: Engine, work: Work, *, size: int, batch_size: int, attempts: int = 2, recycle: int | None = None
    ):
        self._engine, self._work, self._size = engine, work, size
        self._batch_size, self._attempts, self._recycle = batch_size, attempts, recycle
        self._workers: dict[int, _Worker] = {}
        self._again: deque[Job] = deque()
        self._alone: deque[Job] = deque()
        self._deaths: Counter[int] = Counter()
        self._pace = math.inf  # seconds a trial
        self._left = 0
        self._failed_starts = 0
        self._ended: list[Outcome] = []

    def run(self, jobs: Iterable[Job], count: int) -> Iterator[list[Outcome]]:
        """Run `count` jobs and yield outcomes as they arrive, in any order; an empty list is a heartbeat."""
        source, self._left = iter(jobs), count
        while self._left:
            self._fill(source)
            for event in self._engine.wait(self._patience()):
                self._handle(event)
            self._expire()
            # workers get their next jobs before the caller takes time to write
            self._fill(source)
            ended, self._ended = self._ended, []
            yield ended

    def _fill(self, source: Iterator[Job]) -> None:
        sent = sum(len(worker.pending) for worker in self._workers.values())
        free = sum(not worker.busy for worker in self._workers.values())
        for _ in range(min(self._size - len(self._workers), self._left - sent - free)):
            self._workers[self._engine.start()] = _Worker()
        for number, worker in self._workers.items():
            if worker.ready and not worker.busy:
                chunk = self._chunk(source, worker.chunk_size)
                if not chunk:
                    return
                worker.pending.extend(chunk)
                worker.busy, worker.chunk_size = True, len(chunk)
                worker.sent = worker.heard = time.perf_counter()
                self._engine.send(number, chunk)

    def _chunk(self, source: Iterator[Job], last: int) -> list[Job]:
        """The next jobs for one worker."""
        if self._alone:
            return [self._alone.popleft()]
        share = math.ceil(self._left / self._size)
        if self._work.batch:
            size = min(self._batch_size, share)
        else:
            # at most twice the last: one fast trial says little about the next
            size = min(LARGEST_CHUNK, share, 2 * max(last, 1), int(self._engine.budget_s / self._pace) + 1)
        chunk = [self._again.popleft() for _ in range(min(size, len(self._again)))]
        return chunk + list(itertools.islice(source, size - len(chunk)))

    def _handle(self, event: Event) -> None:
        worker = self._workers.get(event.worker)
        if worker is None:
            return
        if event.kind == "ready":
            worker.ready, self._failed_starts = True, 0
        elif event.kind == "report":
            self._report(event, worker)
        elif event.kind == "broken":
            raise InvalidInput(f"the function cannot be run by a worker: {event.message}")
        else:
            self._retire(event.worker, worker)

    def _report(self, event: Event, worker: _Worker) -> None:
        now = time.perf_counter()
        for _ in event.outcomes:
            worker.pending.popleft()
        self._end(event.outcomes)
        worker.heard = now
        worker.served += len(event.outcomes)
        if event.idle:
            done = worker.chunk_size - len(worker.pending)
            self._pace = (now - worker.sent) / max(done, 1)
            self._again.extendleft(reversed(worker.pending))
            worker.pending.clear()
            worker.busy = False
            if self._recycle is not None and worker.served >= self._recycle:
                self._dismiss(event.worker)

    def _retire(self, number: int, worker: _Worker) -> None:
        """A worker died on its own."""
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= FAILED_STARTS and not any(w.ready for w in self._workers.values()):
                raise PlantarError(
                    "workers die while they start: call plantar.sweep.run under `if __name__ == '__main__':`, "
                    "check that the function's module can be imported and, with Ray, that the cluster is up"
                )
        self._dismiss(number)
        for job in self._suspects(worker):
            self._deaths[job.trial] += 1
            if self._deaths[job.trial] >= self._attempts:
                self._end([died(job.trial)])
            else:
                self._alone.append(job)

    def _expire(self) -> None:
        """Kill workers that are past the limit."""
        if self._work.limit_s is None:
            return
        now = time.perf_counter()
        for number, worker in list(self._workers.items()):
            if worker.pending and now > self._deadline(worker):
                self._dismiss(number)
                for job in self._suspects(worker):
                    self._end([timed_out(job.trial, self._work.limit_s)])

    def _suspects(self, worker: _Worker) -> list[Job]:
        """The job that ended the worker, if it is known; others are run again, alone if they may be the cause."""
        pending = list(worker.pending)
        if self._is_exact or len(pending) <= 1:
            self._again.extendleft(reversed(pending[1:]))
            return pending[:1]
        self._alone.extend(pending)
        return []

    def _deadline(self, worker: _Worker) -> float:
        limit, grace = self._work.limit_s or math.inf, self._engine.grace_s
        if self._is_exact or len(worker.pending) == 1:
            return worker.heard + limit + grace
        if self._work.batch:
            return worker.sent + limit * len(worker.pending) + grace
        return worker.sent + self._engine.budget_s + limit + grace

    def _patience(self) -> float:
        if self._work.limit_s is None:
            return TICK
        ends = [self._deadline(worker) for worker in self._workers.values() if worker.pending]
        return min(TICK, max(0.001, min(ends, default=math.inf) - time.perf_counter()))

    @property
    def _is_exact(self) -> bool:
        return self._engine.streams and not self._work.batch

    def _dismiss(self, number: int) -> None:
        self._engine.stop(number)
        del self._workers[number]

    def _end(self, outcomes: Sequence[Outcome]) -> None:
        self._ended += outcomes
        self._left -= len(outcomes)
        if self._deaths:
            for outcome in outcomes:
                self._deaths.pop(outcome.trial, None)
