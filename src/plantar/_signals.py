"""Signals that end a run: Ctrl-C, SIGTERM and SIGHUP all raise, so that every way out cleans up after itself."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

PATIENCE = 45.0
"""How long the work may take to end after a signal [s]: longer than a sweep waits for the trials of its threads."""
NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that ask a process to end, on any system."""


_raised: list[Stopped] = []
"""Every signal that was raised, with all frames that it went through, so that nothing cut off there is taken apart: an
object of a C library may be halfway through giving its memory back, and would give it back again."""


class Stopped(BaseException):
    """A signal asked the process to end; nothing on the way takes it for an error, or for its own Ctrl-C.

    Attributes:
        signal: Its number.
    """

    def __init__(self, number: int):
        super().__init__(f"stopped by {'Ctrl-C' if number == signal.SIGINT else signal.Signals(number).name}")
        self.signal = number


def _stop(number: int) -> NoReturn:
    _raised.append(Stopped(number))
    raise _raised[-1]


def stop_on_signals() -> None:
    """Let signals that ask this process to end raise `Stopped` once; a second one ends it on the spot.

    A library that computes for minutes lets no exception through; `PATIENCE` after a signal the process ends anyway.
    """
    for number in numbers():
        if signal.getsignal(number) != signal.SIG_IGN:  # as `nohup` wishes
            signal.signal(number, _raise)
    sys.unraisablehook = _ask_again
    if hasattr(os, "set_blocking"):
        heard, told = os.pipe()
        os.set_blocking(told, False)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        threading.Thread(target=_insist, args=(heard,), daemon=True, name="signals").start()


def _insist(heard: int) -> None:
    """Wait for a signal, which is heard here at once, and end the process if it has not ended by itself."""
    number = os.read(heard, 1)[0]
    while number not in numbers():
        number = os.read(heard, 1)[0]
    time.sleep(PATIENCE)
    os.write(2, f"plantar: error: {Stopped(number)}\n".encode())
    os._exit(128 + number)


def ignore_signals() -> None:
    """Let them pass: the work is done, and only the way out is left."""
    for number in numbers():
        signal.signal(number, signal.SIG_IGN)


_asked: list[int] = []


def asked_to_stop() -> Stopped | None:
    """The signal that asked this process to end, if any: libraries turn it into their own errors."""
    return Stopped(_asked[0]) if _asked else None


def _raise(number: int, frame: FrameType | None) -> None:
    _asked.append(number)
    for other in numbers():
        if signal.getsignal(other) is _raise:
            signal.signal(other, _leave)
    _stop(number)


def _ask_again(lost: sys.UnraisableHookArgs) -> None:
    """Let a signal come once more that was raised where nothing can be: in a C library's callback, or a destructor."""
    if not isinstance(lost.exc_value, Stopped):
        if not _asked:  # what a signal has cut off halfway may well complain as it is taken apart
            sys.__unraisablehook__(lost)
        return
    for other in numbers():
        if signal.getsignal(other) is _leave:
            signal.signal(other, _raise)
    again = threading.Timer(0.05, signal.raise_signal, (lost.exc_value.signal,))
    again.daemon, again.name = True, "signals"
    again.start()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


@contextlib.contextmanager
def passing_on() -> Iterator[None]:
    """Give signals back that a library in the block swallows: what it returns after one is not to be used.

    A signal still raises in the block, so that the library ends early.
    """
    if threading.current_thread() is not threading.main_thread():  # Python hands out no signals there
        yield
        return
    seen: list[int] = []

    def take(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        _stop(number)

    before: dict[int, Any] = {}
    for number in numbers():
        if callable(handler := signal.getsignal(number)):
            before[number] = handler
            signal.signal(number, take)
    try:
        with contextlib.suppress(Stopped):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if seen:
            signal.raise_signal(seen[0])


def numbers() -> list[int]:
    """Signals that ask a process to end, as far as this system has them."""
    return [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
