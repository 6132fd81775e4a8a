"""The comparison: the paper's three networks and ours, equal budgets, several seeds, one command.

    python tools/networks_maps.py --out DATA --processes 16
    python tools/networks_study.py DATA --out OUT --seconds 400

Networks are trained in turn on true maps (all four) and on spoiled ones (the paper's best and ours), each for the same
number of maps. Only validation chooses: the state that is kept, and the chance below which our network refuses a cell.
Test figures are computed last. Weights are written after every network; what is there is not trained again.
"""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from networks_maps import load_reading, load_samples

from plantar._fields import from_record, to_record
from plantar._files import to_json, write_text
from plantar.foothold.classes import class_costs, class_edges, class_weights, to_classes
from plantar.foothold.dataset import DatasetConfig
from plantar.foothold.networks.kinds import KINDS, Kind, make_network, parameters
from plantar.foothold.networks.maps import Maps, joined, to_front, to_maps
from plantar.foothold.networks.physics_heads import HEADS, pressed_samples, scaled
from plantar.foothold.networks.readout import Reading, read_costs
from plantar.foothold.networks.scores import METRICS, NOMINALS, Tally, best_threshold, difference, summary, tally
from plantar.foothold.networks.training import TrainConfig, Trained, _Step, device_of, outputs, placed, predict, train
from plantar.foothold.physics.data import load_physics
from plantar.foothold.sensor import Sensor

RUNS: tuple[tuple[str, Kind], ...] = (*(("true", kind) for kind in KINDS), ("spoiled", "erf_mrf"), ("spoiled", "unet"))
"""Maps to train on, and network."""


def kind_of(key: str) -> Any:
    """Network of a run's key, as in `true.erf_difference-one.0`: what follows a dash says how it was trained."""
    return key.split(".")[1].split("-", maxsplit=1)[0]


def say(text: str) -> None:
    """A line for whoever watches."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def pack(state: Mapping[str, torch.Tensor], half: bool) -> dict[str, np.ndarray]:
    """Weights as arrays, the large ones in 16 bits if asked."""
    arrays = {name: value.detach().cpu().numpy() for name, value in state.items()}
    large = {name for name, v in arrays.items() if half and v.size >= 256 and v.dtype == np.float32}
    return {name: v.astype(np.float16) if name in large else v for name, v in arrays.items()}


def unpack(path: Path, key: str) -> dict[str, torch.Tensor]:
    """Weights of one run of a study's file, in 32 bits."""
    with np.load(path, allow_pickle=False) as file:
        own = {name[len(key) + 1 :]: file[name] for name in file.files if name.startswith(f"{key}/")}
    return {n: torch.tensor(v.astype(np.float32) if v.dtype == np.float16 else v) for n, v in own.items()}


