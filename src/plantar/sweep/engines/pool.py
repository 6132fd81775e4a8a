"""Hand out trials to workers, collect what becomes of them, and outlive workers that hang or die."""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from plantar.errors import InvalidInput, PlantarError
from plantar.sweep.engines.engine import Event, Fleet
from plantar.sweep.job import Job, Outcome, Work, died, timed_out

LARGEST_LOT = 1000
"""Most trials that are sent to a worker at once."""
FAILED_STARTS = 5
"""Workers in a row that die before they are ready, after which none will be."""
TICK = 0.1
"""Longest silence [s]."""


@dataclass
class _Seat:
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
    lot: int = 0
    """Jobs sent last."""
    served: int = 0
    """Jobs done in its life."""


class Pool:
    """Runs jobs on the workers of a fleet.

    Args:
        fleet: The workers.
        work: What they do.
        size: How many of them.
        batch_size: Trials of a batch, for work that runs batches.
        attempts: How often a trial may take its worker down before it counts as died; one that was
            only near when a machine went away gets through the next time.
        recycle: Trials after which a worker is replaced, or None to keep it.
    """

    def __init__(
        self, fleet: Fleet, work: Work, *, size: int, batch_size: int, attempts: int = 2, recycle: int | None = None
    ):
        self._fleet, self._work, self._size = fleet, work, size
        self._batch_size, self._attempts, self._recycle = batch_size, attempts, recycle
        self._seats: dict[int, _Seat] = {}
        self._again: deque[Job] = deque()
        self._alone: deque[Job] = deque()
        self._deaths: Counter[int] = Counter()
        self._pace = math.inf  # seconds a trial
        self._left = 0
        self._failed_starts = 0
        self._ended: list[Outcome] = []

    def run(self, jobs: Iterable[Job], count: int) -> Iterator[list[Outcome]]:
        """Run `count` jobs and yield outcomes as they come, in any order; an empty list is a sign of life."""
        source, self._left = iter(jobs), count
        while self._left:
            self._fill(source)
            for event in self._fleet.wait(self._patience()):
                self._hear(event)
            self._expire()
            # workers get their next jobs before the caller takes time to write
            self._fill(source)
            ended, self._ended = self._ended, []
            yield ended

    def _fill(self, source: Iterator[Job]) -> None:
        sent = sum(len(seat.pending) for seat in self._seats.values())
        free = sum(not seat.busy for seat in self._seats.values())
        for _ in range(min(self._size - len(self._seats), self._left - sent - free)):
            self._seats[self._fleet.start()] = _Seat()
        for worker, seat in self._seats.items():
            if seat.ready and not seat.busy:
                lot = self._lot(source, seat.lot)
                if not lot:
                    return
                seat.pending.extend(lot)
                seat.busy, seat.lot = True, len(lot)
                seat.sent = seat.heard = time.perf_counter()
                self._fleet.send(worker, lot)

    def _lot(self, source: Iterator[Job], last: int) -> list[Job]:
        """The next jobs for one worker."""
        if self._alone:
            return [self._alone.popleft()]
        share = math.ceil(self._left / self._size)
        if self._work.batch:
            size = min(self._batch_size, share)
        else:
            # twice the last at most: one quick trial says little about the next
            size = min(LARGEST_LOT, share, 2 * max(last, 1), int(self._fleet.budget_s / self._pace) + 1)
        lot = [self._again.popleft() for _ in range(min(size, len(self._again)))]
        return lot + list(itertools.islice(source, size - len(lot)))

    def _hear(self, event: Event) -> None:
        seat = self._seats.get(event.worker)
        if seat is None:
            return
        if event.kind == "ready":
            seat.ready, self._failed_starts = True, 0
        elif event.kind == "report":
            self._report(event, seat)
        elif event.kind == "broken":
            raise InvalidInput(f"the function cannot be run by a worker: {event.message}")
        else:
            self._bury(event.worker, seat)

    def _report(self, event: Event, seat: _Seat) -> None:
        now = time.perf_counter()
        for _ in event.outcomes:
            seat.pending.popleft()
        self._end(event.outcomes)
        seat.heard = now
        seat.served += len(event.outcomes)
        if event.idle:
            done = seat.lot - len(seat.pending)
            self._pace = (now - seat.sent) / max(done, 1)
            self._again.extendleft(reversed(seat.pending))
            seat.pending.clear()
            seat.busy = False
            if self._recycle is not None and seat.served >= self._recycle:
                self._dismiss(event.worker)

    def _bury(self, worker: int, seat: _Seat) -> None:
        """A worker died by itself."""
        if not seat.ready:
            self._failed_starts += 1
            if self._failed_starts >= FAILED_STARTS and not any(s.ready for s in self._seats.values()):
                raise PlantarError(
                    "workers die while they start: call plantar.sweep.run under `if __name__ == '__main__':`, "
                    "check that the function's module can be imported and, with Ray, that the cluster is up"
                )
        self._dismiss(worker)
        for job in self._suspects(seat):
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
        for worker, seat in list(self._seats.items()):
            if seat.pending and now > self._deadline(seat):
                self._dismiss(worker)
                for job in self._suspects(seat):
                    self._end([timed_out(job.trial, self._work.limit_s)])

    def _suspects(self, seat: _Seat) -> list[Job]:
        """The job that ended the worker, if it is known; others are run again, alone if they may be to blame."""
        pending = list(seat.pending)
        if self._is_exact or len(pending) <= 1:
            self._again.extendleft(reversed(pending[1:]))
            return pending[:1]
        self._alone.extend(pending)
        return []

    def _deadline(self, seat: _Seat) -> float:
        limit, grace = self._work.limit_s or math.inf, self._fleet.grace_s
        if self._is_exact or len(seat.pending) == 1:
            return seat.heard + limit + grace
        if self._work.batch:
            return seat.sent + limit * len(seat.pending) + grace
        return seat.sent + self._fleet.budget_s + limit + grace

    def _patience(self) -> float:
        if self._work.limit_s is None:
            return TICK
        ends = [self._deadline(seat) for seat in self._seats.values() if seat.pending]
        return min(TICK, max(0.001, min(ends, default=math.inf) - time.perf_counter()))

    @property
    def _is_exact(self) -> bool:
        return self._fleet.streams and not self._work.batch

    def _dismiss(self, worker: int) -> None:
        self._fleet.stop(worker)
        del self._seats[worker]

    def _end(self, outcomes: Sequence[Outcome]) -> None:
        self._ended += outcomes
        self._left -= len(outcomes)
        if self._deaths:
            for outcome in outcomes:
                self._deaths.pop(outcome.trial, None)
