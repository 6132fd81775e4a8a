"""Plots of soil fitted to measurements."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from plantar.ground.soil.fitted import SoilFit
from plantar.ground.soil.sense import FootLog, Sensed
from plantar.show.plots import COLOURS, figure, house_style


def plot_soil_fit(fit: SoilFit, *, title: str) -> Figure:
    """What was measured against what a fit that had not seen it predicts, and errors of the laws."""
    with house_style():
        fig, axes = figure(1, 2, size=(11.0, 4.6))
        if fit.kind == "press":
            _presses(axes[0, 0], fit)
        else:
            _forces(axes[0, 0], fit)
        _errors(axes[0, 1], fit)
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig


def _presses(ax: Axes, fit: SoilFit) -> None:
    parts = list(dict.fromkeys(fit.samples.column("part")))
    for i, part in enumerate(parts):
        mine = fit.samples.where(part=part)
        colour = COLOURS[i % len(COLOURS)]
        for run in dict.fromkeys(mine.column("run")):
            rows = mine.where(run=run)
            ax.plot(1e3 * rows.column("depth"), 1e-3 * rows.column("measured"), ".", ms=4, color=colour)
        deep = mine.where(run=mine[0]["run"])
        x, low, high = 1e3 * deep.column("depth"), 1e-3 * deep.column("low"), 1e-3 * deep.column("high")
        ax.plot(x, 1e-3 * deep.column("predicted"), color=colour, label=f"{part} m")
        ax.fill_between(x, low, high, color=colour, alpha=0.12, linewidth=0)
    ax.set(title="Each predicted from the others, 95 %", xlabel="depth [mm]", ylabel="pressure [kPa]")
    ax.legend()


def _forces(ax: Axes, fit: SoilFit) -> None:
    for i, direction in enumerate(dict.fromkeys(fit.samples.column("direction"))):
        mine = fit.samples.where(direction=direction)
        seen, made = mine.column("measured"), mine.column("predicted")
        half = (mine.column("high") - mine.column("low")) / 2
        label = f"force along {direction}"
        ax.errorbar(seen, made, yerr=half, fmt=".", color=COLOURS[i], elinewidth=0.5, alpha=0.8, label=label)
    ends = np.array(ax.get_xlim())
    ax.plot(ends, ends, color="0.5", linewidth=1)
    ax.set(title="Each condition predicted from the others, 95 %", xlabel="measured [N]", ylabel="predicted [N]")
    ax.legend()


def _errors(ax: Axes, fit: SoilFit) -> None:
    rows = sorted(fit.laws, key=lambda row: row["left_out"])[:8][::-1]
    place = np.arange(len(rows))
    ax.barh(place + 0.2, [100 * row["own"] for row in rows], 0.4, color=COLOURS[7], label="own data")
    ax.barh(place - 0.2, [100 * row["left_out"] for row in rows], 0.4, color=COLOURS[0], label="left out")
    ax.set_yticks(place, [row["law"] for row in rows])
    ax.set(title="Errors of the laws", xlabel="error [%]")
    ax.legend()


def plot_sensed(log: FootLog, found: Sensed, *, title: str) -> Figure:
    """Forces of steps over depth, and of loading against what the law makes of them."""
    loading = log.loading()
    values = {row["parameter"]: row["value"] for row in found.parameters}
    give = loading.force / found.foot_stiffness if found.foot_stiffness else 0.0
    share = loading.force / (log.area * values["pressure"] * (1 + values["damping"] * loading.speed))
    law = found.depth * np.maximum(share, 0.0) ** (1 / values["n"]) + give
    with house_style():
        fig, axes = figure(1, 2, size=(11.0, 4.6))
        dots = axes[0, 0].scatter(1e3 * log.depth, log.force, c=log.step, s=6, cmap="viridis")
        fig.colorbar(dots, ax=axes[0, 0], label="step", ticks=MaxNLocator(integer=True))
        axes[0, 0].set(title="Steps", xlabel="depth [mm]", ylabel="force [N]")
        axes[0, 1].plot(1e3 * loading.depth, 1e3 * law, ".", ms=4, color=COLOURS[0])
        ends = np.array([0.0, 1e3 * loading.depth.max()])
        axes[0, 1].plot(ends, ends, color="0.5", linewidth=1, label="equal")
        axes[0, 1].legend(loc="upper left")
        axes[0, 1].set(title="Loading", xlabel="measured depth [mm]", ylabel="depth by the law [mm]")
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig
