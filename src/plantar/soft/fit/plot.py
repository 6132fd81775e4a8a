"""Measured stresses beside those of the laws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from plantar.show.plots import figure, house_style, save
from plantar.soft.fit.fit import LawFit
from plantar.soft.fit.table import Stretched


def plot_fits(path: Path, table: Stretched, fits: Sequence[LawFit]) -> Path:
    """One panel per mode: measured points and the curve of every law, the chosen one thick."""
    with house_style():
        fig, axes = figure(1, len(table.modes), size=(4.2 * len(table.modes), 4.0))
        for ax, mode in zip(axes.flat, table.modes, strict=True):
            mine = table.mode == mode
            ax.plot(table.stretch[mine], 1e-6 * table.stress[mine], "o", color="0.3", label="measured")
            grid = np.linspace(table.stretch[mine].min(), table.stretch[mine].max(), 200)
            for i, fit in enumerate(fits):
                stress = 1e-6 * fit.law.stress(mode, grid, fit.constants)
                ax.plot(grid, stress, color=f"C{i}", lw=2.2 if i == 0 else 1.0, label=fit.law.name)
            low, high = 1e-6 * table.stress[mine].min(), 1e-6 * table.stress[mine].max()
            margin = 0.1 * (high - low) or 0.1 * abs(high)
            ax.set(xlabel="stretch [1]", ylabel="nominal stress [MPa]", title=mode, ylim=(low - margin, high + margin))
            ax.legend()
        return save(fig, path)
