"""Labels from physics by the hundred thousand on a GPU, what they say about every score, and MuJoCo beside Warp.

    python benchmarks/foothold_physics.py make FOLDER --seconds 200      # presses, shards, a learned score, a table
    python benchmarks/foothold_physics.py compare FOLDER                 # train and compare again, from the shards
    python benchmarks/foothold_physics.py engines FOLDER                 # some of its presses again in MuJoCo

`make` writes shards as it goes (`softfoot_q_0.npz`, ...), then the learned scores, each without the kinds of a fold
(`hold_softfoot_q_0.npz`, ...), and `scores_softfoot_q.json`. It needs MuJoCo Warp (extra `gpu`) and PyTorch;
PLANTAR_WARP_DEVICE=cpu tries it without a GPU, slowly.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from plantar import feet
from plantar._records import from_record
from plantar.foothold.physics import FOLDS, MosaicConfig, PhysicsConfig, PhysicsData, Presser, PressPlan, load_physics
from plantar.foothold.physics.judge import judge_folds
from plantar.foothold.physics.mosaic import Mosaic, make_mosaic
from plantar.foothold.physics.plan import place, presses
from plantar.foothold.physics.rig import PushRig
from plantar.foothold.physics.scores import reliability, spearman
from plantar.foothold.physics.train import TrainConfig, train

SHARD = 16
"""Mosaics of a shard, so that none is larger than about 12 MB."""
START = time.perf_counter()


def say(**facts: Any) -> None:
    """Print one line of JSON."""
    print(json.dumps({"t": round(time.perf_counter() - START, 1), **facts}), flush=True)


def mosaics(config: MosaicConfig, count: int, processes: int) -> Iterator[Mosaic]:
    """Mosaics in order, made ahead in other processes."""
    if processes < 2:
        yield from (make_mosaic(config, number) for number in range(count))
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(make_mosaic, config, n) for n in range(min(count, 2 * processes))]
        for number in range(count):
            yield waiting[number].result()
            waiting[number] = None  # type: ignore[call-overload]
            if len(waiting) < count:
                waiting.append(pool.submit(make_mosaic, config, len(waiting)))
            if number == count - 1:
                return


def make(args: argparse.Namespace, name: str, seconds: float, most: int) -> None:
    """Press a foot on mosaics until time or number is reached; shards go to the folder."""
    foot = feet.get(name, fidelity="fast")
    plan = PressPlan(footholds=args.footholds, directions=args.directions, seed=args.seed)
    config = PhysicsConfig(mosaic=MosaicConfig(tiles=args.tiles, seed=args.seed), plan=plan)
    worlds = args.tiles**2 * args.footholds * args.directions
    presser = Presser(foot, config, args.engine, worlds=worlds)
    parts: list[PhysicsData] = []
    begin, done = None, 0
    for mosaic in mosaics(config.mosaic, most, args.processes):
        at = time.perf_counter()
        parts.append(presser.footholds_of(mosaic))
        took = time.perf_counter() - at
        done += 1
        bad = float(np.mean([np.isnan(p.presses["hold"]).mean() for p in parts[-1:]]))
        rate = worlds * config.rig.samples * config.rig.sample / took
        say(foot=name, mosaic=mosaic.number, seconds=round(took, 2), steps_per_second=round(rate), failed=bad)
        last = begin is not None and time.perf_counter() - begin + took > seconds
        # The first mosaic also compiles the kernels.
        begin = begin or time.perf_counter()
        if last or done == most or len(parts) == SHARD:
            path = args.folder / f"{name}_{(done - 1) // SHARD}.npz"
            PhysicsData.joined(parts).save(path, foot=name, config=config, engine=args.engine, shard=path.stem)
            say(wrote=path.name, footholds=sum(len(p) for p in parts), bytes=path.stat().st_size)
            parts = []
        if last:
            break
    say(foot=name, mosaics=done, presses=done * worlds)


def learn(args: argparse.Namespace, name: str) -> None:
    """Train the learned score on the fitting kinds, and judge every score on kinds it has not seen."""
    files = [f for folder in (args.folder, *args.also) for f in sorted(folder.glob(f"{name}_*.npz"))]
    data = PhysicsData.joined([load_physics(f) for f in files])
    alike = name.startswith(("softfoot_q", "ball"))
    config = TrainConfig(epochs=args.epochs, networks=args.networks, fore_aft=alike)
    say(foot=name, footholds=len(data), kinds=len(data.kinds))
    found: dict[str, Any] = {"foot": name, "footholds": len(data), "presses": len(data) * data.directions, "folds": []}
    models = []
    for fold, held in enumerate(FOLDS):
        kept = tuple(kind for kind in data.kinds if kind not in held)
        models.append(train(data.of_kinds(kept), config, foot=name, fitted_on=kept, held_out=held))
        say(foot=name, trained_without=held)
        models[-1].save(args.models / f"hold_{name}_{fold}.npz")
    for row in judge_folds(data, models[: args.folds], name, draws=args.draws):
        say(foot=name, **row)
        found["folds"].append(row)
    (args.models / f"scores_{name}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def engines(args: argparse.Namespace) -> None:
    """Some footholds of the first mosaic of a shard again in MuJoCo: how alike labels are, and how well they repeat."""
    name = args.feet[0]
    there = load_physics(args.folder / f"{name}_0.npz")
    own = there.card["config"]
    config = PhysicsConfig(
        mosaic=from_record(MosaicConfig, own["mosaic"]),
        plan=from_record(PressPlan, own["plan"]),
        rig=from_record(PushRig, own["rig"]),
    )
    mosaic = make_mosaic(config.mosaic, 0)
    start = presses(mosaic, place(mosaic, config.plan), config.plan)
    count = config.plan.directions
    picked = np.sort(np.random.default_rng(0).choice(len(start) // count, args.sample, replace=False))
    rows = (picked[:, None] * count + np.arange(count)).ravel()
    labels, _ = Presser(feet.get(name, fidelity="fast"), config).press(mosaic, start.rows(rows))
    there = there.rows(np.isin(np.arange(len(there)), picked))
    here = replace(there, presses={n: getattr(labels, n).reshape(-1, count) for n in labels.names()})
    for label in labels.names():
        single = [d.presses[label].ravel() for d in (here, there)]
        gap = np.abs(single[0] - single[1])
        say(
            label=label,
            presses=len(rows),
            spearman_presses=spearman(*single),
            spearman_footholds=spearman(*(getattr(d.labels, label) for d in (here, there))),
            median=float(np.nanmedian(single[0])),
            median_difference=float(np.nanmedian(gap)),
            p90_difference=float(np.nanpercentile(gap, 90)),
            reliability_mujoco=reliability(here, label)[0],
            reliability_warp=reliability(there, label)[0],
        )


def main() -> None:
    """Run the stage that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("make", "compare", "engines"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path("runs/foothold-physics"))
    parser.add_argument("--models", type=Path, help="folder of the learned scores; that of the shards by default")
    parser.add_argument("--feet", nargs="+", default=["softfoot_q", "ball"])
    parser.add_argument("--seconds", type=float, nargs="+", default=[180, 30], help="time for each foot's presses")
    parser.add_argument("--mosaics", type=int, nargs="+", default=[56, 12], help="most mosaics of each foot")
    parser.add_argument("--engine", default="gpu")
    parser.add_argument("--tiles", type=int, default=8)
    parser.add_argument("--footholds", type=int, default=32)
    parser.add_argument("--directions", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--networks", type=int, default=1)
    parser.add_argument("--sample", type=int, default=72, help="footholds that `engines` presses again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="folders of more shards to learn from")
    parser.add_argument("--folds", type=int, default=3, help="folds that are judged")
    parser.add_argument("--draws", type=int, default=200, help="draws of the bootstrap")
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    args.models = args.models or args.folder
    for folder in (args.folder, args.models):
        folder.mkdir(parents=True, exist_ok=True)
    if args.stage == "engines":
        engines(args)
        return
    if args.stage == "make":
        for name, seconds, most in zip(args.feet, args.seconds, args.mosaics, strict=True):
            make(args, name, seconds, most)
    for name in args.feet:
        learn(args, name)


if __name__ == "__main__":
    main()
