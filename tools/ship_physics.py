"""The learned scores that come with Plantar, from pressed footholds.

    python tools/ship_physics.py softfoot_q hold_softfoot_q.npz PRESSED.npz ...

A large network is fitted to the presses on the kinds of `FITTING`; a small one then learns what it says of every cell
of the same maps and of fresh ones, on half of which two of those kinds are laid on each other. Needs PyTorch.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar import feet
from plantar.foothold.physics.data import PhysicsData, load_physics
from plantar.foothold.physics.distil import distil
from plantar.foothold.physics.model import HoldModel, load_model
from plantar.foothold.physics.mosaic import FITTING, HELD_OUT, MosaicConfig, make_mosaic
from plantar.foothold.physics.rig import PushRig, footprint
from plantar.foothold.physics.scores import rank_correlation
from plantar.foothold.physics.train import config_for, train
from plantar.ground.terrain.elevation_map import ElevationMap


def say(**facts: object) -> None:
    """One line of JSON."""
    print(json.dumps({"time": time.strftime("%H:%M:%S"), **facts}), flush=True)


def sized(data: PhysicsData, foot: str) -> PhysicsData:
    """Data of a foot; shards that do not say how large it is are told."""
    if "half" in data.card:
        return data
    body = feet.get(foot, fidelity="fast")
    level = ElevationMap(heights=np.zeros((30, 30)), cell=0.02, origin=(-0.29, -0.29))
    half = list(footprint(PushRig().model(body, level)))
    return replace(data, card={**data.card, "half": half, "height": body.sole_height})


def fresh_maps(count: int, margin: int) -> list[np.ndarray]:
    """Maps of so many mosaics of the fitting kinds, half of them with two kinds on each other."""
    config = MosaicConfig(kinds=FITTING, blend=0.5, seed=9)
    return [make_mosaic(config, number).wide_maps(margin).astype(np.float32) for number in range(count)]


def judge(model: HoldModel, held: PhysicsData) -> dict[str, float]:
    """Rank correlations on held-out kinds: the one cost, and each label by its own output."""
    found = model.footholds(held)
    cost = model.cost(found)
    own = {
        "hold": rank_correlation(-found["hold"], held, "hold"),
        "slip": rank_correlation(found["slip"], held, "slip"),
    }
    return {f"cost_{label}": rank_correlation(cost, held, label) for label in own} | own


def main() -> None:
    """Fit, distil, judge, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("foot")
    parser.add_argument("path", type=Path)
    parser.add_argument("shards", type=Path, nargs="+")
    parser.add_argument("--large", type=Path, help="the large network: read if it is there, else written")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--passes", type=int, default=16)
    parser.add_argument("--mosaics", type=int, default=14, help="mosaics of fresh maps")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    data = sized(PhysicsData.joined([load_physics(path) for path in args.shards]).finite(), args.foot)
    held, kept = data.of_kinds(HELD_OUT), data.of_kinds(FITTING)
    config = config_for(args.foot, data, epochs=args.epochs, seed=args.seed, small=())
    if args.large and args.large.exists():
        large = load_model(args.large)
    else:
        large = train(kept, config, foot=args.foot, fitted_on=FITTING, held_out=HELD_OUT)
        if args.large:
            large.save(args.large)
    say(large=judge(large, held), footholds=len(kept))
    own = data.maps[np.unique(kept.tile)]
    maps = np.concatenate([own, *fresh_maps(args.mosaics, int(data.card["margin"]))])
    turns: dict[str, Any] = {"fore_aft": config.fore_aft, "quarter": config.quarter}
    small = distil(large, maps, passes=args.passes, seed=args.seed, **turns)
    say(small=judge(small, held), maps=len(maps))
    card = {"fitted_on": FITTING, "held_out": HELD_OUT, "foot": args.foot, "judged": judge(small, held)}
    say(wrote=str(replace(small, card={**small.card, **card}).save(args.path)))


if __name__ == "__main__":
    main()
