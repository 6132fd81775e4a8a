"""Set-points to hardware: streamed to a serial port at a fixed rate."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar.soft.serial.frame import Frame
from plantar.soft.serial.port import Link, sleep_until


@dataclass(frozen=True, kw_only=True)
class StreamReport:
    """How well the fixed rate was kept."""

    frames: int
    """Frames sent, not counting those while returning to rest."""
    period: float
    """Nominal time between frames [s]."""
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
    """Valid frames received."""
    broken: int
    """Received bytes that belonged to no valid frame."""


def stream(
    link: Link,
    setpoints: Iterable[Sequence[float]],
    rate: float,
    *,
    on_reply: Callable[[Frame], Any] | None = None,
) -> StreamReport:
    """Send one row of set-points per period, at a fixed rate, then bring every channel to rest.

    Rest is sent however the stream ends: the end of the rows, an exception from them or from `on_reply`, a value that
    cannot be sent, Ctrl-C and every other signal that can be caught. The signal then takes its usual effect.

    Each frame has its own time, counted from the first, so that delays do not accumulate; only after a frame that is
    late by more than a period, which the report counts, all later ones are shifted by as much, as hardware must not be
    rushed. `setpoints` may be a generator that steps a scene.

    Args:
        link: An open port.
        setpoints: Rows of values, one per channel [SI].
        rate: Frames per second [Hz].
        on_reply: Called with each frame that comes back.

    Raises:
        PortLost: If the port stops working; rest is tried, and may not have arrived.
    """
    link.check_rate(rate)
    period, before = 1 / rate, link.limited
    times: list[float] = []
    late: list[float] = []
    error: BaseException | None = None
    with link.guard:
        try:
            _send_all(link, setpoints, period, on_reply, times, late)
        except BaseException as caught:
            error = caught
            raise
        finally:
            link.rest_after(error)
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


def _send_all(
    link: Link,
    setpoints: Iterable[Sequence[float]],
    period: float,
    on_reply: Callable[[Frame], Any] | None,
    times: list[float],
    late: list[float],
) -> None:
    rows, due = iter(setpoints), time.perf_counter()
    while True:
        with link.guard.armed():
            row = next(rows, None)
            if row is None:
                return
            sleep_until(due)
        link.send(row, period)
        now = time.perf_counter()
        times.append(now)
        late.append(now - due)
        due = (due if now - due <= period else now) + period
        found = link.receive()
        with link.guard.armed():
            for frame in found:
                if on_reply:
                    on_reply(frame)
