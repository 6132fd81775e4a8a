"""Many walks: grounds, feet and ways to choose, the same seeds for all."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.stats import bootstrap

from plantar import sweep
from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.ground.terrain.terrain import Terrain
from plantar.table import Row, Table
from plantar.walk.course import Course
from plantar.walk.footholds import find_chooser
from plantar.walk.plans.gaits import Crawl, Trot
from plantar.walk.result import WalkResult
from plantar.walk.sim.grounds import TERRAINS, make_terrain
from plantar.walk.sim.metrics import METRICS
from plantar.walk.study.feet import find_walker
from plantar.walk.study.statistics import share_interval
from plantar.walk.study.study import named_rows

CELL = ("terrain", "foot", "choose")
"""What makes a cell of a study."""
REST = 0.6
"""Time for which the robot has to stand at the end [s]."""
SPREAD = ("slip", "collisions", "transport", "tilt")
"""Figures that get intervals."""


@dataclass(frozen=True, kw_only=True)
class CrossStudy(Checked):
    """What is to be tried; every combination is."""

    terrains: tuple[str, ...] = ("stairs", "steps", "rubble", "bumps")
    """Kinds of ground, or files of terrains that are level to 0.55 m."""
    feet: tuple[str, ...] = ("softfoot_q:fast", "ball")
    """Feet by name, with their fidelity after a colon."""
    choose: tuple[str, ...] = ("nominal", "slope", "analytic")
    """Ways to choose footholds."""
    robot: str = "quadruped"
    """Built-in or menagerie name, or path."""
    seeds: int = 10
    """Walks of each cell; walk k has the same ground and start in every cell."""
    seed: int = 0
    """The first of them."""
    difficulty: float = 1.0
    """Factor on the heights of the grounds."""
    distance: float = Crawl.distance
    """Way of the base after which a ground is crossed [m]."""
    stride: float = Crawl.stride
    """Way of a cycle of four steps [m]."""
    gait: Literal["crawl", "trot"] = "crawl"
    """One foot at a time, or diagonals in turn."""
    speed: float = Trot.speed
    """Speed of a trot [m/s]."""

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("terrains", "feet", "choose"):
            require(len(getattr(self, name)) > 0, name, (), "at least one")
        for kind in self.terrains:
            if not kind.endswith(".json"):
                require_choice("terrain", kind, tuple(TERRAINS))
        require(self.seeds >= 1, "seeds", self.seeds, "a whole number, 1 or more")
        require(self.seed >= 0, "seed", self.seed, "a whole number, 0 or more")
        require(0 < self.difficulty <= 3, "difficulty", self.difficulty, "a factor above 0, 3 at most")
        require_choice("gait", self.gait, ("crawl", "trot"))
        Crawl(stride=self.stride, distance=self.distance)
        Trot(speed=self.speed, distance=self.distance)

    def trials(self) -> list[dict[str, Any]]:
        """The config of every walk; all cells of one seed come together, so that half a study is one of fewer seeds."""
        draws = range(self.seed, self.seed + self.seeds)
        cells = itertools.product(draws, self.feet, self.terrains, self.choose)
        shared = {
            "robot": self.robot,
            "difficulty": self.difficulty,
            "distance": self.distance,
            "stride": self.stride,
        }
        if self.gait == "trot":  # so that studies of crawls go on where they were stopped before there was a trot
            shared |= {"trot": self.speed}
        return [{"foot": f, "terrain": t, "choose": c, "draw": k, **shared} for k, f, t, c in cells]

    def course(self, foot: str, choose: str = "nominal") -> Course:
        """The quadruped with one of the feet on level ground, choosing in one way."""
        trot = self.speed if self.gait == "trot" else 0.0
        return crossing(self.robot, foot, choose, self.stride, trot, self.distance)

    def check(self) -> None:
        """Refuse what does not exist or fit before anything is run."""
        for name in self.choose:
            find_chooser(name)
        for foot in self.feet:
            self.course(foot)
        for kind in self.terrains:
            ground_of(kind, 0)


@functools.lru_cache(maxsize=8)
def crossing(robot: str, foot: str, choose: str, stride: float, trot: float = 0.0, distance: float = 1.5) -> Course:
    """A quadruped with feet by name on level ground, kept for the next walk; above 0 `trot` is the speed of a trot."""
    gait = Trot(speed=trot, distance=distance) if trot else Crawl(stride=stride, distance=distance)
    return Course(find_walker(robot, foot), gait=gait, choose=choose)


def ground_of(kind: str, seed: int, difficulty: float = 1.0) -> Terrain:
    """The ground of a kind that a seed draws, or that of a file."""
    return Terrain.load(kind) if kind.endswith(".json") else make_terrain(kind, seed, difficulty)


def walk(config: dict[str, Any], **more: Any) -> WalkResult:
    """One walk of a study; its chance comes from the draw, so that it is the same for every foot and choice."""
    names = ("robot", "foot", "choose", "stride")
    course = crossing(*(config[n] for n in names), config.get("trot", 0.0), config["distance"])
    ground = ground_of(config["terrain"], config["draw"], config["difficulty"])
    return course.on(ground).run(seed=config["draw"], rest=REST, **more)


def run_one(config: dict[str, Any], seed: int) -> dict[str, Any]:
    """What is kept of a walk."""
    row = walk(config).row()
    left_out = {"robot", "foot", "terrain", "choose", "seed", "status"}
    return {name: value for name, value in row.items() if name not in left_out} | {"ended": row["status"]}


def run_study(
    study: CrossStudy,
    out: str | Path,
    *,
    engine: str = "processes",
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Run a study on all cores; one that was interrupted goes on where it stopped.

    Args:
        study: What to try.
        out: Folder of the sweep.
        engine: `processes`, `threads` or `ray`.
        workers: How many at once; None takes all cores.
        progress: Called with the number of walks that ended since the last call.

    Returns:
        A row a walk.
    """
    trials = study.trials()
    result = sweep.run(run_one, trials, engine, out=out, seed=study.seed, workers=workers, progress=progress)  # type: ignore[arg-type]
    return named_rows(result.load(), trials)


