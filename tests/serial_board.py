"""A board at the other end of a pseudo-terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import threading
import time
import tty

import numpy as np

from plantar.soft.serial.frame import FrameReader, encode


class Board:
    """The other end of a serial line: reads frames and sends each back, like the sketch in docs/serial.md.

    Args:
        answer: Whether frames are sent back.
        deaf: Time for which it reads nothing at first [s].
    """

    def __init__(self, answer: bool = True, deaf: float = 0.0):
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)
        self.reader, self.frames, self.times = FrameReader(), [], []
        self.answer, self.deaf, self.gone = answer, deaf, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        time.sleep(self.deaf)
        while not self.gone:
            try:
                data = os.read(self.master, 4096)
            except OSError:
                return
            if not data:
                return
            for frame in self.reader.feed(data):
                self.frames.append(frame)
                self.times.append(time.perf_counter())
                if self.answer:
                    with contextlib.suppress(OSError):
                        os.write(self.master, encode(frame.sequence, frame.values))

    def wait_for(self, count: int) -> None:
        end = time.monotonic() + 5
        while len(self.frames) < count and time.monotonic() < end:
            time.sleep(0.005)

    def values(self) -> np.ndarray:
        """Everything that arrived (frames, channels), once no more has come for a while."""
        seen = -1
        while seen < len(self.frames):
            seen = len(self.frames)
            time.sleep(0.05)
        return np.array([frame.values for frame in self.frames])

    def pull_out(self) -> None:
        """Let the device disappear."""
        self.gone = True
        os.close(self.slave)
        os.close(self.master)

    def close(self) -> None:
        if not self.gone:
            os.close(self.slave)
            self.thread.join(timeout=5)  # or its next read may take a frame from a later board
            os.close(self.master)
