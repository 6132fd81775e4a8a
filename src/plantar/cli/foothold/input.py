"""What the foothold commands read: a map or a terrain, and where the robot is on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.common import numbers
from plantar.errors import InvalidInput
from plantar.foothold import LEGS, ElevationMap, Quadruped, Stance
from plantar.ground.terrain.registry import kinds, make
from plantar.ground.terrain.terrain import Terrain

Leg = Annotated[
    str | None, typer.Option("--leg", metavar="LEG", help="LF, RF, LH or RH; if left out, only the terrain counts.")
]
Place = Annotated[
    str | None,
    typer.Option("--at", metavar="X,Y", help="Nominal foothold of the leg [m]; the middle of the map if left out."),
]
Height = Annotated[
    float | None,
    typer.Option(help="Height of the hip above the ground there [m]; the robot's standing height if left out."),
]
Cell = Annotated[float | None, typer.Option(help="Cell size [m], if the map does not give it; 0.02 for terrains.")]


@dataclass(frozen=True)
class Scene:
    """A map and the query about it."""

    elevation: ElevationMap
    """The map."""
    at: tuple[float, float]
    """Nominal place of the leg's end on it [m]."""
    options: dict[str, Any]
    """Leg, robot and stance for `cost_map`."""

    def record(self) -> dict[str, Any]:
        """The scene without its heights, for config.json."""
        grid = self.elevation
        facts = {"rows": grid.shape[0], "columns": grid.shape[1], "cell": grid.cell, "origin": grid.origin}
        return {**facts, "frame": grid.frame, "unknown": grid.unknown, "at": self.at, **self.options}


def read_scene(
    source: str,
    *,
    leg: str | None,
    at: str | None,
    height: float | None,
    cells: int | None,
    cell: float | None,
    low: float | None = None,
    high: float | None = None,
) -> Scene:
    """The map and stance that a command line describes.

    Raises:
        InvalidInput: If the map cannot be read, or a place or name is not allowed.
    """
    if leg is not None and leg not in LEGS:
        raise InvalidInput(f"--leg {leg!r} is not allowed: give one of {', '.join(LEGS)}")
    elevation = read_map(source, cell, low, high)
    place = _place(at, elevation)
    if cells is not None:
        elevation = elevation.crop(place, (cells, cells))
    if leg is None:
        return Scene(elevation, place, {})
    row, column = elevation.index(*place)
    ground = float(elevation.heights[row, column])
    if math.isnan(ground):
        raise InvalidInput(f"--at {place} is not allowed with --leg: the ground there is unknown, give another place")
    robot = Quadruped()
    x, y, _ = robot.nominal(leg)
    drop = robot.stand_height if height is None else height
    if not 0 < drop <= 2:
        raise InvalidInput(f"--height {drop!r} is not allowed: give the hip's height over the ground in metres, 0 to 2")
    stance = Stance(position=(place[0] - float(x), place[1] - float(y), ground + drop))
    return Scene(elevation, place, {"leg": leg, "robot": robot, "stance": stance})


def read_map(source: str, cell: float | None, low: float | None = None, high: float | None = None) -> ElevationMap:
    """A map from its file, or of a terrain from its .json or by its kind."""
    if Path(source).suffix.lower() == ".json":
        return Terrain.load(source).elevation_map(cell=cell or 0.02)
    if Path(source).suffix:
        return ElevationMap.load(source, cell=cell, low=low, high=high)
    if source not in kinds():
        known = ", ".join(sorted(kinds()))
        raise InvalidInput(f"map {source!r} is not allowed: give a file (.npz, .npy, .png, .json) or one of {known}")
    return make(source).elevation_map(cell=cell or 0.02)


def _place(at: str | None, elevation: ElevationMap) -> tuple[float, float]:
    if at is None:
        row, column = (size // 2 for size in elevation.shape)
        return elevation.position(row, column)
    values = numbers("--at", at)
    if len(values) != 2:
        raise InvalidInput(f"--at {at!r} is not allowed: give x and y in metres, as in 0.5,0.0")
    elevation.index(*values)
    return values[0], values[1]
