"""Numbers that the viewer can change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plantar.show.clip import Clip


@dataclass(frozen=True, kw_only=True)
class Slider:
    """A number that the viewer can change."""

    name: str
    """Name with unit, as in `load [N]`."""
    low: float
    """Smallest value."""
    high: float
    """Largest value."""
    value: float
    """Value at the start."""
    step: float
    """Steps between values."""

    def __post_init__(self) -> None:
        """Let a value that was asked for at the start be in the range, which a browser's slider insists on."""
        object.__setattr__(self, "low", min(self.low, self.value))
        object.__setattr__(self, "high", max(self.high, self.value))


Maker = Callable[[dict[str, float]], Clip]
"""Makes the clip for values of the sliders, by name."""
