"""The learned score: a small network on the heights around a foothold, in NumPy."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._files import replacing, to_json
from plantar.errors import InvalidInput
from plantar.foothold.elevation_map import ElevationMap
from plantar.foothold.physics.data import PhysicsData
from plantar.foothold.sole import LearnedSole

OUTPUTS = ("hold", "slip", "settle", "tilt", "area", "spread")
"""What the network foretells, in order."""
SCALES = (0.015, 0.06)
"""Heights are seen twice, each pressed between -1 and 1 by the hyperbolic tangent of heights over these [m]."""
FLIPS = ((), (1,))
"""Views that are asked: as it is, and with left and right swapped, since a foot is the same from both."""
BATCH = 8192


@dataclass(frozen=True, eq=False)
class HoldModel(LearnedSole):
    """Labels of a foothold from the ground around it, for one foot.

    It sees a window of cells around the foothold, heights from the highest under the sole, on which a foot comes to
    rest. Several networks of dense layers are asked about the window and its mirror images; the mean is the answer.
    """

    weights: tuple[np.ndarray, ...]
    """Matrices of each layer, for all networks (networks, in, out)."""
    biases: tuple[np.ndarray, ...]
    """Vectors of each layer (networks, 1, out)."""
    window: tuple[int, int]
    """Rows (along y) and columns (along x) of the window, odd."""
    cell: float
    """Side of a cell of the maps it was trained on [m]."""
    mean: np.ndarray
    """Means of the transformed labels (6,)."""
    scale: np.ndarray
    """Their standard deviations (6,)."""
    card: dict[str, Any]
    """Foot, training data and figures."""

    def windows(self, windows: np.ndarray) -> dict[str, np.ndarray]:
        """Labels (n,) of windows (n, rows, columns) of heights [m]; NaN where a cell is unknown."""
        rows, columns = self.window
        require(windows.shape[1:] == self.window, "windows", windows.shape, f"(n, {rows}, {columns}) heights")
        total = np.zeros((len(windows), len(self.mean)))
        for axes in FLIPS:
            total += self._forward(np.flip(windows, axes) if axes else windows)
        return back(total / len(FLIPS) * self.scale + self.mean)

    def footholds(self, data: PhysicsData) -> dict[str, np.ndarray]:
        """Labels of the footholds of a data set (n,)."""
        self._check_cell(data.cell)
        parts = []
        for start in range(0, len(data), BATCH):
            chosen = np.zeros(len(data), bool)
            chosen[start : start + BATCH] = True
            parts.append(self.windows(data.rows(chosen).windows(*self.window)))
        return {name: np.concatenate([part[name] for part in parts]) for name in OUTPUTS}

    def map(self, elevation: ElevationMap, yaw: float = 0.0) -> dict[str, np.ndarray]:
        """Labels of every cell of a map (rows, columns) for a foot turned by `yaw` [rad].

        NaN where a cell under the sole is unknown or off the map. Further out unknown ground is taken to be as its
        nearest known cell, and the map to go on as it ends.
        """
        self._check_cell(elevation.cell)
        rows, columns = self.window
        cut = _turned if yaw else _aligned
        view = cut(_continued(elevation, max(rows, columns)), elevation, rows, columns, yaw)
        under = cut(elevation, elevation, *self._sole(), yaw)
        known = np.isfinite(under).all(axis=(1, 2))
        middle = elevation.heights.ravel()
        parts = [slice(i, i + BATCH) for i in range(0, len(view), BATCH)]
        found = [self.windows(view[part] - middle[part, None, None]) for part in parts]
        joined = {name: np.concatenate([part[name] for part in found]) for name in OUTPUTS}
        return {name: np.where(known, values, np.nan).reshape(elevation.shape) for name, values in joined.items()}

    def _sole(self) -> tuple[int, int]:
        return sole_cells(self.card["half"], self.cell)

    def to_dict(self) -> dict[str, Any]:
        """What it is, without its numbers, for config.json."""
        return self._facts()

    def terrain_cost(self, elevation: ElevationMap, yaw: float) -> np.ndarray:
        """Share of the friction on level ground that the worst direction loses: 0 holds all of it, 1 nothing."""
        return np.maximum(1 - self.map(elevation, yaw)["hold"] / self.best, 0.0)

    @property
    def height(self) -> float:
        """Leg's end above the ground [m]."""
        return float(self.card["height"])

    @property
    def best(self) -> float:
        """What good footholds hold: the 95th percentile of the training data."""
        return float(self.card["best"])

    def _forward(self, windows: np.ndarray) -> np.ndarray:
        values = prepared(windows, self._sole())
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            values = values @ weight + bias
            if i < len(self.weights) - 1:
                values = values / (1 + np.exp(-np.clip(values, -60, 60)))
        return values.mean(axis=0)

    def _check_cell(self, cell: float) -> None:
        good = abs(cell - self.cell) < 1e-3 * self.cell
        require(good, "cell", cell, f"a map with cells of {self.cell:g} m, as this model was trained on; resample it")

    def save(self, path: str | Path) -> Path:
        """Write one npz."""
        path = Path(path)
        arrays: dict[str, Any] = {"mean": self.mean, "scale": self.scale, "card": np.array(to_json(self._facts()))}
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays |= {f"weight{i}": weight.astype(np.float16), f"bias{i}": bias.astype(np.float32)}
        with replacing(path) as scratch:
            np.savez_compressed(scratch, **arrays)
        return path

    def _facts(self) -> dict[str, Any]:
        return {**self.card, "window": self.window, "cell": self.cell, "layers": len(self.weights)}


