"""Figures of one walk."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.show.plots import COLOURS, figure, house_style
from plantar.walk.result import WalkResult


def plot_walk(result: WalkResult) -> Figure:
    """Path from above, motion along and across the path, forces on the feet, and tilt of one recorded trial."""
    r = result.record
    assert r is not None
    t = r.column("time")
    with house_style():
        fig, axes = figure(4, 1, size=(9.5, 9.6), sharex=False)
        top, across, force, tilt = axes[:, 0]
        top.plot(r.column("com_x"), r.column("com_y"), color=COLOURS[0], label="centre of mass")
        top.plot(r.column("dcm_x"), r.column("dcm_y"), color=COLOURS[1], lw=1.2, label="DCM")
        top.plot(r.column("dcm_plan_x"), r.column("dcm_plan_y"), color=COLOURS[1], ls=":", label="DCM as planned")
        top.plot(
            r.column("pressure_plan_x"),
            r.column("pressure_plan_y"),
            color="#9aa3ad",
            lw=0.8,
            label="centre of pressure as planned",
        )
        for bar in result.bars:
            half = (bar.width or bar.height) / 2
            top.axvspan(
                bar.x - half, bar.x + half, color=COLOURS[3], alpha=0.6, label=f"bar, {1e3 * bar.height:g} mm high"
            )
        top.set(xlabel="x [m]", ylabel="y [m]", title="From above")
        _beside(top)
        across.plot(t, r.column("com_y"), color=COLOURS[0], label="centre of mass")
        across.plot(t, r.column("com_plan_y"), color=COLOURS[0], ls=":", label="mass as planned")
        across.plot(t, r.column("dcm_y"), color=COLOURS[1], lw=1.2, label="DCM")
        across.plot(t, r.column("dcm_plan_y"), color=COLOURS[1], ls=":", label="DCM as planned")
        across.set(xlabel="time [s]", ylabel="y [m]", title="Sideways")
        _beside(across)
        loads = [name for name in r.columns if name.startswith("load_")]
        for name, colour in zip(loads, COLOURS, strict=False):
            force.plot(t, r.column(name), color=colour, lw=1.0, label=name.removeprefix("load_"))
        force.set(xlabel="time [s]", ylabel="force [N]", title="Vertical force of the ground")
        _beside(force)
        tilt.plot(t, np.degrees(r.column("tilt")), color=COLOURS[2])
        tilt.set(xlabel="time [s]", ylabel="tilt [deg]", title="Tilt of the base")
    return fig


def _beside(ax: Axes) -> None:
    """The legend to the right of its axis; what is named twice, as several bars, once."""
    named = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    ax.legend(named.values(), named.keys(), loc="upper left", bbox_to_anchor=(1.0, 1.0))
