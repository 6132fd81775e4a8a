"""Plots of contacts fitted to motions."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from plantar.ground.fit.motion_fit import MotionFit
from plantar.show.plots import COLOURS, figure, house_style


def plot_motion_fit(result: MotionFit, *, title: str = "Contact fitted to recorded motions") -> Figure:
    """Errors of all motions, sorted, before and after: each after a fit that had not seen the motion."""
    scales = {
        "position": (100.0, "mean position error [% of the side]"),
        "rotation": (57.29578, "mean error [degrees]"),
    }
    with house_style():
        fig, axes = figure(1, 2, size=(11.0, 4.4))
        for ax, (kind, (scale, label)) in zip(axes[0], scales.items(), strict=True):
            share, low, high = result.reduction(kind)  # type: ignore[arg-type]
            for i, when in enumerate(("before", "after")):
                values = np.sort(scale * result.motions.column(f"{kind}_{when}"))
                name = "MuJoCo's default" if when == "before" else "fitted, held out"
                rank = np.arange(1, len(values) + 1) / len(values)
                ax.plot(values, rank, color=COLOURS[1 - i], label=f"{name}: mean {values.mean():.3g}")
                ax.axvline(values.mean(), color=COLOURS[1 - i], linewidth=0.8, linestyle=":")
            ax.set(title=f"{kind.capitalize()}: {share:.0%} less ({low:.0%} to {high:.0%})", xlabel=label)
            ax.set(ylabel="share of motions below", xlim=(0, None), ylim=(0, 1))
            ax.legend(loc="lower right")
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig
