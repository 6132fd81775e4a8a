"""Many walks of a policy: what its feet's stiffness, courses and pushes make of it, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from plantar._config import Checked, Count, Duration, Positive, Seed
from plantar._files import write_config, write_table
from plantar._rows import table_text
from plantar.learn.controller import PolicyMaker
from plantar.learn.errand import Pace
from plantar.learn.policy import Policy
from plantar.learn.walker import label, restrung, springs_of, walker_of
from plantar.walk import courses
from plantar.walk.control.tuning import REFERENCE_MASS
from plantar.walk.course import Course
from plantar.walk.result import WalkResult, WalkStatus
from plantar.walk.sim.pushes import Push
from plantar.walk.study.statistics import mean_interval, share_interval
from plantar.walk.study.walks import way_of

MEASURED = ("transport", "transport_positive", "force_peak", "force_rate", "slip", "support_area")
"""Figures of a walk that `plantar.walk` measures."""
FIGURES = ("speed_error", *MEASURED)
"""Figures that are averaged over the walks that did not end in a fall."""
CELL = ("foot", "stiffness", "speed", "level", "push")
"""What makes a cell of an evaluation."""
PUSHED = 2.0
"""Time between two pushes [s]."""


@dataclass(frozen=True, kw_only=True)
class EvaluateConfig(Checked, prefix="evaluate."):
    """Which walks are walked: all combinations, each draw the same in all of them."""

    speeds: tuple[float, ...] = (0.5,)
    """Commanded velocities [m/s]."""
    course: str = "bars"
    """What lies in the way: a course of `plantar walk study`."""
    levels: tuple[float, ...] = (0.0, 0.02)
    """How hard it is, in the unit of the course; 0 is level ground."""
    pushes: tuple[float, ...] = (0.0,)
    """Changes of the robot's velocity by pushes from random sides, every two seconds [m/s]."""
    stiffness: tuple[Positive, ...] = (0.25, 1.0, 4.0, 16.0, 1000.0)
    """Factors on the stiffness of soft feet; 1000 is locked."""
    tendons: bool = True
    """Whether soft feet have their tendons."""
    seconds: Duration = 10.0
    """Time of walking that is asked for [s]."""
    draws: Count = 5
    """Walks of each combination."""
    seed: Seed = 0
    """Seed of the first draw."""

    def __post_init__(self) -> None:
        """Check the course."""
        courses.find(self.course)


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The walks of a policy."""

    policy: str
    """File of the policy."""
    config: EvaluateConfig
    """What was walked."""
    rows: list[dict[str, Any]]
    """One row per walk."""

    def summary(self) -> list[dict[str, Any]]:
        """One row per combination: falls with Wilson's interval, means with bootstrapped intervals, 95 %."""
        found = []
        for cell, walks in self._cells().items():
            fallen = sum(int(row["fallen"]) for row in walks)
            low, high = share_interval(fallen, len(walks))
            line = {**dict(zip(CELL, cell, strict=True)), "walks": len(walks), "fallen": fallen}
            line |= {"fallen_low": low, "fallen_high": high, "arrived": sum(int(row["arrived"]) for row in walks)}
            for name in FIGURES:
                line |= _interval(name, np.array([row[name] for row in walks if not row["fallen"]]))
            found.append(line)
        return found

    def pairs(self) -> list[dict[str, Any]]:
        """Every combination against that of the first foot: means of the differences of walks that share a draw."""
        cells, found = self._cells(), []
        first = self.rows[0]["foot"] if self.rows else ""
        for cell, walks in cells.items():
            others = {row["draw"]: row for row in cells.get((first, *cell[1:]), [])}
            both = [(others[row["draw"]], row) for row in walks if cell[0] != first and row["draw"] in others]
            if not both:
                continue
            line: dict[str, Any] = {**dict(zip(CELL, cell, strict=True)), "against": first, "walks": len(both)}
            line["fallen"] = sum(int(b["fallen"]) - int(a["fallen"]) for a, b in both)
            stood = [(a, b) for a, b in both if not a["fallen"] and not b["fallen"]]
            for name in FIGURES:
                line |= _interval(name, np.array([b[name] - a[name] for a, b in stood]))
            found.append(line)
        return found

    def _cells(self) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        cells: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            cells.setdefault(tuple(row[k] for k in CELL), []).append(row)
        return cells

    def record(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"policy": self.policy, "summary": self.summary(), "pairs": self.pairs()}

    def text(self) -> str:
        """The result for people."""
        keep = (*CELL, "walks", "fallen", "arrived", *FIGURES)
        text = table_text([{k: row[k] for k in keep} for row in self.summary()])
        said = [
            _said(row, name) for row in self.pairs() for name in FIGURES if row[f"{name}_low"] * row[f"{name}_high"] > 0
        ]
        return "\n".join([text, *([""] if said else []), *said])

    def write(self, folder: str | Path) -> None:
        """Write walks.csv, summary.csv, pairs.csv and config.json."""
        write_table(folder, "walks", self.rows)
        write_table(folder, "summary", self.summary())
        write_table(folder, "pairs", self.pairs())
        write_config(folder, command="learn evaluate", seed=self.config.seed, policy=self.policy, walks=self.config)


