"""Elevation maps in files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._files import replacing
from plantar.errors import InvalidInput
from plantar.foothold._memory import check_memory
from plantar.foothold.conventions import centred, from_image
from plantar.foothold.elevation_map import ElevationMap

LEVELS = 65534
"""Heights that a 16-bit picture tells apart; 0 is kept for unknown cells."""


def save(elevation: ElevationMap, path: str | Path) -> Path:
    """Write a map as .npz, or as a 16-bit .png with its scale in the file."""
    path = Path(path)
    kind = path.suffix.lower()
    require(kind in (".npz", ".png"), "file", path.name, "a name that ends in .npz or .png")
    try:
        if kind == ".png":
            return _save_image(elevation, path)
        with replacing(path) as scratch, scratch.open("wb") as file:
            np.savez_compressed(
                file,
                heights=elevation.heights,
                cell=elevation.cell,
                origin=np.array(elevation.origin),
                frame=np.array(elevation.frame),
            )
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
) -> ElevationMap:
    """Read a map from a file.

    Args:
        path: .npz with `heights`, `cell`, `origin` and perhaps `frame`, as `save` and `ElevationGrid.save` write
            it; .npy with heights alone; or a grey picture.
        cell: Side of a cell [m]; needed where the file does not tell.
        origin: x and y of cell [0, 0] [m]; else the file's, or such that the middle of the map is at 0, 0.
        low: Height of black in a picture that does not tell [m].
        high: Height of white in a picture that does not tell [m].

    Raises:
        InvalidInput: If the file cannot be read, is no map, or does not fit into memory.
    """
    path = Path(path)
    kind = path.suffix.lower()
    readers = {".npz": _load_npz, ".npy": _load_npy, ".png": _load_image, ".tif": _load_image, ".tiff": _load_image}
    require(kind in readers, "map file", path.name, f"a file that ends in {', '.join(readers)}")
    if not path.is_file():
        raise InvalidInput(f"map file {str(path)!r} is not there: give the path of a map")
    try:
        facts = readers[kind](path, low, high)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, InvalidInput):
            raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise InvalidInput(f"map file {str(path)!r} cannot be read ({why}): give heights, cell and origin") from error
    if cell is not None:
        facts["cell"] = cell
    if facts.get("cell") is None:
        raise InvalidInput(f"map file {str(path)!r} does not tell its cell size: give cell in metres")
    facts["origin"] = origin or facts.get("origin") or centred(np.shape(facts["heights"]), facts["cell"])
    return ElevationMap(**facts)


def _load_npz(path: Path, low: float | None, high: float | None) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        if "heights.npy" not in archive.namelist():
            known = ", ".join(name.removesuffix(".npy") for name in archive.namelist())
            raise InvalidInput(f"map file {str(path)!r} has no heights (it has {known}): give an .npz with heights")
        with archive.open("heights.npy") as member:
            _check_header(member)
    with np.load(path, allow_pickle=False) as file:
        facts: dict[str, Any] = {"heights": file["heights"]}
        facts["cell"] = float(file["cell"]) if "cell" in file else None
        if "origin" in file:
            x, y = np.asarray(file["origin"], float).ravel()
            facts["origin"] = (float(x), float(y))
        if "frame" in file:
            facts["frame"] = str(file["frame"])
        for axis in ("x", "y"):
            if axis in file:
                _check_axis(axis, file[axis])
    return facts


def _check_axis(axis: str, values: np.ndarray) -> None:
    """Refuse coordinates that do not grow evenly: the map would lie wrongly."""
    steps = np.diff(np.asarray(values, float))
    even = len(steps) > 0 and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-3)
    require(bool(even), axis, "uneven or falling coordinates", f"{axis} that grows evenly; turn or resample the map")


def _load_npy(path: Path, low: float | None, high: float | None) -> dict[str, Any]:
    with path.open("rb") as file:
        _check_header(file)
    return {"heights": np.load(path, allow_pickle=False), "cell": None}


def _check_header(file: Any) -> None:
    """Ask for the size of an array before it is read."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
    check_memory(read(file)[0])


def _save_image(elevation: ElevationMap, path: Path) -> Path:
    from PIL import Image, PngImagePlugin  # noqa: PLC0415  (comes with Matplotlib)

    heights = elevation.heights
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    rise = high - low or 1.0
    level = np.where(np.isnan(heights), 0, 1 + np.round((np.nan_to_num(heights) - low) / rise * LEVELS))
    note = PngImagePlugin.PngInfo()
    facts = {"low": low, "high": low + rise, "cell": elevation.cell, "x": elevation.origin[0], "y": elevation.origin[1]}
    for name, value in facts.items():
        note.add_text(f"plantar_{name}", repr(float(value)))
    note.add_text("plantar_frame", elevation.frame)
    with replacing(path) as scratch:
        Image.fromarray(level.astype(np.uint16).T[::-1, ::-1].copy()).save(scratch, pnginfo=note)
    return path


def _load_image(path: Path, low: float | None, high: float | None) -> dict[str, Any]:
    from PIL import Image  # noqa: PLC0415

    with Image.open(path) as image:
        check_memory((image.height, image.width))
        told = {str(k).removeprefix("plantar_"): v for k, v in image.info.items() if str(k).startswith("plantar_")}
        grey = np.asarray(image if image.mode.startswith(("I", "F", "L")) else image.convert("L"))
    if {"low", "high", "cell", "x", "y"} <= set(told):
        share = (grey.astype(float) - 1) / LEVELS
        heights = float(told["low"]) + (float(told["high"]) - float(told["low"])) * share
        heights = np.where(grey == 0, np.nan, heights)[::-1, ::-1].T
        origin = (float(told["x"]), float(told["y"]))
        return {"heights": heights, "cell": float(told["cell"]), "origin": origin, "frame": told.get("frame", "world")}
    if low is None or high is None:
        raise InvalidInput(f"picture {path.name!r} does not tell its heights: give low and high in metres")
    if grey.dtype not in (np.uint8, np.uint16):
        grey = grey.astype(np.uint16)
    found = from_image(grey, cell=1.0, low=low, high=high)
    return {"heights": found.heights, "cell": None}
