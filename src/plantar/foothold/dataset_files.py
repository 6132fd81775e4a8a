"""Data sets on disk: one .npz per split, a readable and a machine-readable card, a picture."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import plantar
from plantar._arguments import checks_arguments
from plantar._fields import from_record, to_record
from plantar._files import replacing, to_json, write_text
from plantar._folders import holding, open_output
from plantar._memory import check_memory
from plantar._read import read_arrays, read_json, reading
from plantar.errors import InvalidInput
from plantar.foothold.classes import class_costs, class_edges, class_weights, to_classes
from plantar.foothold.dataset import SPLITS, DatasetConfig, Samples, Split, make_samples
from plantar.foothold.reach import Reason
from plantar.show.plots import save

NAME = "plantar foothold data set"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set as it was written."""

    folder: Path
    config: DatasetConfig
    edges: np.ndarray
    """Right ends of the cost classes."""
    card: dict[str, Any]
    """Everything else that is known about it."""

    def samples(self, split: Split) -> Samples:
        """Maps and labels of a split.

        Raises:
            InvalidInput: If the file is missing, damaged or not the one that the card describes.
        """
        path = self.folder / f"{split}.npz"
        facts = self.card["splits"].get(split)
        if facts is None:
            raise InvalidInput(f"split {split!r} is not in {self.folder}: give one of {', '.join(self.card['splits'])}")
        with reading(path, "data set", "make it again"):
            whole = hashlib.sha256(path.read_bytes()).hexdigest() == facts["sha256"]
            if not whole:
                raise ValueError("its content does not match the card")
            with read_arrays(path) as file:
                return Samples(**{f.name: file[f.name] for f in dataclasses.fields(Samples)})

    def classes(self, samples: Samples) -> np.ndarray:
        """Cost class of every cell (n, cells, cells), uint8."""
        return to_classes(samples.cost, self.edges)


@checks_arguments
def load_dataset(folder: str | Path) -> Dataset:
    """Open a data set written by `make_dataset`.

    Raises:
        InvalidInput: If the folder holds none.
    """
    path = Path(folder) / "card.json"
    with reading(folder, "data set", "give a folder of `plantar foothold data`"):
        card = read_json(path)
        if card.get("what") != NAME:
            raise ValueError("it does not hold a foothold data set")
        edges = np.array(card["class_edges"], dtype=float)
        return Dataset(Path(folder), from_record(DatasetConfig, card["config"]), edges, card)


@checks_arguments
@holding()
def make_dataset(
    config: DatasetConfig,
    folder: str | Path,
    *,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
    processes: int = 1,
) -> Path:
    """Make a data set and write it: train.npz, validation.npz, test.npz, card.json, README.md, samples.png.

    Args:
        config: How it is made.
        folder: Where it goes.
        overwrite: Whether a folder that holds files may be used.
        progress: Called with the number of grounds finished since the last call.
        processes: Processes to use; the files are the same for any number.
    """
    check_memory((config.grounds * config.patches, config.cells, config.cells), copies=3)
    splits = config.splits()
    path = open_output(folder, overwrite=overwrite)
    facts: dict[str, Any] = {}
    edges, costs, weights = np.zeros(0), np.zeros(0), np.zeros(0)
    example: Samples | None = None
    for split in SPLITS:
        own = [number for number, name in enumerate(splits) if name == split]
        if not own:
            continue
        samples = make_samples(config, own, progress, processes)
        if split == "train":
            edges = class_edges(samples.cost, config.class_share)
            costs = class_costs(samples.cost, edges)
            weights = class_weights(to_classes(samples.cost, edges), len(edges))
            example = samples
        _save(samples, path / f"{split}.npz")
        digest = hashlib.sha256((path / f"{split}.npz").read_bytes()).hexdigest()
        facts[split] = {**_facts(config, samples, edges), "grounds": len(own), "sha256": digest}
    card = {
        "what": NAME,
        "plantar": plantar.__version__,
        "config": to_record(config),
        "classes": len(edges),
        "class_edges": edges.tolist(),
        "class_costs": costs.tolist(),
        "class_weights": weights.tolist(),
        "splits": facts,
    }
    write_text(path / "card.json", to_json(card, indent=1) + "\n")
    write_text(path / "README.md", _card_text(config, card))
    if example is not None:
        from plantar.foothold.networks.pictures import plot_samples  # noqa: PLC0415  (draws only at the end)

        save(plot_samples(example, config.kinds, config.cell), path / "samples.png")
    return path


def _save(samples: Samples, path: Path) -> None:
    with replacing(path) as scratch, scratch.open("wb") as file:
        np.savez(file, **{f.name: getattr(samples, f.name) for f in dataclasses.fields(Samples)})


def _facts(config: DatasetConfig, samples: Samples, edges: np.ndarray) -> dict[str, Any]:
    counts = np.bincount(to_classes(samples.cost, edges).ravel(), minlength=len(edges))
    reasons = {reason.name.lower(): float((samples.reason == reason).mean()) for reason in Reason}
    kinds = np.bincount(samples.kind, minlength=len(config.kinds))
    return {
        "maps": len(samples),
        "kinds": {kind: int(count) for kind, count in zip(config.kinds, kinds, strict=True)},
        "reasons": reasons,
        "class_shares": (counts / counts.sum()).tolist(),
        "unseen": float(np.isnan(samples.observed).mean()),
    }


def _card_text(config: DatasetConfig, card: dict[str, Any]) -> str:
    rows = "\n".join(
        f"| {name} | {f['maps']} | {f['grounds']} | {100 * f['reasons']['ok']:.1f} % | {100 * f['unseen']:.1f} % |"
        for name, f in card["splits"].items()
    )
    ends = [0.0, *card["class_edges"]]
    classes = "\n".join(
        f"| {k} | {a:.3f} - {b:.3f} | {100 * card['splits']['train']['class_shares'][k]:.1f} % |"
        for k, (a, b) in enumerate(zip(ends, ends[1:], strict=False))
    )
    return f"""# Foothold data set

Elevation maps of {config.cells} x {config.cells} cells of {100 * config.cell:g} cm below the right front and right hind
hip of a quadruped, with the cost of putting a foot on each cell. Made by Plantar {card["plantar"]}, seed {config.seed};
the same configuration gives the same files. Left legs are mirror images.

![samples](samples.png)

| split | maps | grounds | footholds | cells not seen |
|---|---|---|---|---|
{rows}

No ground is in two splits. Kinds of ground: {", ".join(config.kinds)}.

## Arrays of a split's .npz

| name | what |
|---|---|
| `observed` | heights as the sensor saw them, from the hip [m]; NaN: not seen. This is the input. |
| `ground` | true heights, from the hip [m] |
| `cost` | cost on the true ground, 0 (best) to 254; 255: no foothold. This is the label. |
| `reason` | 0 foothold, 1 ground not known, 2 out of reach, 3 leg hits the ground, 4 legs hit each other |
| `leg` | 0 right front, 1 right hind |
| `kind`, `terrain` | kind and number of the ground |
| `yaw` | turn of the foot from the robot's heading [rad] |

Rows run to the left along y, columns forward along x; the leg's nominal foothold is in the middle of the map.

## Classes

Ranges of cost, filled in ascending order until each holds more than {100 * config.class_share:g} % of the training
cells; equal costs are never split.

| class | cost | share of training cells |
|---|---|---|
{classes}

## How far to trust it

Costs are those of an analytic model of foot and leg, not of measured steps. Grounds and sensor are simulated;
`card.json` holds every parameter.
"""
