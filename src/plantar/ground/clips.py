"""Grounds as clips."""

from __future__ import annotations

import numpy as np

from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.terrain import Terrain
from plantar.show.clip import Clip
from plantar.show.relief import relief
from plantar.show.view import View


def map_clip(title: str, grid: ElevationMap, values: np.ndarray | None = None, notes: tuple[str, ...] = ()) -> Clip:
    """A map in colours of its heights, or of other values of its cells.

    Args:
        title: What it is.
        grid: The map.
        values: Values shown by colour (rows, columns); NaN is grey.
        notes: Lines below the title.
    """
    heights = np.asarray(grid.heights)
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    x, y = np.asarray(grid.x), np.asarray(grid.y)
    reach = float(np.hypot(np.ptp(x), np.ptp(y)))
    centre = (float(x.mean()), float(y.mean()), (low + high) / 2)
    heads = (f"heights from {1e3 * low:.3g} to {1e3 * high:.3g} mm, cells of {1e3 * grid.cell:.3g} mm", *notes)
    return Clip(
        title=title,
        times=np.zeros(1),
        shapes=relief("ground", x, y, heights, values),
        notes=heads,
        view=View(azimuth=60, elevation=-32, distance=1.1 * reach, centre=centre),
        floor=None,
    )


def terrain_clip(terrain: Terrain) -> Clip:
    """A terrain as its elevation map shows it."""
    return map_clip(f"terrain: {terrain.kind.replace('_', ' ')}", terrain.elevation_map(cell=0.02))
