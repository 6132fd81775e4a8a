"""Meaning of the values of a frame for the hardware, and their limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar._config import Checked, Limit

Floats = np.ndarray
REST_TIME = 1.0
"""Time in which a channel without a rate limit returns to rest [s]."""


@dataclass(frozen=True, kw_only=True)
class Channel(Checked):
    """What one value of a frame means."""

    name: str
    """Name of the actuator."""
    low: Limit = -math.inf
    """Smallest value ever sent [SI]; lower ones are sent as this."""
    high: Limit = math.inf
    """Largest value ever sent [SI]."""
    rate: Limit = math.inf
    """Fastest change [SI/s]; faster ones are slowed down."""
    rest: float = 0.0
    """Value of the actuator before the first frame and after streaming ends [SI]."""

    def __post_init__(self) -> None:
        """Check the limits."""
        require(isinstance(self.name, str) and self.name.strip() != "", "channel name", self.name, "a name")
        require(self.low < self.high, f"channel {self.name!r} low", self.low, f"less than high = {self.high:g}")
        require(self.rate > 0, f"channel {self.name!r} rate", self.rate, "a number above 0")
        at_rest = math.isfinite(self.rest) and self.low <= self.rest <= self.high
        require(at_rest, f"channel {self.name!r} rest", self.rest, "from low to high")


class Limits:
    """The limits of all channels as arrays."""

    def __init__(self, channels: Sequence[Channel]):
        require(1 <= len(channels) <= 32, "channels", len(channels), "1 to 32 channels")
        names = [channel.name for channel in channels]
        require(len(set(names)) == len(names), "channels", names, "a different name for each")
        self.low, self.high, self.rate, self.rest = (
            np.array([getattr(c, field) for c in channels], dtype=float) for field in ("low", "high", "rate", "rest")
        )

    def clip(self, wanted: Floats, last: Floats, dt: float) -> Floats:
        """The value nearest to `wanted` that may follow `last` after `dt`."""
        step = dt * self.rate
        return np.clip(np.clip(wanted, self.low, self.high), last - step, last + step)

    def way_to_rest(self, last: Floats, period: float) -> list[Floats]:
        """Values that lead from `last` to rest, one per period; a channel without a rate takes `REST_TIME`."""
        way = np.abs(self.rest - last)
        rate = np.where(np.isfinite(self.rate), self.rate, way / REST_TIME)
        time = np.divide(way, rate, out=np.zeros_like(way), where=rate > 0)
        count = max(1, math.ceil(time.max() / period - 1e-9))
        toward = np.sign(self.rest - last)
        return [last + toward * np.minimum(way, rate * period * k) for k in range(1, count)] + [self.rest.copy()]
