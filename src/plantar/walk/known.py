"""The map of the ground that a robot knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plantar.ground import Flat, YieldingGround
from plantar.walk.footholds import nominal
from plantar.walk.plans.known_ground import KnownGround, MappedGround

if TYPE_CHECKING:
    from plantar.ground import ElevationMap, Terrain
    from plantar.walk.control.controllers import Setting

CELL = 0.02
"""Cells of the map [m]."""
AROUND = ((-1.4, 2.1), (-1.2, 1.2))
"""What is known: x from, and to beyond the end of the walk; y from and to [m]."""
SOLE = 0.06
"""Least size of a sole that is looked at [m]."""


def map_of(terrain: Terrain, distance: float = 1.5, cell: float = CELL) -> ElevationMap:
    """The elevation map of a terrain where a robot walks on it; points on seams between boxes are as beside them."""
    (back, ahead), y = AROUND
    found = terrain.elevation_map(cell=cell, x=(back, ahead + distance), y=y)
    return found.filled("nearest") if np.isnan(found.heights).any() else found


def known_ground(
    setting: Setting, terrain: Terrain | YieldingGround | None, elevation: ElevationMap | None
) -> KnownGround | None:
    """What a robot knows of its ground: a map if it is given one or looks where it steps, else nothing.

    A quadruped knows its terrain also when it does not choose: its legs clear what is in their way.
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
