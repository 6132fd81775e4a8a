"""Many walks of a policy: the effect of foot stiffness, courses and pushes, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked, Count, Duration, NotNegative, Seed
from plantar._files import write_config, write_table
from plantar._kinds import Within
from plantar._rows import table_text
from plantar.learn.config import LOCKED
from plantar.learn.errand import Pace
from plantar.learn.intervals import apart, in_range, mean_of, percent_of, student
from plantar.learn.subject import PLATE
from plantar.walk import courses
from plantar.walk.study.statistics import share_interval

MEASURED = ("transport", "transport_positive", "force_peak", "force_rate", "slip", "support_area")
"""Figures of a walk that `plantar.walk` measures."""
COUNTED = ("fallen", "arrived")
"""How walks end."""
FIGURES = ("speed_error", *MEASURED)
"""Figures that are averaged over the walks that did not end in a fall."""
WHO = ("policy", "foot", "stiffness", "tendons")
"""Who walks."""
WHERE = ("speed", "level", "push")
"""How fast, over what, and how hard it is pushed."""
CELL = (*WHO, *WHERE)
"""What makes a cell of an evaluation."""
PUSHED = 2.0
"""Time before the first push, and between two [s]."""
HARDEST = 3.3
"""Largest change of velocity by a push [m/s]."""


@dataclass(frozen=True, kw_only=True)
class EvaluateConfig(Checked, prefix="evaluate."):
    """Which walks are walked: all combinations, each draw the same in all of them."""

    speeds: tuple[float, ...] = (0.5,)
    """Commanded velocities [m/s]."""
    course: str = "bars"
    """Obstacles on the path: a course of `plantar walk study`."""
    levels: tuple[NotNegative, ...] = (0.0, 0.02)
    """Level of difficulty, in the unit of the course; 0 is level ground."""
    pushes: tuple[Annotated[float, Within(0.0, HARDEST, unit="a velocity in m/s")], ...] = (0.0,)
    """Changes of the robot's velocity by pushes from random sides, every two seconds until `seconds` [m/s]."""
    stiffness: tuple[Annotated[float, Within(0.0, LOCKED, above=True)], ...] = (0.25, 1.0, 4.0, 16.0, 1000.0)
    """Factors on the stiffness of soft feet; 1000 is locked."""
    tendons: tuple[bool, ...] = (True,)
    """Whether soft feet have their tendons; both may be walked."""
    seconds: Duration = 10.0
    """Requested walking time [s]."""
    draws: Count = 5
    """Walks of each combination."""
    seed: Seed = 0
    """Seed of the first draw."""

    def __post_init__(self) -> None:
        """Check the course and the speeds, and that no value is walked twice."""
        courses.find(self.course)
        for name in ("speeds", "levels", "pushes", "stiffness", "tendons"):
            values = getattr(self, name)
            require(len(set(values)) == len(values) > 0, f"evaluate.{name}", values, "one or more values, each once")
        for speed in self.speeds:
            Pace(speed=speed)
        late = f"no pushes, or more than {PUSHED:g} seconds: the first comes after {PUSHED:g}"
        require(self.seconds > PUSHED or not any(self.pushes), "evaluate.pushes", self.pushes, late)


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
    models: dict[str, str] = field(default_factory=dict)
    """By policy, where the model of its robot is from: `plantar`, `mjlab`, `menagerie` or `file`."""

    @property
    def control(self) -> tuple[Any, ...]:
        """The first foot that walked at several stiffnesses, at its stiffest; without one, the first foot of all."""
        if not self.rows:
            return ()
        policies = dict.fromkeys(row["policy"] for row in self.rows)
        return self.control_of(next((name for name in policies if self._varied(name)), next(iter(policies))))

    def control_of(self, policy: str) -> tuple[Any, ...]:
        """Who a policy is compared with: itself on such a foot at its stiffest, or `control` if it has no such foot.

        A policy trained on another seed walks differently, locked feet included, so that only a comparison
        with itself tells what its feet do. The order of the policies changes nothing.
        """
        own = [row for row in self.rows if row["policy"] == policy]
        foot = self._varied(policy)
        if not foot and any(map(self._varied, {row["policy"] for row in self.rows})):
            return self.control
        first = [row for row in own if row["foot"] == (foot or self.rows[0]["foot"])]
        if not first:
            return self.control
        return tuple(max(first, key=lambda row: (row["stiffness"], row["tendons"]))[k] for k in WHO)

    def _varied(self, policy: str) -> str:
        """The first foot on which a policy walked at several stiffnesses."""
        found: dict[str, set[float]] = {}
        for row in self.rows:
            if row["policy"] == policy:
                found.setdefault(row["foot"], set()).add(row["stiffness"])
        return next((foot for foot, factors in found.items() if len(factors) > 1), "")

    def summary(self) -> list[dict[str, Any]]:
        """One row per combination: falls with Wilson's interval, means of the other walks with Student's, 95 %."""
        found = []
        for cell, walks in self._cells().items():
            fallen = sum(int(row["fallen"]) for row in walks)
            low, high = share_interval(fallen, len(walks))
            line = {**dict(zip(CELL, cell, strict=True)), "walks": len(walks), "fallen": fallen}
            line |= {"fallen_low": low, "fallen_high": high, "arrived": sum(int(row["arrived"]) for row in walks)}
            for name in FIGURES:
                line |= student(name, np.array([row[name] for row in walks if not row["fallen"]]))
            found.append(line)
        return found

    def pairs(self) -> list[dict[str, Any]]:
        """Every combination against its control: means of the differences of walks that share a draw, 95 %.

        `fallen` and `arrived` are differences of counts, and `stood` the number of draws in which neither fell, over
        which the differences of all other figures are taken.
        """
        cells, found = self._cells(), []
        controls = {policy: self.control_of(policy) for policy in dict.fromkeys(row["policy"] for row in self.rows)}
        for cell, walks in cells.items():
            control = controls[cell[0]]
            others = {row["draw"]: row for row in cells.get((*control, *cell[len(WHO) :]), [])}
            both = [(others[row["draw"]], row) for row in walks if row["draw"] in others]
            if cell[: len(WHO)] == control or not both:
                continue
            line: dict[str, Any] = {**dict(zip(CELL, cell, strict=True)), "against": said_of(control)}
            line |= {"walks": len(both)}
            line |= {name: sum(int(b[name]) - int(a[name]) for a, b in both) for name in COUNTED}
            stood = [(a, b) for a, b in both if not a["fallen"] and not b["fallen"]]
            line["stood"] = len(stood)
            for name in FIGURES:
                line |= student(name, np.array([b[name] - a[name] for a, b in stood]))
                usual = np.array([a[name] for a, _ in stood])
                line[f"{name}_percent"] = 100 * line[name] / usual.mean() if len(usual) else math.nan
            found.append(line)
        return found

    def trainings(self) -> list[dict[str, Any]]:
        """What several trainings have in common: `pairs` of policies with their own control, averaged over policies.

        One row per foot and ground that at least two such policies walked on. The policies are the sample, so the
        interval (Student's t, 95 %) covers what another training may give; walks of one policy cannot. Falls and
        arrivals are compared in percentage points, all other figures over the draws in which nobody fell, for
        `compared` policies.
        """
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.pairs():
            if self.control_of(row["policy"])[0] == row["policy"]:
                groups.setdefault(tuple(row[k] for k in CELL[1:]), []).append(row)
        found = []
        for cell, rows in groups.items():
            if len(rows) < 2:
                continue
            line = {**dict(zip(CELL[1:], cell, strict=True)), "policies": len(rows)}
            line |= {name: sum(row[name] for row in rows) for name in ("walks", *COUNTED)}
            line |= {"stood": sum(row["stood"] for row in rows), "compared": sum(row["stood"] > 0 for row in rows)}
            for name in COUNTED:
                shares = np.array([100 * row[name] / row["walks"] for row in rows])
                line |= in_range(student(f"{name}_points", shares), -100, 100)
            for name in FIGURES:
                line |= student(f"{name}_percent", np.array([row[f"{name}_percent"] for row in rows]))
            found.append(line)
        return found

    def feet(self) -> list[dict[str, Any]]:
        """Kinds of feet over several trainings: means over policies, and how far they are from the plate's.

        One row per foot and ground that at least two policies walked on, whether or not they walked on the others too.
        The policies are the sample: intervals are Student's, those of differences from the plate Welch's, 95 %.
        """
        groups: dict[tuple[Any, ...], dict[str, list[dict[str, Any]]]] = {}
        for row in self.rows:
            groups.setdefault(tuple(row[k] for k in CELL[1:]), {}).setdefault(row["policy"], []).append(row)
        means = {
            cell: {
                **{name: np.array([percent_of(walks, name) for walks in by.values()]) for name in COUNTED},
                **{name: np.array([mean_of(walks, name) for walks in by.values()]) for name in FIGURES},
            }
            for cell, by in groups.items()
            if len(by) > 1
        }
        found = []
        for cell, figures in means.items():
            walks = [row for each in groups[cell].values() for row in each]
            line = {**dict(zip(CELL[1:], cell, strict=True)), "policies": len(groups[cell]), "walks": len(walks)}
            line |= {name: sum(int(row[name]) for row in walks) for name in COUNTED}
            on_plate = (PLATE, 1.0, True, *cell[len(WHO) - 1 :])
            plate = means.get(on_plate)
            if plate and set(groups[cell]) & set(groups[on_plate]):
                plate = None  # the same policies on both are no two samples: `pairs` compares them
            for name, values in figures.items():
                other = plate[name] if plate else np.array([])
                if name in COUNTED:
                    line |= in_range(student(f"{name}_percent", values), 0, 100)
                    line |= in_range(apart(f"{name}_points", values, other, percent=False), -100, 100)
                else:
                    line |= student(name, values)
                    line |= apart(f"{name}_percent", values, other)
            found.append(line)
        return found

    def _cells(self) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        cells: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            cells.setdefault(tuple(row[k] for k in CELL), []).append(row)
        return cells

    def record(self) -> dict[str, Any]:
        """The result as plain data."""
        found = {"summary": self.summary(), "pairs": self.pairs(), "trainings": self.trainings(), "feet": self.feet()}
        return {"policies": list(self.policies), **found}

    def text(self) -> str:
        """The result for people."""
        keep = (*CELL, "walks", *COUNTED, *FIGURES)
        text = table_text([{k: row[k] for k in keep} for row in self.summary()])
        star = "in %; * where the 95 % interval excludes 0"
        if pairs := [_shown(row, (*CELL, "walks", *COUNTED), "") for row in self.pairs()]:
            text += f"\n\nagainst {self.compared()}, draw by draw, {star}:\n{table_text(pairs)}"
        if over := [_shown(row, (*CELL[1:], "policies", *COUNTED), "_percent") for row in self.trainings()]:
            head = f"over {max(row['policies'] for row in over)} trainings, each against itself at its stiffest, {star}"
            text += f"\n\n{head}:\n{table_text(over)}"
        if kinds := self.feet():
            keep = (*CELL[1:], "policies", *COUNTED)
            text += f"\n\nmeans over trainings:\n{table_text([{k: r[k] for k in (*keep, *FIGURES)} for r in kinds])}"
            if beside := [_shown(row, keep, "_percent") for row in kinds if not math.isnan(row["transport_percent"])]:
                text += f"\n\nthese against the plate, the trainings being the sample, {star}:\n{table_text(beside)}"
        return text

    def compared(self) -> str:
        """What `pairs` compares with, in words."""
        return " and ".join(dict.fromkeys(row["against"] for row in self.pairs())) or said_of(self.control)

    def write(self, folder: str | Path) -> None:
        """Write walks.csv, summary.csv, config.json, and pairs.csv, trainings.csv and feet.csv where they have rows."""
        for name, rows in {"walks": self.rows, **self.record()}.items():
            if rows and name != "policies":
                write_table(folder, name, rows)
        files = list(self.policies)
        more = {"policies": files, "models": self.models, "walks": self.config}
        write_config(folder, command="learn evaluate", seed=self.config.seed, **more)


def said_of(who: Sequence[Any]) -> str:
    """Who walks, in words."""
    policy, foot, stiffness, tendons = who
    return f"{foot} x {stiffness:g}{'' if tendons else ' without tendons'} by {policy}"


def _shown(row: dict[str, Any], keep: Sequence[str], ends: str) -> dict[str, Any]:
    """A row of differences for people; `ends` is what the names of its intervals have behind the figure's."""
    line = {k: row[k] for k in keep}
    for name in FIGURES:
        sure = "*" if row[f"{name}{ends}_low"] * row[f"{name}{ends}_high"] > 0 else ""
        line[name] = f"{row[f'{name}_percent']:+.1f}{sure}"
    return line
