"""Labels from pressed footholds as other heads of our network, at the cells that were pressed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.foothold.dataset import RIGHT, DatasetConfig, Samples, _labelled
from plantar.foothold.physics.data import PhysicsData, load_physics
from plantar.foothold.physics.model import HoldModel, load_model, shipped
from plantar.ground.terrain.elevation_map import ElevationMap

HEADS = ("hold", "slip", "tilt", "area")
"""Largest push held over the load; slip [m], tilt [rad] and area [m^2], in that order."""
SMALL_SLIP = 0.002
"""Slips are learned as the logarithm of slip plus this [m]."""


def transformed(labels: np.ndarray) -> np.ndarray:
    """Labels on the scale on which they are learned (..., 4)."""
    out = np.array(labels, float)
    out[..., 1] = np.log(np.maximum(out[..., 1], 0) + SMALL_SLIP)
    return out


def load_teacher(path: str | Path, foot: str = "softfoot_q") -> HoldModel | PhysicsData:
    """Where heads are learned from: pressed footholds, or a learned score (`hold.npz`; `physics` is the shipped one).

    Raises:
        InvalidInput: If the file is neither.
    """
    if str(path) == "physics":
        return shipped(foot)
    try:
        return load_model(path)
    except InvalidInput:
        return load_physics(path)


def taught(teacher: HoldModel, samples: Samples, cell: float) -> np.ndarray:
    """Heads (n, 4, cells, cells) by a learned score, of the true ground of every cell; NaN where it says nothing."""
    found = np.empty((len(samples), len(HEADS), *samples.ground.shape[1:]), np.float32)
    for number, ground in enumerate(samples.ground):
        labels = teacher.map(ElevationMap(heights=ground, cell=cell))
        found[number] = np.moveaxis(transformed(np.stack([labels[head] for head in HEADS], axis=-1)), -1, 0)
    return found


def untransformed(labels: np.ndarray, head: str) -> np.ndarray:
    """Values of a head in SI units again."""
    return np.maximum(np.exp(labels) - SMALL_SLIP, 0.0) if head == "slip" else labels


def scaled(others: np.ndarray) -> tuple[np.ndarray, dict[str, list[float]]]:
    """Heads (n, 4, ...) less their means over their standard deviations, and both by the head's name."""
    mean, scale = np.nanmean(others, axis=(0, 2, 3)), np.nanstd(others, axis=(0, 2, 3)) + 1e-9
    facts = {name: [float(m), float(s)] for name, m, s in zip(HEADS, mean, scale, strict=True)}
    return ((others - mean[:, None, None]) / scale[:, None, None]).astype(np.float32), facts


def pressed_samples(data: PhysicsData, config: DatasetConfig, seed: int = 0) -> tuple[Samples, np.ndarray]:
    """Pressed maps as labelled maps below a hip, and their heads (maps, 4, cells, cells); NaN where not pressed."""
    rng = np.random.default_rng([seed, 7])
    tiles, tile = np.unique(data.tile, return_inverse=True)
    rows = [_below_hip(config, data.maps[t], n, rng) for n, t in enumerate(tiles)]
    kinds = {"reason": np.uint8, "leg": np.uint8}
    arrays = {name: np.array([row[name] for row in rows], kinds.get(name, np.float32)) for name in rows[0]}
    count, margin = len(rows), int(data.card["margin"])
    numbers, yaw = np.arange(count, dtype=np.int32), np.zeros(count, np.float32)
    samples = Samples(**arrays, kind=data.kind[tiles].astype(np.uint8), terrain=numbers, yaw=yaw)
    others = np.full((count, len(HEADS), config.cells, config.cells), np.nan, np.float32)
    labels = transformed(np.stack([getattr(data.labels, head) for head in HEADS], axis=1))
    others[tile, :, data.row - margin, data.column - margin] = labels
    return samples, others


def _below_hip(config: DatasetConfig, tile: np.ndarray, number: int, rng: np.random.Generator) -> dict[str, Any]:
    cut = (tile.shape[0] - config.cells) // 2 - config.rim
    require(cut >= 0, "margin", tile.shape, f"tiles with a margin of {config.rim} cells or more around the map")
    inner = tile[cut : tile.shape[0] - cut, cut : tile.shape[1] - cut]
    middle = inner.shape[0] // 2
    below = inner[middle - 2 : middle + 2, middle - 2 : middle + 2].mean()
    start = -(inner.shape[0] - 1) / 2 * config.cell
    heights = inner - below - rng.uniform(*config.hip_range)
    wide = ElevationMap(heights=heights, cell=config.cell, origin=(start, start), frame="hip")
    leg = number % 2
    return {**_labelled(config, wide, RIGHT[leg], 0.0, rng), "leg": leg}
