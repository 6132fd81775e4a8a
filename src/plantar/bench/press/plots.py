"""Plots of press trials."""

from __future__ import annotations

from matplotlib.figure import Figure

from plantar.show.plots import figure, house_style, legend_outside
from plantar.table import Table

PARTS = {"heel": "heel", "module": "module on the obstacle", "metatarsus": "metatarsus"}


def plot_forces(table: Table) -> Figure:
    """Force on heel, module and metatarsus against the obstacle's position, one row per load."""
    loads = sorted(set(table.column("load")))
    with house_style():
        fig, axes = figure(len(loads), 3, size=(10, 0.6 + 2.6 * len(loads)), sharex=True, sharey="row")
        for i, load in enumerate(loads):
            for j, (part, label) in enumerate(PARTS.items()):
                _lines(axes[i, j], table.where(load=load), f"force_{part}", 1.0)
                axes[i, j].set_title(f"{label}, {load:g} N")
            axes[i, 0].set_ylabel("force on the bench [N]")
        for ax in axes[-1]:
            ax.set_xlabel("obstacle under module")
        legend_outside(fig, axes[0, 0], title="height of the obstacle")
    return fig


def plot_rotations(table: Table) -> Figure:
    """Rotation of every module against the obstacle's position, one row per load."""
    loads = sorted(set(table.column("load")))
    names = [name for name in table.columns if name.startswith("rotation_")]
    with house_style():
        fig, axes = figure(len(loads), len(names), size=(12, 0.6 + 2.4 * len(loads)), sharex=True, sharey=True)
        for i, load in enumerate(loads):
            for j, name in enumerate(names):
                _lines(axes[i, j], table.where(load=load), name, 57.29578)
                axes[i, j].set_title(f"module {j + 1}, {load:g} N", fontsize=9)
            axes[i, 0].set_ylabel("rotation, front down [deg]")
        for ax in axes[-1]:
            ax.set_xlabel("obstacle under module", fontsize=9)
        legend_outside(fig, axes[0, 0], title="height of the obstacle")
    return fig


def plot_models(mujoco: Table, planar: Table) -> Figure:
    """Forces of the planar model against those of the simulation, one point per trial and part."""
    with house_style():
        fig, axes = figure(1, 1, size=(5.2, 5.0))
        ax = axes[0, 0]
        for part, label in PARTS.items():
            ax.plot(mujoco.column(f"force_{part}"), planar.column(f"force_{part}"), "o", label=label, alpha=0.8)
        top = max(mujoco.column("force_total"))
        ax.plot([0, top], [0, top], "-", color="#5c6670", linewidth=1)
        ax.set_xlabel("simulation [N]")
        ax.set_ylabel("planar model [N]")
        ax.set_title("Two models of the same press")
        ax.legend()
    return fig


def _lines(ax, rows: Table, column: str, scale: float) -> None:
    for height in sorted(set(rows.column("height"))):
        line = rows.where(height=height)
        ax.plot(line.column("position"), scale * line.column(column), "o-", label=f"{1e3 * height:g} mm")
