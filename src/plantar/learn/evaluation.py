"""Many walks of a policy: what its feet's stiffness, bars and pushes make of it, with intervals."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from plantar._config import Checked, Count, Duration, Positive, Seed
from plantar._extras import EXTRAS
from plantar._files import write_config, write_table
from plantar._rows import table_text
from plantar.errors import InvalidInput
from plantar.learn.drives import Drive
from plantar.learn.policy import Policy
from plantar.learn.subject import OWN, Subject, foot_of, subject_of
from plantar.learn.trial import Stage, Walk
from plantar.learn.versions import require_learn
from plantar.walk.study.statistics import mean_interval, share_interval

FIGURES = ("speed_error", "transport", "transport_positive", "force_peak", "force_rate", "slip")
"""Figures that are averaged over the walks that did not end in a fall."""


OF_MJLAB = ("unitree_g1", "unitree_go1")
"""Robots that mjlab brings."""


@dataclass(frozen=True, kw_only=True)
class EvaluateConfig(Checked, prefix="evaluate."):
    """Which walks are walked: all combinations, each draw the same in all of them."""

    speeds: tuple[float, ...] = (0.5,)
    """Commanded velocities [m/s]."""
    bars: tuple[float, ...] = (0.0, 0.02)
    """Heights of bars [m]."""
    pushes: tuple[float, ...] = (0.0,)
    """Pushes [m/s]."""
    stiffness: tuple[Positive, ...] = (0.25, 1.0, 4.0, 16.0, 1000.0)
    """Factors on the stiffness of soft feet; 1000 is locked."""
    tendons: bool = True
    """Whether soft feet have their tendons."""
    friction: Positive = 1.0
    """Friction of the soles."""
    seconds: Duration = 10.0
    """Length of a walk [s]."""
    draws: Count = 5
    """Walks of each combination."""
    seed: Seed = 0
    """Seed of the first draw."""


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
        keys = ("foot", "stiffness", "speed", "bar", "push")
        cells: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            cells.setdefault(tuple(row[k] for k in keys), []).append(row)
        found = []
        for cell, walks in cells.items():
            fallen = sum(int(row["fallen"]) for row in walks)
            low, high = share_interval(fallen, len(walks))
            line = {**dict(zip(keys, cell, strict=True)), "walks": len(walks), "fallen": fallen}
            line |= {"fallen_low": low, "fallen_high": high}
            for name in FIGURES:
                values = np.array([row[name] for row in walks if not row["fallen"]])
                values = values[np.isfinite(values)]
                low, high = mean_interval(values)
                mean = float(values.mean()) if len(values) else math.nan
                line |= {name: mean, f"{name}_low": low, f"{name}_high": high}
            found.append(line)
        return found

    def record(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"policy": self.policy, "summary": self.summary()}

    def text(self) -> str:
        """The result for people."""
        keep = ("foot", "stiffness", "speed", "bar", "push", "walks", "fallen", *FIGURES)
        return table_text([{k: row[k] for k in keep} for row in self.summary()])

    def write(self, folder: str | Path) -> None:
        """Write walks.csv, summary.csv and config.json."""
        write_table(folder, "walks", self.rows)
        write_table(folder, "summary", self.summary())
        write_config(folder, command="learn evaluate", seed=self.config.seed, policy=self.policy, walks=self.config)


def evaluate(
    policy: str | Path,
    feet: Sequence[Any] | None = None,
    config: EvaluateConfig | None = None,
    *,
    robot: Any = None,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Let a policy walk in plain MuJoCo.

    Args:
        policy: `policy.onnx` of `plantar learn export`.
        feet: Feet to walk on; None is those it was trained on. Soft feet may be of another build than in training.
        config: Which walks.
        robot: The robot; None is the one it was trained on.
        progress: Told of the walks done.

    Raises:
        InvalidInput: If the robot has other joints than the policy moves, or a foot is none it can be told of.
    """
    config, pilot = config or EvaluateConfig(), Policy(policy)
    card, rows = pilot.card, []
    for kind in feet or card.feet:
        number = _kind(card.feet, kind)
        stage = Stage(_subject(robot or card.robot, kind, card.drives), pilot)
        factors = config.stiffness if stage.subject.soft else (1.0,)
        for speed, bar, push, factor, draw in product(
            config.speeds, config.bars, config.pushes, factors, range(config.draws)
        ):
            walk = Walk(
                speed=speed,
                bar=bar,
                push=push,
                stiffness=factor,
                tendons=config.tendons,
                friction=config.friction,
                seconds=config.seconds,
                seed=config.seed + draw,
            )
            cell = {"foot": label(kind), "stiffness": factor, "speed": speed, "bar": bar, "push": push, "draw": draw}
            rows.append({**cell, **stage.run(walk, number)})
            if progress:
                progress(1)
    return Evaluation(policy=str(policy), config=config, rows=rows)


def label(kind: Any) -> str:
    """A foot in a word."""
    return kind if isinstance(kind, str) else f"{kind.name}:{kind.fidelity}"


def _kind(trained: Sequence[str], kind: Any) -> int:
    """Which of the kinds of feet of a training this is."""
    if len(trained) == 1:
        return 0
    if label(kind) not in trained:
        raise InvalidInput(f"the policy was not told of {label(kind)!r}: it knows {', '.join(trained)}")
    return list(trained).index(label(kind))


def _subject(robot: Any, kind: Any, drives: Sequence[Drive]) -> Subject:
    """The robot on a foot; mjlab's own robots come from mjlab where it is installed, else from Menagerie."""
    foot = OWN if foot_of(kind) is None else kind
    if robot in OF_MJLAB and not EXTRAS["learn"].missing:
        require_learn()
        return importlib.import_module("plantar.learn.entity").prepared(robot, foot)
    return subject_of(robot, foot, drives=drives)
