"""The analytic cost on maps degraded by a sensor: plain, and with smoothing and erosion."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from scipy import ndimage

from plantar._processes import map_in_processes
from plantar.foothold.classes import to_classes
from plantar.foothold.dataset import RIGHT, DatasetConfig, Samples, costs_below
from plantar.foothold.networks.readout import Reading
from plantar.ground.terrain.elevation_map import ElevationMap

Way = Literal["plain", "careful"]
SMOOTH = 1.0
"""Standard deviation of the Gaussian of the careful variant [cells], after a median over 3 x 3 cells."""


def analytic_reading(
    samples: Samples, config: DatasetConfig, edges: np.ndarray, way: Way = "plain", processes: int = 1
) -> Reading:
    """The analytic cost of the observed maps.

    Gaps are closed by the nearest seen cell: a cost that refuses unseen ground would find no foothold behind most
    sensors. At the edge the map is extended by its last cells, as in the networks. The careful variant also smooths
    heights by a median and a Gaussian, and gives up footholds beside a cell that is not one.
    """
    work = partial(_one, config=config, way=way)
    items = zip(samples.observed, samples.leg, samples.yaw, strict=True)
    if processes == 1:
        found = [work(item) for item in items]
    else:
        found = list(map_in_processes(work, items, processes=processes, chunksize=16))
    cost = np.array([f[0] for f in found], np.float32)
    return Reading(to_classes(cost, edges), cost, np.array([f[1] for f in found]))


def _one(item: tuple[np.ndarray, int, float], *, config: DatasetConfig, way: Way) -> tuple[np.ndarray, np.ndarray]:
    heights, leg_number, yaw = item
    leg, rim = RIGHT[int(leg_number)], config.rim
    seen = ElevationMap(heights=heights, cell=config.cell).filled().heights
    if way == "careful":
        seen = ndimage.gaussian_filter(ndimage.median_filter(seen, 3, mode="nearest"), SMOOTH, mode="nearest")
    wide = np.pad(seen, rim, mode="edge")
    start = -(wide.shape[0] - 1) / 2 * config.cell
    ground = ElevationMap(heights=wide, cell=config.cell, origin=(start, start), frame="hip")
    costs = costs_below(config, ground, leg, float(yaw))
    inner = slice(rim, rim + config.cells)
    feasible = costs.feasible[inner, inner]
    if way == "careful":
        feasible = ndimage.binary_erosion(feasible, np.ones((3, 3)), border_value=1)
    return costs.cost[inner, inner], feasible
