"""Set-points to hardware: streamed to a serial port at a fixed rate."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np

from plantar._checks import require
from plantar._extras import require_extra
from plantar.errors import InvalidInput, PlantarError
from plantar.soft.serial.frame import Frame, FrameReader, encode, frame_size

BITS_PER_BYTE = 10
"""On the wire, with start and stop bit."""


@dataclass(frozen=True, kw_only=True)
class Channel:
    """What one value of a frame means."""

    name: str
    """Name of the actuator."""
    low: float = -math.inf
    """Least value that is ever sent [SI]; lower ones are sent as this."""
    high: float = math.inf
    """Most value that is ever sent [SI]."""
    rate: float = math.inf
    """Fastest change [SI/s]; faster ones are slowed down."""
    rest: float = 0.0
    """Value sent when streaming ends [SI]."""

    def __post_init__(self) -> None:
        """Check the limits."""
        require(self.low < self.high, f"channel {self.name!r} low", self.low, f"less than high = {self.high:g}")
        require(self.rate > 0, f"channel {self.name!r} rate", self.rate, "a number above 0")
        require(self.low <= self.rest <= self.high, f"channel {self.name!r} rest", self.rest, "from low to high")


@dataclass(frozen=True, kw_only=True)
class StreamReport:
    """How well the fixed rate was kept."""

    frames: int
    """Frames sent."""
    period: float
    """Wanted time between frames [s]."""
    mean_period: float
    """Mean time between frames [s]."""
    jitter: float
    """Standard deviation of the time between frames [s]."""
    latest: float
    """Largest delay of a frame behind its time [s]."""
    missed: int
    """Frames that came later than a whole period."""
    limited: int
    """Values that a channel's limits changed."""
    replies: int
    """Sound frames that came back."""
    broken: int
    """Bytes that came back and belonged to no sound frame."""


class Link:
    """An open serial port that speaks in frames.

    Args:
        port: Name of the port, `/dev/ttyUSB0` or `COM3`.
        channels: What the values mean, in the order in which they are sent.
        baud: Speed of the line [bit/s].

    Raises:
        InvalidInput: If the port cannot be opened; the message lists those there are.
    """

    def __init__(self, port: str, channels: Sequence[Channel], *, baud: int = 115200):
        self.channels, self.baud = tuple(channels), baud
        require(1 <= len(self.channels) <= 32, "channels", len(self.channels), "1 to 32 channels")
        self.reader, self.replies = FrameReader(), list[Frame]()
        self.sequence = self.limited = 0
        self._last: np.ndarray | None = None
        self._port = _open(port, baud)

    def check_rate(self, rate: float) -> None:
        """Raise `InvalidInput` if the line is too slow for `rate` frames a second."""
        most = self.baud / BITS_PER_BYTE / frame_size(len(self.channels))
        require(0 < rate <= most, "rate", rate, f"more than 0 and at most {most:.0f} Hz at {self.baud} baud")

    def send(self, values: Sequence[float], dt: float | None = None) -> tuple[float, ...]:
        """Send one frame and return what was sent, limits applied; NaN is never sent.

        Args:
            values: One value a channel [SI].
            dt: Time since the last frame, for limits on the rate [s].
        """
        wanted = np.asarray(values, dtype=float)
        require(wanted.shape == (len(self.channels),), "values", values, f"{len(self.channels)} numbers, one a channel")
        require(bool(np.isfinite(wanted).all()), "values", list(values), "finite numbers only; nothing was sent")
        allowed = self._limit(wanted, dt)
        self.limited += int((allowed != wanted).sum())
        try:
            self._port.write(encode(self.sequence, allowed.tolist()))
        except (OSError, self._error()) as error:
            raise PlantarError(f"the serial port stopped taking data ({error}); check cable and board") from error
        self.sequence += 1
        self._last = allowed
        return tuple(allowed.tolist())

    def receive(self) -> list[Frame]:
        """Frames that came back since the last call."""
        waiting = self._port.in_waiting
        found = self.reader.feed(self._port.read(waiting)) if waiting else []
        self.replies += found
        return found

    def rest(self) -> None:
        """Send every channel's value of rest."""
        self._last = None
        self.send([channel.rest for channel in self.channels])

    def close(self) -> None:
        """Wait until all is sent, then close the port."""
        self._port.flush()
        self._port.close()

    def _limit(self, wanted: np.ndarray, dt: float | None) -> np.ndarray:
        low = np.array([c.low for c in self.channels])
        high = np.array([c.high for c in self.channels])
        allowed = np.clip(wanted, low, high)
        if dt is not None and self._last is not None:
            step = dt * np.array([c.rate for c in self.channels])
            allowed = np.clip(allowed, self._last - step, self._last + step)
        return allowed

    @staticmethod
    def _error() -> type[Exception]:
        import serial  # noqa: PLC0415  (extra `soft`)

        return serial.SerialException

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self.close()


def stream(
    link: Link,
    setpoints: Iterable[Sequence[float]],
    rate: float,
    *,
    on_reply: Callable[[Frame], Any] | None = None,
) -> StreamReport:
    """Send one row of set-points a period, at a fixed rate, then every channel's value of rest.

    Each frame has its own time, counted from the first, so that delays do not add up. `setpoints` may be a
    generator that steps a scene: a step that takes longer than a period makes its frame late, which the report
    counts.

    Args:
        link: An open port.
        setpoints: Rows of values, one a channel [SI].
        rate: Frames a second [Hz].
        on_reply: Called with each frame that comes back.
    """
    link.check_rate(rate)
    period = 1 / rate
    times: list[float] = []
    late: list[float] = []
    before = link.limited
    start = time.perf_counter()
    try:
        for number, row in enumerate(setpoints):
            due = start + number * period
            _sleep_until(due)
            link.send(row, period)
            now = time.perf_counter()
            times.append(now)
            late.append(now - due)
            for frame in link.receive():
                if on_reply:
                    on_reply(frame)
    finally:
        link.rest()
    gaps = np.diff(times) if len(times) > 1 else np.array([period])
    return StreamReport(
        frames=len(times),
        period=period,
        mean_period=float(gaps.mean()),
        jitter=float(gaps.std()),
        latest=max(late, default=0.0),
        missed=sum(delay > period for delay in late),
        limited=link.limited - before,
        replies=len(link.replies),
        broken=link.reader.skipped,
    )


def _sleep_until(due: float) -> None:
    """Sleep most of the wait, then look at the clock: sleeping alone is late by as much as a millisecond."""
    while (left := due - time.perf_counter()) > 0:
        time.sleep(left - 0.001 if left > 0.002 else 0)


def _open(port: str, baud: int) -> Any:
    require_extra("soft")
    import serial  # noqa: PLC0415
    from serial.tools import list_ports  # noqa: PLC0415

    require(isinstance(baud, int) and 300 <= baud <= 4_000_000, "baud", baud, "a speed from 300 to 4000000")
    try:
        return serial.Serial(port, baud, timeout=0, write_timeout=2)
    except (OSError, ValueError) as error:
        there = ", ".join(p.device for p in list_ports.comports()) or "none"
        raise InvalidInput(
            f"serial port {port!r} cannot be opened ({_reason(error)}): ports here are {there}"
        ) from error


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or " ".join(str(error).split())
