"""Workers that are threads of this process: nothing to start, for functions that release the GIL."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence

from plantar.sweep.engines.engine import Engine, Event
from plantar.sweep.job import Job, Work

PATIENCE_S = 30.0
"""How long a stopped run waits for the trials its threads are running [s]."""

Inbox = queue.SimpleQueue[Sequence[Job] | None]


class Threads(Engine):
    """Daemon threads, so that one that never ends does not keep Python from exiting."""

    def __init__(self, work: Work):
        self._work = work
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._inboxes: dict[int, Inbox] = {}
        self._threads: list[threading.Thread] = []
        self._is_closing = False

    def start(self) -> int:
        """Start a thread."""
        worker, inbox = len(self._threads), queue.SimpleQueue()
        thread = threading.Thread(target=self._serve, args=(worker, inbox), daemon=True)
        self._inboxes[worker] = inbox
        self._threads.append(thread)
        thread.start()
        return worker

    def send(self, worker: int, jobs: Sequence[Job]) -> None:
        """Put jobs in a thread's inbox."""
        self._inboxes[worker].put(jobs)

    def stop(self, worker: int) -> None:
        """Tell a thread to end after its current work; a thread cannot be stopped."""
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
        """Tell all threads to end after their current trial, and wait for that.

        Python tears itself down at exit, and a thread that is inside MuJoCo would then crash it.
        """
        self._is_closing = True
        for worker in list(self._inboxes):
            self.stop(worker)
        end = time.monotonic() + PATIENCE_S
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _serve(self, worker: int, inbox: Inbox) -> None:
        self._events.put(Event(worker, "ready"))
        while (jobs := inbox.get()) is not None:
            outcomes = []
            for outcome in self._work.run(jobs, self.budget_s):
                outcomes.append(outcome)
                if self._is_closing:
                    return
            self._events.put(Event(worker, "report", outcomes, idle=True))
