"""Elevation maps in pictures: grey levels with their scale, and GeoTIFF with heights as they are."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, PngImagePlugin, TiffImagePlugin, UnidentifiedImageError

from plantar._checks import require
from plantar._files import replacing
from plantar._memory import check_memory
from plantar.errors import InvalidInput
from plantar.ground.terrain.conventions import from_image
from plantar.ground.terrain.elevation_map import ElevationMap

LEVELS = 65534
"""Height levels of a 16-bit picture; 0 is reserved for unknown cells."""
PIXEL_SCALE, TIE_POINT, GEO_KEYS, NO_DATA, DESCRIPTION = 33550, 33922, 34735, 42113, 270
"""Numbers of TIFF fields (GeoTIFF 1.1, and GDAL's for cells without data)."""
MODEL_TYPE, RASTER_TYPE = 1024, 1025
"""GeoTIFF's keys: 1 projected, 2 in degrees; 1 points are corners of cells, 2 their middles."""


def save_picture(elevation: ElevationMap, path: Path) -> None:
    """Write 16-bit grey levels and their scale; forward is up in the picture."""
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


def save_geotiff(elevation: ElevationMap, path: Path) -> None:
    """Write heights as 32-bit floats in metres; x is east and y north, as in every GeoTIFF."""
    note = TiffImagePlugin.ImageFileDirectory_v2()
    fields: dict[int, tuple[int, Any]] = {
        PIXEL_SCALE: (12, (elevation.cell, elevation.cell, 1.0)),
        TIE_POINT: (12, (0.0, 0.0, 0.0, elevation.origin[0], float(elevation.y[-1]), 0.0)),
        # version 1.1, two keys: a projected grid of metres, whose points are the middles of cells
        GEO_KEYS: (3, (1, 1, 0, 2, MODEL_TYPE, 0, 1, 1, RASTER_TYPE, 0, 1, 2)),
        NO_DATA: (2, "nan"),
        DESCRIPTION: (2, elevation.frame),
    }
    for number, (kind, value) in fields.items():
        note.tagtype[number] = kind
        note[number] = value
    with replacing(path) as scratch:
        image = Image.fromarray(elevation.heights[::-1].astype(np.float32))
        image.save(scratch, format="TIFF", tiffinfo=note, compression="tiff_adobe_deflate")


def load_picture(path: Path, low: float | None, high: float | None) -> dict[str, Any]:
    """Heights and georeference of a picture; see `plantar.ground.terrain.map_files.load`."""
    try:
        with Image.open(path) as image:
            check_memory((image.height, image.width))
            told = {str(k).removeprefix("plantar_"): v for k, v in image.info.items() if str(k).startswith("plantar_")}
            fields = dict(getattr(image, "tag_v2", {}))
            colours = len(image.getbands()) > 1
            grey = np.asarray(image if image.mode.startswith(("I", "F", "L")) else image.convert("L"))
    except UnidentifiedImageError as error:
        advice = "give a PNG, or a TIFF of one layer with 32-bit floats, as gdal_translate -ot Float32 writes it"
        raise InvalidInput(f"picture {path.name!r} cannot be read: {advice}") from error
    if {"low", "high", "cell", "x", "y"} <= set(told):
        return _from_levels(grey, told)
    if PIXEL_SCALE in fields and low is None:
        require(not colours, "GeoTIFF", "a picture in colours", "one layer of heights, or low and high for its greys")
        return _from_geotiff(grey, fields)
    if np.issubdtype(grey.dtype, np.floating):
        return {"heights": _known(grey, fields)[::-1, ::-1].T, "cell": None}
    if low is None or high is None:
        raise InvalidInput(f"picture {path.name!r} does not give its heights: give low and high in metres")
    if grey.dtype not in (np.uint8, np.uint16):
        ends = int(grey.min()), int(grey.max())
        require(ends[0] >= 0 and ends[1] <= 65535, "levels", ends, "a picture of 8 or 16 bits, or one of floats")
        grey = grey.astype(np.uint16)
    return {"heights": from_image(grey, cell=1.0, low=low, high=high).heights, "cell": None}


def _from_levels(grey: np.ndarray, told: dict[str, Any]) -> dict[str, Any]:
    """What `save_picture` wrote."""
    share = (grey.astype(float) - 1) / LEVELS
    heights = float(told["low"]) + (float(told["high"]) - float(told["low"])) * share
    heights = np.where(grey == 0, np.nan, heights)[::-1, ::-1].T
    origin = (float(told["x"]), float(told["y"]))
    return {"heights": heights, "cell": float(told["cell"]), "origin": origin, "frame": told.get("frame", "world")}


def _from_geotiff(raster: np.ndarray, fields: dict[int, Any]) -> dict[str, Any]:
    """Heights as they are, columns to the east along x, rows to the south."""
    keys = np.reshape(fields.get(GEO_KEYS, ()), (-1, 4))
    told = {int(key): int(value) for key, place, _, value in keys[1:] if place == 0}
    degrees = told.get(MODEL_TYPE) == 2
    require(not degrees, "GeoTIFF", "cells in degrees", "one that is projected to metres, as gdalwarp -t_srs does")
    across, along = map(float, fields[PIXEL_SCALE][:2])
    square = math.isclose(across, along, rel_tol=1e-6)
    require(square, "cell", (across, along), "square cells; resample the GeoTIFF first")
    i, j, _, x, y, _ = map(float, fields.get(TIE_POINT, (0, 0, 0, 0, 0, 0))[:6])
    middle = 0.0 if told.get(RASTER_TYPE) == 2 else 0.5
    rows = raster.shape[0]
    origin = (x + (middle - i) * across, y - (rows - 1 + middle - j) * across)
    frame = str(fields.get(DESCRIPTION, "")) or "world"
    return {"heights": _known(raster, fields)[::-1], "cell": across, "origin": origin, "frame": frame}


def _known(raster: np.ndarray, fields: dict[int, Any]) -> np.ndarray:
    """Heights with NaN where the file says that there is no data."""
    heights = raster.astype(float)
    text = str(fields.get(NO_DATA, "")).strip("\0 ")
    try:
        nothing = float(text)
    except ValueError:
        return heights
    return np.where(np.isclose(heights, nothing, rtol=1e-6, atol=0.0), np.nan, heights)
