"""Many walks of a policy: what its feet's stiffness, courses and pushes make of it, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plantar._config import Checked, Count, Duration, Positive, Seed
from plantar._files import write_config, write_table
from plantar._rows import table_text
from plantar.walk import courses
from plantar.walk.study.statistics import mean_interval, share_interval

MEASURED = ("transport", "transport_positive", "force_peak", "force_rate", "slip", "support_area")
"""Figures of a walk that `plantar.walk` measures."""
FIGURES = ("speed_error", *MEASURED)
"""Figures that are averaged over the walks that did not end in a fall."""
WHO = ("policy", "foot", "stiffness", "tendons")
"""Who walks."""
WHERE = ("speed", "level", "push")
"""How fast, over what, and how hard it is pushed."""
CELL = (*WHO, *WHERE)
"""What makes a cell of an evaluation."""


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
    tendons: tuple[bool, ...] = (True,)
    """Whether soft feet have their tendons; both may be walked."""
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
    """The walks of one or several policies."""

    policies: tuple[str, ...]
    """Files of the policies."""
    config: EvaluateConfig
    """What was walked."""
    rows: list[dict[str, Any]]
    """One row per walk."""
    broken: Sequence[str] = ()
    """Errors of walks that ended in one."""

    @property
    def control(self) -> tuple[Any, ...]:
        """Who the others are compared with: the first foot at its stiffest, which is locked if that was walked."""
        first = [row for row in self.rows if all(row[k] == self.rows[0][k] for k in WHO[:2])]
        return tuple(max(first, key=lambda row: (row["stiffness"], row["tendons"]))[k] for k in WHO) if first else ()

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
        """Every combination against the control: means of the differences of walks that share a draw."""
        cells, control, found = self._cells(), self.control, []
        for cell, walks in cells.items():
            others = {row["draw"]: row for row in cells.get((*control, *cell[len(WHO) :]), [])}
            both = [(others[row["draw"]], row) for row in walks if row["draw"] in others]
            if cell[: len(WHO)] == control or not both:
                continue
            line: dict[str, Any] = {**dict(zip(CELL, cell, strict=True)), "against": said_of(control)}
            line |= {"walks": len(both), "fallen": sum(int(b["fallen"]) - int(a["fallen"]) for a, b in both)}
            stood = [(a, b) for a, b in both if not a["fallen"] and not b["fallen"]]
            for name in FIGURES:
                line |= _interval(name, np.array([b[name] - a[name] for a, b in stood]))
                usual = np.array([a[name] for a, _ in stood])
                line[f"{name}_percent"] = 100 * line[name] / usual.mean() if len(usual) else math.nan
            found.append(line)
        return found

    def _cells(self) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        cells: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            cells.setdefault(tuple(row[k] for k in CELL), []).append(row)
        return cells

    def record(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"policies": list(self.policies), "summary": self.summary(), "pairs": self.pairs()}

    def text(self) -> str:
        """The result for people."""
        keep = (*CELL, "walks", "fallen", "arrived", *FIGURES)
        text = table_text([{k: row[k] for k in keep} for row in self.summary()])
        pairs = [_shown(row) for row in self.pairs()]
        if not pairs:
            return text
        head = f"against {said_of(self.control)}, draw by draw, in %; * where the 95 % interval leaves out 0:"
        return f"{text}\n\n{head}\n{table_text(pairs)}"

    def write(self, folder: str | Path) -> None:
        """Write walks.csv, summary.csv, pairs.csv where there is something to compare, and config.json."""
        tables = {"walks": self.rows, "summary": self.summary(), "pairs": self.pairs()}
        for name, rows in tables.items():
            if rows:
                write_table(folder, name, rows)
        files = list(self.policies)
        write_config(folder, command="learn evaluate", seed=self.config.seed, policies=files, walks=self.config)


def _interval(name: str, values: np.ndarray) -> dict[str, float]:
    values = values[np.isfinite(values)]
    low, high = mean_interval(values)
    return {name: float(values.mean()) if len(values) else math.nan, f"{name}_low": low, f"{name}_high": high}


def said_of(who: Sequence[Any]) -> str:
    """Who walks, in words."""
    policy, foot, stiffness, tendons = who
    return f"{foot} x {stiffness:g}{'' if tendons else ' without tendons'} by {policy}"


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row of differences for people."""
    line = {k: row[k] for k in (*CELL, "walks", "fallen")}
    for name in FIGURES:
        sure = "*" if row[f"{name}_low"] * row[f"{name}_high"] > 0 else ""
        line[name] = f"{row[f'{name}_percent']:+.1f}{sure}"
    return line
