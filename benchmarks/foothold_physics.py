"""Labels from physics by the hundred thousand on a GPU, what they say about every score, and MuJoCo beside Warp.

    python benchmarks/foothold_physics.py make FOLDER --seconds 200      # presses, shards, a learned score, a table
    python benchmarks/foothold_physics.py press FOLDER --kinds fitting   # presses and shards alone
    python benchmarks/foothold_physics.py compare FOLDER                 # train and compare again, from the shards
    python benchmarks/foothold_physics.py engines FOLDER                 # some of its presses again in MuJoCo
    python benchmarks/foothold_physics.py repeat FOLDER --feet ball      # footholds pressed again: how labels repeat
    python benchmarks/foothold_physics.py speed                          # scores of a map in turns, one core
    python benchmarks/foothold_physics.py picture FOLDER                 # 256 footholds of a tile of rubble, drawn

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
from plantar._fields import from_record
from plantar.foothold import ElevationMap, SoftSole, terrain_cost
from plantar.foothold.physics import (
    FITTING,
    FOLDS,
    HELD_OUT,
    MosaicConfig,
    PhysicsConfig,
    PhysicsData,
    Presser,
    PressPlan,
    load_model,
    load_physics,
    shipped,
)
from plantar.foothold.physics.judge import costs_of, judge_folds, sole_for
from plantar.foothold.physics.labels import Labels, label_footholds
from plantar.foothold.physics.mosaic import Mosaic, make_mosaic
from plantar.foothold.physics.on_map import PressedMap
from plantar.foothold.physics.plan import Footholds, all_around, place, presses
from plantar.foothold.physics.plots import plot_pressed
from plantar.foothold.physics.rig import PushRig
from plantar.foothold.physics.scores import LABELS, compare, reliability, spearman
from plantar.foothold.physics.train import config_for, train
from plantar.ground import RELIEFS
from plantar.show.plots import save

SHARD = 15
"""Mosaics of a shard, so that none is larger than about 13 MB."""
KINDS_OF = {"all": tuple(RELIEFS), "fitting": FITTING, "held": HELD_OUT}
"""Kinds of ground by what they are for."""
LEARNED = (("learned", "learned, yaw 0.0"), ("turned", "learned, yaw 0.3"))
"""Names of the figures of `speed`, and what it calls them."""
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
    ground = MosaicConfig(tiles=args.tiles, seed=args.seed, kinds=KINDS_OF[args.kinds], blend=args.blend)
    config = PhysicsConfig(mosaic=ground, plan=plan)
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
            path = args.folder / f"{name}_{args.label}{(done - 1) // SHARD}.npz"
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
    config = config_for(name, data, epochs=args.epochs, networks=args.networks)
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


def first_mosaic(path: Path) -> tuple[PhysicsData, PhysicsConfig, Mosaic]:
    """A shard, how it was made, and the mosaic that it begins with."""
    there = load_physics(path)
    own = there.card["config"]
    config = PhysicsConfig(
        mosaic=from_record(MosaicConfig, own["mosaic"]),
        plan=from_record(PressPlan, own["plan"]),
        rig=from_record(PushRig, own["rig"]),
    )
    return there, config, make_mosaic(config.mosaic, 0)


def engines(args: argparse.Namespace) -> None:
    """Some footholds of the first mosaic of a shard again in MuJoCo: how alike labels are, and how well they repeat."""
    name = args.feet[0]
    there, config, mosaic = first_mosaic(args.folder / f"{name}_0.npz")
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


def repeat(args: argparse.Namespace) -> None:
    """Footholds of held-out kinds pressed again in other places, yaws, loads and directions: how well labels repeat.

    Then every score beside labels of all these presses together, which are less noisy than those of a data set.
    """
    name = args.feet[0]
    there, config, mosaic = first_mosaic(args.folder / f"{name}_0.npz")
    chosen = place(mosaic, config.plan)
    kinds = np.array(config.mosaic.kinds)[mosaic.kinds[chosen.tile]]
    picked = np.sort(np.random.default_rng(0).permutation(np.flatnonzero(np.isin(kinds, HELD_OUT)))[: args.sample])
    x, y = cell_middles(mosaic, chosen)[picked].T
    presser = Presser(feet.get(name, fidelity="fast"), config, threads=1)
    own = there.rows(np.isin(np.arange(len(there)), picked))
    runs = [own]
    for number in range(1, args.times + 1):
        again = all_around(x, y, config.plan, [config.plan.seed, number, 3])
        labels, _ = presser.press(mosaic, again)
        found = {n: getattr(labels, n).reshape(len(picked), -1) for n in labels.names()}
        runs.append(replace(own, presses=found, direction=again.direction.reshape(len(picked), -1)))
        say(foot=name, pressed_again=number, footholds=len(picked))
    for label in LABELS:
        pairs = [(a, b) for i, a in enumerate(runs) for b in runs[:i]]
        agree = [spearman(getattr(a.labels, label), getattr(b.labels, label)) for a, b in pairs]
        r, k = float(np.mean(agree)), len(runs)
        whole = k * r / (1 + (k - 1) * r)
        say(label=label, repeats=r, ceiling=float(np.sqrt(r)), presses=k * own.directions, ceiling_of_all=whole**0.5)
    joint = {n: np.concatenate([run.presses[n] for run in runs], axis=1) for n in own.presses}
    pooled = replace(own, presses=joint, direction=np.concatenate([run.direction for run in runs], axis=1))
    model = load_model(args.model) if args.model else shipped(name)
    costs = costs_of(own, name, None, model)
    for kind, data in (("one", own), ("all", pooled)):
        for row in compare(data, costs, samples=args.draws):
            say(labels_of=kind, **row)


def speed(args: argparse.Namespace) -> None:
    """Time of scoring a map by the learned and the analytic score, in turns; processor time of one thread."""
    models = {"learned": load_model(args.model) if args.model else shipped(args.feet[0])}
    models |= {path.stem: load_model(path) for path in args.beside}
    sole, rng = SoftSole(), np.random.default_rng(0)
    for cells in (20, 40, 60, 80):
        ground = ElevationMap(heights=rng.normal(0, 0.01, (cells, cells)).cumsum(axis=0), cell=0.02)
        ways: dict[str, Any] = {"analytic": lambda g=ground: terrain_cost(g, sole)}
        for name, model in models.items():
            for yaw in (0.0, 0.3):
                ways[f"{name}, yaw {yaw}"] = lambda g=ground, m=model, y=yaw: m.terrain_cost(g, y)
        spent: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(args.rounds):
            for name, way in ways.items():
                begin = time.thread_time()
                way()
                spent[name].append(time.thread_time() - begin)
        middle = {name: round(1e3 * float(np.median(times)), 3) for name, times in spent.items()}
        say(cells=cells, milliseconds=middle, least={n: round(1e3 * min(t), 3) for n, t in spent.items()})
        seconds = {name: float(np.median(spent[way])) for name, way in (("analytic", "analytic"), *LEARNED)}
        print(f"figure foothold.map_speed.cells_{cells} = {json.dumps(seconds)}", flush=True)


def picture(args: argparse.Namespace) -> None:
    """Every second cell of a tile of rubble pressed, and drawn beside what scores say."""
    name, plan = args.feet[0], PressPlan(directions=args.directions, seed=args.seed)
    config = PhysicsConfig(mosaic=MosaicConfig(tiles=1, kinds=("rubble",), seed=args.seed), plan=plan)
    mosaic = make_mosaic(config.mosaic, 0)
    side = np.arange(4, 36, 2)
    row, column = (values.ravel() for values in np.meshgrid(side, side, indexing="ij"))
    x, y = cell_middles(mosaic, Footholds(np.zeros(len(row), int), row, column)).T
    start = all_around(x, y, plan, [args.seed, 3])
    single, _ = Presser(feet.get(name, fidelity="fast"), config, threads=1).press(mosaic, start)
    found = label_footholds(single, start.direction.reshape(len(row), -1))
    ground, model = replace(mosaic.map(0), origin=(0.0, 0.0)), shipped(name)
    table = Labels(*(getattr(found, n).reshape(len(side), -1) for n in Labels.names()))
    labels, cost = model.map(ground), terrain_cost(ground, sole_for(name)).cost
    costs = {"cost of eq. 3": cost, "learned, one score": model.cost(labels)}
    drawn = plot_pressed(PressedMap(ground, side, side, table), costs, labels["hold"])
    args.folder.mkdir(parents=True, exist_ok=True)
    say(picture=str(save(drawn, args.folder / "foothold_physics.png")))
    for score, values in {**costs, "learned hold": -labels["hold"], "learned slip": labels["slip"]}.items():
        own = values[row, column]
        say(score=score, hold=spearman(own, -found.hold), slip=spearman(own, found.slip), footholds=len(own))


def cell_middles(mosaic: Mosaic, chosen: Footholds) -> np.ndarray:
    """X and y of the cells of footholds (n, 2) [m]."""
    origin = np.array([mosaic.origin(tile) for tile in range(len(mosaic.kinds))])[chosen.tile]
    return origin + mosaic.config.cell * np.stack([chosen.column, chosen.row], axis=1)


def main() -> None:
    """Run the stage that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("make", "press", "compare", "engines", "repeat", "speed", "picture"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path("runs/foothold-physics"))
    parser.add_argument("--models", type=Path, help="folder of the learned scores; that of the shards by default")
    parser.add_argument("--feet", nargs="+", default=["softfoot_q", "ball"])
    parser.add_argument("--seconds", type=float, nargs="+", default=[180, 30], help="time for each foot's presses")
    parser.add_argument("--mosaics", type=int, nargs="+", default=[56, 12], help="most mosaics of each foot")
    parser.add_argument("--engine", default="gpu")
    parser.add_argument("--tiles", type=int, default=8)
    parser.add_argument("--kinds", choices=tuple(KINDS_OF), default="all", help="kinds of ground that are pressed")
    parser.add_argument("--blend", type=float, default=0.0, help="share of tiles with two kinds on each other")
    parser.add_argument("--label", default="", help="goes before a shard's number in its name")
    parser.add_argument("--footholds", type=int, default=32)
    parser.add_argument("--directions", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--networks", type=int, default=1)
    parser.add_argument("--sample", type=int, default=72, help="footholds that are pressed again")
    parser.add_argument("--times", type=int, default=3, help="how often `repeat` presses them")
    parser.add_argument("--model", type=Path, help="learned score of `repeat` and `speed`; the shipped one by default")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="other learned scores that `speed` times")
    parser.add_argument("--rounds", type=int, default=40, help="turns of `speed`")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="folders of more shards to learn from")
    parser.add_argument("--folds", type=int, default=3, help="folds that are judged")
    parser.add_argument("--draws", type=int, default=200, help="draws of the bootstrap")
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    others = {"engines": engines, "repeat": repeat, "speed": speed, "picture": picture}
    if args.stage in others:
        others[args.stage](args)
        return
    args.models = args.models or args.folder
    for folder in (args.folder, args.models):
        folder.mkdir(parents=True, exist_ok=True)
    if args.stage in ("make", "press"):
        for name, seconds, most in zip(args.feet, args.seconds, args.mosaics, strict=True):
            make(args, name, seconds, most)
    for name in args.feet if args.stage != "press" else ():
        learn(args, name)


if __name__ == "__main__":
    main()
