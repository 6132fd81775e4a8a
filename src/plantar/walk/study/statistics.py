"""Rates and differences of paired trials with intervals; everything exact or by SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

LEVEL = 0.95
"""Confidence of every interval."""
RESAMPLES = 4000
"""Resamples of a bootstrap."""


def share_interval(successes: int, trials: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a success rate; (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    found = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    return float(found.low), float(found.high)


def mean_interval(values: Sequence[float] | np.ndarray, level: float = LEVEL) -> tuple[float, float]:
    """Student's interval of a mean; (nan, nan) of fewer than two values.

    It holds the mean of few values as often as of many, which a bootstrap does not: of five, in 86 % of cases. Values
    none of which is negative have no negative mean.
    """
    own = np.asarray(values, float)
    own = own[np.isfinite(own)]
    if len(own) < 2:
        return math.nan, math.nan
    if np.ptp(own) == 0:
        return float(own[0]), float(own[0])
    mean, half = own.mean(), stats.t.ppf(0.5 + level / 2, len(own) - 1) * own.std(ddof=1) / math.sqrt(len(own))
    return float(mean - half if own.min() < 0 else max(mean - half, 0.0)), float(mean + half)


def _bootstrap(values: tuple[np.ndarray, ...], figure: Callable, level: float) -> tuple[float, float]:
    """Bootstrap interval of a figure of values that belong together (percentile method)."""
    how = {"n_resamples": RESAMPLES, "method": "percentile", "rng": np.random.default_rng(0)}
    found = stats.bootstrap(values, figure, paired=True, confidence_level=level, **how).confidence_interval
    return float(found.low), float(found.high)


@dataclass(frozen=True, kw_only=True)
class PairedShares:
    """Two feet over the same trials: how much more often the first one succeeds."""

    pairs: int
    """Trials that both were in."""
    both: int
    """Trials in which both succeeded."""
    only_first: int
    """Trials in which only the first one did."""
    only_second: int
    """Trials in which only the second one did."""
    low: float
    """Lower end of the 95 % interval of the difference."""
    high: float
    """Upper end of it."""
    p: float
    """Probability of a split as uneven as this one if the two were equal: McNemar's exact test."""

    @property
    def difference(self) -> float:
        """Success rate of the first minus that of the second."""
        return (self.only_first - self.only_second) / self.pairs if self.pairs else math.nan

    @property
    def sure(self) -> bool:
        """Whether interval and exact test both tell the two apart."""
        return self.p < 1 - LEVEL and (self.low > 0 or self.high < 0)


def compare_pairs(first: Sequence[bool], second: Sequence[bool]) -> PairedShares:
    """Compare two feet that walked the same trials.

    The test is McNemar's, exact: of the trials that distinguish the two, either is equally likely to win if they are
    equal.

    Args:
        first: Whether each trial succeeded on the first foot.
        second: The same of the second foot, trial by trial.
    """
    a, b = np.asarray(first, bool), np.asarray(second, bool)
    n, won, lost = len(a), int((a & ~b).sum()), int((~a & b).sum())
    p = float(stats.binomtest(won, won + lost).pvalue) if won + lost else 1.0
    low, high = difference_interval(won, lost, n)
    return PairedShares(pairs=n, both=int((a & b).sum()), only_first=won, only_second=lost, low=low, high=high, p=p)


def difference_interval(won: int, lost: int, pairs: int) -> tuple[float, float]:
    """Interval of the difference of two rates from pairs, by Bonett and Price (2012, J. Educ. Behav. Stat. 37).

    It is normal with a pair of either kind added, and has a width where all pairs are alike, which a bootstrap has not.
    From 20 pairs on it holds the truth in 96 % of studies on average and in 92 % wherever the truth is.

    Args:
        won: Pairs in which only the first one succeeded.
        lost: Pairs in which only the second one did.
        pairs: All pairs.
    """
    more, less = (won + 1) / (pairs + 2), (lost + 1) / (pairs + 2)
    half = float(special.ndtri(0.5 + LEVEL / 2)) * math.sqrt((more + less - (more - less) ** 2) / (pairs + 2))
    return max(more - less - half, -1.0), min(more - less + half, 1.0)


def compare_draws(differences: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Mean difference over many cells that share their draws, and its bootstrap interval over draws.

    Walks of one draw meet the same bars with every robot and mode, so that they are not independent: whole draws are
    resampled.

    Args:
        differences: For each draw, the differences of its pairs: 1, 0 or -1.
    """
    sums = np.array([sum(group) for group in differences], float)
    counts = np.array([len(group) for group in differences], float)
    mean = float(sums.sum() / counts.sum())
    if len(sums) < 2 or np.ptp(sums / counts) == 0:
        return mean, math.nan, math.nan
    return mean, *_bootstrap((sums, counts), lambda s, c, axis=-1: s.sum(axis=axis) / c.sum(axis=axis), LEVEL)
