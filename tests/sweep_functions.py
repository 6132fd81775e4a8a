"""Trials for the tests of sweeps; they have a module of their own so that worker processes can import them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 2.0


@dataclass(frozen=True)
class Answer:
    total: float
    parts: tuple[float, float]


def add(config: Point, seed: int) -> Answer:
    return Answer(total=config.x + config.y, parts=(config.x, config.y))


def draw(config: dict, seed: int) -> dict:
    """A result that depends on every bit of the seed."""
    values = np.random.default_rng(seed).normal(size=3)
    return {"mean": values.mean(), "values": values, "kind": f"k{config['i'] % 3}", "even": config["i"] % 2 == 0}


def misbehave(config: dict, seed: int) -> object:
    """Everything that can go wrong without taking the process down; trial i of `MISHAPS`, then good ones."""
    i = config["i"]
    if i == 3:
        raise ValueError("unlucky\nnumber")
    if i == 4:
        raise SystemExit(7)
    nonsense = {
        5: 5,
        6: None,
        7: {},
        8: {"x": float("nan"), "values": [float("nan")]},
        9: {"other": 1.0},
        10: {"x": object(), "values": []},
        11: {"x": 1.0, "seed": 3},
        12: {"x": 2**70, "values": []},
        13: {"x": 1.0, "values": np.zeros(10_000)},
        14: {1: 2.0},
    }
    return nonsense.get(i, {"x": 0.5 * i, "values": [i, 0.1]})


BAD_RESULTS = range(5, 15)


def break_down(config: dict, seed: int) -> object:
    """As `misbehave`, and trial 1 ends its process, trial 2 hangs."""
    if config["i"] == 1:
        os._exit(3)
    if config["i"] == 2:
        time.sleep(60)
    return misbehave(config, seed)


def log_run(config: dict, seed: int) -> dict:
    """Note in a file that a trial was run."""
    with Path(config["log"]).open("a") as file:
        file.write(f"{config['i']}\n")
    if config.get("fails") and Path(config["fails"]).exists() and config["i"] % 2:
        raise RuntimeError("not today")
    return {"x": config["i"]}


def hang(config: dict, seed: int) -> dict:
    """Write which process this is, then hang."""
    Path(config["pid"]).write_text(str(os.getpid()))
    time.sleep(120)
    return {"x": 0}


def nap(config: dict, seed: int) -> dict:
    time.sleep(0.05)
    return draw(config, seed)


@dataclass(frozen=True)
class Batched:
    """Squares, many in a call; a batch that holds trial 13 raises, and trial 17 is an error of its own."""

    batch_size = 8
    offset: float = 0.0

    def run_batch(self, configs: list[dict], seeds: list[int]) -> list[object]:
        numbers = [config["i"] for config in configs]
        if 13 in numbers:
            raise ValueError("13 is in the batch")
        return [
            KeyError("seventeen") if i == 17 else {"square": i * i + self.offset, "seed_": s}
            for i, s in zip(numbers, seeds, strict=True)
        ]

    def run_batch_gpu(self, configs: list[dict], seeds: list[int]) -> list[object]:
        return self.run_batch(configs, seeds)


@dataclass(frozen=True)
class BatchedCrash:
    """A batch that holds trial 5 ends its process; one that holds trial 9 hangs."""

    batch_size = 4

    def run_batch(self, configs: list[dict], seeds: list[int]) -> list[dict]:
        numbers = [config["i"] for config in configs]
        if 5 in numbers:
            os._exit(1)
        if 9 in numbers:
            time.sleep(60)
        return [{"square": i * i} for i in numbers]


def numbered(count: int, **more: object) -> list[dict]:
    return [{"i": i, **more} for i in range(count)]


def odd_cells(config: dict, seed: int) -> dict:
    """Numbers that formats lose: not finite, None, whole ones beyond a float, truth values, all digits."""
    i = config["i"]
    return {
        "x": [float("nan"), float("inf"), -float("inf"), -0.0, 0.1 + 0.2, 5e-324][i % 6],
        "n": None if i % 4 == 1 else 2**63 - 1 - i,
        "is_even": i % 2 == 0,
        "parts": [float("nan"), 1 / 3, float(i)],
    }
