"""Elevation maps in files of many forms."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._extras import require_extra
from plantar._files import replacing, to_json, write_text
from plantar._memory import check_memory
from plantar._read import read_arrays, read_json, read_yaml, reading
from plantar.errors import InvalidInput
from plantar.ground.terrain.conventions import centred, from_grid_map_message, to_grid_map_message
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.map_pictures import load_picture, save_geotiff, save_picture

HEIGHTS = ("heights", "height", "elevation", "elevations", "z", "dem", "map")
"""Names under which heights are searched for in an .npz, the first found; otherwise its only table."""
CELLS = ("cell", "resolution", "cell_size")
"""Names under which the cell size is searched for."""
Facts = dict[str, Any]


def save(elevation: ElevationMap, path: str | Path) -> Path:
    """Write a map.

    Args:
        elevation: The map.
        path: Where to. `.npz`: all of it; `.npy`: heights alone; `.png`: 16 bits per cell, with their scale in the
            file; `.tif`: GeoTIFF of heights in metres, north along y; `.json`: a message of ROS's `grid_map`.
    """
    path = Path(path)
    writers: dict[str, Callable[[ElevationMap, Path], object]] = {
        ".npz": _save_npz,
        ".npy": _save_npy,
        ".png": save_picture,
        ".tif": save_geotiff,
        ".tiff": save_geotiff,
        ".json": lambda found, to: write_text(to, to_json(to_grid_map_message(found)) + "\n"),
    }
    require(path.suffix.lower() in writers, "file", path.name, f"a name that ends in {', '.join(writers)}")
    try:
        writers[path.suffix.lower()](elevation, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}): give a file in a writable folder") from error
    return path


def load(
    path: str | Path,
    *,
    cell: float | None = None,
    origin: tuple[float, float] | None = None,
    low: float | None = None,
    high: float | None = None,
    key: str | None = None,
) -> ElevationMap:
    """Read a map from a file.

    Args:
        path: `.npz` with a table of heights and optionally `cell`, `origin`, `frame`, `x` and `y`; `.npy` with heights
            alone; a GeoTIFF or another picture of floats, whose heights are taken as they are; a grey picture; or a
            message of ROS's `grid_map` as `.json` or `.yaml`.
        cell: Side of a cell [m]; needed if the file does not give it.
        origin: x and y of cell [0, 0] [m]; else the file's, or such that the middle of the map is at 0, 0.
        low: Height of black in a grey picture that does not give it [m].
        high: Height of white in a grey picture that does not give it [m].
        key: Which table of an `.npz` or layer of a message is meant; found by its name if left out.

    Raises:
        InvalidInput: If the file cannot be read, is not a map, or does not fit into memory.
    """
    path = Path(path)
    readers: dict[str, Callable[[], Facts]] = {
        ".npz": lambda: _load_npz(path, key),
        ".npy": lambda: _load_npy(path),
        **dict.fromkeys((".png", ".tif", ".tiff"), lambda: load_picture(path, low, high)),
        **dict.fromkeys((".json", ".yaml", ".yml"), lambda: _load_message(path, key)),
    }
    kind = path.suffix.lower()
    require(kind in readers, "map file", path.name, f"a file that ends in {', '.join(readers)}")
    if not path.is_file():
        raise InvalidInput(f"map file {str(path)!r} does not exist: give the path of a map")
    with reading(path, "map file", "give heights, cell and origin"):
        facts = readers[kind]()
    if cell is not None:
        facts["cell"] = cell
    if facts.get("cell") is None:
        raise InvalidInput(f"map file {str(path)!r} does not give its cell size: give cell in metres")
    facts["origin"] = origin or facts.get("origin") or centred(np.shape(facts["heights"]), facts["cell"])
    return ElevationMap(**facts)


def _save_npz(elevation: ElevationMap, path: Path) -> None:
    facts = {"cell": elevation.cell, "origin": np.array(elevation.origin), "frame": np.array(elevation.frame)}
    with replacing(path) as scratch, scratch.open("wb") as file:
        np.savez_compressed(file, heights=elevation.heights, **facts)


def _save_npy(elevation: ElevationMap, path: Path) -> None:
    with replacing(path) as scratch, scratch.open("wb") as file:
        np.save(file, elevation.heights)


def _load_npz(path: Path, key: str | None) -> Facts:
    key = _find_heights(path, key)
    with read_arrays(path) as file:
        facts: Facts = {"heights": file[key], "cell": None}
        steps = {axis: _step_of(axis, file[axis]) for axis in ("x", "y") if axis in file and axis != key}
        for axis, count, line in (("x", file[key].shape[-1], "columns"), ("y", len(file[key]), "rows")):
            if axis in steps and len(file[axis]) != count:
                raise ValueError(f"{axis} = {len(file[axis])} numbers for {count} {line}; rows run along y")
        facts["cell"] = next(iter(steps.values()), None)
        square = np.allclose(list(steps.values()), facts["cell"] or 0.0, rtol=1e-3)
        require(bool(square), "cell", tuple(steps.values()), "square cells; resample the map first")
        if "x" in file and "y" in file:
            facts["origin"] = (float(file["x"][0]), float(file["y"][0]))
        facts["cell"] = next((float(file[name]) for name in CELLS if name in file), facts["cell"])
        if "origin" in file:
            corner = file["origin"]
            if corner.dtype.kind not in "fiu" or corner.size not in (2, 3):
                raise ValueError("its origin is not x and y")
            facts["origin"] = (float(corner.flat[0]), float(corner.flat[1]))
        if "frame" in file:
            facts["frame"] = str(file["frame"])
    return facts


def _find_heights(path: Path, key: str | None) -> str:
    """Name of the table of heights, whose size is checked before it is read."""
    with zipfile.ZipFile(path) as archive:
        shapes = {}
        for name in archive.namelist():
            with archive.open(name) as member:
                shapes[name.removesuffix(".npy")] = _shape(member)
    tables = [name for name, shape in shapes.items() if len(shape) == 2]
    if key is None:
        known = [name for name in HEIGHTS if name in shapes]
        key = known[0] if known else tables[0] if len(tables) == 1 else None
    if key is None or key not in shapes:
        has = ", ".join(shapes)
        what = "no heights" if not tables else f"no {key}" if key else "several tables"
        raise InvalidInput(f"map file {str(path)!r} has {what} (it has {has}): give the table's name as key")
    check_memory(shapes[key])
    return key


def _step_of(axis: str, values: np.ndarray) -> float:
    """Distance between coordinates; those that are not evenly spaced are refused, as the map would be misplaced."""
    steps = np.diff(np.asarray(values, float))
    even = len(steps) > 0 and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-3)
    require(bool(even), axis, "uneven or falling coordinates", f"evenly increasing {axis}; rotate or resample the map")
    return float(steps.mean())


def _load_npy(path: Path) -> Facts:
    with path.open("rb") as file:
        check_memory(_shape(file))
    return {"heights": np.load(path, allow_pickle=False), "cell": None}


def _shape(file: Any) -> tuple[int, ...]:
    """Shape of a stored array, from its header alone."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
    return read(file)[0]


def _load_message(path: Path, layer: str | None) -> Facts:
    if path.suffix.lower() == ".json":
        message = read_json(path)
    else:
        require_extra("soft")
        message = read_yaml(path, several=True)  # the first: `ros2 topic echo` ends a message with a separator line
    good = isinstance(message, dict) and {"info", "layers", "data"} <= set(message)
    require(good, "map file", path.name, "a message of grid_map, with info, layers and data")
    found = from_grid_map_message(message, layer or ("elevation" if "elevation" in message["layers"] else ""))
    return {"heights": found.heights, "cell": found.cell, "origin": found.origin, "frame": found.frame}
