"""Workers that are processes of this machine: they use every core, and a hung or dead one is replaced."""

from __future__ import annotations

import multiprocessing.connection
import pickle
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from plantar._folders import DUMPS
from plantar._opengl import hush_mujoco
from plantar._processes import CONTEXT, end_with_parent, kept_from_children
from plantar.errors import InvalidInput
from plantar.sweep.engines.engine import Engine, Event
from plantar.sweep.job import Job, Work, name_of


class Processes(Engine):
    """Spawned processes, each with its own pipe, so that the death of one does not affect the others."""

    streams = True

    def __init__(self, work: Work):
        self._payload = pickled(work)
        self._workers: dict[int, tuple[BaseProcess, Connection]] = {}
        self._numbers: dict[Connection, int] = {}
        self._count = 0

    def start(self) -> int:
        """Spawn a process."""
        self._count += 1
        here, there = CONTEXT.Pipe()
        process = CONTEXT.Process(target=serve, args=(there, self._payload, self.budget_s), daemon=True)
        with kept_from_children():
            process.start()
        there.close()
        self._workers[self._count] = process, here
        self._numbers[here] = self._count
        return self._count

    def send(self, worker: int, jobs: Sequence[Job]) -> None:
        """Write jobs to a process's pipe."""
        try:
            self._workers[worker][1].send(jobs)
        except OSError:
            pass  # it died meanwhile; `wait` will say so

    def stop(self, worker: int) -> None:
        """Kill a process."""
        process, connection = self._workers.pop(worker)
        del self._numbers[connection]
        process.kill()  # before its pipe is closed, about which it would complain
        process.join()
        connection.close()
        process.close()

    def wait(self, timeout: float) -> list[Event]:
        """What the processes said; a closed pipe is a dead process."""
        events: list[Event] = []
        for connection in multiprocessing.connection.wait(list(self._numbers), timeout):
            assert isinstance(connection, Connection)
            self._read(connection, events)
        return events

    def close(self) -> None:
        """Kill all processes."""
        for worker in list(self._workers):
            self.stop(worker)

    def _read(self, connection: Connection, events: list[Event]) -> None:
        worker = self._numbers[connection]
        try:
            while True:
                kind, body, idle = connection.recv()
                outcomes, message = (body, "") if kind == "report" else ((), body)
                events.append(Event(worker, kind, outcomes, idle, message))
                if idle or not connection.poll():
                    return
        except (EOFError, OSError):
            events.append(Event(worker, "dead"))


def pickled(work: Work, config: Any = None) -> bytes:
    """The work as bytes; a config of it is tried as well.

    Raises:
        InvalidInput: If another process could not read them.
    """
    try:
        pickle.dumps(config)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidInput(
            f"trials of the class {type(config).__qualname__} cannot go to another process ({error}): "
            "give dicts or a class defined at the top of a module, or engine='threads'"
        ) from None
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidInput(
            f"function = {name_of(work.function)} cannot go to another process ({error}): "
            "give a function defined at the top of a module, or engine='threads'"
        ) from None


def serve(connection: Connection, payload: bytes, budget_s: float) -> None:
    """Run jobs from a pipe until it closes."""
    end_with_parent()
    DUMPS.append(None)  # a trial that diverges is a row, and can be run again
    try:
        work: Work = pickle.loads(payload)
    except Exception as error:  # importing the function's module can raise anything
        connection.send(("broken", f"{type(error).__name__}: {error}", True))
        return
    hush_mujoco()
    connection.send(("ready", "", False))
    try:
        while True:
            for outcome in work.run(connection.recv(), budget_s):
                connection.send(("report", [outcome], False))
            connection.send(("report", [], True))
    except (EOFError, OSError):
        return
