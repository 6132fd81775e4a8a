"""Plots of fitted force laws."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.ground.fit.press_fit import FitResult
from plantar.show.plots import COLOURS, figure, house_style


def plot_fit(result: FitResult, *, title: str = "Force laws fitted to measured forces") -> Figure:
    """Samples and laws on the left, residuals of the best law on the right."""
    with house_style():
        fig, axes = figure(1, 2, size=(11.0, 4.6))
        _laws(axes[0, 0], result)
        _residuals(axes[0, 1], result)
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig


def _laws(ax: Axes, result: FitResult) -> None:
    data, best = result.data, result.best
    wrong = best.robust.outliers
    colours = data.speeds[~wrong] if data.moving else COLOURS[7]
    dots = ax.scatter(1e3 * data.depth[~wrong], data.force[~wrong], c=colours, s=9, label="samples")
    if data.moving:
        dots.set_cmap("coolwarm")
        ax.figure.colorbar(dots, ax=ax, label="speed of sinking [m/s]")
    if wrong.any():
        ax.plot(1e3 * data.depth[wrong], data.force[wrong], "x", color=COLOURS[1], label=f"{wrong.sum()} outliers")
    depth = np.linspace(0, data.deepest, 200)
    for i, fit in enumerate(result.fits):
        width, style = (2.2, "-") if fit is best else (1.0, "--")
        ax.plot(
            1e3 * depth, fit.law.force(depth), color=COLOURS[i], label=f"{fit.name}, at rest", linewidth=width, ls=style
        )
    highest = float(np.quantile(data.force, 0.98))
    ax.set(title="Forces", xlabel="depth [mm]", ylabel="force [N]", ylim=(min(0.0, data.force.min()), 1.4 * highest))
    ax.legend()


def _residuals(ax: Axes, result: FitResult) -> None:
    data, best = result.data, result.best
    order = np.argsort(best.robust.force)
    force = best.robust.force[order]
    ax.plot(force, (data.force - best.robust.force)[order], ".", color=COLOURS[0])
    for sign in (-2, 2):
        ax.plot(force, sign * best.robust.sigma[order], color=COLOURS[7], linewidth=0.9)
    most = 4 * float(best.robust.sigma.max())
    ax.set(title=f"Residuals of {best.name}, two deviations", xlabel="force of the law [N]", ylabel="residual [N]")
    ax.set_ylim(-most, most)
