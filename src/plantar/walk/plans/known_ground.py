"""What a walking robot knows about the ground: that it is level, or its elevation map, with fast lookups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import ndimage

from plantar.ground import Flat, YieldingGround
from plantar.walk.footholds import nominal

if TYPE_CHECKING:
    from plantar.ground import ElevationMap, Terrain
    from plantar.walk.control.controllers import Setting

STEEPEST = 0.2
"""Slope beyond which a normal is not tilted further: at an edge the fitted plane says little about the contact."""
SINK = 0.05
"""Largest depth below the highest ground under a sole that it may reach [m]."""
CELL = 0.02
"""Cells of the map [m]."""
AROUND = ((-1.4, 2.1), (-1.2, 1.2))
"""What is known: x from, and to beyond the end of the walk; y from and to [m]."""
SOLE = 0.06
"""Least size of a sole that is looked at [m]."""


class KnownGround:
    """Unknown ground, on which the robot stands at height 0: level everywhere."""

    elevation: ElevationMap | None = None
    """The map; None where the robot has none."""

    def heights(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Heights of the ground at points [m]."""
        return np.zeros(np.shape(x))

    def tops(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Highest ground under a sole at each point [m]."""
        return np.zeros(np.shape(x))

    def slope(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Slope of the plane that fits the ground under a sole at each point."""
        return np.zeros(np.shape(x))

    def normal(self, x: float, y: float) -> np.ndarray:
        """Normal of the ground under a sole (3,)."""
        return np.array([0.0, 0.0, 1.0])

    def height(self, x: float, y: float) -> float:
        """Height of the ground at a point [m]."""
        return float(self.heights(np.asarray(x), np.asarray(y)))

    def top(self, x: float, y: float) -> float:
        """Highest ground under a sole at a point [m]."""
        return float(self.tops(np.asarray(x), np.asarray(y)))


class MappedGround(KnownGround):
    """Heights and normals of a map, at the nearest cells.

    Args:
        elevation: The map in the world; unknown cells are taken as the lowest known ones around them.
        length: Length of the sole [m].
        width: Its width [m].
    """

    def __init__(self, elevation: ElevationMap, length: float, width: float):
        self.elevation = elevation
        self.known = elevation.filled("lowest") if np.isnan(elevation.heights).any() else elevation
        cell = elevation.cell
        h = self.known.heights
        size = (2 * math.ceil(width / 2 / cell) + 1, 2 * math.ceil(length / 2 / cell) + 1)
        self._top = ndimage.maximum_filter(h, size=size, mode="nearest")
        # slope of the plane that fits the ground under the sole best
        kx = np.arange(size[1]) - size[1] // 2
        ky = np.arange(size[0]) - size[0] // 2
        wx = np.tile(kx / (kx @ kx) / size[0] / cell, (size[0], 1))
        wy = np.tile((ky / (ky @ ky) / size[1] / cell)[:, None], (1, size[1]))
        # however deep a pit is, a sole over it sinks in no further than this
        felt = np.maximum(h, self._top - SINK)
        self._slope = np.stack([ndimage.correlate(h, k, mode="nearest") for k in (wx, wy)])
        self._steep = np.hypot(*(ndimage.correlate(felt, k, mode="nearest") for k in (wx, wy)))

    def _index(self, x: np.ndarray | float, y: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        grid = self.known
        rows, columns = grid.shape
        i = np.clip(np.rint((np.asarray(x) - grid.origin[0]) / grid.cell), 0, columns - 1).astype(int)
        j = np.clip(np.rint((np.asarray(y) - grid.origin[1]) / grid.cell), 0, rows - 1).astype(int)
        return j, i

    def heights(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Heights of the ground at points [m]."""
        return self.known.heights[self._index(x, y)]

    def tops(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Highest ground under a sole at each point [m]."""
        return self._top[self._index(x, y)]

    def slope(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Slope of the plane that fits the ground under a sole at each point."""
        return self._steep[self._index(x, y)]

    def normal(self, x: float, y: float) -> np.ndarray:
        """Normal of the ground under a sole (3,)."""
        j, i = self._index(x, y)
        slope = self._slope[:, int(j), int(i)]
        steep = float(np.hypot(*slope))
        if steep > STEEPEST:
            slope = slope * STEEPEST / steep
        normal = np.array([-slope[0], -slope[1], 1.0])
        return normal / np.linalg.norm(normal)


def map_of(terrain: Terrain, distance: float = 1.5, cell: float = CELL) -> ElevationMap:
    """The elevation map of a terrain where a robot walks on it; points on seams between boxes are as beside them."""
    (back, ahead), y = AROUND
    found = terrain.elevation_map(cell=cell, x=(back, ahead + distance), y=y)
    return found.filled("nearest") if np.isnan(found.heights).any() else found


def known_ground(
    setting: Setting, terrain: Terrain | YieldingGround | None, elevation: ElevationMap | None
) -> KnownGround | None:
    """What a robot knows about its ground: a map if it is given one or looks where it steps, else nothing.

    A quadruped knows its terrain even when it does not choose: its legs clear obstacles.
    """
    chooses = setting.chooser not in (None, nominal)
    distance = getattr(setting.gait, "distance", None)
    if elevation is None:
        if isinstance(terrain, YieldingGround) or (distance is None and not chooses):
            return None
        if terrain is None and not chooses:
            return None
        elevation = map_of(terrain or Flat(), distance or 3.0)
    sole = setting.legged.soles[0]
    back, front, right, left = sole.outline
    length, width = max(front - back, 2 * sole.ankle, 1e-3), max(left - right, SOLE)
    return MappedGround(elevation, length, width)
