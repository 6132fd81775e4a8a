"""Elevation maps in other conventions: `grid_map`, pictures, MuJoCo's height fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._read import reason
from plantar.errors import InvalidInput
from plantar.ground.terrain.elevation_map import ElevationMap


@checks_arguments
def from_grid_map(
    layer: Any,
    resolution: float,
    position: tuple[float, float] = (0.0, 0.0),
    *,
    start_index: tuple[int, int] = (0, 0),
    frame: str = "world",
) -> ElevationMap:
    """A map from a layer of ROS's `grid_map`.

    There row i grows towards -x, column j towards -y, `position` is the middle of the map, and the first
    cell in memory is `start_index` of a ring buffer.

    Args:
        layer: Matrix of heights [m] (along x, along y).
        resolution: Side of a cell [m].
        position: Middle of the map [m].
        start_index: Row and column of the first cell in the ring buffer.
        frame: Name of the frame.
    """
    matrix = np.asarray(layer, dtype=float)
    require(matrix.ndim == 2, "layer", matrix.shape, "a matrix")
    matrix = np.roll(matrix, (-start_index[0], -start_index[1]), axis=(0, 1))
    nx, ny = matrix.shape
    origin = (position[0] - (nx - 1) / 2 * resolution, position[1] - (ny - 1) / 2 * resolution)
    return ElevationMap(heights=matrix[::-1, ::-1].T, cell=resolution, origin=origin, frame=frame)


@checks_arguments
def to_grid_map(elevation: ElevationMap) -> tuple[np.ndarray, float, tuple[float, float]]:
    """The matrix, resolution and middle that `grid_map` would hold."""
    return elevation.heights.T[::-1, ::-1].copy(), elevation.cell, elevation.centre


@checks_arguments
def from_grid_map_message(message: Mapping[str, Any], layer: str = "elevation") -> ElevationMap:
    """A map from a `grid_map_msgs/GridMap` as plain data (its fields as nested dicts and lists).

    Raises:
        InvalidInput: If it is not such a message, has no such layer, or the map's axes are turned in its frame.
    """
    try:
        return _from_message(message, layer)
    except InvalidInput:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"message is not a grid_map_msgs/GridMap as plain data ({reason(error)})") from error


def _from_message(message: Mapping[str, Any], layer: str) -> ElevationMap:
    info, names = message["info"], list(message["layers"])
    require(layer in names, "layer", layer, f"one of {', '.join(names)}")
    pose = info["pose"]
    turn = pose.get("orientation", {"x": 0.0, "y": 0.0, "z": 0.0})
    turned = max(abs(float(turn.get(axis, 0.0))) for axis in "xyz") > 1e-6
    require(not turned, "orientation", dict(turn), "a map whose axes are its frame's, or resample it first")
    array = message["data"][names.index(layer)]
    dims = [int(d["size"]) for d in array["layout"]["dim"]]
    labels = [d.get("label", "") for d in array["layout"]["dim"]]
    flat = np.asarray(array["data"], dtype=float)
    # Eigen's matrices are stored by columns, which the labels say.
    matrix = flat.reshape(dims).T if labels[:1] == ["column_index"] else flat.reshape(dims)
    start = int(message.get("outer_start_index", 0)), int(message.get("inner_start_index", 0))
    at = pose["position"]
    frame = info.get("header", message.get("header", {})).get("frame_id", "world")
    return from_grid_map(
        matrix, float(info["resolution"]), (float(at["x"]), float(at["y"])), start_index=start, frame=frame
    )


@checks_arguments
def to_grid_map_message(elevation: ElevationMap, layer: str = "elevation") -> dict[str, Any]:
    """A `grid_map_msgs/GridMap` as plain data, with one layer; unknown cells are None, JSON's NaN."""
    matrix, resolution, (x, y) = to_grid_map(elevation)
    rows, columns = matrix.shape
    dims = [
        {"label": "column_index", "size": columns, "stride": rows * columns},
        {"label": "row_index", "size": rows, "stride": rows},
    ]
    turn = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
    info = {
        "resolution": resolution,
        "length_x": rows * resolution,
        "length_y": columns * resolution,
        "pose": {"position": {"x": x, "y": y, "z": 0.0}, "orientation": turn},
    }
    flat = matrix.T.ravel()
    data = np.where(np.isnan(flat), None, flat).tolist()  # type: ignore[call-overload]
    return {
        "header": {"frame_id": elevation.frame},
        "info": info,
        "layers": [layer],
        "basic_layers": [layer],
        "data": [{"layout": {"dim": dims, "data_offset": 0}, "data": data}],
        "outer_start_index": 0,
        "inner_start_index": 0,
    }


