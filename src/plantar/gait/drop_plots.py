"""Figure 1 of Raff and Remy from the user's own drops."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from plantar.gait._plot_style import DATA, SOFT
from plantar.gait.fit_drops import DropFit, smoothed
from plantar.gait.rubber import GRAVITY
from plantar.show.plots import COLOURS, figure, house_style


def plot_fit(fit: DropFit, drop: int = -1) -> Figure:
    """Spring and damper against all drops on the left; one drop over time on the right.

    Args:
        fit: From `fit_drops`.
        drop: Which recording is shown over time.
    """
    law = fit.law
    with house_style():
        fig, axes = figure(2, 2, size=(10.5, 7.2))
        deepest = 0.0
        for i, r in enumerate(fit.recordings):
            z, v, a = smoothed(r)
            force, on = fit.mass * (a + GRAVITY), z < 0
            depth, sink = -z[on], -v[on]
            deepest = max(deepest, float(depth.max()))
            damper = np.asarray(law.force(depth, sink)) - law.stiffness * depth**2
            full = depth > law.transition_depth
            colour = COLOURS[i % len(COLOURS)]
            axes[0, 0].plot(1e3 * depth, force[on] - damper, ".", markersize=2.5, color=colour, label=f"drop {r.name}")
            rest = force[on] - law.stiffness * depth**2
            axes[1, 0].plot(sink[full], rest[full], ".", markersize=2.5, color=colour)
        x = np.linspace(0, deepest, 200)
        axes[0, 0].plot(1e3 * x, law.stiffness * x**2, color=DATA, label="k_N depth²")
        left, right = axes[1, 0].get_xlim()
        s = np.linspace(left, right, 300)
        axes[1, 0].plot(s, law.damping * np.tanh(s / (2 * law.damping_speed)), color=DATA)
        axes[0, 0].set(title="(a) spring", xlabel="depth [mm]", ylabel="force less damper [N]")
        axes[1, 0].set(
            title="(c) damper, beyond the transition", xlabel="sinking speed [m/s]", ylabel="force less spring [N]"
        )
        axes[0, 0].legend(fontsize=8)
        _over_time(axes, fit, drop)
    return fig


def _over_time(axes: np.ndarray, fit: DropFit, drop: int) -> None:
    r, model = fit.recordings[drop], fit.fitted[drop]
    time = 1e3 * (r.time - r.time[0])
    if r.acceleration is not None:
        axes[0, 1].plot(time, fit.mass * (r.acceleration + GRAVITY), ".", markersize=2.5, color="#9aa3ad", label="data")
    axes[0, 1].plot(time, fit.mass * (model["acceleration"] + GRAVITY), color=SOFT, label="fit")
    axes[0, 1].set(title=f"(b) drop {r.name}", ylabel="force [N]", xlabel="time [ms]")
    if r.height is not None:
        axes[1, 1].plot(time, 1e3 * r.height, ".", markersize=2.5, color="#9aa3ad", label="data")
    axes[1, 1].plot(time, 1e3 * model["height"], color=SOFT, label="fit")
    axes[1, 1].set(title=f"(d) drop {r.name}", ylabel="height of the lowest point [mm]", xlabel="time [ms]")
    axes[0, 1].legend()
