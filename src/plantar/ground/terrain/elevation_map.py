"""Elevation maps: heights in metres at cells that are addressed in metres."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_choice
from plantar._config import Checked, Gappy
from plantar._memory import check_memory

Array = np.ndarray
Fill = Literal["nearest", "lowest", "plane"]
LARGEST_CELL = 1.0
"""No cell is larger than this [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ElevationMap(Checked):
    """Heights of the ground at the middles of square cells.

    `heights[j, i]` is the height at x = `origin[0] + i * cell`, y = `origin[1] + j * cell`: columns run
    forward along x, rows to the left along y. NaN is a cell that was not seen; it is filled only
    on request, and no foothold is put on it. Infinities are refused.
    """

    heights: Gappy
    """Heights (rows along y, columns along x), upwards [m]; NaN: not seen."""
    cell: float
    """Side of a cell [m]."""
    origin: tuple[float, float] = (0.0, 0.0)
    """x and y of the middle of `heights[0, 0]` [m]."""
    frame: str = "world"
    """Name of the frame that x, y and the heights are in."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        shape = np.shape(self.heights)
        require(len(shape) == 2 and min(shape) >= 2, "heights", shape, "a table of at least 2 x 2 cells")
        check_memory(shape)
        heights = np.array(self.heights, dtype=np.float64)
        require(not np.isnan(heights).all(), "heights", "only NaN", "a map with at least one known cell")
        good = 0 < self.cell <= LARGEST_CELL
        require(good, "cell", self.cell, f"the side of a cell in metres, above 0 and at most {LARGEST_CELL:g}")
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)

    def __eq__(self, other: object) -> bool:
        """Whether all numbers and the frame are the same; NaN equals NaN."""
        if not isinstance(other, ElevationMap):
            return NotImplemented
        same = (self.cell, self.origin, self.frame) == (other.cell, other.origin, other.frame)
        return same and np.array_equal(self.heights, other.heights, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows (along y) and columns (along x)."""
        rows, columns = self.heights.shape
        return rows, columns

    @property
    def x(self) -> Array:
        """X of the columns [m]."""
        return self.origin[0] + self.cell * np.arange(self.shape[1])

    @property
    def y(self) -> Array:
        """Y of the rows [m]."""
        return self.origin[1] + self.cell * np.arange(self.shape[0])

    @property
    def centre(self) -> tuple[float, float]:
        """X and y of the middle of the map [m]."""
        rows, columns = self.shape
        return self.origin[0] + (columns - 1) / 2 * self.cell, self.origin[1] + (rows - 1) / 2 * self.cell

    @property
    def unknown(self) -> float:
        """Fraction of cells that were not seen."""
        return float(np.isnan(self.heights).mean())

    @property
    def size(self) -> tuple[float, float]:
        """Length along x and width along y, from the first to the last cell's middle [m]."""
        rows, columns = self.shape
        return (columns - 1) * self.cell, (rows - 1) * self.cell

    @property
    def roughness(self) -> float:
        """Root mean square of the known heights about their mean [m]."""
        return float(np.nanstd(self.heights))

    def index(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of the cell at a point.

        Raises:
            InvalidInput: If the point is outside of the map.
        """
        j, i = round((y - self.origin[1]) / self.cell), round((x - self.origin[0]) / self.cell)
        rows, columns = self.shape
        ends = f"x from {self.x[0]:g} to {self.x[-1]:g}, y from {self.y[0]:g} to {self.y[-1]:g} m"
        require(0 <= j < rows and 0 <= i < columns, "point", (x, y), f"a point on the map, {ends}")
        return j, i

    def position(self, row: int, column: int) -> tuple[float, float]:
        """X and y of the middle of a cell [m]."""
        return self.origin[0] + column * self.cell, self.origin[1] + row * self.cell

    def at(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Heights at any points, bilinear between cells; NaN outside, and beside a cell that is unknown."""
        u, v, i, j, inside = self._cells(x, y)
        h = self.heights
        total = np.zeros(np.shape(u))
        for dj, di, share in ((0, 0, (1 - v) * (1 - u)), (0, 1, (1 - v) * u), (1, 0, v * (1 - u)), (1, 1, v * u)):
            # A corner without weight does not matter, even where it is unknown.
            total = total + np.where(share > 0, share * h[j + dj, i + di], 0.0)
        return np.where(inside, total, np.nan)[()]

    def on_triangles(self, x: ArrayLike, y: ArrayLike, outside: float = -math.inf) -> Array:
        """Heights at any points on the two triangles into which MuJoCo cuts each cell; `outside` beyond the map [m]."""
        u, v, i, j, inside = self._cells(x, y)
        z = self.heights
        low, high = z[j, i], z[j + 1, i + 1]
        forward, left = z[j, i + 1], z[j + 1, i]
        # MuJoCo's triangles share the diagonal from the lower corner of a cell to the upper one
        right_triangle = low + u * (forward - low) + v * (high - forward)
        left_triangle = low + v * (left - low) + u * (high - left)
        return np.where(inside, np.where(u > v, right_triangle, left_triangle), outside)[()]

    def _cells(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array, Array, Array, Array]:
        """Shares from 0 to 1 along x and y within the cell of each point, its column and row, and if it is inside."""
        u, v = np.broadcast_arrays(
            (np.asarray(x, float) - self.origin[0]) / self.cell, (np.asarray(y, float) - self.origin[1]) / self.cell
        )
        rows, columns = self.shape
        inside = (u >= -1e-9) & (u <= columns - 1 + 1e-9) & (v >= -1e-9) & (v <= rows - 1 + 1e-9)
        i = np.clip(np.where(inside, u, 0).astype(int), 0, columns - 2)
        j = np.clip(np.where(inside, v, 0).astype(int), 0, rows - 2)
        return np.clip(u - i, 0, 1), np.clip(v - j, 0, 1), i, j, inside

    def slope(self) -> Array:
        """Steepness at every cell, 1 is 45 degrees (rows, columns)."""
        along_y, along_x = np.gradient(self.heights, self.cell)
        return np.hypot(along_x, along_y)

    def mirrored(self) -> ElevationMap:
        """Left and right change places: y becomes -y."""
        return replace(self, heights=self.heights[::-1], origin=(self.origin[0], -float(self.y[-1])))

    def shifted(self, dx: float = 0.0, dy: float = 0.0, dz: float = 0.0, frame: str | None = None) -> ElevationMap:
        """The map moved, for example into another frame."""
        return replace(
            self,
            heights=self.heights + dz,
            origin=(self.origin[0] + dx, self.origin[1] + dy),
            frame=self.frame if frame is None else frame,
        )

    def crop(self, centre: tuple[float, float], size: tuple[int, int] = (40, 40)) -> ElevationMap:
        """A part of `size` cells (rows, columns) around a point; NaN where the map does not reach."""
        rows, columns = size
        require(min(size) >= 2, "size", size, "at least 2 x 2 cells")
        check_memory(size)
        i0 = round((centre[0] - self.origin[0]) / self.cell - (columns - 1) / 2)
        j0 = round((centre[1] - self.origin[1]) / self.cell - (rows - 1) / 2)
        part = np.full(size, np.nan)
        a, b = max(j0, 0), min(j0 + rows, self.shape[0])
        c, d = max(i0, 0), min(i0 + columns, self.shape[1])
        if a < b and c < d:
            part[a - j0 : b - j0, c - i0 : d - i0] = self.heights[a:b, c:d]
        require(not np.isnan(part).all(), "centre", centre, "a point whose surroundings are on the map and known")
        return replace(self, heights=part, origin=self.position(j0, i0))

    def resampled(self, x: Array, y: Array, *, yaw: float = 0.0, at: tuple[float, float] = (0.0, 0.0)) -> ElevationMap:
        """Heights on another grid, turned by `yaw` about z [rad] and put down at `at`, bilinear.

        Args:
            x: Evenly spaced x of the new columns, in the turned axes [m].
            y: The same of the new rows, as far apart [m].
            yaw: Turn of the new axes in this map's [rad].
            at: Origin of the new axes in this map's [m].
        """
        cell = float(x[1] - x[0])
        even = all(np.allclose(np.diff(line), cell, rtol=1e-6, atol=0.0) for line in (x, y)) and cell > 0
        require(even, "x and y", "uneven or different steps", "evenly spaced numbers, those of y as far apart as of x")
        c, s = math.cos(yaw), math.sin(yaw)
        px, py = np.meshgrid(x, y)
        heights = self.at(at[0] + c * px - s * py, at[1] + s * px + c * py)
        return ElevationMap(heights=heights, cell=cell, origin=(float(x[0]), float(y[0])), frame="local")

    def filled(self, method: Fill = "nearest") -> ElevationMap:
        """The map with unknown cells estimated.

        Args:
            method: `nearest` takes the closest known cell; `lowest` the lowest known height around the gap,
                as what a sensor does not see is behind and below an edge; `plane` the plane that fits all.
        """
        from plantar.ground.terrain.fill import filled  # noqa: PLC0415  (SciPy's image functions load slowly)

        require_choice("method", method, ("nearest", "lowest", "plane"))
        return replace(self, heights=filled(self.heights, method))

    def save(self, path: str | Path) -> Path:
        """Write the map in the form that the name ends in; see `plantar.ground.terrain.map_files.save`."""
        return _map_files().save(self, path)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> ElevationMap:
        """Read a map from .npz, .npy or an image; see `plantar.ground.terrain.map_files.load`."""
        return _map_files().load(path, **options)

    @classmethod
    def from_function(
        cls,
        height: Callable[[Array, Array], ArrayLike],
        *,
        x: tuple[float, float],
        y: tuple[float, float],
        cell: float,
        frame: str = "world",
    ) -> ElevationMap:
        """Sample `height(x, y)` on a grid from x[0] to x[1] and y[0] to y[1], both ends included [m]."""
        require(math.isfinite(cell) and cell > 0, "cell", cell, "a length above 0 [m]")
        columns, rows = round((x[1] - x[0]) / cell) + 1, round((y[1] - y[0]) / cell) + 1
        check_memory((rows, columns))
        px, py = np.meshgrid(x[0] + cell * np.arange(columns), y[0] + cell * np.arange(rows))
        heights = np.asarray(height(px, py), float) + np.zeros(px.shape)
        # Where a terrain has no ground at all it is -inf: nothing to see there either.
        return cls(heights=np.where(np.isneginf(heights), np.nan, heights), cell=cell, origin=(x[0], y[0]), frame=frame)

    def to_dict(self) -> dict[str, Any]:
        """The map as plain data; an unknown cell is None."""
        heights = np.where(np.isnan(self.heights), None, self.heights).tolist()  # type: ignore[call-overload]
        return {"origin": list(self.origin), "cell": self.cell, "frame": self.frame, "heights": heights}

    @classmethod
    def from_dict(cls, record: Any) -> ElevationMap:
        """Rebuild a map from plain data.

        Raises:
            InvalidInput: If a field is missing, not known or not allowed.
        """
        needed = {"origin", "cell", "heights"}
        good = isinstance(record, dict) and needed <= set(record) <= {*needed, "frame"}
        given = sorted(record) if isinstance(record, dict) else record
        require(good, "map", given, "a table with origin, cell, heights and optionally frame")
        heights = np.array(record["heights"], dtype=object)
        return cls(
            heights=np.where(heights == None, np.nan, heights),  # noqa: E711  (by element)
            cell=float(record["cell"]),
            origin=tuple(map(float, record["origin"])),  # type: ignore[arg-type]
            frame=str(record.get("frame", "world")),
        )


def _map_files() -> ModuleType:
    from plantar.ground.terrain import map_files  # noqa: PLC0415  (it knows this class)

    return map_files
