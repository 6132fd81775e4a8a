"""Metrics of predicted maps with intervals; grounds, not cells, are what is independent."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar.foothold import metrics
from plantar.foothold.classes import to_classes
from plantar.foothold.dataset import Samples
from plantar.foothold.networks.readout import Reading, read_costs

Array = np.ndarray
METRICS = (
    "accuracy",
    "iou",
    "feasible_accuracy",
    "false_feasible",
    "false_infeasible",
    "regret",
    "infeasible_picks",
    "none_found",
)
"""In the order of a table; see `plantar.foothold.metrics`."""
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Probability thresholds below which our network may refuse a cell; chosen on validation data."""


NOMINALS = ((0.0, 0.0), (0.2, 0.0), (-0.2, 0.0), (0.0, 0.12), (0.0, -0.12))
"""Nominal footholds to choose from, from the middle of a map [m]: a step may go anywhere in reach."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of every ground (grounds, ...), from which metrics of any draw of grounds follow."""

    table: Array
    """Cells of true class (rows) predicted as each class (columns) (grounds, classes, classes)."""
    sums: Array
    """Right footholds, footholds, wrongly called footholds, no footholds, missed footholds, loss, wrong picks, picks,
    none found, choices on maps with a foothold (grounds, 10)."""

    def metrics(self) -> dict[str, float]:
        """All metrics."""
        return {name: float(value[0]) for name, value in self.drawn(np.ones((1, len(self.sums)))).items()}

    def drawn(self, weights: Array) -> dict[str, Array]:
        """All metrics of draws of grounds, ground g counted `weights[d, g]` times in draw d."""
        classes = self.table.shape[-1]
        table = (weights @ self.table.reshape(len(self.sums), -1)).reshape(-1, classes, classes)
        s = (weights @ self.sums).T
        both = np.diagonal(table, axis1=1, axis2=2)
        either = table.sum(1) + table.sum(2) - both
        with np.errstate(invalid="ignore", divide="ignore"):
            iou = np.nanmean(np.where(either > 0, both / either, np.nan), axis=1)
            right = both.sum(1) / table.sum((1, 2))
            rest = (s[0] / s[1], s[2] / s[3], s[4] / s[1], s[5] / s[7], s[6] / s[7], s[8] / s[9])
        return dict(zip(METRICS, (right, iou, *rest), strict=True))


def tally(reading: Reading, samples: Samples, edges: Array, cell: float) -> Tally:
    """Count what a prediction does on labelled maps."""
    true, there = to_classes(samples.cost, edges), samples.feasible
    cells = (1, 2)
    each = [
        ((reading.classes == true) & there).sum(cells), there.sum(cells),
        (reading.feasible & ~there).sum(cells), (~there).sum(cells), (~reading.feasible & there).sum(cells),
        *_choices(reading, samples, cell),
    ]  # fmt: skip
    _, ground = np.unique(samples.terrain, return_inverse=True)
    count, classes = int(ground.max()) + 1, len(edges)
    pairs = (ground[:, None, None] * classes + true) * classes + reading.classes
    table = np.bincount(pairs.ravel(), minlength=count * classes**2).reshape(count, classes, classes)
    sums = np.zeros((count, len(each)))
    np.add.at(sums, ground, np.stack(each, axis=1).astype(float))
    return Tally(table.astype(float), sums)


def _choices(reading: Reading, samples: Samples, cell: float) -> Array:
    """Loss, wrong picks, picks, none found and choices of every map (5, n), over all nominal footholds."""
    total = np.zeros((5, len(samples)))
    rows, columns = samples.cost.shape[1:]
    for x, y in NOMINALS:
        middle = ((rows - 1) / 2 + y / cell, (columns - 1) / 2 + x / cell)
        lost = metrics.regret(reading.cost, reading.feasible, samples.cost, samples.feasible, cell=cell, nominal=middle)
        picked = lost.choosable & ~lost.none
        loss = np.where(picked, np.nan_to_num(lost.loss), 0.0)
        total += np.stack([loss, lost.infeasible & picked, picked, lost.none & lost.choosable, lost.choosable])
    return total


def summary(tallies: Sequence[Tally], draws: int = 1000, seed: int = 0) -> dict[str, dict[str, float]]:
    """Mean over seeds of every metric, its 95 % interval over draws of grounds, and the seeds' extremes."""
    single, drawn, out = [one.metrics() for one in tallies], _drawn(tallies, draws, seed), {}
    for name in METRICS:
        values = [one[name] for one in single]
        low, high = np.nanquantile(drawn[name], [0.025, 0.975])
        ends = {"low": float(low), "high": float(high), "least": float(min(values)), "most": float(max(values))}
        out[name] = {"mean": float(np.mean(values)), **ends}
    return out


def _drawn(tallies: Sequence[Tally], draws: int, seed: int) -> dict[str, Array]:
    """Means over seeds of every metric (draws,), each of as many grounds as there are, drawn at random."""
    count = len(tallies[0].sums)
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=draws).astype(float)
    drawn = [one.drawn(weights) for one in tallies]
    return {name: np.mean([one[name] for one in drawn], axis=0) for name in METRICS}


def difference(first: Sequence[Tally], second: Sequence[Tally], draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Mean over seeds of every metric of one way less that of another on the same grounds, and its 95 % interval."""
    own, other = (_drawn(tallies, draws, seed) for tallies in (first, second))
    out = {}
    for name in METRICS:
        mean = np.mean([t.metrics()[name] for t in first]) - np.mean([t.metrics()[name] for t in second])
        low, high = np.nanquantile(own[name] - other[name], [0.025, 0.975])
        out[name] = {"mean": float(mean), "low": float(low), "high": float(high)}
    return out


def best_threshold(out: Array, samples: Samples, edges: Array, cell: float) -> float:
    """The probability below which cells are refused: least regret on validation, where finding none costs 255."""
    with ThreadPoolExecutor(len(THRESHOLDS)) as pool:
        readings = [read_costs(out, edges, threshold) for threshold in THRESHOLDS]
        sums = [t.sums.sum(axis=0) for t in pool.map(lambda r: tally(r, samples, edges, cell), readings)]
    return THRESHOLDS[int(np.argmin([s[5] + 255 * s[8] for s in sums]))]
