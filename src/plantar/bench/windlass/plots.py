"""Plots of the windlass and of the stiffness bench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar._checks import require
from plantar.show.plots import COLOURS, figure, house_style
from plantar.table import Table

AIR = (
    ("arch_lift", 1e3, "Arch lift", "lift of the mid sole [mm]"),
    ("shortening", 1e3, "Shortening", "heel to metatarsus, shorter by [mm]"),
    ("tension", 1.0, "Tendon tension", "largest tension [N]"),
    ("toe_force", 1.0, "Toe force", "vertical force on the toes [N]"),
)
"""Panels of a foot in the air: column, factor from SI, title, label."""
STANCE = (
    ("arch_lift", 1e3, "Arch lift (human: rises)", "lift of the mid sole [mm]"),
    ("shortening", 1e3, "Shortening (human: shortens)", "heel to metatarsus, shorter by [mm]"),
    ("tension", 1.0, "Tendon tension (human: tightens)", "largest tension [N]"),
    ("vertical_stiffness", 1e-3, "Vertical stiffness (human: arch more compliant)", "stiffness [kN/m]"),
)
"""Panels of a standing foot, beside what Hicks (1954) and Welte et al. (2018) saw in people."""
MARKS = "osD^vP"


def plot_windlass(tables: Mapping[str, Table]) -> Figure:
    """Four panels against the toe angle, one line per foot.

    Args:
        tables: Tables of `windlass` by the name of the foot; all in the air or all standing. Lines end
            at the last row that has settled and are faint where the bar lifts a standing forefoot.
    """
    require(len(tables) > 0, "tables", dict(tables), "at least one table")
    standing = [bool(np.isfinite(table.column("vertical_stiffness")).any()) for table in tables.values()]
    require(len(set(standing)) == 1, "tables", list(tables), "feet that all stand or all hang in the air")
    panels = STANCE if standing[0] else AIR
    with house_style():
        fig, axes = figure(2, 2, size=(11.0, 7.2), sharex=True)
        for ax, (column, factor, title, label) in zip(axes.flat, panels, strict=True):
            for i, (name, table) in enumerate(tables.items()):
                _line(ax, i, name, table, column, factor)
            ax.set_title(title)
            ax.set_ylabel(label)
            ax.axhline(0, color="#9aa3ad", linewidth=0.8)
        for ax in axes[1]:
            ax.set_xlabel("toe tip turned up by [deg]")
        axes[0, 0].legend()
        place = "standing on flat ground" if standing[0] else "ankle fixed, in the air"
        fig.suptitle(f"Windlass: toes raised, {place}", x=0.01, ha="left", fontweight="bold")
        if standing[0]:
            fig.supxlabel("faint: the bar lifts the whole forefoot", x=0.99, ha="right", fontsize=9)
    return fig


def plot_stiffness(tables: Mapping[str, Table], title: str = "Force against deflection") -> Figure:
    """Load against deflection, and the stiffness between neighbouring loads, one line per table.

    Args:
        tables: Tables of `stiffness` by what tells them apart.
        title: Title of the figure.
    """
    require(len(tables) > 0, "tables", dict(tables), "at least one table")
    with house_style():
        fig, axes = figure(1, 2, size=(11.0, 4.4))
        curve, slope = axes[0]
        for i, (name, table) in enumerate(tables.items()):
            look = _look(i)
            load, sunk = table.column("load"), 1e3 * table.column("deflection")
            curve.plot(sunk, load, label=name, **look)
            middle = (load[1:] + load[:-1]) / 2
            slope.plot(middle, 1e-3 * table.column("stiffness")[1:], label=name, **look)
        curve.set(title="Force and deflection", xlabel="ankle down from the first touch [mm]", ylabel="load [N]")
        slope.set(title="Stiffness", xlabel="load [N]", ylabel="between neighbouring loads [kN/m]")
        slope.set_xscale("log")
        slope.set_yscale("log")
        slope.grid(which="minor", linewidth=0.4)
        curve.legend()
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig


def _line(ax: Axes, i: int, name: str, table: Table, column: str, factor: float) -> None:
    settled = table.column("settled").astype(bool)
    rows = len(settled) if settled.all() else int(np.argmin(settled))
    angle = np.degrees(table.column("toe_angle")[:rows])
    values = factor * table.column(column)[:rows]
    label = name if rows == len(table) else f"{name} (falls over)"
    flat = _stands(table, rows)
    look = _look(i, every=max(1, rows // 8))
    ax.plot(angle[:flat], values[:flat], label=label, **look)
    ax.plot(angle[flat - 1 :], values[flat - 1 :], alpha=0.3, **look)
    if 0 < rows < len(table):
        ax.plot(angle[-1], values[-1], "x", color=look["color"], markersize=9, markeredgewidth=2)


def _stands(table: Table, rows: int) -> int:
    """Rows until the bar lifts the whole forefoot: the toes then no longer bend against the metatarsus."""
    if not np.isfinite(table.column("vertical_stiffness")).any() or rows == 0:
        return rows
    return int(np.argmax(table.column("toe_angle_relative")[:rows])) + 1


def _look(i: int, every: int = 1) -> dict[str, Any]:
    # Marks as well as colours, and later lines dashed, so that equal curves both stay visible.
    style = {"linestyle": "-" if i % 2 == 0 else "--", "markevery": every, "markersize": 4}
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKS[i % len(MARKS)], **style}
