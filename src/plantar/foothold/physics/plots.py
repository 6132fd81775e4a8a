"""Pictures of pressed footholds: physics beside the costs, and how well every score ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.foothold.physics.on_map import PressedMap
from plantar.foothold.physics.scores import LABELS
from plantar.foothold.plots import COSTS, draw_heights, draw_layer
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.show.plots import figure, house_style

WORDS = {"hold": "hold, worst way [load]", "slip": "slip at 0.4 load [mm]"}
"""Labels for people."""


def plot_pressed(pressed: PressedMap, costs: Mapping[str, np.ndarray], learned: np.ndarray | None = None) -> Figure:
    """The ground, what physics says of it, and what scores say; light is good everywhere.

    Args:
        pressed: The map and its labels.
        costs: Costs of the map's cells (rows, columns) by title.
        learned: Holding force by a learned score (rows, columns).
    """
    with house_style():
        count = 3 + len(costs) + (learned is not None)
        rows, columns = (1, count) if count < 5 else (2, -(-count // 2))
        fig, axes = figure(rows, columns, size=(3.7 * columns, 3.7 * rows))
        panels: list[Axes] = list(axes.flat[:count])
        for ax in axes.flat[count:]:
            ax.set_visible(False)
        draw_heights(fig, panels[0], pressed.elevation)
        hold, slip = pressed.layer("hold"), pressed.layer("slip")
        _layer(fig, panels[1], hold, WORDS["hold"], (0, 0.8), COSTS.reversed())
        top = float(np.nanpercentile(1e3 * slip.heights, 95))
        _layer(fig, panels[2], slip, WORDS["slip"], (0, top), COSTS, scale=1e3)
        for ax, (name, cost) in zip(panels[3:], costs.items(), strict=False):
            grid = _cropped(pressed, cost)
            _layer(fig, ax, grid, name, (0, float(np.nanpercentile(grid.heights, 95))), COSTS)
        if learned is not None:
            _layer(fig, panels[-1], _cropped(pressed, learned), "hold, learned", (0, 0.8), COSTS.reversed())
    return fig


def _cropped(pressed: PressedMap, cost: np.ndarray) -> ElevationMap:
    """A cost at the cells that were pressed."""
    like = pressed.layer("hold")
    values = cost[np.ix_(pressed.rows, pressed.columns)]
    return ElevationMap(heights=values, cell=like.cell, origin=like.origin)


def _layer(
    fig: Figure, ax: Axes, grid: ElevationMap, title: str, span: tuple[float, float], colours: Any, scale: float = 1.0
) -> None:
    span = (span[0], max(span[1], 1e-9))
    shown = draw_layer(ax, grid, scale * grid.heights, title, cmap=colours, vmin=span[0], vmax=span[1])
    fig.colorbar(shown, ax=ax, shrink=0.8)


def plot_scores(rows: Sequence[Mapping[str, Any]], ceiling: Mapping[str, float], title: str = "") -> Figure:
    """Rank correlation of every score with hold and slip, with intervals, and the ceiling of the labels' own noise."""
    with house_style():
        fig, axes = figure(1, len(LABELS), size=(9.5, 0.42 * len(rows) + 1.6))
        for ax, label in zip(axes[0], LABELS, strict=True):
            names = [row["score"] for row in rows]
            values = np.array([row[label] for row in rows])
            spans = np.abs(np.array([[row[f"{label}_low"], row[f"{label}_high"]] for row in rows]).T - values)
            ax.barh(names, values, xerr=spans, color=["#2f8f5b" if "learned" in n else "#8a96a3" for n in names])
            ax.axvline(ceiling[label], color="#333", linestyle="--", linewidth=1)
            ax.set(
                xlim=(0, 1), title=f"rank correlation with {label}", xlabel="dashed: ceiling by the label's own noise"
            )
            ax.invert_yaxis()
        axes[0, 1].set_yticklabels([])
        if title:
            fig.suptitle(title)
    return fig


def plot_data(data: Any) -> Figure:
    """Hold and slip of each kind of ground: medians and the middle 90 %."""
    with house_style():
        fig, axes = figure(1, 2, size=(9.5, 0.3 * len(data.kinds) + 1.6))
        kinds, labels = np.array(data.kinds)[data.foothold_kind], data.labels
        for ax, label, scale in zip(axes[0], LABELS, (1.0, 1e3), strict=True):
            values = scale * getattr(labels, label)
            groups = [values[(kinds == kind) & np.isfinite(values)] for kind in data.kinds]
            spans = np.array([np.percentile(g, [5, 50, 95]) if len(g) else [np.nan] * 3 for g in groups])
            ax.hlines(data.kinds, spans[:, 0], spans[:, 2], color="#8a96a3", linewidth=4)
            ax.plot(spans[:, 1], data.kinds, "o", color="#1f5fa8")
            ax.set(title=label, xlabel=WORDS[label])
            ax.invert_yaxis()
        axes[0, 1].set_yticklabels([])
    return fig
