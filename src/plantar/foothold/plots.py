"""Pictures of elevation and cost maps: light is a good foothold, dark a bad one, grey is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LightSource, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from plantar.foothold.choose import Choice
from plantar.foothold.cost import CostMap
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.show.plots import INK, figure, house_style

COSTS = LinearSegmentedColormap.from_list("foothold", ["#f7fcc4", "#9ed67f", "#2f8f7a", "#2b5c8a", "#2a1648"])
"""From light, cost 0, to dark, cost 254."""
NONE = "#c3c8ce"
"""Cells that are not footholds."""


def plot_costs(
    elevation: ElevationMap, costs: dict[str, CostMap], choice: Choice | None = None, title: str = ""
) -> Figure:
    """The ground beside the costs, seen from above with x up, as in Fig. 7 of the paper.

    Args:
        elevation: The ground.
        costs: Cost maps by title.
        choice: A foothold to mark on the last of them.
        title: Of the whole figure.
    """
    with house_style():
        columns, (across, along) = len(costs) + 1, elevation.shape
        each = min(2.8, max(2.0, 3.2 * across / along)) + 0.8  # maps that are narrow stand close together
        fig, axes = figure(1, columns, size=(each * columns + 0.8, 4.1))
        draw_heights(fig, axes[0, 0], elevation)
        scale = Normalize(0, max(1.0, *(_worst(one) for one in costs.values())))
        shown = [_draw_cost(ax, *item, scale) for ax, item in zip(axes[0, 1:], costs.items(), strict=True)]
        fig.colorbar(shown[-1], ax=list(axes[0, 1:]), label="cost; grey: no foothold", shrink=0.8)
        if choice is not None and choice.status.ok:
            _mark(axes[0, -1], choice)
        if title:
            fig.suptitle(title)
    return fig


def plot_choice(costs: CostMap, choice: Choice, nominal: tuple[float, float]) -> Figure:
    """The ground in perspective with the costs on it and the foothold as a red ball, as in Fig. 9, and from above."""
    with house_style():
        fig = Figure(figsize=(12.0, 5.4))
        _draw_relief(fig.add_subplot(1, 2, 1, projection="3d"), costs, choice)
        ax: Any = fig.add_subplot(1, 2, 2)
        shown = _draw_cost(ax, _caption(costs, choice), costs, Normalize(0, max(1.0, _worst(costs))))
        fig.colorbar(shown, ax=ax, label="cost; grey: no foothold", shrink=0.8)
        ax.plot(nominal[1], nominal[0], "+", color=INK, markersize=11, markeredgewidth=2, label="nominal")
        if choice.status.ok:
            _mark(ax, choice)
            ax.annotate("", (choice.y, choice.x), (nominal[1], nominal[0]), arrowprops={"arrowstyle": "->"})
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    return fig


def _caption(costs: CostMap, choice: Choice) -> str:
    who = f"{costs.leg}, " if costs.leg else ""
    if not choice.status.ok:
        return f"{who}no foothold"
    return f"{who}cost {choice.cost:.0f}, {1e3 * choice.distance:.0f} mm from nominal"


def _worst(costs: CostMap) -> float:
    return float(costs.cost[costs.feasible].max(initial=0.0))


def draw_layer(ax: Axes, grid: ElevationMap, values: np.ndarray, title: str, **colours: Any) -> Any:
    """A layer of a map from above, x up and y to the left as the robot sees it; grey where there is nothing."""
    rows, columns = grid.shape
    x = grid.origin[0] + grid.cell * (np.arange(columns + 1) - 0.5)
    y = grid.origin[1] + grid.cell * (np.arange(rows + 1) - 0.5)
    shown = ax.pcolormesh(y, x, values.T, **colours)
    ax.set(title=title, xlabel="y, left [m]", ylabel="x, forward [m]", aspect="equal", facecolor=NONE)
    ax.invert_xaxis()
    ax.grid(False)
    return shown


def draw_heights(fig: Figure, ax: Axes, grid: ElevationMap) -> None:
    """The ground from above."""
    fig.colorbar(
        draw_layer(ax, grid, 1e3 * grid.heights, "elevation", cmap="viridis"), ax=ax, label="height [mm]", shrink=0.8
    )


def _draw_cost(ax: Axes, title: str, costs: CostMap, scale: Normalize) -> Any:
    return draw_layer(ax, costs.elevation, np.where(costs.feasible, costs.cost, np.nan), title, cmap=COSTS, norm=scale)


def _mark(ax: Axes, choice: Choice) -> None:
    ax.plot(choice.y, choice.x, "o", color="#e00020", markeredgecolor="white", markersize=10, label="foothold")
    reach = 0.06
    ends = [(choice.x + s * reach * math.cos(choice.yaw), choice.y + s * reach * math.sin(choice.yaw)) for s in (-1, 1)]
    ax.plot([p[1] for p in ends], [p[0] for p in ends], color="#e00020", linewidth=1.6)


def _draw_relief(ax: Any, costs: CostMap, choice: Choice) -> None:
    grid = costs.elevation
    # Matplotlib would else sort the ball behind the ground.
    ax.computed_zorder = False
    heights = np.where(np.isnan(grid.heights), np.nanmin(grid.heights), grid.heights)
    x, y = np.meshgrid(grid.x, grid.y)
    colours = COSTS(Normalize(0, max(1.0, _worst(costs)))(costs.cost))
    colours[~costs.feasible] = (0.76, 0.78, 0.81, 1.0)
    light = LightSource(azdeg=225, altdeg=50)
    shaded = light.shade_rgb(colours[..., :3], heights, vert_exag=1.0, dx=grid.cell, dy=grid.cell, blend_mode="soft")
    ax.plot_surface(x, y, heights, facecolors=shaded, rstride=1, cstride=1, linewidth=0, antialiased=False, shade=False)
    if choice.status.ok:
        _ball(ax, choice, 0.025)
    wide, tall = max(np.ptp(grid.x), np.ptp(grid.y)), float(np.ptp(heights))
    ax.set_box_aspect((np.ptp(grid.x), np.ptp(grid.y), max(tall, 0.15 * wide)))
    ax.set(
        xlabel="x [m]", ylabel="y [m]", zlabel="z [mm]", zlim=(heights.min(), heights.min() + max(tall, 0.15 * wide))
    )
    for axis, count in ((ax.xaxis, 5), (ax.yaxis, 4), (ax.zaxis, 3)):
        axis.set_major_locator(MaxNLocator(count))
    ax.zaxis.set_major_formatter(lambda z, _: f"{1e3 * z:g}")
    ax.set_position((0.07, 0.06, 0.40, 0.84))
    ax.view_init(elev=42, azim=-150)
    ax.set_title("ground and cost")


def _ball(ax: Any, choice: Choice, radius: float) -> None:
    u, v = np.mgrid[0 : 2 * np.pi : 16j, 0 : np.pi : 9j]
    ax.plot_surface(
        choice.x + radius * np.cos(u) * np.sin(v),
        choice.y + radius * np.sin(u) * np.sin(v),
        choice.z + radius * (1 + np.cos(v)),
        color="#ff1030",
        shade=False,
        zorder=10,
    )
