"""Terrains as pictures: the map from above and a section along the path, and the scene itself."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from matplotlib.figure import Figure

from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.terrain import Terrain
from plantar.show.picture import render
from plantar.show.plots import COLOURS, figure, house_style
from plantar.show.view import View


def plot_elevation(grid: ElevationMap, *, title: str = "Elevation") -> Figure:
    """The map from above, and below it the section nearest to y = 0."""
    with house_style():
        fig, axes = figure(2, 1, size=(9.0, 6.0), height_ratios=(2, 1), sharex=True)
        top, side = axes[0, 0], axes[1, 0]
        half = grid.cell / 2
        (x0, y0), (length, width) = grid.origin, grid.size
        extent = (x0 - half, x0 + length + half, y0 - half, y0 + width + half)
        image = top.imshow(1e3 * grid.heights, origin="lower", extent=extent, cmap="viridis", aspect="auto")
        top.set(title=title, ylabel="y [m]")
        top.grid(False)
        fig.colorbar(image, ax=top, label="height [mm]")
        row = int(np.argmin(abs(grid.y)))
        side.plot(grid.x, 1e3 * grid.heights[row], color=COLOURS[0])
        side.set(title=f"Section at y = {grid.y[row]:.3g} m", xlabel="x [m]", ylabel="height [mm]")
    return fig


def draw_terrain(terrain: Terrain, path: str | Path, size: tuple[int, int] = (960, 540)) -> Path | None:
    """Draw the terrain in 3-D to a PNG file."""
    spec = mujoco.MjSpec()
    terrain.add(spec)
    _chequer(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    (x0, x1), (y0, y1) = terrain.extent()
    wide = max(x1 - x0, 1.4 * (y1 - y0))
    view = View(azimuth=115, elevation=-28, distance=1.0 * wide, centre=((x0 + x1) / 2, (y0 + y1) / 2, 0.0))
    return render(model, data, path, camera=view, size=size)


def _chequer(spec: mujoco.MjSpec) -> None:
    """Give planes a half-metre pattern, to make slopes visible."""
    colours = {"rgb1": [0.80, 0.82, 0.84], "rgb2": [0.72, 0.75, 0.78]}
    texture = {"type": mujoco.mjtTexture.mjTEXTURE_2D, "builtin": mujoco.mjtBuiltin.mjBUILTIN_CHECKER}
    spec.add_texture(name="chequer", width=256, height=256, **texture, **colours)
    material = spec.add_material(name="chequer", texuniform=True, texrepeat=[1, 1])
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "chequer"
    for geom in spec.worldbody.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_PLANE:
            geom.material, geom.rgba = "chequer", [1, 1, 1, 1]
