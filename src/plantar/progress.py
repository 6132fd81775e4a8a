"""A progress bar for a terminal, and silence in a pipe."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from types import TracebackType
from typing import Self, TextIO


class Progress:
    """A line on a terminal's stderr that shows progress, pace and the time left.

    Use it as a context manager and hand `advance` to whatever does the work; threads may share it.
    Where stderr is not a terminal it draws nothing.

    Args:
        total: Steps of the whole work.
        label: What is being done.
        stream: Where to draw; stderr if not given.
    """

    PERIOD = 0.1
    """Least time between two drawings [s]."""

    def __init__(self, total: int, label: str, stream: TextIO | None = None):
        self.total, self.label, self.done = total, label, 0
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream.isatty()
        self._start, self._drawn = time.monotonic(), 0.0
        self._lock = threading.Lock()

    def advance(self, steps: int = 1) -> None:
        """Count `steps` more as done."""
        with self._lock:
            self.done += steps
            now = time.monotonic()
            if self._shown and (now - self._drawn >= self.PERIOD or self.done >= self.total):
                self._drawn = now
                self._write(self.line(now - self._start))

    def line(self, elapsed: float) -> str:
        """The drawing after `elapsed` seconds."""
        pace = self.done / elapsed if elapsed > 0 else 0.0
        share = min(1.0, self.done / self.total) if self.total else 1.0
        bar = f"[{'=' * round(24 * share):<24}]"
        left = "" if self.done >= self.total or not pace else f"  {_duration((self.total - self.done) / pace)} left"
        return f"{self.label}  {bar} {self.done}/{self.total}  {pace:.3g}/s{left}"

    def close(self) -> None:
        """Wipe the line."""
        if self._drawn:
            self._write("")

    def _write(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r{text[:width]:<{width}}" + ("" if text else "\r"))
        self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self.close()


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
