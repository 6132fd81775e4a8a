"""Plots of force against deformation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar._checks import require
from plantar.show.plots import COLOURS, figure, house_style
from plantar.table import Table


def plot_curves(
    forward: Mapping[str, Table],
    inverse: Mapping[str, Table],
    *,
    weight: float,
    title: str = "Force against deformation",
) -> Figure:
    """Drops on the left, the grounds at rest on the right, simulated as lines and analytic as dots.

    Args:
        forward: Tables of `forward_curve` or `fall_on` by what tells them apart.
        inverse: Tables of `inverse_curve`, or of any law with columns depth and force.
        weight: Weight of what falls, drawn as a line [N].
        title: Title of the figure.
    """
    require(len(forward) + len(inverse) > 0, "curves", {}, "at least one table")
    with house_style():
        fig, axes = figure(1, 2, size=(11.0, 4.6))
        _panel(axes[0, 0], forward, weight, "Drop, forward dynamics")
        _panel(axes[0, 1], inverse, weight, "At rest, inverse dynamics")
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig


def _panel(ax: Axes, tables: Mapping[str, Table], weight: float, title: str) -> None:
    for i, (name, table) in enumerate(tables.items()):
        if len(table) == 0:
            continue
        colour, depth = COLOURS[i % len(COLOURS)], 1e3 * table.column("depth")
        ax.plot(depth, table.column("force"), color=colour, label=name)
        if "force_law" in table.columns:
            law = table.column("force_law")
            some = _evenly(depth, law)
            ax.plot(depth[some], law[some], "o", color=colour, fillstyle="none", markersize=4)
    ax.axhline(weight, color="#9aa3ad", linewidth=0.9, linestyle="--")
    ax.annotate("weight", (1, weight), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=9)
    if any("force_law" in table.columns for table in tables.values()):
        ax.plot([], [], "o", color="#5c6670", fillstyle="none", markersize=4, label="analytic law")
    ax.set(title=title, xlabel="deformation [mm]", ylabel="normal force [N]")
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    if ax.get_legend_handles_labels()[0]:  # nothing touched in so short a time
        ax.legend()


def _evenly(x: np.ndarray, y: np.ndarray, count: int = 40) -> np.ndarray:
    """Indices of points that are evenly spaced along a curve as it is drawn."""
    wide, high = max(np.ptp(x), 1e-12), max(np.ptp(y), 1e-12)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x) / wide, np.diff(y) / high))])
    return np.unique(np.searchsorted(along, np.linspace(0, along[-1], count)).clip(0, len(x) - 1))


def plot_robot(table: Table, *, weight: float, depth: float, title: str) -> Figure:
    """A robot lowered with its posture held: force against the depth below its first touch.

    Args:
        table: From `robot_curve`.
        weight: Weight of the robot [N].
        depth: Commanded depth [m].
        title: Title of the figure.
    """
    with house_style():
        fig, axes = figure(size=(6.4, 4.4))
        ax = axes[0, 0]
        ax.plot(1e3 * table.column("depth"), table.column("force"), color=COLOURS[0], label="ground, inverse dynamics")
        ax.axhline(weight, color="#9aa3ad", linewidth=0.9, linestyle="--", label="weight")
        ax.axvline(1e3 * depth, color=COLOURS[1], linewidth=0.9, linestyle=":", label="commanded depth")
        ax.set(title=title, xlabel="base below the first touch [mm]", ylabel="vertical force [N]")
        ax.set_ylim(0, 3 * weight)
        ax.set_xlim(left=0)
        ax.legend()
    return fig
