"""The maps of the comparison, in one folder: training, validation, and test behind three sensors.

    python tools/networks_maps.py --out DATA --processes 16

Splits are those of `plantar foothold data` with the same configuration. Test grounds are seen by nothing (`test_true`
is the ground itself), by the depth camera of the training maps and by a turning scanner that no training map ever saw.
With `--splits whole,whole_lidar` and a `--seed` of their own, all grounds are for tests.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from plantar._fields import to_record
from plantar._files import to_json, write_text
from plantar.foothold.dataset import DatasetConfig, Samples, Split, make_samples
from plantar.foothold.networks.analytic import analytic_reading
from plantar.foothold.networks.readout import Reading
from plantar.foothold.sensor import Sensor


def split_samples(config: DatasetConfig, split: Split | Literal["whole"], processes: int) -> Samples:
    """Maps of a split, or of all grounds."""
    own = [number for number, name in enumerate(config.splits()) if split in (name, "whole")]
    return make_samples(config, own, processes=processes)


def save_arrays(path: Path, record: Samples | Reading) -> None:
    """Write a record of arrays."""
    np.savez(path, **{f.name: getattr(record, f.name) for f in dataclasses.fields(record)})


def load_samples(path: Path) -> Samples:
    """Read what `save_arrays` wrote of samples."""
    with np.load(path, allow_pickle=False) as file:
        return Samples(**{f.name: file[f.name] for f in dataclasses.fields(Samples)})


def load_reading(path: Path) -> Reading:
    """Read what `save_arrays` wrote of a reading."""
    with np.load(path, allow_pickle=False) as file:
        return Reading(**{f.name: file[f.name] for f in dataclasses.fields(Reading)})


def main() -> None:
    """Make the maps that are asked for; with the tests, what the analytic cost says of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--splits", default="train,validation,test,test_lidar")
    parser.add_argument("--grounds", type=int, default=1200)
    parser.add_argument("--patches", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    config = DatasetConfig(grounds=args.grounds, patches=args.patches, seed=args.seed)
    begin = time.monotonic()
    write_text(args.out / "config.json", to_json(to_record(config)) + "\n")
    for name in args.splits.split(","):
        own = replace(config, sensor=Sensor.lidar()) if name.endswith("_lidar") else config
        samples = split_samples(own, name.removesuffix("_lidar"), args.processes)
        save_arrays(args.out / f"{name}.npz", samples)
        print(f"{name}: {len(samples)} maps, {time.monotonic() - begin:.0f} s", flush=True)
        for way in ("plain", "careful") if name.startswith(("test", "whole")) else ():
            # classes are found once the training maps are known
            found = analytic_reading(samples, own, np.array([255.0]), way, args.processes)
            save_arrays(args.out / f"{name}_{way}.npz", found)
            print(f"{name}, analytic, {way}: {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