def step_seconds(kind: Kind, config: TrainConfig, data: DatasetConfig, maps: Maps, weights: np.ndarray) -> float:
    """Time of a step [s], after warming up."""
    device = maps.cost.device
    network = placed(make_network(kind, classes=len(weights), config=data), device).train()
    step = _Step(network, kind, config, maps, torch.tensor(weights, dtype=torch.float32, device=device))
    rounds = 40 if device.type == "cuda" else 2
    for _ in range(rounds // 4 + 6 if device.type == "cuda" else 1):
        step(1e-4)
    float(step.loss)
    begin = time.monotonic()
    for _ in range(rounds):
        step(1e-4)
    float(step.loss)
    return (time.monotonic() - begin) / rounds


def plan_steps(seconds: float, seeds: int, config: TrainConfig, data: DatasetConfig, maps: Maps, w: np.ndarray) -> int:
    """Steps for every network so that all of them together take about `seconds`."""
    cost: dict[tuple[str, Kind], float] = {}
    for way, kind in RUNS:
        own = replace(config, kind=kind, spoiled=way == "spoiled")
        cost[way, kind] = step_seconds(kind, own, data, maps, w)
        say(f"{way} {kind}: {1e3 * cost[way, kind]:.2f} ms a step")
    return max(20, int(seconds / (seeds * sum(cost.values()))))


class Bench:
    """Maps of a study."""

    def __init__(self, folder: Path, device: torch.device):
        self.config = from_record(DatasetConfig, json.loads((folder / "config.json").read_text(encoding="utf-8")))
        self.folder, self.device = folder, device
        self.files: dict[str, Path] = {}
        self.samples = {name: load_samples(folder / f"{name}.npz") for name in ("train", "validation")}
        costs = self.samples["train"].cost
        self.edges = class_edges(costs, self.config.class_share)
        self.costs = class_costs(costs, self.edges)
        self.weights = class_weights(to_classes(costs, self.edges), len(self.edges))
        self.maps = to_maps(self.samples["train"], self.edges, device)
        self.validation = to_maps(self.samples["validation"], self.edges, device)

    def load_tests(self, tests: Path | None) -> None:
        """Read test maps, once they are wanted; they may still be in the making."""
        for name in ("test", "test_lidar"):
            file = self.folder / f"{name}.npz" if tests is None else tests / f"{name.replace('test', 'whole')}.npz"
            self.samples[name] = load_samples(file)
            self.files[name] = file

    def readings(self, network: Any, kind: Kind, name: str, true: bool, thresholds: Sequence[float]) -> list[Reading]:
        """What a network says of the maps of a split, each as its own leg sees it.

        Ours is read with each of the thresholds; the paper's as it is, and by the mean over its classes.
        """
        samples = self.samples[name]
        heights = to_front(samples.ground if true else samples.observed, samples.leg)
        out = predict(network, torch.tensor(heights, dtype=torch.float32, device=self.device))
        if kind == "unet":
            values = to_front(out.cpu().numpy(), samples.leg)
            return [read_costs(values, self.edges, threshold) for threshold in thresholds]
        costs = torch.tensor(self.costs, dtype=torch.float32, device=self.device)
        found = out.argmax(dim=1)
        # as `read_classes` does it, on the device: probabilities of all maps are large
        mean = (out.softmax(dim=1) * costs[None, :, None, None]).sum(dim=1)
        classes, own, expected = (to_front(v.cpu().numpy(), samples.leg) for v in (found, costs[found], mean))
        few = classes.astype(np.uint8)
        return [Reading(few, cost, few < len(self.costs) - 1) for cost in (own, expected)]

    def tally(self, reading: Reading, name: str) -> Tally:
        """Counts of a reading."""
        return tally(reading, self.samples[name], self.edges, self.config.cell)

    def analytic(self, name: str, way: str) -> Tally:
        """Counts of the analytic cost of spoiled maps."""
        file = self.files[name]
        found = load_reading(file.with_name(f"{file.stem}_{way}.npz"))
        return self.tally(Reading(to_classes(found.cost, self.edges), found.cost, found.feasible), name)


def main() -> None:
    """Train, score, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runs", help="as in true.erf,spoiled.unet-long; -one: right cells count, -long: more steps")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=400.0, help="for all trainings together")
    parser.add_argument("--steps", type=int, help="of every training; from --seconds if left out")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--long", type=float, default=4.0, help="times the steps of runs that end in -long")
    parser.add_argument("--physics", type=Path, help="pressed footholds, for runs that end in -physics")
    parser.add_argument("--tests", type=Path, help="folder with other test maps: whole.npz, whole_lidar.npz")
    parser.add_argument("--old", type=Path, help="folder of an earlier study whose networks are scored as well")
    parser.add_argument("--limit", type=float, default=float("inf"), help="no training begins after so many seconds")
    parser.add_argument("--device", default="auto")
    args = parser.parse_args()
    begin = time.monotonic()
    args.out.mkdir(parents=True, exist_ok=True)
    device = device_of(args.device)
    bench = Bench(args.data, device)
    say(f"torch {torch.__version__} on {device}; {len(bench.maps)} training maps, {len(bench.edges)} classes")
    config = TrainConfig(batch=args.batch)
    steps = args.steps or plan_steps(args.seconds, args.seeds, config, bench.config, bench.maps, bench.weights)
    say(f"{steps} steps of {config.batch} maps: {steps * config.batch / len(bench.maps):.1f} times through the data")
    study = Study(args.out, bench, steps)
    if args.physics:
        study.press(args.physics)
    names = args.runs.split(",") if args.runs else [".".join(run) for run in RUNS]
    for seed in range(args.seeds):
        for name in names:
            way, label = name.split(".")
            count = round(steps * args.long) if label.endswith("-long") else steps
            plus = 1.0 if label.endswith("-one") else 0.0
            own = replace(config, kind=kind_of(name), spoiled=way == "spoiled", steps=count, seed=seed, plus=plus)
            if time.monotonic() - begin < args.limit:
                study.run(name, own)
    study.score(args.tests, args.old)
    say("done")


class Study:
    """What has been trained and scored, on disk."""

    def __init__(self, folder: Path, bench: Bench, steps: int):
        self.folder, self.path, self.bench = folder, folder / "study.json", bench
        facts = {"classes": len(bench.edges), "class_edges": bench.edges, "class_costs": bench.costs}
        record = {**facts, "steps": steps, "nominals": NOMINALS, "data": to_record(bench.config), "runs": {}}
        self.record: dict[str, Any] = record
        self.heads: dict[str, list[float]] = {}
        self.pressed = bench.maps
        if self.path.exists():
            self.record["runs"] = json.loads(self.path.read_text(encoding="utf-8"))["runs"]

    def press(self, path: Path) -> None:
        """Read pressed footholds; kinds of ground that are held out are for tests."""
        from plantar.foothold.physics.mosaic import FITTING, HELD_OUT  # noqa: PLC0415

        pressed = load_physics(path)
        samples, others = pressed_samples(pressed.of_kinds(FITTING), self.bench.config)
        others, self.heads = scaled(others)
        own = to_maps(samples, self.bench.edges, self.bench.device, others)
        self.pressed = joined(self.bench.maps, own, max(1, len(self.bench.maps) // (4 * len(own))))
        scanned = replace(self.bench.config, sensor=Sensor.lidar())
        self.held = pressed_samples(pressed.of_kinds(HELD_OUT), scanned, seed=1)
        say(f"pressed footholds on {len(samples)} maps to train on, {len(self.held[0])} to test on")

    def run(self, name: str, config: TrainConfig) -> None:
        """Train unless it is there; write weights, then figures."""
        key, kind, bench = f"{name}.{config.seed}", config.kind, self.bench
        if key in self.record["runs"]:
            say(f"{key}: there already")
            return
        heads = self.heads if name.endswith("-physics") else {}
        maps = self.pressed if heads else bench.maps
        done = train(config, bench.config, maps, bench.validation, bench.weights, heads=tuple(heads))
        threshold = 0.5
        if kind == "unet":
            held = bench.samples["validation"]
            out = outputs(done.network, held, config.spoiled)
            threshold = best_threshold(out, held, bench.edges, bench.config.cell)
        file = self.folder / f"{name}.npz"
        old = dict(np.load(file)) if file.exists() else {}
        new = {f"{key}/{n}": v for n, v in pack(done.network.state_dict(), kind != "unet").items()}
        np.savez(file, **{**old, **new})
        self.record["runs"][key] = _run_record(config, done, threshold) | ({"heads": heads} if heads else {})
        if heads:
            self.record["runs"][key]["physics"] = self._judge(done.network)
            say(f"{key}: {self.record['runs'][key]['physics']}")
        write_text(self.path, to_json(self.record, indent=1) + "\n")
        say(f"{key}: validation accuracy {100 * done.accuracy:.2f} %, threshold {threshold}, {done.seconds:.1f} s")

    def _judge(self, network: Any) -> dict[str, float]:
        """Rank correlation of each head with what was pressed, on kinds of ground that were held out."""
        from scipy.stats import spearmanr  # noqa: PLC0415

        samples, others = self.held
        found = {}
        for where, spoiled in (("true", False), ("lidar", True)):
            out = outputs(network, samples, spoiled)[:, 2:]
            for number, name in enumerate(HEADS):
                known = ~np.isnan(others[:, number])
                rank = spearmanr(out[:, number][known], others[:, number][known]).statistic  # type: ignore[union-attr]
                found[f"{name}_{where}"] = float(rank)
        return found

    def score(self, tests: Path | None, old: Path | None) -> None:
        """Test figures of all networks and of the analytic cost, on true maps and behind both sensors."""
        bench = self.bench
        bench.load_tests(tests)
        self.record["maps"] = {name: len(samples) for name, samples in bench.samples.items()}
        jobs: dict[str, list[Any]] = {}
        with ThreadPoolExecutor(8) as pool:
            for key, run, folder in self._all(old):
                network = self.load(key, run, folder)
                for name, split in (("test_true", "test"), ("test", "test"), ("test_lidar", "test_lidar")):
                    found = bench.readings(network, kind_of(key), split, name == "test_true", (run["threshold"],))
                    for label, reading in zip(("", ".mean"), found, strict=False):
                        job = pool.submit(bench.tally, reading, split)
                        jobs.setdefault(f"{name}/{key.rsplit('.', 1)[0]}{label}", []).append(job)
            for name in ("test", "test_lidar"):
                for way in ("plain", "careful"):
                    jobs[f"{name}/analytic.{way}"] = [pool.submit(bench.analytic, name, way)]
            tallies = {key: [job.result() for job in own] for key, own in jobs.items()}
        self.record["table"] = {key: summary(own) for key, own in tallies.items()}
        self.record["ours_less"] = _paired(tallies)
        write_text(self.path, to_json(self.record, indent=1) + "\n")
        for key, row in self.record["table"].items():
            say(f"{key:38s} " + "  ".join(f"{row[m]['mean']:.4f}" for m in METRICS))
            print(f"figure foothold.networks.{re.sub('[^a-z0-9]+', '_', key)} = {json.dumps(row)}", flush=True)

    def _all(self, old: Path | None) -> list[tuple[str, dict[str, Any], Path]]:
        """Keys, records and folders of this study's networks and of an earlier one's."""
        found = [(key, run, self.folder) for key, run in self.record["runs"].items()]
        if old is not None:
            runs = json.loads((old / "study.json").read_text(encoding="utf-8"))["runs"]
            found += [(k, r, old) for k, r in runs.items() if (old / f"{k.rsplit('.', 1)[0]}.npz").exists()]
        return found

    def load(self, key: str, run: dict[str, Any], folder: Path) -> Any:
        """A trained network."""
        heads = tuple(run.get("heads", {}))
        network = make_network(kind_of(key), classes=len(self.bench.edges), config=self.bench.config, heads=heads)
        network.load_state_dict(unpack(folder / f"{key.rsplit('.', 1)[0]}.npz", key))
        return placed(network, self.bench.device).eval()


def _paired(tallies: dict[str, list[Tally]]) -> dict[str, Any]:
    """Our networks less every other way, on the same maps."""
    out = {}
    for key, own in tallies.items():
        test, name = key.split("/")
        if kind_of(name) == "unet" and (test == "test_true") == name.startswith("true"):
            way = name.split(".", maxsplit=1)[0]
            for other, theirs in tallies.items():
                if other.startswith((f"{test}/{way}.erf", f"{test}/analytic")):
                    out[f"{key} - {other.split('/')[1]}"] = difference(own, theirs, draws=500)
    return out


def _run_record(config: TrainConfig, done: Trained, threshold: float) -> dict[str, Any]:
    return {
        "config": to_record(config),
        "parameters": parameters(done.network),
        "validation_accuracy": done.accuracy,
        "threshold": threshold,
        "history": done.history,
        "seconds": done.seconds,
    }


if __name__ == "__main__":
    main()
