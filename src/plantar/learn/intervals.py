"""Means with 95 % intervals: over the walks of one policy, over policies, and between two groups of policies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from plantar.walk.study.statistics import LEVEL


def student(name: str, values: np.ndarray) -> dict[str, float]:
    """The mean of a few values with its interval by Student's t; one value has none."""
    values = values[np.isfinite(values)]
    mean = float(values.mean()) if len(values) else math.nan
    reach = _reach(len(values) - 1, values.var(ddof=1) / len(values)) if len(values) > 1 else math.nan
    return {name: mean, f"{name}_low": mean - reach, f"{name}_high": mean + reach}


def in_range(found: dict[str, float], low: float, high: float) -> dict[str, float]:
    """An interval of what cannot leave a range; values that do not differ at all give none."""
    (name, mean), (_, first), (_, last) = found.items()
    ends = (math.nan, math.nan) if first == last else (max(first, low), min(last, high))
    return {name: mean, f"{name}_low": ends[0], f"{name}_high": ends[1]}


def apart(name: str, values: np.ndarray, others: np.ndarray, *, percent: bool = True) -> dict[str, float]:
    """The difference of two means, in percent of the second or as it is, with its interval by Welch's t."""
    one, other = (found[np.isfinite(found)] for found in (values, others))
    if min(len(one), len(other)) < 2:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), math.nan)
    parts = np.array([found.var(ddof=1) / len(found) for found in (one, other)])
    spread = float(parts.sum())
    freedom = spread**2 / float((parts**2 / [len(one) - 1, len(other) - 1]).sum()) if spread else 1.0
    scale = 100 / abs(float(other.mean())) if percent else 1.0
    mean, reach = scale * float(one.mean() - other.mean()), scale * _reach(freedom, spread)
    return {name: mean, f"{name}_low": mean - reach, f"{name}_high": mean + reach}


def _reach(freedom: float, variance: float) -> float:
    """Half an interval of a mean of this variance."""
    return float(special.stdtrit(freedom, 0.5 + LEVEL / 2)) * math.sqrt(variance)


def percent_of(walks: Sequence[Mapping[str, Any]], end: str) -> float:
    """Walks that ended so, in percent."""
    return 100 * float(np.mean([row[end] for row in walks]))


def mean_of(walks: Sequence[Mapping[str, Any]], name: str) -> float:
    """Mean of a figure over the walks without a fall."""
    values = np.array([row[name] for row in walks if not row["fallen"]], dtype=float)
    return float(values[np.isfinite(values)].mean()) if np.isfinite(values).any() else math.nan