def summarise(table: Sequence[Row]) -> list[Row]:
    """A row a cell: walks, successes with Wilson's interval, means of the figures with bootstrap intervals."""
    groups: dict[tuple, list[Row]] = {}
    for row in table:
        groups.setdefault(tuple(row[name] for name in CELL), []).append(row)
    rows = []
    for key, group in groups.items():
        good = [row for row in group if row.get("success") is not None]
        won = sum(bool(row["success"]) for row in good)
        low, high = share_interval(won, len(good))
        row: Row = dict(zip(CELL, key, strict=True))
        row |= {"walks": len(good), "successes": won, "share": won / len(good) if good else None}
        row |= {"low": low, "high": high}
        for name in METRICS:
            values = np.array([float(r[name]) for r in good if r.get(name) is not None])
            values = values[np.isfinite(values)]
            row[name] = float(values.mean()) if len(values) else None
            if name in SPREAD:
                ends = _interval(values) if len(values) > 1 else (math.nan, math.nan)
                row |= {f"{name}_low": ends[0], f"{name}_high": ends[1]}
        rows.append(row)
    return rows


def _interval(values: np.ndarray) -> tuple[float, float]:
    """Bootstrapped 95 % interval of a mean."""
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    found = bootstrap((values,), np.mean, n_resamples=2000, method="percentile", rng=0)
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def best_of(summary: Sequence[Row]) -> list[Row]:
    """A row a ground: who crosses it most often, and with least slip among those."""
    rows = []
    for terrain in dict.fromkeys(row["terrain"] for row in summary):
        cells = [row for row in summary if row["terrain"] == terrain and row["share"] is not None]
        if not cells:
            continue
        best = min(cells, key=lambda r: (-r["share"], r["slip"]))
        rows.append({name: best[name] for name in (*CELL, "successes", "walks", "slip", "collisions")})
    return rows
