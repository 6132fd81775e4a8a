"""Which footholds are pressed, and how each press differs from the others of its foothold."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar.foothold.physics.mosaic import Mosaic


@dataclass(frozen=True, kw_only=True)
class PressPlan(Checked):
    """Presses of a foothold: pushes all around, each with its own load and place.

    A robot does not put its foot down to the millimetre, and it does not know which way it will be pushed: a
    foothold's labels are means and worst cases over presses that differ as steps do.
    """

    footholds: int = 32
    """Footholds on each tile, drawn evenly over the cells of its map."""
    directions: int = 8
    """Presses of a foothold, pushed in as many directions evenly around."""
    jitter: float = 0.006
    """Standard deviation of the foot's place along x and y [m]."""
    yaw_jitter: float = 0.05
    """Standard deviation of the foot's yaw [rad]."""
    load: tuple[float, float] = (110.0, 220.0)
    """Least and largest load [N]; a quarter and a half of ANYmal C's weight of 45 kg."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(1 <= self.footholds <= 10**4, "footholds", self.footholds, "an integer from 1 to 10000")
        good = 4 <= self.directions <= 64 and self.directions % 2 == 0
        require(good, "directions", self.directions, "an even whole number from 4 to 64")
        require(0 <= self.jitter <= 0.05, "jitter", self.jitter, "a length in metres from 0 to 0.05")
        require(0 <= self.yaw_jitter <= 1, "yaw_jitter", self.yaw_jitter, "an angle in radians from 0 to 1")
        low, high = self.load
        require(10 <= low <= high <= 5000, "load", self.load, "two rising forces from 10 to 5000 N")
        require(self.seed >= 0, "seed", self.seed, "an integer, 0 or more")


@dataclass(frozen=True, eq=False)
class Footholds:
    """Places on a mosaic; row n of each array is foothold n."""

    tile: np.ndarray
    """Tile (n,)."""
    row: np.ndarray
    """Row of the tile's map, along y (n,)."""
    column: np.ndarray
    """Column of the tile's map, along x (n,)."""

    def __len__(self) -> int:
        return len(self.tile)


@dataclass(frozen=True, eq=False)
class Presses:
    """Single presses; row n of each array is press n. The presses of a foothold follow each other."""

    x: np.ndarray
    """Place of the ankle (n,) [m]."""
    y: np.ndarray
    """The same (n,) [m]."""
    yaw: np.ndarray
    """Turn of the foot about z (n,) [rad]."""
    load: np.ndarray
    """Vertical force on the ground (n,) [N]."""
    direction: np.ndarray
    """Direction of the push from the foot's x (n,) [rad]."""

    def __len__(self) -> int:
        return len(self.x)

    def rows(self, chosen: slice | np.ndarray) -> Presses:
        """Some of them."""
        return Presses(*(getattr(self, item.name)[chosen] for item in fields(self)))


def place(mosaic: Mosaic, plan: PressPlan) -> Footholds:
    """Footholds on every tile of a mosaic, no cell twice."""
    cells, found = mosaic.config.cells, []
    count = min(plan.footholds, cells * cells)
    for tile in range(len(mosaic.kinds)):
        rng = np.random.default_rng([plan.seed, mosaic.number, tile, 1])
        found.append(rng.choice(cells * cells, count, replace=False))
    flat = np.concatenate(found)
    return Footholds(np.repeat(np.arange(len(mosaic.kinds)), count), flat // cells, flat % cells)


def presses(mosaic: Mosaic, footholds: Footholds, plan: PressPlan) -> Presses:
    """All presses of footholds: `plan.directions` each."""
    origin = np.array([mosaic.origin(tile) for tile in range(len(mosaic.kinds))])[footholds.tile]
    cell = mosaic.config.cell
    x, y = origin[:, 0] + cell * footholds.column, origin[:, 1] + cell * footholds.row
    return all_around(x, y, plan, [plan.seed, mosaic.number, 2])


def all_around(x: np.ndarray, y: np.ndarray, plan: PressPlan, seed: list[int]) -> Presses:
    """The presses of footholds at x, y (n,) [m], those of each after each other."""
    n, k = len(x), plan.directions
    rng = np.random.default_rng(seed)
    px = x[:, None] + plan.jitter * rng.normal(size=(n, k))
    py = y[:, None] + plan.jitter * rng.normal(size=(n, k))
    yaw = plan.yaw_jitter * rng.normal(size=(n, k))
    turn = 2 * math.pi / k
    direction = turn * np.arange(k) + rng.uniform(0, turn, (n, 1))
    # Each foothold has all loads once, so that none is favoured by a light one.
    load = rng.permuted(np.tile(np.linspace(*plan.load, k), (n, 1)), axis=1)
    return Presses(*(np.ascontiguousarray(values.ravel()) for values in (px, py, yaw, load, direction)))
