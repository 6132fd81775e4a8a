"""Figures of walks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from plantar.show.plots import COLOURS, figure, house_style
from plantar.table import Row
from plantar.walk.result import WalkResult


def plot_walk(result: WalkResult) -> Figure:
    """Path from above, motion along and across the way, forces on the feet, and tilt of one recorded trial."""
    r = result.record
    assert r is not None
    t = r.column("time")
    with house_style():
        fig, axes = figure(4, 1, size=(8.0, 9.0), sharex=False)
        top, across, force, tilt = axes[:, 0]
        top.plot(r.column("com_x"), r.column("com_y"), color=COLOURS[0], label="centre of mass")
        top.plot(r.column("dcm_x"), r.column("dcm_y"), color=COLOURS[1], lw=1.2, label="DCM")
        top.plot(r.column("dcm_plan_x"), r.column("dcm_plan_y"), color=COLOURS[1], ls=":", label="DCM as planned")
        top.plot(
            r.column("pressure_plan_x"),
            r.column("pressure_plan_y"),
            color="#9aa3ad",
            lw=0.8,
            label="pressure point as planned",
        )
        for bar in result.bars:
            half = (bar.width or bar.height) / 2
            top.axvspan(bar.x - half, bar.x + half, color=COLOURS[3], alpha=0.6, label=f"bar, {1e3 * bar.height:g} mm")
        top.set(xlabel="x [m]", ylabel="y [m]", title="From above")
        top.margins(y=0.4)
        top.legend(ncols=3, loc="upper right")
        across.plot(t, r.column("com_y"), color=COLOURS[0], label="centre of mass")
        across.plot(t, r.column("com_plan_y"), color=COLOURS[0], ls=":", label="as planned")
        across.plot(t, r.column("dcm_y"), color=COLOURS[1], lw=1.2, label="DCM")
        across.plot(t, r.column("dcm_plan_y"), color=COLOURS[1], ls=":", label="as planned")
        across.set(ylabel="y [m]", title="Sideways")
        across.margins(y=0.3)
        across.legend(ncols=4, loc="upper right")
        force.plot(t, r.column("load_left"), color=COLOURS[0], lw=1.0, label="left")
        force.plot(t, r.column("load_right"), color=COLOURS[1], lw=1.0, label="right")
        force.set(ylabel="force [N]", title="Vertical force of the ground")
        force.legend(ncols=2)
        tilt.plot(t, np.degrees(r.column("tilt")), color=COLOURS[2])
        tilt.set(xlabel="time [s]", ylabel="tilt [deg]", title="Tilt of the base")
    return fig


def plot_success(summary: Sequence[Row]) -> Figure:
    """Share of walks that succeed against the height of the bar, with intervals: a panel for each robot and mode."""
    panels = list(dict.fromkeys((r["robot"], r["mode"], r["place"]) for r in summary if r["obstacle"] > 0))
    columns = min(3, max(1, len(panels)))
    lines = -(-len(panels) // columns)
    feet = list(dict.fromkeys(r["foot"] for r in summary))
    with house_style():
        fig, axes = figure(max(lines, 1), columns, size=(4.2 * columns, 3.2 * max(lines, 1)), sharey=True)
        for ax, (robot, mode, place) in zip(axes.flat, panels, strict=False):
            for k, foot in enumerate(feet):
                cells = [
                    r for r in summary if (r["robot"], r["mode"], r["place"], r["foot"]) == (robot, mode, place, foot)
                ]
                cells.sort(key=lambda r: r["obstacle"])
                if not cells:
                    continue
                x = np.array([1e3 * r["obstacle"] for r in cells]) + 0.25 * (k - (len(feet) - 1) / 2)
                y = np.array([100 * r["share"] for r in cells])
                low = y - [100 * r["low"] for r in cells]
                high = np.array([100 * r["high"] for r in cells]) - y
                ax.errorbar(x, y, yerr=[np.maximum(low, 0), np.maximum(high, 0)], marker="o", capsize=3, label=foot)
            ax.set(title=f"{_short(robot)}, {mode}, {place}", xlabel="bar [mm]", ylim=(-4, 104))
        for ax in axes.flat[len(panels) :]:
            ax.set_visible(False)
        for ax in axes[:, 0]:
            ax.set_ylabel("walked [%]")
        axes.flat[0].legend()
    return fig


def plot_places(table: Sequence[Row]) -> Figure:
    """Every walk at its bar's height and place under the sole, by how it ended: a panel for each robot and mode."""
    rows = [r for r in table if r.get("bar_under") is not None and r.get("success") is not None]
    panels = list(dict.fromkeys((r["robot"], r["mode"]) for r in rows))
    feet = list(dict.fromkeys(r["foot"] for r in rows))
    heights = sorted({r["obstacle"] for r in rows})
    columns = min(2, max(1, len(panels)))
    lines = max(1, -(-len(panels) // columns))
    with house_style():
        fig, axes = figure(lines, columns, size=(5.6 * columns, (1.2 + 0.5 * len(heights)) * lines), sharey=True)
        for ax, (robot, mode) in zip(axes.flat, panels, strict=False):
            for k, foot in enumerate(feet):
                for success, mark in ((True, "o"), (False, "x")):
                    cells = [r for r in rows if (r["robot"], r["mode"], r["foot"]) == (robot, mode, foot)]
                    ended = [r for r in cells if bool(r["success"]) is success]
                    level = 0.3 * (k - (len(feet) - 1) / 2)
                    x = [1e3 * r["bar_under"] for r in ended]
                    y = [heights.index(r["obstacle"]) + level for r in ended]
                    label = f"{foot}, {'walked' if success else 'did not'}"
                    ax.plot(x, y, mark, color=COLOURS[k], ms=4, alpha=0.8, label=label)
            ax.set(title=f"{_short(robot)}, {mode}", xlabel="bar ahead of the middle of the sole [mm]")
            ax.set_yticks(range(len(heights)), [f"{1e3 * h:g} mm" for h in heights])
        for ax in axes.flat[len(panels) :]:
            ax.set_visible(False)
        fig.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(feet))
    return fig


def plot_figures(summary: Sequence[Row]) -> Figure:
    """Means of the main figures against the height of the bar, all robots and modes, by foot."""
    shown = (
        ("dcm_error", "DCM error [mm]", 1e3),
        ("com_excursion", "CoM excursion [mm]", 1e3),
        ("support_area", "support area [cm²]", 1e4),
        ("cop_margin", "pressure point to edge [mm]", 1e3),
        ("force_rate", "force rate [weights/s]", 1.0),
        ("energy", "energy [J/m]", 1.0),
    )
    feet = list(dict.fromkeys(r["foot"] for r in summary))
    heights = sorted({r["obstacle"] for r in summary})
    with house_style():
        fig, axes = figure(2, 3, size=(11.0, 6.0))
        for ax, (name, label, scale) in zip(axes.flat, shown, strict=True):
            for foot in feet:
                points = []
                for height in heights:
                    values = [r[name] for r in summary if r["foot"] == foot and r["obstacle"] == height]
                    values = [v for v in values if v is not None]
                    points.append(scale * float(np.mean(values)) if values else np.nan)
                ax.plot([1e3 * h for h in heights], points, marker="o", label=foot)
            ax.set(title=label, xlabel="bar [mm]")
        axes.flat[0].legend()
    return fig


def _short(robot: str) -> str:
    return robot.rsplit("/", 1)[-1].removesuffix(".xml").removesuffix(".urdf")
