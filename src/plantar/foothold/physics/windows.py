"""Windows of heights around the cells of a map, as the learned score sees them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from plantar.ground.terrain.elevation_map import ElevationMap

SCALES = (0.015, 0.06)
"""Heights are seen twice, each pressed between -1 and 1 by the hyperbolic tangent of heights over these [m]."""


def sole_cells(half: Any, cell: float) -> tuple[int, int]:
    """Rows and columns of cells under a sole of half length and half width `half` [m], odd."""
    along, across = half
    return 2 * int(across / cell) + 1, 2 * int(along / cell) + 1


Cut = Callable[[int, int], np.ndarray]
"""What is cut out around the cells of rows `first` to `last` of a map (cells, ...)."""


def windows_of(elevation: ElevationMap, size: tuple[int, int], yaw: float = 0.0) -> Cut:
    """Heights around the cells of a map (cells, rows, columns) in axes turned by `yaw` [rad], single precision.

    Unknown ground is taken to be as its nearest known cell, and the map to be extended by its last cells.
    """
    whole = elevation.filled("nearest") if np.isnan(elevation.heights).any() else elevation
    # single precision is for relief, not for the height of the land
    heights = (whole.heights - np.nanmean(whole.heights)).astype(np.float32)
    return _cutter(heights, size, yaw, {"mode": "edge"})


def known_under(elevation: ElevationMap, sole: tuple[int, int], yaw: float = 0.0) -> Cut:
    """Which cells of a map have all ground under the sole known and on the map (cells,)."""
    unknown = np.isnan(elevation.heights).astype(np.float32)
    if not yaw and not unknown.any():  # on whole maps only the rim is in question
        (rows, columns), j, i = elevation.shape, sole[0] // 2, sole[1] // 2
        good = np.zeros((rows, columns), bool)
        good[j : rows - j, i : columns - i] = True
        return lambda first, last: good[first:last].ravel()
    cut = _cutter(unknown, sole, yaw, {"mode": "constant", "constant_values": 1.0})
    return lambda first, last: cut(first, last).max(axis=(1, 2)) == 0


def _cutter(heights: np.ndarray, size: tuple[int, int], yaw: float, beyond: dict[str, Any]) -> Cut:
    """What cuts windows of an array; `beyond` says how it is extended, as in `np.pad`."""
    rows, columns = size
    if yaw:
        pad = math.ceil(math.hypot(rows, columns) / 2) + 1
        return _turned(np.pad(heights, pad, **beyond), pad, size, yaw)
    wide = np.pad(heights, ((rows // 2,) * 2, (columns // 2,) * 2), **beyond)
    view = np.lib.stride_tricks.sliding_window_view(wide, size)
    return lambda first, last: view[first:last].reshape(-1, rows, columns)


def _turned(wide: np.ndarray, pad: int, size: tuple[int, int], yaw: float) -> Cut:
    """The same in turned axes, bilinear: around every cell the same four neighbours have the same shares."""
    rows, columns = size
    b, a = (v.ravel() for v in np.mgrid[:rows, :columns] - np.array([rows // 2, columns // 2])[:, None, None])
    # rounding keeps quarter turns on the cells themselves
    x = np.round(math.cos(yaw) * a - math.sin(yaw) * b, 9)
    y = np.round(math.sin(yaw) * a + math.cos(yaw) * b, 9)
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    x, y = (x - i).astype(np.float32), (y - j).astype(np.float32)
    length, flat = wide.shape[1], wide.ravel()
    # a pair of neighbours at a time: shares along x, then along y
    step = np.diff(flat, append=flat[-1:])
    offsets = j * length + i

    def cut(first: int, last: int) -> np.ndarray:
        row, column = np.mgrid[pad + first : pad + last, pad : length - pad]
        at = (row * length + column).reshape(-1, 1) + offsets
        low = flat[at] + x * step[at]
        at += length
        return (low + y * (flat[at] + x * step[at] - low)).reshape(-1, rows, columns)

    return cut


def prepared(windows: np.ndarray, sole: tuple[int, int]) -> np.ndarray:
    """What the first layer sees (n, 2 * rows * columns): heights from the highest of the middle `sole` cells."""
    (rows, columns), (wide, long) = windows.shape[1:], sole
    j, i = (rows - wide) // 2, (columns - long) // 2
    top = windows[:, j : j + wide, i : i + long].max(axis=(1, 2))
    below = (windows - top[:, None, None]).reshape(len(windows), rows * columns)
    seen = np.empty((len(windows), len(SCALES), rows * columns), np.float32)
    for number, scale in enumerate(SCALES):
        np.multiply(below, np.float32(1 / scale), out=seen[:, number], casting="same_kind")
    np.tanh(seen, out=seen)
    return seen.reshape(len(windows), -1)
