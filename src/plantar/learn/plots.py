"""Figures of evaluations: the effect of foot stiffness on a walk."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.learn.config import LOCKED
from plantar.learn.evaluation import CELL, COUNTED, WHERE, WHO, Evaluation
from plantar.show.plots import COLOURS, figure, house_style, legend_outside
from plantar.walk import courses
from plantar.walk.study.statistics import share_interval

PANELS = {
    "arrived_percent": "arrived in time [%]",
    "fallen_percent": "falls [%]",
    "transport": "cost of transport [-]",
    "transport_positive": "the same, positive work [-]",
    "speed_error": "speed error [m/s]",
    "force_peak": "peak force [weights]",
    "force_rate": "rate of force [weights/s]",
    "slip": "slip [m/m]",
    "support_area": "support area [m²]",
}
"""Figures that are drawn, with their units."""
CAPTION = (
    "Means with 95 % intervals over the walks without a fall (arrivals and falls: over all walks); of several policies "
    "on the same feet, over their means. Soft feet are plotted over the factor on their stiffness, 1000 being locked; "
    "feet without springs are on the right."
)
"""Caption of the picture."""
MARKS = ("o", "s", "D", "^", "v", "P")


def plot_stiffness(result: Evaluation) -> Figure:
    """What was measured over the stiffness of the feet: a panel for each figure, a line for each ground.

    Several policies on the same feet are trainings: their means are drawn, with intervals over them.
    """
    rows = [{"policy": "", **row} for row in result.feet()]
    cells = [tuple(row[k] for k in CELL[1:]) for row in rows]
    rows += [_with_percent(row) for row in result.summary() if tuple(row[k] for k in CELL[1:]) not in cells]
    soft = _soft(rows)
    rigid = list(dict.fromkeys(_who(row) for row in rows if _who(row) not in soft))
    places = sorted({row["stiffness"] for row in rows if _who(row) in soft})
    apart = len(places) + 0.4 * bool(places)  # feet without springs are set apart
    ticks = [_tick(value) for value in places] + [foot for _, foot, _ in rigid]
    with house_style():
        fig, axes = figure(3, 3, size=(13.5, 9.6))
        for ax, (name, title) in zip(axes.flat, PANELS.items(), strict=True):
            for k, ground in enumerate(dict.fromkeys(tuple(row[w] for w in WHERE) for row in rows)):
                own = [row for row in rows if tuple(row[w] for w in WHERE) == ground]
                for j, who in enumerate(soft):
                    line = [row for row in own if _who(row) == who]
                    label = _ground(result.config.course, rows, ground) + _walker(soft, who)
                    mark = {"color": COLOURS[k % len(COLOURS)], "marker": MARKS[j % len(MARKS)], "label": label}
                    _draw(ax, [places.index(row["stiffness"]) + 0.06 * k for row in line], line, name, **mark)
                for i, who in enumerate(rigid):
                    line = [row for row in own if _who(row) == who]
                    label = "" if soft or i else _ground(result.config.course, rows, ground)
                    mark = {"color": COLOURS[k % len(COLOURS)], "marker": "x", "linestyle": "", "label": label}
                    _draw(ax, [apart + i + 0.08 * k] * len(line), line, name, **mark)
            ax.set(title=title, xticks=[*range(len(places)), *(apart + i for i in range(len(rigid)))])
            ax.set_xticklabels(ticks, fontsize="small")
            ax.set_ylim(bottom=0)
            ax.set_xlim(-0.4, apart + len(rigid) - 0.4)
        for ax in axes[-1]:
            ax.set_xlabel("factor on stiffness")
        legend_outside(fig, axes.flat[0])
    return fig


def _draw(ax: Axes, x: list[float], rows: list[dict[str, Any]], name: str, **look: Any) -> None:
    """Means with their intervals; a mean of a single walk has none."""
    y, low, high = (np.array([row[f"{name}{end}"] for row in rows]) for end in ("", "_low", "_high"))
    ends = np.nan_to_num([np.maximum(y - low, 0), np.maximum(high - y, 0)])
    ax.errorbar(x, y, yerr=ends, capsize=3, **look)


def _with_percent(row: dict[str, Any]) -> dict[str, Any]:
    found = dict(row)
    for name in COUNTED:
        low, high = share_interval(row[name], row["walks"])
        found |= {f"{name}_percent": 100 * row[name] / row["walks"]}
        found |= {f"{name}_percent_low": 100 * low, f"{name}_percent_high": 100 * high}
    return found


def _who(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[k] for k in WHO if k != "stiffness")


def _soft(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Policies and feet that walked with another stiffness than their own."""
    return list(dict.fromkeys(_who(row) for row in rows if row["stiffness"] != 1))


def _walker(soft: list[tuple[Any, ...]], who: tuple[Any, ...]) -> str:
    """What tells a walker from the others, in words."""
    policy, foot, tendons = who
    parts = (policy, foot, "tendons" if tendons else "no tendons")
    return "".join(f", {part}" for k, part in enumerate(parts) if len({one[k] for one in soft}) > 1)


def _tick(factor: float) -> str:
    return "locked" if factor >= LOCKED else f"{factor:g}"


def _ground(course: str, rows: list[dict[str, Any]], ground: tuple[Any, ...]) -> str:
    """What tells a ground from the others, in words and units."""
    varied = [k for k in WHERE if len({row[k] for row in rows}) > 1]
    scale, unit = courses.find(course).scale
    said = {"speed": (1.0, "m/s", "speed"), "level": (scale, unit, course), "push": (1.0, "m/s", "push")}
    parts = [(said[k], value) for k, value in zip(WHERE, ground, strict=True) if k in varied]
    return (
        ", ".join(f"{word} {value * factor:g} {unit}".rstrip() for (factor, unit, word), value in parts) or "all walks"
    )
