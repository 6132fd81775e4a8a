"""Signals that would end the process while hardware holds a set-point: kept until rest has been sent."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGBREAK", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGXCPU")
"""Signals that end or stop a process and can be caught; SIGKILL and SIGSTOP cannot (docs/serial.md)."""
HERE = str(Path(__file__).parent)


class Ended(KeyboardInterrupt):
    """A signal ended the stream."""


class SignalGuard:
    """Turns signals that would end the process into `Ended`, and gives them back to the process afterwards.

    A signal that arrives while this package is at work, in the middle of a frame or returning to rest, is kept, and
    `check` raises it; one that comes in the caller's code, or where `armed`, raises at once. On leaving, the handlers
    of before are in place again and the signal is raised once more, so that the process ends as it would have. Signals
    that are ignored stay ignored. Outside the main thread Python hands out no signals, and the guard does nothing.
    """

    def __init__(self) -> None:
        self.seen: int | None = None
        self._depth, self._armed = 0, False
        self._before: dict[int, Any] = {}

    @contextlib.contextmanager
    def armed(self) -> Iterator[None]:
        """Let signals raise `Ended` at once, although this package is at work."""
        self._armed = True
        try:
            self.check()
            yield
        finally:
            self._armed = False
        self.check()

    def check(self) -> None:
        """Raise `Ended` if a signal came."""
        if self.seen is not None:
            raise Ended(f"ended by {signal.Signals(self.seen).name}")

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.seen = number if self.seen is None else self.seen
        if self._armed or not _at_work(frame):
            self.check()

    def __enter__(self) -> Self:
        self._depth += 1
        if self._depth == 1 and threading.current_thread() is threading.main_thread():
            for name in NAMES:
                number = getattr(signal, name, None)
                # None: a handler that C code set, which Python could not put back
                if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._depth -= 1
        if self._depth:
            return
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
        seen, self.seen = self.seen, None
        if seen is not None:
            signal.raise_signal(seen)


def _at_work(frame: FrameType | None) -> bool:
    """Whether a function of this package is under way."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(HERE):
            return True
        frame = frame.f_back
    return False
