"""Figures of studies."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.show.plots import COLOURS, GRID, INK, figure, house_style, legend_outside
from plantar.table import Row
from plantar.walk import courses
from plantar.walk.study.summary import groups, short

MARKS = ("o", "s", "D", "^", "v", "P")
"""Markers of feet, so that they can be told apart without colour."""


def plot_success(summary: Sequence[Row]) -> Figure:
    """Success rate against the level, with intervals: a panel for each robot, mode and course."""
    panels = groups([r for r in summary if r["level"] > 0], ("robot", "mode", "course"))
    feet = list(dict.fromkeys(r["foot"] for r in summary))
    with house_style():
        fig, axes = _panels(len(panels), 3, (4.2, 3.2))
        for ax, ((robot, mode, course), cells) in zip(axes.flat, panels.items(), strict=False):
            scale, unit = courses.find(course).scale
            span = max(r["level"] for r in cells) * scale
            for k, foot in enumerate(feet):
                own = sorted((r for r in cells if r["foot"] == foot and r["trials"]), key=lambda r: r["level"])
                x = np.array([scale * r["level"] for r in own]) + 0.012 * span * (k - (len(feet) - 1) / 2)
                low, y, high = (np.array([100.0 * r[name] for r in own]) for name in ("low", "share", "high"))
                ends = [np.maximum(y - low, 0), np.maximum(high - y, 0)]
                ax.errorbar(x, y, yerr=ends, marker=MARKS[k % len(MARKS)], capsize=3, label=foot, color=COLOURS[k])
            ax.set(title=f"{short(robot)}, {mode}", xlabel=f"{course} [{unit or 'factor'}]", ylim=(-4, 104))
        for ax in axes[:, 0]:
            ax.set_ylabel("walked [%]")
        legend_outside(fig, axes.flat[0])
    return fig


def _panels(count: int, most: int, size: tuple[float, float], sharey: bool = True) -> tuple[Figure, np.ndarray]:
    """A figure with a given number of panels, at most `most` side by side; surplus ones are hidden."""
    columns = min(most, max(1, count))
    lines = max(1, -(-count // columns))
    fig, axes = figure(lines, columns, size=(size[0] * columns, size[1] * lines), sharey=sharey)
    for ax in axes.flat[count:]:
        ax.set_visible(False)
    return fig, axes


def plot_intervals(found: Sequence[Row], pairs: Sequence[Row], course: str = "") -> Figure:
    """What feet reach and how they differ, with intervals: a panel for each mode, robots below each other.

    Args:
        found: Levels at which half of the walks fail, on top; none leaves that out.
        pairs: Differences of one foot from the others over the same draws, below; none leaves that out.
        course: Course of the levels.
    """
    feet = list(dict.fromkeys(r["foot"] for r in found) if found else dict.fromkeys(r["against"] for r in pairs))
    with house_style():
        fig, axes = _figure(found or pairs, bool(found) + bool(pairs))
        if found:
            _draw_thresholds(axes[0], found, course, feet)
        if pairs:
            _draw_differences(axes[-1], pairs, feet)
        _legend(fig, axes[0, 0], feet)
    return fig


def _figure(rows: Sequence[Row], lines: int) -> tuple[Figure, np.ndarray]:
    """Panels for each mode, as high as the robots and feet need."""
    modes, bands = len({r["mode"] for r in rows}), len(set(_labels(rows)))
    feet = len({r["foot"] for r in rows} | {r["against"] for r in rows if "against" in r})
    height = lines * (0.8 + bands * (0.14 * max(feet, 3) + 0.12)) + 0.3
    width = 0.5 + 0.08 * max(map(len, _labels(rows))) + max(2.9 * modes, 3.4)
    return figure(lines, modes, size=(width, height), sharey="row", sharex="row")


def _draw_thresholds(axes: np.ndarray, rows: Sequence[Row], course: str, feet: Sequence[str]) -> None:
    scale, unit = courses.find(course).scale
    ends = [v for r in rows for v in (r["threshold"], r["high"]) if v is not None]
    for ax, mode, places in _bands(axes, rows, "foot", feet):
        for row, y in places:
            _interval(ax, y, [row[n] for n in ("threshold", "low", "high")], scale, feet.index(row["foot"]))
        ax.set(title=mode, xlabel=f"{course}, half fail at [{unit}]", xlim=(0, 1.1 * scale * max(ends)))


def _draw_differences(axes: np.ndarray, rows: Sequence[Row], feet: Sequence[str]) -> None:
    others = [foot for foot in feet if any(r["against"] == foot for r in rows)]
    for ax, mode, places in _bands(axes, rows, "against", others):
        ax.axvline(0.0, color=INK, lw=1.0)
        for row, y in places:
            values = [row[n] for n in ("difference", "low", "high")]
            _interval(ax, y, values, 100.0, feet.index(row["against"]), filled=bool(row["sure"]))
        name = str(rows[0]["foot"]).partition(":")[0]
        ax.set(title=mode, xlabel=f"walked: {name} less other [%]", xlim=(-105, 105))


def _bands(
    axes: np.ndarray, rows: Sequence[Row], by: str, feet: Sequence[str]
) -> Iterator[tuple[Axes, str, list[tuple[Row, float]]]]:
    """A panel for each mode with a band for each robot, course and level, and where its rows are in them."""
    modes, labels = list(dict.fromkeys(r["mode"] for r in rows)), _labels(rows)
    bands = list(dict.fromkeys(labels))
    for ax, mode in zip(axes, modes, strict=True):
        ax.set_yticks(range(len(bands)), bands)
        ax.set_ylim(len(bands) - 0.5, -0.5)
        ax.grid(False, axis="y")
        ax.tick_params(axis="y", length=0)
        for line in range(1, len(bands)):
            ax.axhline(line - 0.5, color=GRID, lw=0.8)
        mine = ((row, label) for row, label in zip(rows, labels, strict=True) if row["mode"] == mode)
        shift = {foot: 0.74 * ((k + 0.5) / len(feet) - 0.5) for k, foot in enumerate(feet)}
        yield ax, mode, [(row, bands.index(label) + shift[row[by]]) for row, label in mine]


def _labels(rows: Sequence[Row]) -> list[str]:
    """The robot of each row; course, chooser and level too where there are several of them."""
    several = [name for name in ("course", "choose") if len({r[name] for r in rows}) > 1]
    levels = [len({r.get("level") for r in own}) for own in groups(rows, ("robot", "mode", "course")).values()]
    names = []
    for row in rows:
        name = ", ".join(short(row[part]) for part in ("robot", *several))
        if max(levels) > 1:
            scale, unit = courses.find(row["course"]).scale
            name += f", {scale * row['level']:g} {unit}".rstrip()
        names.append(name)
    return names


def _interval(ax: Axes, y: float, values: Sequence[float | None], scale: float, k: int, *, filled: bool = True) -> None:
    """A dot with its interval; an unknown end is an arrow to the edge, an uncertain difference is hollow."""
    middle, low, high = (math.nan if v is None else scale * v for v in values)
    left, right = (middle if math.isnan(end) else end for end in (low, high))
    ax.plot([left, right], [y, y], color=COLOURS[k], lw=1.5)
    ax.plot(middle, y, MARKS[k % len(MARKS)], color=COLOURS[k], mfc=COLOURS[k] if filled else "white", ms=5)
    for end, way in ((low, -1), (high, 1)):
        if math.isnan(end):
            how: Any = {"textcoords": "offset points", "ha": "center", "va": "center_baseline", "color": COLOURS[k]}
            ax.annotate(">" if way > 0 else "<", (middle, y), xytext=(9 * way, 0), **how)


def _legend(fig: Figure, ax: Axes, labels: Sequence[str]) -> None:
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
    with house_style():
        fig, axes = _panels(len(panels), 2, (5.6, 1.2 + 0.5 * len(heights)))
        for ax, (robot, mode) in zip(axes.flat, panels, strict=False):
            for (k, foot), (success, mark) in itertools.product(enumerate(feet), ((True, "o"), (False, "x"))):
                cells = [r for r in rows if (r["robot"], r["mode"], r["foot"]) == (robot, mode, foot)]
                ended = [r for r in cells if bool(r["success"]) is success]
                x = [1e3 * r["bar_under"] for r in ended]
                y = [heights.index(r["level"]) + 0.3 * (k - (len(feet) - 1) / 2) for r in ended]
                label = f"{foot}, {'walked' if success else 'did not'}"
                ax.plot(x, y, mark, color=COLOURS[k], ms=4, alpha=0.8, label=label)
            ax.set(title=f"{short(robot)}, {mode}", xlabel="bar ahead of the middle of the sole [mm]")
            ax.set_yticks(range(len(heights)), [f"{1e3 * h:g} mm" for h in heights])
        fig.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(feet))
    return fig


def plot_figures(summary: Sequence[Row]) -> Figure:
    """Means of the main figures against the level, all robots and modes, by foot."""
    shown = (
        ("dcm_error", "DCM error [mm]", 1e3),
        ("com_excursion", "CoM excursion [mm]", 1e3),
        ("support_area", "support area [cm²]", 1e4),
        ("cop_margin", "centre of pressure to edge [mm]", 1e3),
        ("force_rate", "force rate [weights/s]", 1.0),
        ("energy", "energy [J/m]", 1.0),
    )
    shown = [one for one in shown if any(r[one[0]] is not None for r in summary)]  # some robots lack some
    feet = list(dict.fromkeys(r["foot"] for r in summary))
    heights = sorted({r["level"] for r in summary})
    units = {courses.find(r["course"]).scale for r in summary}
    scale_of, unit = units.pop() if len(units) == 1 else (1.0, "of each course's unit")
    with house_style():
        fig, axes = _panels(len(shown), 3, (3.7, 3.2), sharey=False)
        for ax, (name, label, scale) in zip(axes.flat, shown, strict=False):
            for foot in feet:
                points = []
                for height in heights:
                    values = [r[name] for r in summary if r["foot"] == foot and r["level"] == height]
                    values = [v for v in values if v is not None]
                    points.append(scale * float(np.mean(values)) if values else np.nan)
                ax.plot(scale_of * np.array(heights), points, marker="o", label=foot)
            ax.set(title=label, xlabel=f"level [{unit or 'factor'}]")
        legend_outside(fig, axes.flat[0])
    return fig
