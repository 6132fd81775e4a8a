"""Weights of the analytic cost, fitted to what pressed feet did."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from plantar._checks import require
from plantar._notebook import Shown
from plantar.foothold.physics import scores
from plantar.foothold.physics.data import PhysicsData
from plantar.foothold.sole import SoftSole

FACTORS = (0.0, 0.25, 0.5, 0.77, 1.3, 2.0, 4.0)
"""What a weight is multiplied by in the search."""
PREFERRED = (-1.0, -0.5, 0.0, 0.5)
"""Preferred curvatures that are tried, as fractions of their limits."""
ROUNDS = 12
"""Largest number of search rounds over all weights and preferred curvatures."""
SAMPLE = 8000
"""Largest number of footholds used in the search."""
LEAST = 50
"""Fewest footholds to fit on."""


@dataclass(frozen=True)
class Calibration(Shown):
    """A sole with fitted weights."""

    sole: SoftSole
    """The sole; `plantar foothold map --sole FILE` reads it."""
    before: dict[str, float]
    """Rank correlation of the cost as it was with each label, on the footholds of the fit."""
    after: dict[str, float]
    """The same of the fitted cost."""
    footholds: int
    """Footholds of the fit."""


def calibrate(data: PhysicsData, sole: SoftSole | None = None) -> Calibration:
    """Fit the weights and preferred curvatures of eq. 3 to physics.

    The mean of the rank correlations with hold and slip is maximised, one weight or preferred curvature after the
    other. No loss is chosen and nothing is transformed: only ranks count. Preferred slopes stay 0: left and right, fore
    and aft are alike. Limits stay as they are; the size is that of the foot that was pressed. The scale, which ranks do
    not fix, is that at which a tenth of the footholds costs 1 or more.

    Args:
        data: Pressed footholds of the kinds to fit on.
        sole: Where limits, first weights and, where the data do not tell it, size come from.

    Raises:
        InvalidInput: If there are too few footholds.
    """
    own: SoftSole = scores.of_size(sole or SoftSole(), data)
    data = data.finite()
    require(len(data) >= LEAST, "data", f"{len(data)} footholds", f"at least {LEAST} sound footholds")
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(data))[:SAMPLE])
    some = np.zeros(len(data), bool)
    some[chosen] = True
    fitted = _search(data.rows(some), own)
    return Calibration(fitted, _quality(data, own), _quality(data, fitted), len(data))


def _search(data: PhysicsData, sole: SoftSole) -> SoftSole:
    """Coordinate ascent from the sole's own weights."""
    shape = scores.shape(data, sole)
    limits = np.array([*sole.slope_limit, *sole.curvature_limit])
    truths = [scores.BETTER[name] * getattr(data.labels, name) for name in scores.LABELS]
    ranks = [stats.rankdata(truth) for truth in truths]

    def quality(weights: np.ndarray, shares: tuple[float, float]) -> float:
        cost = _terms(shape, limits, _wanted(sole, shares)) @ weights
        if np.ptp(cost) == 0:
            return -1.0
        own = stats.rankdata(cost)
        return float(np.mean([np.corrcoef(own, rank)[0, 1] for rank in ranks]))

    weights = np.array([sole.fit_weight, *sole.slope_weight, *sole.curvature_weight])
    shares: tuple[float, float] = (0.0, 0.0)
    # A zero weight starts from the value that makes its term as large as a typical cost.
    small = 0.1 / np.maximum(np.median(np.abs(_terms(shape, limits, _wanted(sole, shares))), axis=0), 1e-6)
    best = quality(weights, shares)
    for _ in range(ROUNDS):
        before = best
        for i in range(len(weights)):
            for value in [weights[i] * factor for factor in FACTORS] if weights[i] else [small[i], 0.2 * small[i]]:
                tried = weights.copy()
                tried[i] = value
                if (found := quality(tried, shares)) > best + 1e-6:
                    best, weights = found, tried
        for i, share in itertools.product((0, 1), PREFERRED):
            other = (share, shares[1]) if i == 0 else (shares[0], share)
            if (found := quality(weights, other)) > best + 1e-6:
                best, shares = found, other
        if best - before < 1e-4:
            break
    cost = _terms(shape, limits, _wanted(sole, shares)) @ weights
    require(best > -1, "data", "labels that no term explains", "footholds that differ")
    return _with(sole, weights / max(float(np.percentile(cost, 90)), 1e-9), _wanted(sole, shares))


def _wanted(sole: SoftSole, shares: tuple[float, float]) -> tuple[float, float]:
    return shares[0] * sole.curvature_limit[0], shares[1] * sole.curvature_limit[1]


def _terms(shape: np.ndarray, limits: np.ndarray, wanted: tuple[float, float]) -> np.ndarray:
    """Terms of eq. 3 without their weights (n, 5): misfit, slopes, curvatures."""
    miss, along, curve_along, across, curve_across = shape
    off = [np.abs(along), np.abs(across), np.abs(wanted[0] - curve_along), np.abs(wanted[1] - curve_across)]
    return np.column_stack([miss, *(value / (2 * limit) for value, limit in zip(off, limits, strict=True))])


def _with(sole: SoftSole, weights: np.ndarray, wanted: tuple[float, float]) -> SoftSole:
    misfit, slope_x, slope_y, curve_x, curve_y = (float(f"{w:.6g}") for w in weights)
    return replace(
        sole,
        fit_weight=misfit,
        slope_weight=(slope_x, slope_y),
        slope_preferred=(0.0, 0.0),
        curvature_weight=(curve_x, curve_y),
        curvature_preferred=wanted,
    )


def _quality(data: PhysicsData, sole: SoftSole) -> dict[str, float]:
    cost = scores.analytic(data, sole)
    return {label: scores.rank_correlation(cost, data, label) for label in scores.LABELS}