def _interval(name: str, values: np.ndarray) -> dict[str, float]:
    values = values[np.isfinite(values)]
    low, high = mean_interval(values)
    return {name: float(values.mean()) if len(values) else math.nan, f"{name}_low": low, f"{name}_high": high}


def _said(row: dict[str, Any], name: str) -> str:
    cell = ", ".join(f"{key} {row[key]:g}" for key in CELL[1:])
    more = f"{row[name]:+.3g} ({row[f'{name}_low']:+.3g} to {row[f'{name}_high']:+.3g})"
    return f"{row['foot']} against {row['against']}, {cell}: {name} {more}"


def evaluate(
    policy: str | Path,
    feet: Sequence[Any] | None = None,
    config: EvaluateConfig | None = None,
    *,
    robot: Any = None,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Let a policy walk in plain MuJoCo, as every controller of `plantar.walk` does.

    Args:
        policy: `policy.onnx` of `plantar learn export`.
        feet: Feet to walk on; None is those it was trained on. Soft feet may be of another build than in training.
        config: Which walks.
        robot: The robot; None is the one it was trained on.
        progress: Told of the walks done.

    Raises:
        InvalidInput: If the robot has other joints than the policy moves, or a foot is none it can be told of.
    """
    config, trained = config or EvaluateConfig(), Policy(policy)
    rows: list[dict[str, Any]] = []
    for kind in feet or trained.card.feet:
        walker = walker_of(robot or trained.card.robot, kind, trained.card.drives)
        factors = config.stiffness if springs_of(walker.spec, walker) else (1.0,)
        for factor, speed in product(factors, config.speeds):
            maker = PolicyMaker(policy=trained, stiffness=factor, tendons=config.tendons)
            pace = Pace(distance=abs(speed) * config.seconds, speed=speed)
            course = Course(restrung(walker, factor, config.tendons), gait=pace, controller=maker)
            for level, push, draw in product(config.levels, config.pushes, range(config.draws)):
                cell = dict(zip(CELL, (label(kind), factor, speed, level, push), strict=True))
                rows.append({**cell, "draw": draw, **_walk(course, config, level, push, config.seed + draw)})
                if progress:
                    progress(1)
    return Evaluation(policy=str(policy), config=config, rows=rows)


def _walk(course: Course, config: EvaluateConfig, level: float, push: float, seed: int) -> dict[str, float]:
    """One walk and its figures."""
    layout = courses.lay(config.course, level, seed, way_of(course))
    placed = course if layout.terrain is None else course.on(layout.terrain)
    result = placed.run(bars=layout.bars, pushes=(*layout.pushes, *_pushes(push, config, seed)), seed=seed, record=True)
    return {
        "fallen": float(result.status is WalkStatus.FELL),
        "arrived": float(result.success),
        "lasted": result.duration,
        "way": result.distance,
        "speed_error": _speed_error(result, course.gait.speed),
        **{name: getattr(result.metrics, name) for name in MEASURED},
    }


def _pushes(change: float, config: EvaluateConfig, seed: int) -> list[Push]:
    """Pushes that change the velocity of any robot by so much."""
    rng = np.random.default_rng([seed, 2])
    times = np.arange(PUSHED, config.seconds, PUSHED) if change else ()
    ways = rng.uniform(0, 2 * math.pi, len(times))
    return [
        Push(impulse=change * REFERENCE_MASS, direction=float(way), time=float(time))
        for way, time in zip(ways, times, strict=True)
    ]


def _speed_error(result: WalkResult, speed: float) -> float:
    """Mean distance of the velocity of the centre of mass from what is asked for, from the first step on [m/s]."""
    assert result.record is not None
    walks = result.record.column("phase") > 0
    if walks.sum() < 2:
        return math.nan
    time, x, y = (result.record.column(name)[walks] for name in ("time", "com_x", "com_y"))
    return float(np.hypot(np.gradient(x, time) - speed, np.gradient(y, time)).mean())