def load_model(path: str | Path) -> HoldModel:
    """Read a model that `HoldModel.save` wrote.

    Raises:
        InvalidInput: If the file is not there or is not one.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            card = json.loads(str(file["card"]))
            layers = range(int(card["layers"]))
            return HoldModel(
                weights=tuple(file[f"weight{i}"].astype(np.float32) for i in layers),
                biases=tuple(file[f"bias{i}"] for i in layers),
                window=(int(card["window"][0]), int(card["window"][1])),
                cell=float(card["cell"]),
                mean=file["mean"],
                scale=file["scale"],
                card=card,
            )
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise InvalidInput(
            f"{str(path)!r} is no model of footholds ({error}): give an .npz of HoldModel.save"
        ) from error


def sole_cells(half: Any, cell: float) -> tuple[int, int]:
    """Rows and columns of cells under a sole of half length and half width `half` [m], odd."""
    along, across = half
    return 2 * int(across / cell) + 1, 2 * int(along / cell) + 1


def _continued(elevation: ElevationMap, cells: int) -> ElevationMap:
    """The map without gaps, and continued by its edge by so many cells."""
    whole = elevation.filled("nearest") if np.isnan(elevation.heights).any() else elevation
    start = (elevation.origin[0] - cells * elevation.cell, elevation.origin[1] - cells * elevation.cell)
    return replace(elevation, heights=np.pad(whole.heights, cells, mode="edge"), origin=start)


def _aligned(ground: ElevationMap, cells: ElevationMap, rows: int, columns: int, yaw: float = 0.0) -> np.ndarray:
    """Windows of a ground around every cell of a map (n, rows, columns) [m]; NaN off the ground."""
    first = [round((cells.origin[i] - ground.origin[i]) / cells.cell) for i in (1, 0)]
    wide = np.pad(ground.heights, ((rows // 2,) * 2, (columns // 2,) * 2), constant_values=np.nan)
    view = np.lib.stride_tricks.sliding_window_view(wide, (rows, columns))
    own = view[first[0] : first[0] + cells.shape[0], first[1] : first[1] + cells.shape[1]]
    return own.reshape(-1, rows, columns)


def _turned(ground: ElevationMap, cells: ElevationMap, rows: int, columns: int, yaw: float) -> np.ndarray:
    """The same in axes turned by `yaw`, bilinear."""
    b, a = np.meshgrid(np.arange(rows) - rows // 2, np.arange(columns) - columns // 2, indexing="ij")
    c, s = np.cos(yaw) * cells.cell, np.sin(yaw) * cells.cell
    x, y = np.meshgrid(cells.x, cells.y)
    return ground.at(x.reshape(-1, 1, 1) + c * a - s * b, y.reshape(-1, 1, 1) + s * a + c * b)


def prepared(windows: np.ndarray, sole: tuple[int, int]) -> np.ndarray:
    """What the first layer sees (n, 2 * rows * columns): heights from the highest of the middle `sole` cells."""
    (rows, columns), (wide, long) = windows.shape[1:], sole
    j, i = (rows - wide) // 2, (columns - long) // 2
    top = windows[:, j : j + wide, i : i + long].max(axis=(1, 2))
    heights = windows - top[:, None, None]
    return np.stack([np.tanh(heights / s) for s in SCALES], axis=1).reshape(len(windows), -1).astype(np.float32)


def transformed(labels: np.ndarray) -> np.ndarray:
    """Labels (n, 6) as the network is trained on them: lengths of slip by their logarithm, areas by their root."""
    hold, slip, settle, tilt, area, spread = labels.T
    logs = [np.log(np.maximum(v, 1e-4)) for v in (slip, settle, tilt)]
    return np.stack([hold, *logs, np.sqrt(np.maximum(area, 0)), spread], axis=1)


def back(values: np.ndarray) -> dict[str, np.ndarray]:
    """The labels themselves."""
    hold, slip, settle, tilt, area, spread = values.T
    found = (hold, np.exp(slip), np.exp(settle), np.exp(tilt), np.maximum(area, 0) ** 2, spread)
    return dict(zip(OUTPUTS, found, strict=True))
