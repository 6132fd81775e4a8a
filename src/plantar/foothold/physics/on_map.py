"""Press a foot on the cells of a user's map: what the ground there holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from plantar._checks import require
from plantar.feet.foot import Foot
from plantar.foothold.physics.labels import Labels, label_footholds
from plantar.foothold.physics.plan import all_around
from plantar.foothold.physics.press import Engine, PhysicsConfig, Presser
from plantar.ground.terrain.elevation_map import ElevationMap

RIM = 0.15
"""The map is continued by its edge so far [m], so that a foot that slides off finds ground."""


@dataclass(frozen=True, eq=False)
class PressedMap:
    """Labels of some cells of a map."""

    elevation: ElevationMap
    """The map."""
    rows: np.ndarray
    """Rows that were pressed."""
    columns: np.ndarray
    """Columns that were pressed."""
    labels: Labels
    """Labels, each (rows, columns)."""

    def layer(self, name: str) -> ElevationMap:
        """A label as a separate map, with cells as large as the step between those that were pressed."""
        x, y = self.elevation.x[self.columns], self.elevation.y[self.rows]
        step = float(x[1] - x[0]) if len(x) > 1 else self.elevation.cell
        return ElevationMap(
            heights=getattr(self.labels, name), cell=step, origin=(float(x[0]), float(y[0])), frame=name
        )


def press_map(
    elevation: ElevationMap,
    foot: Foot,
    config: PhysicsConfig | None = None,
    *,
    yaw: float = 0.0,
    every: int = 1,
    edge: int = 4,
    engine: Engine = "threads",
    progress: Callable[[int], None] | None = None,
) -> PressedMap:
    """Press a foot on every `every`-th cell of a map; the ground between cells is bilinear.

    Args:
        elevation: The ground, without unknown cells.
        foot: Any foot.
        config: Rig and plan; the mosaic's fields are not used but for `fine`.
        yaw: Turn of the foot from the map's x [rad].
        every: Cells from one foothold to the next.
        edge: Cells at the rim that are left out.
        engine: `threads` or `gpu`.
        progress: Called with the number of presses finished since the last call.

    Raises:
        InvalidInput: If a cell is unknown, or nothing is left to press.
    """
    config = config or PhysicsConfig()
    known = not np.isnan(elevation.heights).any()
    require(known, "heights", "unknown cells", "a map without NaN, or fill it first with filled()")
    require(every >= 1, "every", every, "an integer, 1 or more")
    rows, columns = (np.arange(edge, size - edge, every) for size in elevation.shape)
    require(min(len(rows), len(columns)) >= 2, "edge", edge, "a rim that leaves at least two rows and columns to press")
    j, i = (values.ravel() for values in np.meshgrid(rows, columns, indexing="ij"))
    start = all_around(elevation.x[i], elevation.y[j], config.plan, [config.plan.seed, 3])
    start = replace(start, yaw=start.yaw + yaw)
    ground = fine_ground(elevation, config.mosaic.fine)
    presser = Presser(foot, config, engine, worlds=min(8192, len(start)))
    single, _ = presser.press_on(ground, start, progress=progress)
    labels = label_footholds(single, start.direction.reshape(len(j), -1))
    shape = (len(rows), len(columns))
    return PressedMap(elevation, rows, columns, Labels(*(getattr(labels, n).reshape(shape) for n in Labels.names())))


def fine_ground(elevation: ElevationMap, fine: int) -> ElevationMap:
    """A map with cells divided by `fine`, bilinear, continued by its edge."""
    rim = max(1, round(RIM / elevation.cell))
    wide = replace(
        elevation,
        heights=np.pad(elevation.heights, rim, mode="edge"),
        origin=(elevation.origin[0] - rim * elevation.cell, elevation.origin[1] - rim * elevation.cell),
    )
    step = elevation.cell / fine
    x, y = (values[0] + step * np.arange((len(values) - 1) * fine + 1) for values in (wide.x, wide.y))
    px, py = np.meshgrid(x, y)
    heights = wide.at(np.minimum(px, wide.x[-1]), np.minimum(py, wide.y[-1]))
    return ElevationMap(heights=heights, cell=step, origin=(float(x[0]), float(y[0])), frame=elevation.frame)
