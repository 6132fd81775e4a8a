"""A look at a data set: ground, what was seen of it, and its cost."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from plantar.foothold.dataset import DatasetConfig, Samples
from plantar.foothold.plots import HOT, NONE
from plantar.show.plots import figure, house_style


def plot_samples(config: DatasetConfig, samples: Samples, columns: int = 8) -> Figure:
    """One map of each kind of ground, at most `columns` of them: true heights, seen heights, cost."""
    first = [int(np.flatnonzero(samples.kind == kind)[0]) for kind in np.unique(samples.kind)][:columns]
    with house_style():
        fig, axes = figure(3, len(first), size=(1.7 * len(first) + 0.6, 5.6))
        for column, index in enumerate(first):
            low, high = float(samples.ground[index].min()), float(samples.ground[index].max())
            # Nearly flat ground would else show nothing but the sensor's noise.
            spare = max(0.0, 0.06 - (high - low)) / 2
            low, high = low - spare, high + spare
            cost = np.where(samples.feasible[index], samples.cost[index], np.nan)
            for row, (values, cmap, limits) in enumerate(
                (
                    (samples.ground[index], "terrain", (low, high)),
                    (samples.observed[index], "terrain", (low, high)),
                    (cost, HOT, (0, 255)),
                )
            ):
                ax = axes[row, column]
                # x up and y to the left, as the robot sees it
                ax.imshow(values.T[::-1, ::-1], cmap=cmap, vmin=limits[0], vmax=limits[1])
                ax.set(xticks=[], yticks=[], facecolor=NONE)
                ax.grid(False)
            axes[0, column].set_title(f"{config.kinds[samples.kind[index]]}, {('RF', 'RH')[samples.leg[index]]}")
        for row, name in enumerate(("ground", "seen", "cost")):
            axes[row, 0].set_ylabel(name)
    return fig
