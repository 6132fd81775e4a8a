"""Scores of pressed footholds by everything that claims to know how good they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from plantar.foothold._patch import Patch, soft_patch
from plantar.foothold.physics.data import PhysicsData
from plantar.foothold.sole import BallSole, SoftSole, Sole
from plantar.foothold.terrain_cost import terrain_cost
from plantar.ground.terrain.elevation_map import ElevationMap

LABELS = ("hold", "slip")
"""Labels that scores are compared with: the held push, where more is better, and slip, where less is."""
CHOICES = 20
"""Fewest footholds of a map that a choice is made among."""
WEAK = 0.3
"""A chosen foothold that holds less than this times the load is a weak one."""
BETTER = {"hold": -1, "slip": 1, "settle": 1, "tilt": 1, "area": -1, "spread": -1}
"""Sign that turns a label into a cost."""


SAME = 0.002
"""Difference up to which what touches the ground has the size of a sole [m]: rods and links stand out a little."""


def of_size(sole: Any, data: PhysicsData) -> Any:
    """A sole with the size of the foot that was pressed, where it is not that of the foot of that name.

    Args:
        sole: A `SoftSole` or a `BallSole`.
        data: Presses, whose card says how high and how large the foot is.
    """
    if not {"height", "half"} <= data.card.keys():
        return sole
    along, across = (2 * float(half) for half in data.card["half"])
    if isinstance(sole, BallSole):
        return sole if abs(along / 2 - sole.radius) < SAME else replace(sole, radius=along / 2)
    height = float(data.card["height"])
    own, found = (sole.length, sole.width, sole.height), (along, across, height)
    if max(abs(a - b) for a, b in zip(own, found, strict=True)) < SAME:
        return sole
    return replace(sole, length=along, width=across, height=height)


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's rank correlation; pairs with a number that is not finite are left out."""
    good = np.isfinite(a) & np.isfinite(b)
    if good.sum() < 2:
        return float("nan")
    ranks = [stats.rankdata(values[good]) for values in (a, b)]
    if min(np.ptp(r) for r in ranks) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def analytic(data: PhysicsData, sole: Sole) -> np.ndarray:
    """Terrain cost of each foothold by the analytic cost (n,)."""
    return _on_maps(data, lambda ground: terrain_cost(ground, sole).cost[None])[0]


def shape(data: PhysicsData, sole: SoftSole) -> np.ndarray:
    """Misfit c_R and coefficients c_{1,1}, c_{1,2}, c_{2,1}, c_{2,2} of eq. 3 (5, n)."""
    bare = replace(sole, fit_weight=1.0, slope_weight=(0.0, 0.0), curvature_weight=(0.0, 0.0))

    def fit(ground: ElevationMap) -> np.ndarray:
        found = terrain_cost(ground, bare, shape=True)
        return np.concatenate([found.cost[None], found.shape[1:]])

    return _on_maps(data, fit)


def _on_maps(data: PhysicsData, function: Callable[[ElevationMap], np.ndarray]) -> np.ndarray:
    """What `function` gives for each map (m, rows, columns), at the footholds (m, n)."""
    order = np.argsort(data.tile, kind="stable")
    tiles, first = np.unique(data.tile[order], return_index=True)
    found: np.ndarray | None = None
    for tile, own in zip(tiles, np.split(order, first[1:]), strict=True):
        layers = function(ElevationMap(heights=data.maps[tile], cell=data.cell))
        if found is None:
            found = np.empty((len(layers), len(data)))
        found[:, own] = layers[:, data.row[own], data.column[own]]
    return np.empty((1, 0)) if found is None else found


def plane(data: PhysicsData, sole: SoftSole) -> tuple[np.ndarray, np.ndarray]:
    """Slope and roughness under the sole (n,): steepest slope of the fitted plane, root mean square from it [m]."""
    patch: Patch = soft_patch(sole.length, sole.width, 0.0, data.cell)
    heights = data.maps[data.tile[:, None], data.row[:, None] + patch.rows, data.column[:, None] + patch.columns]
    terms = np.stack([np.ones(len(patch.x)), patch.x, patch.y], axis=1)
    solution, *_ = np.linalg.lstsq(terms, heights.T.astype(float), rcond=None)
    rest = heights.T - terms @ solution
    return np.hypot(solution[1], solution[2]), np.sqrt((rest**2).mean(axis=0))


def rank_correlation(cost: np.ndarray, data: PhysicsData, label: str) -> float:
    """Spearman's correlation of a cost with a label, turned so that 1 is perfect."""
    return spearman(cost, BETTER[label] * getattr(data.labels, label))


def reliability(data: PhysicsData, label: str) -> tuple[float, float]:
    """How well a label repeats: correlation of its halves, and the ceiling that this sets for any score.

    The halves are of every second press. By Spearman and Brown the whole label correlates with a second one of its
    kind by 2 r / (1 + r); no score can be expected to correlate with it by more than the root of that.
    """
    r = spearman(*data.halves(label))
    whole = 2 * r / (1 + r)
    return whole, float(np.sqrt(max(whole, 0.0)))


def compare(
    data: PhysicsData, costs: Mapping[str, np.ndarray], *, samples: int = 200, seed: int = 0
) -> list[dict[str, Any]]:
    """One row a score: rank correlation with each label, with a 95 % interval over maps (bootstrap)."""
    rows = []
    rng = np.random.default_rng(seed)
    tiles = np.unique(data.tile)
    own = {tile: np.flatnonzero(data.tile == tile) for tile in tiles}
    draws = [np.concatenate([own[t] for t in rng.choice(tiles, len(tiles))]) for _ in range(samples)]
    truths = {label: BETTER[label] * getattr(data.labels, label) for label in LABELS}
    for name, cost in costs.items():
        row: dict[str, Any] = {"score": name}
        for label in LABELS:
            row[label] = spearman(cost, truths[label])
            spans = [spearman(cost[d], truths[label][d]) for d in draws]
            row[f"{label}_low"], row[f"{label}_high"] = (float(v) for v in np.percentile(spans, [2.5, 97.5]))
        rows.append(row)
    return rows


def picks(data: PhysicsData, costs: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """One row a score: what the best foothold of each map by that score is worth, and how it ranks within maps.

    Maps with fewer than `CHOICES` footholds are left out.
    """
    tiles, counts = np.unique(data.tile, return_counts=True)
    groups = [np.flatnonzero(data.tile == tile) for tile in tiles[counts >= CHOICES]]
    labels, rows = data.labels, []
    for name, cost in costs.items():
        if not groups:
            break
        safe = np.where(np.isfinite(cost), cost, np.inf)
        best = np.array([own[np.argmin(safe[own])] for own in groups])
        within = {
            f"within_{label}": float(
                np.nanmean([spearman(cost[own], BETTER[label] * getattr(labels, label)[own]) for own in groups])
            )
            for label in LABELS
        }
        held = labels.hold[best]
        worth = {"hold": float(held.mean()), "slip": float(labels.slip[best].mean())}
        rows.append({"score": name, "maps": len(groups), **worth, "weak": float((held < WEAK).mean()), **within})
    return rows
