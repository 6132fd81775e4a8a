"""Figures of studies."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.show.plots import COLOURS, figure, house_style
from plantar.table import Row
from plantar.walk import courses
from plantar.walk.study.summary import groups, short

MARKS = ("o", "s", "D", "^", "v", "P")
"""Marks of feet, so that they are told apart without colour."""


def plot_success(summary: Sequence[Row]) -> Figure:
    """Share of walks that succeed against the level, with intervals: a panel for each robot, mode and course."""
    panels = groups([r for r in summary if r["level"] > 0], ("robot", "mode", "course"))
    feet = list(dict.fromkeys(r["foot"] for r in summary))
    columns = min(3, max(1, len(panels)))
    lines = max(1, -(-len(panels) // columns))
    with house_style():
        fig, axes = figure(lines, columns, size=(4.2 * columns, 3.2 * lines), sharey=True)
        for ax, ((robot, mode, course), cells) in zip(axes.flat, panels.items(), strict=False):
            scale, unit = courses.find(course).scale
            span = max(r["level"] for r in cells) * scale
            for k, foot in enumerate(feet):
                own = sorted((r for r in cells if r["foot"] == foot and r["trials"]), key=lambda r: r["level"])
                x = np.array([scale * r["level"] for r in own]) + 0.012 * span * (k - (len(feet) - 1) / 2)
                low, y, high = (np.array([100.0 * r[name] for r in own]) for name in ("low", "share", "high"))
                ends = [np.maximum(y - low, 0), np.maximum(high - y, 0)]
                ax.errorbar(x, y, yerr=ends, marker=MARKS[k % len(MARKS)], capsize=3, label=foot, color=COLOURS[k])
            ax.set(title=f"{short(robot)}, {mode}", xlabel=f"{course} [{unit}]", ylim=(-4, 104))
        for ax in axes.flat[len(panels) :]:
            ax.set_visible(False)
        for ax in axes[:, 0]:
            ax.set_ylabel("walked [%]")
        axes.flat[0].legend()
    return fig


def plot_thresholds(rows: Sequence[Row], course: str) -> Figure:
    """Level at which half of the walks fail with its interval: a panel for each mode, robots below each other."""
    rows = [r for r in rows if r["course"] == course]
    scale, unit = courses.find(course).scale
    with house_style():
        fig, axes, robots, feet = _panels(rows)
        for (mode,), own in groups(rows, ("mode",)).items():
            ax = axes[mode]
            for row in own:
                y, colour, mark = _line(row["robot"], row["foot"], robots, feet)
                _interval(ax, y, [row[n] for n in ("threshold", "low", "high")], scale, colour, mark)
            ax.set(title=mode, xlabel=f"half of the walks fail [{unit}]", xlim=(0, None))
        _legend(fig, feet, list(axes.values())[0])
    return fig


def plot_differences(rows: Sequence[Row], unit: str = "points of success [%]", scale: float = 100.0) -> Figure:
    """Differences of one foot from the others with their intervals: a panel for each mode, robots below each other."""
    with house_style():
        fig, axes, robots, feet = _panels(rows, "against")
        for (mode,), own in groups(rows, ("mode",)).items():
            ax = axes[mode]
            ax.axvline(0.0, color="#5c6670", lw=1.0)
            for row in own:
                y, colour, mark = _line(row["robot"], row["against"], robots, feet)
                values = [row[n] for n in ("difference", "low", "high")]
                _interval(ax, y, values, scale, colour, mark, filled=bool(row["sure"]))
            ax.set(title=mode, xlabel=unit)
        _legend(fig, [f"{rows[0]['foot']} less {foot}" for foot in feet], list(axes.values())[0])
    return fig


def _panels(rows: Sequence[Row], by: str = "foot") -> tuple[Figure, dict[str, Axes], list[str], list[str]]:
    """A panel for each mode with a band for each robot."""
    modes, robots, feet = (list(dict.fromkeys(r[name] for r in rows)) for name in ("mode", "robot", by))
    height = 0.9 + len(robots) * (0.22 * len(feet) + 0.2)
    fig, axes = figure(1, len(modes), size=(1.2 + 2.9 * len(modes), height), sharey=True)
    for ax in axes.flat:
        ax.set_yticks(range(len(robots)), [short(robot) for robot in robots])
        ax.set_ylim(len(robots) - 0.5, -0.5)
        ax.grid(False, axis="y")
        for line in range(1, len(robots)):
            ax.axhline(line - 0.5, color="#dfe3e8", lw=0.8)
    return fig, dict(zip(modes, axes.flat, strict=True)), robots, feet


def _line(robot: str, foot: str, robots: Sequence[str], feet: Sequence[str]) -> tuple[float, str, str]:
    k = feet.index(foot)
    return robots.index(robot) + 0.7 * ((k + 0.5) / len(feet) - 0.5), COLOURS[k], MARKS[k % len(MARKS)]


def _interval(
    ax: Axes, y: float, values: Sequence[float | None], scale: float, colour: str, mark: str, filled: bool = True
) -> None:
    """A dot with its interval; an end that is not known is an arrow."""
    middle, low, high = (math.nan if v is None else scale * v for v in values)
    ends = [middle if math.isnan(end) else end for end in (low, high)]
    ax.plot(ends, [y, y], color=colour, lw=1.6)
    ax.plot(middle, y, mark, color=colour, mfc=colour if filled else "white", ms=5)
    for end, way in ((low, -1), (high, 1)):
        if math.isnan(end):
            ax.annotate("", (middle, y), xytext=(14 * way, 0), textcoords="offset points", arrowprops=_arrow(colour))


def _arrow(colour: str) -> dict[str, object]:
    return {"arrowstyle": "<-", "color": colour, "lw": 1.6}


def _legend(fig: Figure, labels: Sequence[str], ax: Axes) -> None:
    lines = [
        ax.plot([], [], marker=MARKS[k % len(MARKS)], color=COLOURS[k], ls="-", label=label)[0]
        for k, label in enumerate(labels)
    ]
    fig.legend(handles=lines, loc="outside lower center", ncols=len(labels))


def plot_places(table: Sequence[Row]) -> Figure:
    """Every walk at its bar's height and place under the sole, by how it ended: a panel for each robot and mode."""
    rows = [r for r in table if r.get("bar_under") is not None and r.get("success") is not None]
    panels = list(dict.fromkeys((r["robot"], r["mode"]) for r in rows))
    feet = list(dict.fromkeys(r["foot"] for r in rows))
    heights = sorted({r["level"] for r in rows})
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
                    y = [heights.index(r["level"]) + level for r in ended]
                    label = f"{foot}, {'walked' if success else 'did not'}"
                    ax.plot(x, y, mark, color=COLOURS[k], ms=4, alpha=0.8, label=label)
            ax.set(title=f"{short(robot)}, {mode}", xlabel="bar ahead of the middle of the sole [mm]")
            ax.set_yticks(range(len(heights)), [f"{1e3 * h:g} mm" for h in heights])
        for ax in axes.flat[len(panels) :]:
            ax.set_visible(False)
        fig.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(feet))
    return fig


def plot_figures(summary: Sequence[Row]) -> Figure:
    """Means of the main figures against the level, all robots and modes, by foot."""
    shown = (
        ("dcm_error", "DCM error [mm]", 1e3),
        ("com_excursion", "CoM excursion [mm]", 1e3),
        ("support_area", "support area [cm²]", 1e4),
        ("cop_margin", "pressure point to edge [mm]", 1e3),
        ("force_rate", "force rate [weights/s]", 1.0),
        ("energy", "energy [J/m]", 1.0),
    )
    feet = list(dict.fromkeys(r["foot"] for r in summary))
    heights = sorted({r["level"] for r in summary})
    with house_style():
        fig, axes = figure(2, 3, size=(11.0, 6.0))
        for ax, (name, label, scale) in zip(axes.flat, shown, strict=True):
            for foot in feet:
                points = []
                for height in heights:
                    values = [r[name] for r in summary if r["foot"] == foot and r["level"] == height]
                    values = [v for v in values if v is not None]
                    points.append(scale * float(np.mean(values)) if values else np.nan)
                ax.plot([h for h in heights], points, marker="o", label=foot)
            ax.set(title=label, xlabel="level")
        axes.flat[0].legend()
    return fig
