"""Processes that work for this one: they leave signals to it, and end when it ends, however that happens."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from typing import Any

from plantar._signals import numbers
from plantar.errors import PlantarError

CONTEXT = multiprocessing.get_context("spawn")
"""A fork of a process with threads, as MuJoCo's, can hang."""


@contextlib.contextmanager
def kept_from_children() -> Iterator[None]:
    """Keep signals from processes that are started in the block: Ctrl-C reaches all of a terminal's, one handles it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which lets signals in again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """End this process when its parent does, be it in the middle of its work."""
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _of_rows(function: Callable[..., Any], rows: list[tuple[Any, ...]]) -> list[Any]:
    return [function(*row) for row in rows]


def map_in_processes(
    function: Callable[..., Any], *columns: Iterable[Any], processes: int, chunksize: int = 1
) -> Iterator[Any]:
    """What `function` returns for each row of `columns`, in order, worked out by fresh processes.

    Raises:
        PlantarError: If a process dies.
    """
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(processes, mp_context=CONTEXT, initializer=end_with_parent)
    try:
        rows = list(zip(*columns, strict=False))
        with kept_from_children():
            # not by `map`, which cancels what is left when it is stopped: a future that is cancelled while its process
            # is killed ends in a traceback of the executor's own thread
            chunks = [rows[i : i + chunksize] for i in range(0, len(rows), chunksize)]
            waiting = deque(executor.submit(_of_rows, function, chunk) for chunk in chunks)
        while waiting:
            yield from waiting.popleft().result()
        executor.shutdown()
    except BrokenProcessPool as error:
        raise PlantarError("a process that did part of the work died: is there enough memory? Take fewer") from error
    finally:
        for child in set(multiprocessing.active_children()) - others:
            with contextlib.suppress(ValueError):
                child.kill()
        executor.shutdown()
