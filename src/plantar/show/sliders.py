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

    @classmethod
    def holding(cls, name: str, low: float, high: float, value: float, step: float) -> Slider:
        """One whose range holds the value it starts at, which a browser insists on."""
        return cls(name=name, low=min(low, value), high=max(high, value), value=value, step=step)


Maker = Callable[[dict[str, float]], Clip]
"""Makes the clip for values of the sliders, by name."""
