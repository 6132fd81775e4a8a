"""The level of a course at which half of the walks fail, found by walking where it is not known yet.

A walk at a level succeeds or not; the share of successes falls with the logarithm of the level along a logistic curve,
and a few walks end the other way whatever the level (lapses). The posterior of the curve's middle, spread and lapses is
kept on a grid. The next walks go to evenly spaced quantiles of the middle's posterior, so that they spread over the
whole range at first and gather where half of them fail. This is Watson and Pelli's QUEST (1983, Perception &
Psychophysics 33) with the spread estimated too, as by Kontsevich and Tyler (1999, Vision Research 39), for several
walks at a time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar._checks import require

MIDDLES = 161
"""Points of the grid along the middle of the curve."""
SPREADS = (0.03, 0.06, 0.1, 0.16, 0.25, 0.4, 0.6, 0.9)
"""Spreads of the curve on the grid, in natural logarithms of the level."""
LAPSES = (0.005, 0.03, 0.08)
"""Lapse rates on the grid."""
BEYOND = 1.5
"""How far beyond the levels that can be walked the middle may be, as a factor."""


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The level at which half of the walks fail, as far as it is known."""

    level: float
    """Median of its posterior, in the unit of the course."""
    low: float
    """Lower end of the 95 % interval; 0 if the threshold may be below all levels that can be walked."""
    high: float
    """Upper end of it; infinite if the threshold may be above all levels that can be walked."""
    walks: int
    """Walks that it rests on."""
    spread: float
    """Mean spread of the curve, in natural logarithms of the level."""

    def text(self, scale: float = 1e3, unit: str = "mm") -> str:
        """The threshold for people, as in `23 mm (18 to 29, 32 walks)`."""
        ends = f"{self.low * scale:.3g} to {self.high * scale:.3g}"
        if math.isinf(self.high):
            ends = f"above {self.low * scale:.3g}"
        elif self.low == 0:
            ends = f"below {self.high * scale:.3g}"
        return f"{self.level * scale:.3g} {unit} ({ends}, {self.walks} walks)"


class Search:
    """What is known about a threshold, and where to walk next.

    Args:
        low: Lowest level that can be walked, above 0.
        high: Highest one.
    """

    def __init__(self, low: float, high: float):
        require(0 < low < high < math.inf, "range", (low, high), "two levels above 0, the lower one first")
        self.low, self.high, self.walks = low, high, 0
        self._middles, self._curves = _grid(low, high)
        self._log = np.zeros((MIDDLES, len(SPREADS), len(LAPSES)))

    def add(self, levels: Sequence[float], successes: Sequence[bool]) -> None:
        """Update with the outcomes of walks at some levels."""
        for level, success in zip(levels, successes, strict=True):
            share = self._curves(math.log(level))
            self._log += np.log(share if success else 1 - share)
            self.walks += 1

    def next_levels(self, count: int) -> list[float]:
        """Levels of the next walks: quantiles of the threshold's posterior, within what can be walked."""
        shares = (np.arange(count) + 0.5) / count
        return [float(min(max(level, self.low), self.high)) for level in self.quantiles(shares)]

    def quantiles(self, shares: Sequence[float] | np.ndarray) -> np.ndarray:
        """Levels below which the threshold is with these probabilities."""
        mass = self.posterior()
        edges = np.concatenate([[0.0], np.cumsum(mass)])
        step = self._middles[1] - self._middles[0]
        ends = np.concatenate([self._middles - step / 2, [self._middles[-1] + step / 2]])
        return np.exp(np.interp(shares, edges, ends))

    def posterior(self) -> np.ndarray:
        """Probability of each of the grid's thresholds (`levels`)."""
        weight = np.exp(self._log - self._log.max()).sum(axis=(1, 2))
        return weight / weight.sum()

    @property
    def levels(self) -> np.ndarray:
        """The grid's thresholds."""
        return np.exp(self._middles)

    def threshold(self, level: float = 0.95) -> Threshold:
        """What is known about the threshold."""
        tail = (1 - level) / 2
        low, middle, high = self.quantiles((tail, 0.5, 1 - tail))
        weight = np.exp(self._log - self._log.max()).sum(axis=(0, 2))
        return Threshold(
            level=float(middle),
            low=0.0 if low < self.low else float(low),
            high=math.inf if high > self.high else float(high),
            walks=self.walks,
            spread=float((weight * SPREADS).sum() / weight.sum()),
        )


def difference(first: Search, second: Search, level: float = 0.95) -> tuple[float, float, float]:
    """Median and interval of the first threshold less the second.

    The two are taken as independent. Feet that share their draws are rather alike in luck, which makes the interval too
    wide, not too narrow. Ends are infinite where a threshold may be beyond what can be walked.
    """
    gaps = (first.levels[:, None] - second.levels[None, :]).ravel()
    mass = (first.posterior()[:, None] * second.posterior()[None, :]).ravel()
    order = np.argsort(gaps)
    edges = np.cumsum(mass[order])
    tail = (1 - level) / 2
    low, middle, high = (float(gaps[order][np.searchsorted(edges, q)]) for q in (tail, 0.5, 1 - tail))
    one, two = first.threshold(level), second.threshold(level)
    if math.isinf(one.high) or two.low == 0:
        high = math.inf
    if math.isinf(two.high) or one.low == 0:
        low = -math.inf
    return middle, low, high


@functools.lru_cache(maxsize=8)
def _grid(low: float, high: float):  # noqa: ANN202
    """Logarithms of the thresholds on the grid, and the share of successes of each curve at a logarithm of a level."""
    middles = np.linspace(math.log(low / BEYOND), math.log(high * BEYOND), MIDDLES)
    centre, spread = middles[:, None, None], np.array(SPREADS)[None, :, None]
    lapse = np.array(LAPSES)[None, None, :]

    def curves(x: float) -> np.ndarray:
        return lapse + (1 - 2 * lapse) / (1 + np.exp(np.clip((x - centre) / spread, -500, 500)))

    return middles, curves
