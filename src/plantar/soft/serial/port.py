"""A serial port that sends frames and never leaves the hardware at a set-point."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from plantar._checks import require
from plantar._extras import require_extra
from plantar.errors import InvalidInput, PlantarError
from plantar.soft.serial.channel import Channel, Limits
from plantar.soft.serial.frame import Frame, FrameReader, encode, frame_size
from plantar.soft.serial.signals import SignalGuard

BITS_PER_BYTE = 10
"""On the wire, with start and stop bit."""
PERIOD, SLOWEST = 0.02, 0.1
"""Time between frames outside a stream, and the longest between frames while returning to rest [s]."""
PATIENCE = 2.0
"""Time after which a board that takes no data counts as lost [s]."""

PORT_ERRORS: tuple[type[Exception], ...] = (OSError, ValueError)
"""What a port may raise; an unplugged device gives `termios.error`, which is not an `OSError`."""
with contextlib.suppress(ImportError):  # Windows has none
    import termios

    PORT_ERRORS = (*PORT_ERRORS, termios.error)

T = TypeVar("T")


class PortLost(PlantarError):
    """The port stopped working while it was in use."""


class Link:
    """An open serial port that sends frames.

    Use it as a context manager: however its block is left, by its end, an exception or a signal that would end the
    process, every channel first returns to rest, no faster than its rate.

    Args:
        port: Name of the port, `/dev/ttyUSB0` or `COM3`.
        channels: What the values mean, in the order in which they are sent.
        baud: Speed of the line [bit/s].
        tell: Called with a line of text when it returns to rest because something ended the stream.

    Raises:
        InvalidInput: If the port cannot be opened; the message lists the available ones.
    """

    def __init__(
        self,
        port: str,
        channels: Sequence[Channel],
        *,
        baud: int = 115200,
        tell: Callable[[str], object] | None = None,
    ):
        self.channels, self.baud, self.tell = tuple(channels), baud, tell
        self.limits = Limits(self.channels)
        self.reader, self.replies = FrameReader(), list[Frame]()
        self.sequence = self.limited = 0
        self.guard = SignalGuard()
        self._last, self._at_rest = self.limits.rest.copy(), True
        self._sent, self._period = -math.inf, PERIOD
        self._port = _open(port, baud)

    def check_rate(self, rate: float) -> None:
        """Raise `InvalidInput` if the line is too slow for `rate` frames per second."""
        most = self.baud / BITS_PER_BYTE / frame_size(len(self.channels))
        require(0 < rate <= most, "rate", rate, f"more than 0 and at most {most:.0f} Hz at {self.baud} baud")

    def send(self, values: Sequence[float], dt: float = PERIOD) -> tuple[float, ...]:
        """Send one frame and return what was sent, limits applied; NaN is never sent.

        Args:
            values: One value per channel [SI].
            dt: Time between frames, for limits on the rate [s]. Where less has passed since the last frame, that
                counts; a pause does not allow a jump.

        Raises:
            InvalidInput: If the values are not one finite number per channel.
            PortLost: If the port accepts no data.
        """
        try:
            wanted = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            wanted = np.full(1, np.nan)
        require(wanted.shape == self._last.shape, "values", values, f"{len(self.channels)} numbers, one per channel")
        require(bool(np.isfinite(wanted).all()), "values", list(values), "finite numbers only; nothing was sent")
        require(dt > 0, "dt", dt, "a time above 0, in s")
        self._period = min(dt, SLOWEST)
        allowed = self.limits.clip(wanted, self._last, min(dt, time.perf_counter() - self._sent))
        self.limited += int((allowed != wanted).sum())
        self._at_rest = False
        self._write(allowed)
        self.guard.check()
        return tuple(allowed.tolist())

    def receive(self) -> list[Frame]:
        """Frames that came back since the last call."""
        waiting = self._talk(lambda: self._port.in_waiting)
        found = self.reader.feed(self._talk(lambda: self._port.read(waiting))) if waiting else []
        self.replies += found
        return found

    def rest(self) -> None:
        """Bring every channel to rest, one frame per period, and wait until all is sent.

        Signals wait meanwhile. A channel without a limit on its rate takes one second.

        Raises:
            PortLost: If the port accepts no data.
        """
        for values in self.limits.way_to_rest(self._last, self._period):
            sleep_until(self._sent + self._period)
            self._write(values)
        self._talk(self._port.flush)
        self._at_rest = True

    def rest_after(self, error: BaseException | None) -> None:
        """Go to rest because of `error`, which is the one to report if the port is lost as well."""
        if error is not None and self.tell is not None:
            seconds = self._period * len(self.limits.way_to_rest(self._last, self._period))
            self.tell(f"{str(error) or type(error).__name__}: going to rest, {seconds:.1f} s")
        try:
            self.rest()
        except PortLost:
            if error is None:
                raise

    def close(self) -> None:
        """Go to rest if something else was sent last, then close the port."""
        try:
            if not self._at_rest:
                self.rest()
        finally:
            # closing a device that has disappeared may fail too, and nothing can be done about it
            self._quietly(self._port.close)

    def _write(self, values: np.ndarray) -> None:
        frame = encode(self.sequence, values.tolist())
        self._talk(lambda: self._port.write(frame))
        self.sequence += 1
        self._last, self._sent = values, time.perf_counter()

    def _talk(self, do: Callable[[], T]) -> T:
        try:
            return do()
        except PORT_ERRORS as error:
            raise PortLost(
                f"the serial port stopped working ({_reason(error)}): check cable and board, which may still hold its "
                "last set-point"
            ) from error

    def _quietly(self, do: Callable[[], object]) -> None:
        with contextlib.suppress(*PORT_ERRORS):
            do()

    def __enter__(self) -> Self:
        self.guard.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        try:
            if not self._at_rest:
                self.rest_after(error)
            self._at_rest = True
            self.close()
        finally:
            self.guard.__exit__(kind, error, trace)


def sleep_until(due: float) -> None:
    """Sleep most of the wait, then poll the clock: sleeping alone is late by up to a millisecond."""
    while (left := due - time.perf_counter()) > 0:
        time.sleep(left - 0.001 if left > 0.002 else 0)


def _open(port: str, baud: int) -> Any:
    require_extra("soft")
    import serial  # noqa: PLC0415
    from serial.tools import list_ports  # noqa: PLC0415

    require(isinstance(baud, int) and 300 <= baud <= 4_000_000, "baud", baud, "a speed from 300 to 4000000")
    try:
        return serial.Serial(port, baud, timeout=0, write_timeout=PATIENCE)
    except PORT_ERRORS as error:
        there = ", ".join(p.device for p in list_ports.comports()) or "none"
        raise InvalidInput(
            f"serial port {port!r} cannot be opened ({_reason(error)}): ports here are {there}"
        ) from error


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or " ".join(str(error.args[-1] if error.args else error).split())