def from_image(
    pixels: Any,
    *,
    cell: float,
    low: float,
    high: float,
    origin: tuple[float, float] | None = None,
    unknown: float | None = None,
) -> ElevationMap:
    """A map from grey levels: up in the picture is forward (+x), left is left (+y).

    Args:
        pixels: Grey levels (rows, columns), 0 to 255 for 8-bit, 0 to 65535 for 16-bit, or 0 to 1.
        cell: Side of a pixel [m].
        low: Height of black [m].
        high: Height of white [m].
        origin: x and y of cell [0, 0], the lower right pixel [m]; None puts the middle of the map at 0, 0.
        unknown: Level of pixels that were not seen.
    """
    grey = np.asarray(pixels)
    require(grey.ndim == 2, "pixels", grey.shape, "a grey picture of rows and columns")
    require(high > low, "high", high, f"a height above low = {low:g} m")
    wide = grey.dtype in (np.uint8, np.uint16)
    levels = (float(np.nanmin(grey)), float(np.nanmax(grey)))
    good = wide or (levels[0] >= 0 and levels[1] <= 1)
    require(good, "pixels", f"{grey.dtype} from {levels[0]:g} to {levels[1]:g}", "8 or 16 bits without sign, or 0 to 1")
    white = {np.dtype(np.uint8): 255.0, np.dtype(np.uint16): 65535.0}.get(grey.dtype, 1.0)
    heights = low + (high - low) * grey / white
    if unknown is not None:
        heights = np.where(grey == unknown, np.nan, heights)
    heights = heights[::-1, ::-1].T
    return ElevationMap(heights=heights, cell=cell, origin=origin or centred(heights.shape, cell))


@checks_arguments
def from_hfield(model: mujoco.MjModel, geom: str) -> ElevationMap:
    """A map of a height field of MuJoCo, in the world; its geom must not be turned.

    Raises:
        InvalidInput: If the geom is not a height field, is rotated, or has cells that are not square.
    """
    names = [model.geom(g).name for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_HFIELD]
    require(geom in names, "geom", geom, f"a height field of this model: {', '.join(names) or 'it has none'}")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    number = model.geom(geom).id
    straight = np.allclose(data.geom_xmat[number], np.eye(3).ravel(), atol=1e-9)
    require(straight, "geom", geom, "a height field whose axes are the world's, or resample it first")
    field = int(model.geom_dataid[number])
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    start = int(model.hfield_adr[field])
    share = model.hfield_data[start : start + rows * columns].reshape(rows, columns)
    rx, ry, rise, _ = model.hfield_size[field]
    cell = 2 * rx / (columns - 1)
    square = math.isclose(cell, 2 * ry / (rows - 1), rel_tol=1e-6)
    require(square, "cell", (cell, 2 * ry / (rows - 1)), "a height field with square cells")
    x, y, z = data.geom_xpos[number]
    return ElevationMap(heights=z + rise * share.astype(float), cell=cell, origin=(x - rx, y - ry))


def centred(shape: Sequence[int], cell: float) -> tuple[float, float]:
    """Origin of a map whose middle is at 0, 0 [m]."""
    return -(shape[1] - 1) / 2 * cell, -(shape[0] - 1) / 2 * cell
