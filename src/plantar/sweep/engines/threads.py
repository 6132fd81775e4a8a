"""Workers that are threads of this process: nothing to start, for functions that release the GIL."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence

from plantar.sweep.engines.engine import Event, Fleet
from plantar.sweep.job import Job, Work


class Threads(Fleet):
    """Daemon threads, so that one that never ends does not keep Python from leaving."""

    def __init__(self, work: Work):
        self._work = work
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._inboxes: dict[int, queue.SimpleQueue[Sequence[Job] | None]] = {}
        self._count = 0

    def start(self) -> int:
        """Start a thread."""
        self._count += 1
        worker = self._count
        self._inboxes[worker] = queue.SimpleQueue()
        thread = threading.Thread(target=self._serve, args=(worker, self._inboxes[worker]), daemon=True)
        thread.start()
        return worker

    def send(self, worker: int, jobs: Sequence[Job]) -> None:
        """Put jobs in a thread's inbox."""
        self._inboxes[worker].put(jobs)

    def stop(self, worker: int) -> None:
        """Tell a thread to end after what it is doing; a thread cannot be stopped."""
        self._inboxes.pop(worker).put(None)

    def wait(self, timeout: float) -> list[Event]:
        """What the threads said."""
        events = []
        try:
            events.append(self._events.get(timeout=timeout))
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            return events

    def close(self) -> None:
        """Tell all threads to end."""
        for worker in list(self._inboxes):
            self.stop(worker)

    def _serve(self, worker: int, inbox: queue.SimpleQueue[Sequence[Job] | None]) -> None:
        self._events.put(Event(worker, "ready"))
        while (jobs := inbox.get()) is not None:
            outcomes = list(self._work.run(jobs, self.budget_s))
            self._events.put(Event(worker, "report", outcomes, idle=True))
