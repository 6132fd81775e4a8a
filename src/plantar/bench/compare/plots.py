"""Figures 5 to 8 of Crotti et al. (2024), from the user's own data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.bench.compare.compare import BODIES, Comparison
from plantar.errors import InvalidInput
from plantar.show.plots import INK, figure, house_style
from plantar.table import Table

PANELS = {"heel": "Heel", "module": "Plantar fascia module", "metatarsus": "Metatarsus", "total": "Total"}
"""Columns of Figures 5 and 6."""
NO_VALUE = "#e9ecef"
"""Colour of a cell without a value."""


def plot_all(comparison: Comparison) -> dict[str, Figure]:
    """Every figure the data allows, by file name without suffix."""
    figures = {
        "figure5_relative_errors": plot_relative_errors(comparison),
        "figure6_force_errors": plot_force_errors(comparison),
    }
    if len(comparison.rotations) > 0:
        figures["figure7_rotation_errors"] = plot_rotation_errors(comparison)
        figures["figure8_rotation_box"] = plot_rotation_box(comparison)
    return figures


def plot_relative_errors(comparison: Comparison) -> Figure:
    """Figure 5: absolute values of the relative force errors by position and height, one row per load."""
    names = {f"relative_{b}": PANELS[b] for b in (*BODIES, "total")}
    values = 100 * np.abs(comparison.errors.block(list(names)))
    # A few huge ratios over small forces would leave all the other cells without colour.
    top = float(np.clip(np.nanmax(values, initial=0.0), 5.0, 100.0))
    look = {"cmap": "YlOrRd", "vmin": 0.0, "vmax": top}
    return _maps(comparison.errors, names, values, "Relative error of the force, |e|", "%", "{:.0f}", look)


def plot_force_errors(comparison: Comparison) -> Figure:
    """Figure 6: simulated minus measured force by position and height, one row per load."""
    names = {f"absolute_{b}": PANELS[b] for b in (*BODIES, "total")}
    values = comparison.errors.block(list(names))
    look = _diverging(values, 0.1)
    return _maps(comparison.errors, names, values, "Force error, simulated minus measured", "N", "{:+.1f}", look)


def plot_rotation_errors(comparison: Comparison) -> Figure:
    """Figure 7: rotation errors of every module by position and height, one row per load."""
    names = {f"rotation_error_{k}": f"Module m{k}" for k in _modules(comparison)}
    values = 1000 * comparison.errors.block(list(names))
    title = "Rotation error, simulated minus measured, offset removed"
    return _maps(comparison.errors, names, values, title, "mrad", "{:+.0f}", _diverging(values, 10.0))


def plot_rotation_box(comparison: Comparison) -> Figure:
    """Figure 8: distribution of the rotation errors of every module over all trials."""
    modules = _modules(comparison)
    values = [comparison.errors.column(f"rotation_error_{k}") for k in modules]
    with house_style():
        fig, axes = figure(size=(1.6 + 0.95 * len(modules), 4.4))
        ax: Axes = axes[0, 0]
        ax.axhspan(-0.1, 0.1, color="#eef3f8", zorder=0)
        ax.text(0.995, 0.1, "the paper's quartiles lie within ±0.1 rad", transform=ax.get_yaxis_transform(),
                ha="right", va="bottom", fontsize=8, color="#6b7480")  # fmt: skip
        ax.axhline(0, color="#9aa3ad", linewidth=0.8)
        ax.boxplot(
            values,
            tick_labels=[f"m{k}" for k in modules],
            widths=0.5,
            patch_artist=True,
            boxprops={"facecolor": "white", "edgecolor": INK, "linewidth": 1.2},
            medianprops={"color": "#1f9d4d", "linewidth": 2.2},
            whiskerprops={"color": INK},
            capprops={"color": INK},
            flierprops={"marker": "o", "markerfacecolor": "none", "markeredgecolor": "black", "markersize": 5},
        )
        limit = 1.15 * max(0.1, float(np.abs(values).max()))
        ax.set_ylim(-limit, limit)
        ax.grid(axis="x", visible=False)
        ax.set_xlabel("Module, from heel to metatarsus")
        ax.set_ylabel("Rotation error [rad]")
        ax.set_title(f"Rotation errors over {len(comparison.errors)} trials, offset removed")
    return fig


def load_groups(loads: Sequence[float] | np.ndarray) -> list[np.ndarray]:
    """Indices of trials under about the same load, the smallest first.

    Weights put on by hand vary a little; a load more than 20 % above the one before it starts a group.
    """
    loads = np.asarray(loads, dtype=float)
    order = np.argsort(loads, kind="stable")
    jumps = np.flatnonzero(np.diff(loads[order]) > 0.2 * loads[order][:-1] + 1e-9) + 1
    return np.split(order, jumps)


def _modules(comparison: Comparison) -> list[int]:
    if len(comparison.rotations) == 0:
        raise InvalidInput("rotations = none is not enough for this figure: give columns rotation_1, rotation_2, ...")
    return [int(k) for k in comparison.rotations.column("module")]


def _diverging(values: np.ndarray, least: float) -> dict[str, Any]:
    """Red where the simulation is higher, blue where it is lower, white at no error."""
    top = max(least, float(np.nanmax(np.abs(values), initial=0.0)))
    return {"cmap": "RdBu_r", "vmin": -top, "vmax": top}


def _maps(
    errors: Table, names: dict[str, str], values: np.ndarray, title: str, unit: str, text: str, look: dict[str, Any]
) -> Figure:
    """A map of positions and heights for each column of `values` and each load."""
    groups = load_groups(errors.column("load"))
    heights, positions = np.unique(errors.column("height")), np.unique(errors.column("position"))
    width = 1.1 + len(names) * (0.75 + 0.36 * len(positions))
    with house_style():
        size = (max(width, 7.5), 1.3 + len(groups) * (0.9 + 0.36 * len(heights)))
        fig, axes = figure(len(groups), len(names), size=size, sharex=True, sharey=True)
        for r, group in enumerate(groups):
            for c, name in enumerate(names.values()):
                ax: Axes = axes[r, c]
                ax.imshow(_cells(errors, group, values[:, c]), origin="lower", aspect="auto", **look)
                _write_cells(ax, text, look["vmin"], look["vmax"])
                ax.set_title(name if r == 0 else "")
                ax.set_xticks(range(len(positions)), [f"p{p:g}" for p in positions])
                ax.set_yticks(range(len(heights)), [f"{1000 * h:g}" for h in heights])
                if c == 0:
                    load = float(errors.column("load")[group].mean())
                    ax.set_ylabel(f"({chr(97 + r)}) load {load:.3g} N\nheight [mm]")
                if r == len(groups) - 1:
                    ax.set_xlabel("position")
        over = bool(np.nanmax(values, initial=0.0) > look["vmax"])
        image = axes[0, 0].images[0]  # all maps have the same colours
        fig.colorbar(image, ax=axes, extend="max" if over else "neither", shrink=0.85, pad=0.01, label=f"[{unit}]")
        fig.suptitle(f"{title} [{unit}]", x=0.01, ha="left", fontweight="bold")
    return fig


def _cells(errors: Table, group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Mean value by height and position (heights, positions); NaN where there is none."""
    heights, row = np.unique(errors.column("height"), return_inverse=True)
    positions, column = np.unique(errors.column("position"), return_inverse=True)
    total, count = np.zeros((2, len(heights), len(positions)))
    known = group[np.isfinite(values[group])]
    np.add.at(total, (row[known], column[known]), values[known])
    np.add.at(count, (row[known], column[known]), 1)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def _write_cells(ax: Axes, text: str, low: float, high: float) -> None:
    """Write each value into its cell, in white where the cell is dark."""
    ax.set_facecolor(NO_VALUE)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    cells = np.ma.filled(np.ma.asarray(ax.images[0].get_array(), dtype=float), np.nan)
    for (i, j), value in np.ndenumerate(cells):
        share = (value - low) / (high - low)
        dark = share > (0.85 if low < 0 else 0.65) or (low < 0 and share < 0.2)
        label = text.format(value).replace("-", "\N{MINUS SIGN}") if np.isfinite(value) else "–"
        label = "0" if not label.strip("+0.\N{MINUS SIGN}") else label
        ax.text(j, i, label, ha="center", va="center", fontsize=8, color="white" if dark else INK)
