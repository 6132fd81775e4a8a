"""Plots of ground that keeps its footprint."""

from __future__ import annotations

import mujoco
import numpy as np
from matplotlib.figure import Figure

from plantar.ground.soil.tracks import Tracks
from plantar.ground.soil.yielding import YieldingGround
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.show.plots import COLOURS, figure, house_style
from plantar.table import Table


def press_twice(ground: YieldingGround, width: float, area: float, deepest: float, points: int = 60) -> Table:
    """A plate pressed in, unloaded, and pressed deeper: press, depth, force."""
    spec = mujoco.MjSpec()
    ground.add(spec)
    body = spec.worldbody.add_body(name="plate")
    body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    size = [area / width / 2, width / 2, 0.005]
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, pos=[0, 0, 0.005], mass=1.0)
    model = spec.compile()
    data, tracks = mujoco.MjData(model), ground.attach(model, ["plate"])
    rows = []
    for press, end in enumerate((deepest, 1.25 * deepest), start=1):
        down = np.linspace(0, end, points)
        for depth in (*down, *down[::-1]):
            data.qpos[0] = -depth
            mujoco.mj_forward(model, data)
            tracks.apply(data)
            rows.append({"press": press, "depth": float(depth), "force": float(tracks.wrench()[2])})
    return Table(rows)


def plot_tracks(tracks: Tracks, presses: Table, loads: Table, *, title: str) -> Figure:
    """Two presses of a plate, loads of the feet over time, and the tracks from above.

    Args:
        tracks: What feet have left in the ground.
        presses: From `press_twice`.
        loads: Rows with the time [s] and the load on each foot [N].
        title: Title of the figure.
    """
    with house_style():
        fig, axes = figure(1, 3, size=(14.0, 4.2))
        ax = axes[0, 0]
        for i, press in enumerate((1, 2)):
            part = presses.where(press=press)
            ax.plot(1e3 * part.column("depth"), part.column("force"), color=COLOURS[i], label=f"press {press}")
        ax.set(title="A plate, pressed twice", xlabel="depth [mm]", ylabel="force [N]")
        ax.legend()
        ax = axes[0, 1]
        for i, foot in enumerate(loads.columns[1:]):
            label = foot.removeprefix("load_").replace("_", " ")
            ax.plot(loads.column("time"), loads.column(foot), color=COLOURS[i], label=label, linewidth=1.0)
        ax.set(title="Loads of the feet", xlabel="time [s]", ylabel="vertical force [N]")
        ax.legend()
        ax = axes[0, 2]
        grid = tracks.elevation()
        (x, y), (length, width) = grid.origin, grid.size
        image = ax.imshow(1e3 * grid.heights, origin="lower", extent=(x, x + length, y, y + width), cmap="copper")
        low, high = _around(grid)
        ax.set(title="Tracks", xlabel="x [m]", ylabel="y [m]", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.grid(False)
        fig.colorbar(image, ax=ax, label="height [mm]", shrink=0.7)
        fig.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return fig


def _around(grid: ElevationMap, margin: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the rectangle around all tracks, or of the whole map if there are none."""
    rows, columns = np.nonzero(grid.heights < 0)
    if not len(rows):
        return np.array([grid.x[0], grid.y[0]]), np.array([grid.x[-1], grid.y[-1]])
    places = np.stack([grid.x[columns], grid.y[rows]], axis=1)
    return places.min(axis=0) - margin, places.max(axis=0) + margin
