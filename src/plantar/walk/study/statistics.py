"""Shares of successes, and how sure they are."""

from __future__ import annotations

import math


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share (E. B. Wilson, JASA 22, 1927).

    Args:
        successes: How many went well.
        trials: Out of how many; 0 gives (0, 1).
        confidence: How sure the interval is to hold the true share.
    """
    if trials == 0:
        return 0.0, 1.0
    z = normal_quantile(0.5 + confidence / 2)
    p, n = successes / trials, trials
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def normal_quantile(p: float) -> float:
    """The number below which a standard normal variable is with probability `p`."""
    from scipy.special import ndtri  # noqa: PLC0415

    return float(ndtri(p))


def difference_is_sure(a: tuple[int, int], b: tuple[int, int], level: float = 0.05) -> bool:
    """Whether two shares (successes, trials) differ by Fisher's exact test, two-sided."""
    from scipy.stats import fisher_exact  # noqa: PLC0415

    table = [[a[0], a[1] - a[0]], [b[0], b[1] - b[0]]]
    return float(fisher_exact(table)[1]) < level  # type: ignore[index]
