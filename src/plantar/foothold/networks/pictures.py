"""Pictures of network inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plantar.foothold.choose import PULL
from plantar.foothold.dataset import Samples
from plantar.foothold.networks.readout import Reading
from plantar.foothold.plots import COSTS, NONE
from plantar.show.plots import figure, house_style


def plot_samples(
    samples: Samples,
    kinds: Sequence[str],
    cell: float,
    readings: Mapping[str, Reading] | None = None,
    columns: int = 8,
) -> Figure:
    """Ground, what was seen, true cost and each prediction of one map per kind of ground, at most `columns` of them.

    The dot is the best foothold from the middle of the map; a cross marks the one that a prediction chooses.
    """
    found = [int(np.flatnonzero(samples.kind == kind)[0]) for kind in np.unique(samples.kind)]
    index, readings = found[-columns:], readings or {}
    rows = ["ground", "seen", "true cost", *readings]
    with house_style():
        fig, axes = figure(len(rows), len(index), size=(1.55 * len(index) + 1.0, 1.6 * len(rows) + 0.4))
        for column, n in enumerate(index):
            _heights(axes[0, column], samples.ground[n], samples.ground[n])
            _heights(axes[1, column], samples.observed[n], samples.ground[n])
            best = _pick(samples.cost[n], samples.feasible[n], cell)
            _costs(axes[2, column], samples.cost[n], samples.feasible[n], None, best)
            for row, reading in enumerate(readings.values(), start=3):
                pick = _pick(reading.cost[n], reading.feasible[n], cell)
                _costs(axes[row, column], reading.cost[n], reading.feasible[n], pick, best)
            axes[0, column].set_title(f"{kinds[samples.kind[n]]}, {('RF', 'RH')[samples.leg[n]]}")
        for row, name in enumerate(rows):
            axes[row, 0].set_ylabel(name.replace(", ", ",\n").replace(" and ", "\nand "), fontsize=8)
    return fig


def _view(values: np.ndarray) -> np.ndarray:
    """X up and y to the left, as the robot sees it."""
    return values.T[::-1, ::-1]


def _heights(ax: Any, values: np.ndarray, ground: np.ndarray) -> None:
    low, high = float(ground.min()), float(ground.max())
    spare = max(0.0, 0.06 - (high - low)) / 2
    ax.imshow(_view(values), cmap="viridis", vmin=low - spare, vmax=high + spare)
    _bare(ax)


def _costs(ax: Any, cost: np.ndarray, feasible: np.ndarray, pick: Any, best: Any) -> None:
    ax.imshow(_view(np.where(feasible, cost, np.nan)), cmap=COSTS, vmin=0, vmax=180)
    _bare(ax)
    rows, columns = cost.shape
    for place, style in (
        (best, {"marker": "o", "s": 14, "c": "#111111"}),
        (pick, {"marker": "x", "s": 26, "c": "#e00020"}),
    ):
        if place is not None:
            ax.scatter(rows - 1 - place[0], columns - 1 - place[1], linewidths=1.4, **style)


def _bare(ax: Any) -> None:
    ax.set(xticks=[], yticks=[], facecolor=NONE)
    ax.grid(False)


def _pick(cost: np.ndarray, feasible: np.ndarray, cell: float) -> tuple[int, int] | None:
    """Row and column chosen from the middle of the map."""
    if not feasible.any():
        return None
    rows, columns = cost.shape
    away = np.hypot(np.arange(rows)[:, None] - (rows - 1) / 2, np.arange(columns)[None] - (columns - 1) / 2)
    j, i = np.unravel_index(np.argmin(np.where(feasible, cost + PULL * cell * away, np.inf)), cost.shape)
    return int(j), int(i)


def plot_history(history: Sequence[Mapping[str, float]]) -> Figure:
    """Loss and validation accuracy over the steps."""
    steps = [h["step"] for h in history]
    with house_style():
        fig, axes = figure(1, 2, size=(9.0, 3.4))
        axes[0, 0].plot(steps, [h["loss"] for h in history], marker=".")
        axes[0, 0].set(xlabel="step", ylabel="loss", title="training")
        axes[0, 1].plot(steps, [100 * h["accuracy"] for h in history], marker=".")
        axes[0, 1].set(xlabel="step", ylabel="accuracy [%]", title="validation")
    return fig
