"""Pictures of a calibration: how well it fits, and how far to trust each parameter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.bench.calibrate.calibrate import Calibration
from plantar.bench.compare.measured import FORCES, rotation_columns
from plantar.bench.compare.plots import load_groups
from plantar.show.plots import COLOURS, GRID, INK, figure, house_style
from plantar.table import Row

TITLES = {"force_heel": "Heel", "force_module": "Module", "force_metatarsus": "Metatarsus"}
READ = {"m": (1e3, "mm"), "rad": (math.degrees(1), "°")}
"""Factor and name of the unit in which people read an SI unit."""
HELD = "#9aa3ad"
"""Colour of what the data do not determine."""


def plot_all(calibration: Calibration) -> dict[str, Figure]:
    """Every figure, by file name without suffix."""
    return {
        "calibration_fit": plot_fit(calibration),
        "calibration_parameters": plot_parameters(calibration),
    }


def plot_fit(calibration: Calibration) -> Figure:
    """Fitted against measured readings, and below the difference in standard deviations of the noise."""
    table = calibration.trials
    turns = rotation_columns(table.columns)
    panels = [(TITLES[c], [c], "N") for c in FORCES if c in table.columns]
    panels += [("Rotations, offset removed", turns, "rad")] if turns else []
    with house_style():
        fig, axes = figure(2, len(panels), size=(0.6 + 3.4 * len(panels), 5.6), sharex="col", height_ratios=[2, 1])
        for k, (title, columns, unit) in enumerate(panels):
            top, bottom = axes[:, k]
            _draw_fit(top, bottom, calibration, columns)
            top.set_title(title)
            top.set_ylabel(f"fitted [{unit}]")
            bottom.set_xlabel(f"measured [{unit}]")
            bottom.set_ylabel("difference / noise")
        fig.suptitle(f"{len(table)} trials, fitted against measured", x=0.01, ha="left", fontweight="bold")
    return fig


def _draw_fit(top: Axes, bottom: Axes, calibration: Calibration, columns: list[str]) -> None:
    """Points around the line on which fitted equals measured; each load or each module has a colour."""
    table = calibration.trials
    ends: list[float] = []
    bottom.axhspan(-2, 2, color="#eef3f8", zorder=0)
    for label, column, rows in _groups(calibration, columns):
        x, y, noise = (table.column(c)[rows] for c in (column, f"{column}_fitted", f"{column}_noise"))
        (dots,) = top.plot(x, y, "o", markersize=3.5, alpha=0.8, label=label)
        bottom.plot(x, (y - x) / noise, "o", markersize=3, alpha=0.8, color=dots.get_color())
        ends += [x.min(), x.max(), y.min(), y.max()]
    top.plot([min(ends), max(ends)], [min(ends), max(ends)], color=INK, linewidth=0.9, zorder=0)
    bottom.axhline(0, color=INK, linewidth=0.9, zorder=1)
    largest = max(abs(v) for v in bottom.get_ylim())
    bottom.set_ylim(-max(4.0, largest), max(4.0, largest))
    top.legend(loc="upper left", handletextpad=0.1, ncols=2 if len(columns) > 3 else 1, columnspacing=0.5)


def _groups(calibration: Calibration, columns: list[str]) -> list[tuple[str, str, np.ndarray]]:
    """Label, column and rows of what shares a colour."""
    loads = calibration.trials.column("load")
    if len(columns) > 1:
        return [(c.replace("rotation_", "m"), c, np.arange(len(loads))) for c in columns]
    groups = load_groups(loads)
    return [(f"{loads[g].mean():.3g} N", columns[0], g) for g in groups]


def plot_parameters(calibration: Calibration) -> Figure:
    """Each parameter between its bounds with its 95 % interval; what is not determined is grey and hollow."""
    rows = list(calibration.parameters)
    with house_style():
        fig, axes = figure(1, 2, size=(10.5, 1.5 + 0.62 * len(rows)), sharey=True, width_ratios=[2.2, 1])
        left, right = axes[0]
        for y, row in enumerate(rows):
            _place(left, row, y)
            _precision(right, row, y)
        left.set_yticks(range(len(rows)), [row["name"] for row in rows])
        left.set_ylim(len(rows) - 0.4, -0.7)
        left.set_xlim(-0.2, 1.2)
        left.set_xticks([])
        left.tick_params(axis="y", length=0)
        right.tick_params(axis="y", length=0)
        left.grid(visible=False)
        left.spines[:].set_visible(False)
        left.set_title("Value between its bounds (tick: nominal)")
        right.set_xscale("log")
        right.set_xlim(0.01, 200)
        right.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
        right.set_xlabel("% of the bounds")
        right.set_title("Half of the 95 % interval")
        right.grid(axis="y", visible=False)
    return fig


def _place(ax: Axes, row: Row, y: int) -> None:
    low, high = row["lower_bound"], row["upper_bound"]
    at = lambda x: (x - low) / (high - low)  # noqa: E731  (a formula)
    known = row["identifiable"]
    colour: Any = COLOURS[0] if known else HELD
    ax.plot([0, 1], [y, y], color=GRID, linewidth=5, solid_capstyle="round", zorder=1)
    ax.plot([at(row["nominal"])] * 2, [y - 0.2, y + 0.2], color=INK, linewidth=1.2, zorder=2)
    if known:
        ax.plot([at(row["low"]), at(row["high"])], [y, y], color=colour, linewidth=5, solid_capstyle="butt", zorder=3)
    ax.plot(
        at(row["value"]), y, "o", color=colour, markerfacecolor=colour if known else "white", markersize=7, zorder=4
    )
    ax.text(-0.02, y, _read(low, row["unit"]), ha="right", va="center", fontsize=8, color=HELD)
    ax.text(1.02, y, _read(high, row["unit"]), ha="left", va="center", fontsize=8, color=HELD)
    text = _with_interval(row) if row["low"] is not None else f"held at {_read(row['value'], row['unit'])}"
    if row.get("conditional_error") is not None:
        text = f"{_read(row['value'], row['unit'])}, only if the other is right"
    ax.text(min(max(at(row["value"]), 0.1), 0.9), y - 0.28, text, ha="center", va="bottom", fontsize=8.5)


def _precision(ax: Axes, row: Row, y: int) -> None:
    if not row["identifiable"]:
        ax.text(0.03, y, "not determined", transform=ax.get_yaxis_transform(), va="center", color=HELD)
        return
    share = 100 * (row["high"] - row["low"]) / 2 / (row["upper_bound"] - row["lower_bound"])
    ax.barh(y, share, height=0.3, color=COLOURS[0])
    ax.text(share, y, f" {share:.2g} %", va="center", fontsize=8.5)


def _read(value: float, unit: str) -> str:
    """A value in the unit people read it in."""
    factor, name = READ.get(unit, (1.0, unit))
    text = f"{factor * value:.3g}"
    return f"{text}{name}" if name == "°" else f"{text} {name}"


def _with_interval(row: Row) -> str:
    factor, name = READ.get(row["unit"], (1.0, row["unit"]))
    half = factor * (row["high"] - row["low"]) / 2
    digits = max(0, 1 - math.floor(math.log10(half))) if half > 0 else 3
    return f"{factor * row['value']:.{digits}f} ± {half:.{digits}f}{'' if name == '°' else ' '}{name}"
