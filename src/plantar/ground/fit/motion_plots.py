"""Plots of contacts fitted to motions."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from plantar.ground.fit.motion_result import CONTACTS, SCALES, MotionFit
from plantar.show.plots import COLOURS, figure, house_style


def plot_motion_fit(result: MotionFit, *, title: str = "Contact fitted to recorded motions") -> Figure:
    """Errors of all motions, sorted, on either default and after a fit that had not seen the motion."""
    with house_style():
        fig, axes = figure(1, 2, size=(11.0, 4.4))
        for ax, (kind, (scale, unit)) in zip(axes[0], SCALES.items(), strict=True):
            share, low, high = result.reduction(kind)
            for contact, colour in zip(CONTACTS, COLOURS, strict=False):
                values = np.sort(scale * result.motions.column(f"{kind}_{contact}"))
                name = "fitted, held out" if contact == "fitted" else f"MuJoCo's default, {contact}"
                rank = np.arange(1, len(values) + 1) / len(values)
                ax.plot(values, rank, color=colour, label=f"{name}: mean {values.mean():.3g}")
                ax.axvline(values.mean(), color=colour, linewidth=0.8, linestyle=":")
            less = f"{share:.0%} less than elliptic ({low:.0%} to {high:.0%})"
            ax.set(title=f"{kind.capitalize()}: {less}", xlabel=f"mean error of {kind} [{unit}]")
            ax.set(ylabel="fraction of motions below", xlim=(0, None), ylim=(0, 1))
            ax.legend(loc="lower right")
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig
