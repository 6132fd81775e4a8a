"""Model files from a study's weights.

    python tools/ship_networks.py STUDY spoiled.unet model.onnx --half

takes the seed that was best on validation; `spoiled.unet.1` names one.
"""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from networks_study import kind_of, unpack

from plantar._fields import from_record
from plantar.foothold.dataset import DatasetConfig
from plantar.foothold.networks.export import export
from plantar.foothold.networks.fit import card_of
from plantar.foothold.networks.kinds import make_network


def best_key(record: dict[str, Any], name: str) -> str:
    """The run of a name that was best on validation."""
    runs = {key: run for key, run in record["runs"].items() if key == name or key.rsplit(".", 1)[0] == name}
    if not runs:
        raise SystemExit(f"{name!r} is not in the study: it has {', '.join(record['runs'])}")
    return max(runs, key=lambda key: runs[key]["validation_accuracy"])


def ship(folder: Path, name: str, path: Path, *, half: bool = False) -> Path:
    """Write the network of a study as .onnx."""
    record = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    key = best_key(record, name)
    run, data = record["runs"][key], from_record(DatasetConfig, record["data"])
    heads = run.get("heads", {})
    edges, costs = np.array(record["class_edges"]), np.array(record["class_costs"])
    kind = kind_of(key)
    network = make_network(kind, classes=len(edges), config=data, heads=tuple(heads))
    network.load_state_dict(unpack(folder / f"{key.rsplit('.', 1)[0]}.npz", key))
    facts = {"parameters": run["parameters"], "training": run["config"], "accuracy": run["validation_accuracy"]}
    card = card_of(kind, data, edges, costs, run["threshold"], run=key, heads=heads, **facts)
    return export(network, data.cells, path, card, half=half)


def main() -> None:
    """Write a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("name")
    parser.add_argument("path", type=Path)
    parser.add_argument("--half", action="store_true", help="weights in 16 bits")
    args = parser.parse_args()
    print(ship(args.study, args.name, args.path, half=args.half))


if __name__ == "__main__":
    main()
