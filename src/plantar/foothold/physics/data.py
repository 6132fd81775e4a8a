"""Data sets of pressed footholds: maps, places and labels, in one npz."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._files import plain, replacing, to_json
from plantar._read import parse_json, read_arrays, reading
from plantar.foothold.physics.labels import LEAST_PRESSES, Labels, label_footholds
from plantar.foothold.physics.mosaic import Mosaic
from plantar.foothold.physics.plan import Footholds

UNIT = 5e-5
"""Heights are stored in whole multiples of this [m]."""
MARGIN = 8
"""Cells around each map that are stored with it, so that soles at its edge have their ground."""
NAMES = Labels.names()
"""Labels, in order."""


@dataclass(frozen=True, eq=False)
class PhysicsData:
    """Pressed footholds. Row n of `labels`, `tile`, `row`, `column` is foothold n; row t of `maps` is map t."""

    maps: np.ndarray
    """Maps with their margins (tiles, cells + 2 margin, the same) [m], float32; rows along y, columns along x."""
    kind: np.ndarray
    """Kind of each map, index into `kinds` (tiles,), uint8."""
    kinds: tuple[str, ...]
    """Names of the kinds."""
    cell: float
    """Side of a cell [m]."""
    tile: np.ndarray
    """Map of each foothold (n,), int32."""
    row: np.ndarray
    """Row of `maps[tile]` in the whole map, margin included (n,), int16."""
    column: np.ndarray
    """The same of the column (n,), int16."""
    presses: dict[str, np.ndarray]
    """Labels of the single presses of each foothold (n, directions), float32; NaN: the simulation failed."""
    direction: np.ndarray
    """Direction of the push of each press from the foot's x (n, directions) [rad], float32."""
    card: dict[str, Any]
    """Where it came from."""

    def __len__(self) -> int:
        return len(self.tile)

    @property
    def labels(self) -> Labels:
        """Labels of the footholds, from all their presses."""
        flat = Labels(*(self.presses[name].ravel() for name in NAMES))
        return label_footholds(flat, self.direction)

    @property
    def directions(self) -> int:
        """Presses of each foothold."""
        return self.direction.shape[1]

    @property
    def foothold_kind(self) -> np.ndarray:
        """Kind of each foothold (n,)."""
        return self.kind[self.tile]

    def halves(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A label from every second press and from the others, to measure repeatability."""
        first, second = (
            replace(self, presses={k: v[:, i::2] for k, v in self.presses.items()}, direction=self.direction[:, i::2])
            for i in (0, 1)
        )
        return getattr(first.labels, name), getattr(second.labels, name)

    def of_kinds(self, names: tuple[str, ...]) -> PhysicsData:
        """The footholds on grounds of some kinds."""
        unknown = [name for name in names if name not in self.kinds]
        require(not unknown, "kinds", unknown, f"some of {', '.join(self.kinds)}")
        wanted = np.isin(self.foothold_kind, [self.kinds.index(name) for name in names])
        return self.rows(wanted)

    def rows(self, chosen: np.ndarray) -> PhysicsData:
        """Some footholds; all maps stay."""
        picked = {name: getattr(self, name)[chosen] for name in ("tile", "row", "column", "direction")}
        return replace(self, **picked, presses={name: v[chosen] for name, v in self.presses.items()})

    def finite(self) -> PhysicsData:
        """The footholds of which at least half of the presses did not fail, and enough to tell the worst direction."""
        sound = np.isfinite(self.presses["hold"]).sum(axis=1)
        return self.rows((sound >= 0.5 * self.directions) & (sound >= LEAST_PRESSES))

    def windows(self, rows: int, columns: int) -> np.ndarray:
        """Heights around each foothold from its own (n, rows, columns) [m]; odd numbers, within the margin."""
        j, i = np.arange(rows) - rows // 2, np.arange(columns) - columns // 2
        top = self.maps[self.tile, self.row, self.column]
        at = (self.tile[:, None, None], self.row[:, None, None] + j[:, None], self.column[:, None, None] + i)
        return self.maps[at] - top[:, None, None]

    @staticmethod
    def of(mosaic: Mosaic, chosen: Footholds, single: Labels, direction: np.ndarray, **card: Any) -> PhysicsData:
        """The footholds of one mosaic, with facts for the card."""
        config = mosaic.config
        wide = min(MARGIN, config.rim)
        shape = (len(chosen), -1)
        return PhysicsData(
            maps=_stored(mosaic.wide_maps(wide)),
            kind=mosaic.kinds.astype(np.uint8),
            kinds=config.kinds,
            cell=config.cell,
            tile=chosen.tile.astype(np.int32),
            row=(chosen.row + wide).astype(np.int16),
            column=(chosen.column + wide).astype(np.int16),
            presses={name: getattr(single, name).reshape(shape) for name in NAMES},
            direction=direction.reshape(shape).astype(np.float32),
            card={"margin": wide, **card},
        )

    @staticmethod
    def joined(parts: list[PhysicsData]) -> PhysicsData:
        """Several data sets of one foot and rig as one; each may have its own kinds."""
        require(len(parts) > 0, "parts", parts, "at least one data set")
        first = parts[0]
        shapes = [(p.cell, p.maps.shape[1:], p.directions) for p in parts]
        require(len(set(shapes)) == 1, "parts", "unlike each other", "data sets with equal cells, maps and directions")
        for part in parts[1:]:
            for name, own, other in zip(("foot", "size", "rig"), _made_by(first), _made_by(part), strict=True):
                same = own is None or other is None or own == other
                require(same, "parts", f"presses by one {name} and by another", f"data sets of one {name}")
        names = tuple(dict.fromkeys(name for p in parts for name in p.kinds))
        kind = [np.array([names.index(name) for name in p.kinds], np.uint8)[p.kind] for p in parts]
        before = np.cumsum([0, *(len(p.maps) for p in parts)])
        tile = np.concatenate([p.tile + n for p, n in zip(parts, before, strict=False)]).astype(np.int32)
        join = {
            name: np.concatenate([getattr(p, name) for p in parts]) for name in ("maps", "row", "column", "direction")
        }
        presses = {name: np.concatenate([p.presses[name] for p in parts]) for name in NAMES}
        return replace(first, **join, kind=np.concatenate(kind), kinds=names, tile=tile, presses=presses)

    def save(self, path: str | Path, **card: Any) -> Path:
        """Write one npz; see docs/foothold_physics.md for its arrays."""
        path = Path(path)
        facts = {**self.card, **card, "kinds": list(self.kinds), "cell": self.cell, "unit": UNIT}
        arrays: dict[str, Any] = {"maps": np.round(self.maps / UNIT).astype(np.int16), "kind": self.kind}
        arrays |= {"tile": self.tile, "row": self.row, "column": self.column}
        arrays |= {"press_direction": self.direction.astype(np.float32)}
        arrays |= {f"press_{name}": self.presses[name].astype(np.float16) for name in NAMES}
        arrays |= {"labels": np.stack([getattr(self.labels, name) for name in NAMES], axis=1).astype(np.float32)}
        arrays |= {"label_names": np.array(NAMES), "card": np.array(to_json(facts))}
        with replacing(path) as scratch:
            np.savez_compressed(scratch, **arrays)
        return path


def load_physics(path: str | Path) -> PhysicsData:
    """Read a data set written by `PhysicsData.save`, or all in a folder.

    Raises:
        InvalidInput: If a file does not exist or is not a data set.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(path.glob("*.npz"))
        require(len(files) > 0, "data", str(path), "a folder with .npz files of `plantar foothold press`")
        return PhysicsData.joined([load_physics(file) for file in files])
    with reading(path, "data set of presses", "give an .npz of `plantar foothold press`"), read_arrays(path) as file:
        card = parse_json(str(file["card"]))
        return PhysicsData(
            maps=file["maps"].astype(np.float32) * np.float32(card["unit"]),
            kind=file["kind"],
            kinds=tuple(card["kinds"]),
            cell=float(card["cell"]),
            tile=file["tile"],
            row=file["row"],
            column=file["column"],
            presses={name: file[f"press_{name}"].astype(np.float32) for name in NAMES},
            direction=file["press_direction"],
            card=card,
        )


def _made_by(data: PhysicsData) -> tuple[Any, Any, Any]:
    """Foot, its size and the rig of a data set; None where its card does not say."""
    card = data.card
    size = np.round([card["height"], *card["half"]], 6).tolist() if {"height", "half"} <= card.keys() else None
    return card.get("foot"), size, plain(card.get("config") or {}).get("rig")


def _stored(heights: np.ndarray) -> np.ndarray:
    """Heights as they are after being written and read."""
    return (np.round(heights / UNIT) * UNIT).astype(np.float32)
