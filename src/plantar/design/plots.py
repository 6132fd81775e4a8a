"""Figures of a search: the front, how it was found, what fields do, and the chosen feet side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from matplotlib.figure import Figure

from plantar.design.front import losses, usable
from plantar.design.result import DesignResult
from plantar.feet.export import scene_spec
from plantar.feet.foot import Foot
from plantar.show.picture import draw
from plantar.show.plots import COLOURS, figure, house_style
from plantar.show.view import find_view

MARKS = "*sD^vP"
GREY = "#c9cfd6"
MOST = 12
"""Fields and pairs that are drawn, at most."""


def plot_front(result: DesignResult) -> Figure:
    """All usable feet in the first two goals, with the front and the chosen feet; of one goal, how it fell."""
    if len(result.goals) == 1:
        return _plot_progress(result)
    x, y = (goal.label for goal in result.goals[:2])
    good, front = usable(result.rows), sorted(result.front, key=lambda row: row[x])
    with house_style():
        fig, axes = figure(1, 1, size=(7.5, 5.0))
        ax = axes[0, 0]
        ax.plot([r[x] for r in good], [r[y] for r in good], "o", color="#9aa3ad", markersize=4, label="tried")
        line = "-" if len(result.goals) == 2 else ""
        ax.plot([r[x] for r in front], [r[y] for r in front], f"o{line}", color=COLOURS[0], label="front")
        for k, row in enumerate(result.verified):
            colour = COLOURS[(k + 1) % len(COLOURS)]
            ax.plot(row[x], row[y], MARKS[k % len(MARKS)], color=colour, markersize=10, label=f"{row['foot']}, anew")
        ax.set(xlabel=_label(result, 0), ylabel=_label(result, 1), title="Trade-off between the goals")
        ax.legend()
    return fig


def _plot_progress(result: DesignResult) -> Figure:
    goal = result.goals[0]
    good = usable(result.rows)
    values = losses(good, {goal.label: goal.sign})[:, 0]
    with house_style():
        fig, axes = figure(1, 1, size=(7.5, 4.2))
        ax, trials = axes[0, 0], [row["trial"] + 1 for row in good]
        ax.plot(trials, goal.sign * values, "o", color="#9aa3ad", markersize=4, label="tried")
        ax.plot(trials, goal.sign * np.minimum.accumulate(values), color=COLOURS[0], label="best so far")
        ax.set(xlabel="feet tried", ylabel=_label(result, 0), title="How the best foot was found")
        if len(values) and (goal.sign * values).min() > 0 and np.ptp(np.log10(goal.sign * values)) > 1.5:
            ax.set_yscale("log")
        ax.legend()
    return fig


def _label(result: DesignResult, k: int) -> str:
    goal = result.goals[k]
    unit = f" [{goal.asked.measure.unit}]" if goal.asked.measure.unit else ""
    return f"{goal.label}{unit}, {'less' if goal.better == 'min' else 'more'} is better"


def plot_sensitivity(result: DesignResult) -> Figure | None:
    """Fractions of the variance of each goal by field and pair; None if there is nothing to show."""
    labels = list(dict.fromkeys(row["measure"] for row in result.sensitivity))
    if not labels:
        return None
    with house_style():
        fig, axes = figure(1, len(labels), size=(1.5 + 4.5 * len(labels), 4.6))
        for ax, label in zip(axes[0], labels, strict=True):
            rows = [row for row in result.sensitivity if row["measure"] == label][:MOST][::-1]
            names = [f"{row['field']} with {row['with']}" if row["with"] else row["field"] for row in rows]
            colours = [COLOURS[3] if row["with"] else COLOURS[0] for row in rows]
            faint = 1.0 if rows and rows[0]["trusted"] else 0.3
            ax.barh(names, [row["share"] for row in rows], color=colours, alpha=faint)
            said = f"{100 * rows[0]['predicted']:.0f} % of left-out spread predicted" if rows else ""
            ax.set(xlabel="share of the variance", title=f"{label}\n{said}")
    return fig


def plot_feet(feet: Mapping[str, Foot]) -> Figure:
    """The feet side by side, from the side at one scale and from a corner."""
    with house_style():
        fig, axes = figure(2, len(feet), size=(1.0 + 3.6 * len(feet), 5.2))
        for k, (label, foot) in enumerate(feet.items()):
            model = scene_spec(foot.with_(fidelity="full")).compile()
            data = mujoco.MjData(model)
            mujoco.mj_forward(model, data)
            for ax, view in zip(axes[:, k], ("side", "corner"), strict=True):
                ax.imshow(draw(model, data, find_view(view), (480, 360)))
                ax.axis("off")
            axes[0, k].set_title(label)
    return fig


def plot_curves(curves: Sequence[Mapping[str, Any]]) -> Figure:
    """Desired load against deflection, and that of the remeasured feet; rows are those of the report."""
    with house_style():
        fig, axes = figure(1, 1, size=(7.5, 4.2))
        ax, loads = axes[0, 0], [row["load [N]"] for row in curves]
        for k, name in enumerate(name for name in curves[0] if name != "load [N]"):
            look = {"color": "black", "linestyle": "--"} if name == "wanted [mm]" else {"color": COLOURS[k - 1]}
            mark = {"marker": MARKS[k % len(MARKS)], "markersize": 5, "label": name.removesuffix(" [mm]")}
            ax.plot([row[name] for row in curves], loads, **mark, **look)
        ax.set(xlabel="deflection [mm]", ylabel="load [N]", title="The desired curve and those of the feet")
        ax.legend()
    return fig


def plot_values(result: DesignResult) -> Figure:
    """Where the values of all usable feet lie in their ranges, those of the front on top."""
    fields = result.problem.space.dimensions
    with house_style():
        fig, axes = figure(1, 1, size=(max(1.5 + 1.3 * len(fields), 5.5), 4.2))
        ax = axes[0, 0]
        for rows, look in ((usable(result.rows), {"color": GREY}), (result.front, {"color": COLOURS[0]})):
            for row in rows:
                there = [(i, d.place(row[d.name])) for i, d in enumerate(fields) if row.get(d.name) is not None]
                ax.plot(*zip(*there, strict=True), linewidth=0.8, marker="o", markersize=3, **look)
        ax.set_xticks(range(len(fields)), [f"{d.name}\n{_end(d.at(0))} .. {_end(d.at(1))}" for d in fields], fontsize=8)
        ax.set(ylabel="place in the range", title="Fields of all usable feet (grey) and of the front")
    return fig


def _end(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
