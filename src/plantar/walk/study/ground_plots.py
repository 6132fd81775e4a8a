"""Figures of walks that choose their footholds, and of feet and choosers on several courses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.show.plots import figure, house_style
from plantar.table import Row
from plantar.walk.result import WalkResult
from plantar.walk.study.summary import short

COLOURS = {"LF": "#d1495b", "RF": "#edae49", "LH": "#00798c", "RH": "#30638e"}
"""Colours of the legs."""
PALE = LinearSegmentedColormap.from_list("pale", ["#aab2ba", "#ffffff"])
"""Colours of the ground from low to high, on which dots and paths are seen."""


def plot_footholds(elevation: ElevationMap, results: Sequence[WalkResult]) -> Figure:
    """The ground from above with nominal footholds (crosses) and those taken (dots), an axis for each walk."""
    with house_style():
        fig, axes = figure(len(results), 1, size=(8.5, 0.6 + 2.9 * len(results)), sharex=True)
        edges = [
            v for axis in (elevation.x, elevation.y) for v in axis[[0, -1]] + np.array([-0.5, 0.5]) * elevation.cell
        ]
        how = {"origin": "lower", "extent": edges, "cmap": PALE, "aspect": "equal", "interpolation": "nearest"}
        shown: Any = None
        for ax, result in zip(axes.flat, results, strict=True):
            shown = ax.imshow(1e3 * elevation.heights, **how)
            for step in result.footholds:
                (x, y), (u, v, _) = step.nominal, step.target
                colour = COLOURS[step.leg]
                ax.plot([x, u], [y, v], color=colour, linewidth=0.8)
                ax.plot(x, y, "x", color=colour, markersize=5, markeredgewidth=1.2)
                ax.plot(u, v, "o", color=colour, markersize=5.5, markeredgecolor="white", markeredgewidth=0.6)
            if result.record is not None:
                ax.plot(*(result.record.column(name) for name in ("com_x", "com_y")), color="black", linewidth=0.9)
            ended = result.status.name.lower()
            ax.set(title=f"{result.foot}, {result.choose}: {ended}, {result.distance:.2f} m", ylabel="y [m]")
            ax.set(xlim=(-0.6, max(2.6, result.distance + 0.6)), ylim=(-0.65, 0.65))
            ax.grid(False)
        axes.flat[-1].set_xlabel("x [m]")
        fig.colorbar(shown, ax=list(axes.flat), label="height [mm]", shrink=0.8)
        legs = [axes.flat[0].plot([], [], "o", color=colour, label=leg)[0] for leg, colour in COLOURS.items()]
        fig.legend(handles=legs, loc="outside lower center", ncols=4)
    return fig


def plot_courses(summary: Sequence[Row]) -> Figure:
    """Success, slip, collisions and cost of transport of every cell, with intervals; one axis per metric."""
    names = [name for name in ("robot", "mode", "course") if len({row[name] for row in summary}) > 1] or ["course"]
    grounds = list(dict.fromkeys(_where(row, names) for row in summary))
    kinds = list(dict.fromkeys((row["foot"], row["choose"]) for row in summary))
    feet = list(dict.fromkeys(foot for foot, _ in kinds))
    shown = (
        ("share", "low", "high", "crossed [%]", 100.0),
        ("slip", "slip_low", "slip_high", "slip [mm/m]", 1e3),
        ("collisions", "collisions_low", "collisions_high", "collisions per walk", 1.0),
        ("transport", "transport_low", "transport_high", "cost of transport", 1.0),
    )
    markers = ("o", "s", "^", "D", "v", "P")
    with house_style():
        fig, axes = figure(2, 2, size=(11.0, 7.2))
        for ax, (name, low, high, label, scale) in zip(axes.flat, shown, strict=True):
            for k, (foot, choose) in enumerate(kinds):
                cells = {_where(r, names): r for r in summary if (r["foot"], r["choose"]) == (foot, choose)}
                own = {i: cells[g] for i, g in enumerate(grounds) if g in cells and cells[g][name] is not None}
                x = [i + 0.8 * ((k + 0.5) / len(kinds) - 0.5) for i in own]
                y = [scale * row[name] for row in own.values()]
                ends = [[scale * abs(r[name] - _number(r[end], r[name])) for r in own.values()] for end in (low, high)]
                style = {"color": f"C{feet.index(foot)}", "marker": markers[k % len(markers)]}
                ax.errorbar(x, y, yerr=ends if own else None, ls="", capsize=2, label=f"{foot}, {choose}", **style)
            ax.set_xticks(range(len(grounds)), grounds)
            ax.set_title(label)
            ax.set_xlim(-0.6, len(grounds) - 0.4)
        axes.flat[0].set_ylim(-4, 104)
        fig.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=min(len(kinds), 4))
    return fig


def _where(row: Row, names: Sequence[str]) -> str:
    return "\n".join(short(row[name]) for name in names)


def _number(value: float | None, otherwise: float) -> float:
    return otherwise if value is None or not np.isfinite(value) else value
