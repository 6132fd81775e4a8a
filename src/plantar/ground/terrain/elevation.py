"""Heights of a ground on a regular grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar._files import replacing
from plantar.errors import InvalidInput


@dataclass(frozen=True, kw_only=True, eq=False)
class ElevationGrid:
    """Heights at the corners of square cells: an elevation map.

    `heights[j, i]` is the height at `(origin[0] + i * cell, origin[1] + j * cell)`: columns run forward along x,
    rows to the left along y.
    """

    origin: tuple[float, float]
    """x and y of `heights[0, 0]` [m]."""
    cell: float
    """Distance between neighbours [m]."""
    heights: np.ndarray
    """Heights (rows along y, columns along x) [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        heights = np.asarray(self.heights, dtype=float)
        require(heights.ndim == 2 and min(heights.shape) >= 2, "heights", heights.shape, "an array of 2 x 2 or more")
        require(bool(np.isfinite(heights).all()), "heights", "not finite", "finite numbers [m]")
        require(math.isfinite(self.cell) and self.cell > 0, "cell", self.cell, "a length above 0 [m]")
        good = len(self.origin) == 2 and all(map(math.isfinite, self.origin))
        require(good, "origin", self.origin, "x and y [m]")
        object.__setattr__(self, "heights", heights)

    def __eq__(self, other: object) -> bool:
        """Whether all numbers are the same."""
        if not isinstance(other, ElevationGrid):
            return NotImplemented
        same = self.origin == other.origin and self.cell == other.cell
        return same and np.array_equal(self.heights, other.heights)

    __hash__ = None  # type: ignore[assignment]

    @property
    def x(self) -> np.ndarray:
        """Places of the columns along x [m]."""
        return self.origin[0] + self.cell * np.arange(self.heights.shape[1])

    @property
    def y(self) -> np.ndarray:
        """Places of the rows along y [m]."""
        return self.origin[1] + self.cell * np.arange(self.heights.shape[0])

    @property
    def size(self) -> tuple[float, float]:
        """Length along x and width along y [m]."""
        rows, columns = self.heights.shape
        return (columns - 1) * self.cell, (rows - 1) * self.cell

    @property
    def roughness(self) -> float:
        """Root mean square of the heights about their mean [m]."""
        return float(self.heights.std())

    def at(self, x: ArrayLike, y: ArrayLike, outside: float = -math.inf) -> np.ndarray:
        """Heights at any points, on the two triangles into which MuJoCo cuts each cell [m].

        Args:
            x: Along the columns [m].
            y: Along the rows [m].
            outside: Value beyond the grid.
        """
        across, along = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        u, v = (across - self.origin[0]) / self.cell, (along - self.origin[1]) / self.cell
        rows, columns = self.heights.shape
        inside = (u >= -1e-9) & (u <= columns - 1 + 1e-9) & (v >= -1e-9) & (v <= rows - 1 + 1e-9)
        i, j = np.clip(u.astype(int), 0, columns - 2), np.clip(v.astype(int), 0, rows - 2)
        u, v = np.clip(u - i, 0, 1), np.clip(v - j, 0, 1)
        z = self.heights
        low, high = z[j, i], z[j + 1, i + 1]
        forward, left = z[j, i + 1], z[j + 1, i]
        # MuJoCo's triangles share the diagonal from the lower corner of a cell to the upper one
        right_triangle = low + u * (forward - low) + v * (high - forward)
        left_triangle = low + v * (left - low) + u * (high - left)
        return np.where(inside, np.where(u > v, right_triangle, left_triangle), outside)[()]

    def slope(self) -> np.ndarray:
        """Steepness at every point of the grid, 1 is 45 degrees (rows, columns)."""
        along_y, along_x = np.gradient(self.heights, self.cell)
        return np.hypot(along_x, along_y)

    def save(self, path: str | Path) -> Path:
        """Write the grid as .npz with the arrays origin, cell and heights."""
        path = Path(path)
        with replacing(path) as scratch, scratch.open("wb") as file:
            np.savez_compressed(file, origin=self.origin, cell=self.cell, heights=self.heights)
        return path

    @classmethod
    def load(cls, path: str | Path) -> ElevationGrid:
        """Read a grid that `save` wrote.

        Raises:
            InvalidInput: If there is no such file, or it lacks one of the arrays.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                origin, cell, heights = file["origin"], file["cell"], file["heights"]
        except (OSError, KeyError, ValueError) as error:
            raise InvalidInput(
                f"elevation file {str(path)!r} cannot be read ({error}): give an .npz with origin, cell and heights"
            ) from error
        return cls(origin=(float(origin[0]), float(origin[1])), cell=float(cell), heights=heights)

    def to_dict(self) -> dict[str, Any]:
        """The grid as plain data."""
        return {"origin": list(self.origin), "cell": self.cell, "heights": self.heights.tolist()}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> ElevationGrid:
        """Rebuild a grid from plain data."""
        unknown = set(record) ^ {"origin", "cell", "heights"}
        if unknown:
            raise InvalidInput(f"elevation grid field {sorted(unknown)[0]!r}: give exactly origin, cell and heights")
        origin = record["origin"]
        good = isinstance(origin, list | tuple) and len(origin) == 2
        require(good, "origin", origin, "x and y [m]")
        return cls(
            origin=(float(origin[0]), float(origin[1])), cell=float(record["cell"]), heights=np.array(record["heights"])
        )
