"""The learned score: a small network on the heights around a foothold, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._files import replacing, to_json
from plantar._read import parse_json, read_arrays, reading
from plantar.errors import InvalidInput
from plantar.foothold.physics.data import PhysicsData
from plantar.foothold.physics.windows import known_under, prepared, sole_cells, windows_of
from plantar.foothold.sole import LearnedSole
from plantar.ground.terrain.elevation_map import ElevationMap

OUTPUTS = ("hold", "slip", "settle", "tilt", "area", "spread")
"""Outputs of the network, in order."""
HOLD_COST, SLIP_COST = 0.5, 15.0
"""Cost of all holding force, and of a metre of slip: a centimetre costs as much as 30 % of the force on good ground.

Costs are capped at 1 where maps are scored; about one foothold in twenty of the data is beyond.
"""
BLOCK = 512
"""Windows that go through the network at once: what they need stays in a core's cache and is not given back."""


@dataclass(frozen=True, eq=False)
class HoldModel(LearnedSole):
    """Labels of a foothold from the ground around it, for one foot.

    It sees a window of cells around the foothold, heights from the highest under the sole, on which a foot comes to
    rest. A window whose right side is the higher one is mirrored first, since a foot is the same from both: mirrored
    ground has mirrored labels, to the last digit. Where there are several networks, their mean is the answer.
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
        return back(self.raw(windows) * self.scale + self.mean)

    def raw(self, windows: np.ndarray) -> np.ndarray:
        """Output for windows (n, rows, columns) of heights [m]: transformed labels less their means over `scale`."""
        rows, columns = self.window
        require(windows.shape[1:] == self.window, "windows", windows.shape, f"(n, {rows}, {columns}) heights")
        found = np.empty((len(windows), len(self.mean)), np.float32)
        for start in range(0, len(windows), BLOCK):
            part = slice(start, start + BLOCK)
            found[part] = self._forward(windows[part])
        return found

    def _forward(self, windows: np.ndarray) -> np.ndarray:
        values = prepared(mirrored(windows), sole_cells(self.card["half"], self.cell))
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            values = values @ weight
            values += bias
            if i < len(self.weights) - 1:
                _silu(values)
        return values.mean(axis=0)

    def footholds(self, data: PhysicsData) -> dict[str, np.ndarray]:
        """Labels of the footholds of a data set (n,)."""
        self._check_cell(data.cell)
        return self.windows(data.windows(*self.window))

    def map(self, elevation: ElevationMap, yaw: float = 0.0) -> dict[str, np.ndarray]:
        """Labels of every cell of a map (rows, columns) for a foot turned by `yaw` [rad].

        NaN where a cell under the sole is unknown or off the map. Further out unknown ground is taken to be as its
        nearest known cell, and the map to be extended by its last cells.
        """
        self._check_cell(elevation.cell)
        known = known_under(elevation, sole_cells(self.card["half"], self.cell), yaw)
        views = windows_of(elevation, self.window, yaw)
        rows, columns = elevation.shape
        found = {name: np.full(rows * columns, np.nan) for name in OUTPUTS}
        for first in range(0, rows, max(1, BLOCK // columns)):
            last = min(first + max(1, BLOCK // columns), rows)
            good = known(first, last)
            if good.any():
                at = np.flatnonzero(good) + first * columns
                for name, values in self.windows(views(first, last)[good]).items():
                    found[name][at] = values
        return {name: values.reshape(rows, columns) for name, values in found.items()}

    def cost(self, labels: dict[str, np.ndarray]) -> np.ndarray:
        """One score from the labels of `footholds` or `map`: a weighted sum of lost hold and slip.

        0 means holding in the worst direction like good level ground, without slip.
        """
        return HOLD_COST * np.maximum(1 - labels["hold"] / self.best, 0.0) + SLIP_COST * labels["slip"]

    def to_dict(self) -> dict[str, Any]:
        """What it is, without its numbers, for config.json."""
        return self._facts()

    def terrain_cost(self, elevation: ElevationMap, yaw: float) -> np.ndarray:
        """Cost of every cell (rows, columns); NaN where it is unknown."""
        return self.cost(self.map(elevation, yaw))

    @property
    def height(self) -> float:
        """Leg's end above the ground [m]."""
        return float(self.card["height"])

    @property
    def best(self) -> float:
        """What good footholds hold: the 95th percentile of the training data."""
        return float(self.card["best"])

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
        InvalidInput: If the file does not exist or is not a model.
    """
    with reading(path, "model of footholds", "give an .npz of HoldModel.save"), read_arrays(path) as file:
        card = parse_json(str(file["card"]))
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


def shipped(foot: str = "softfoot_q") -> HoldModel:
    """The learned score of a foot, fitted to physics on the kinds of `FITTING`.

    Raises:
        InvalidInput: If there is none for that foot.
    """
    folder = resources.files("plantar.foothold.physics") / "weights"
    file = folder / f"hold_{foot}.npz"
    if not file.is_file():
        known = ", ".join(sorted(item.name[5:-4] for item in folder.iterdir() if item.name.startswith("hold_")))
        raise InvalidInput(
            f"no learned score of {foot!r} comes with Plantar, only of {known}: "
            "press it with `plantar foothold press` and learn one with `plantar foothold calibrate`"
        )
    with resources.as_file(file) as path:
        return load_model(path)


def mirrored(windows: np.ndarray) -> np.ndarray:
    """Windows (n, rows, columns) with their right side, the first rows, the lower one."""
    half = windows.shape[1] // 2
    # the same differences on both sides of a mirror, so that their sums are exact opposites
    lean = (windows[:, :half] - windows[:, : -half - 1 : -1]).sum(axis=(1, 2)) if half else np.zeros(len(windows))
    return np.where((lean > 0)[:, None, None], windows[:, ::-1], windows)


def _silu(values: np.ndarray) -> None:
    """Multiply values by the logistic function of themselves, in place."""
    with np.errstate(over="ignore"):
        below = np.exp(-values)
    below += 1
    values /= below


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
