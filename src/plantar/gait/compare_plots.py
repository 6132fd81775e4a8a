"""Figure 3 of Raff and Remy from the user's own recording."""

from __future__ import annotations

from matplotlib.figure import Figure

from plantar.gait._plot_style import DATA, HARD, SOFT
from plantar.gait.compare_contact import Comparison
from plantar.show.plots import figure, house_style, legend_outside


def plot_comparison(found: Comparison) -> Figure:
    """One row per foot: horizontal and vertical place of its centre, recorded, hard and soft."""
    names = found.robot.names
    with house_style():
        fig, axes = figure(len(names), 2, size=(10, 1.0 + 1.7 * len(names)), sharex=True)
        for i, leg in enumerate(names):
            for k, axis in enumerate(("x", "z")):
                ax = axes[i, k]
                time, data = found.recorded.column("time"), found.recorded.column(f"foot_{axis}_{leg}")
                zero = data.mean() if k == 0 else 0.0
                ax.plot(time, 100 * (data - zero), color=DATA, linewidth=1.0, label="recorded")
                for name, motion, colour in (("hard", found.hard, HARD), ("soft", found.soft, SOFT)):
                    path = motion.feet[:, i, k]
                    start = path.mean() if k == 0 else 0.0
                    ax.plot(motion.time, 100 * (path - start), "--", color=colour, linewidth=1.5, label=name)
                row = found.rows[2 * i + k]
                text = f"error: hard {1e3 * row['error_hard']:.2f} mm, soft {1e3 * row['error_soft']:.2f} mm"
                ax.set_title(f"{leg}, {text}", fontsize=9)
            axes[i, 0].set_ylabel("forward [cm]")
            axes[i, 1].set_ylabel("up [cm]")
        for ax in axes[-1]:
            ax.set_xlabel("time [s]")
        fig.suptitle("Centres of the feet, horizontal (from their mean) and vertical")
        legend_outside(fig, axes[0, 0])
    return fig
