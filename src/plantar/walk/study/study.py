"""Many walks: robots, feet, modes, heights and places of bars, the same draws for every foot."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plantar import feet, robots, sweep
from plantar._checks import require, require_choice
from plantar.table import Row, Table
from plantar.walk.control.controllers import CONTROLLERS
from plantar.walk.control.tuning import Tuning
from plantar.walk.plans.gait import Gait
from plantar.walk.sim.obstacles import PLACES
from plantar.walk.sim.scene import TIMESTEP
from plantar.walk.sim.simulation import substeps
from plantar.walk.study.statistics import wilson

ENOUGH = 0.95
"""Share of trials that a foot has to survive a bar in."""
CELL = ("robot", "foot", "mode", "place", "obstacle")
"""What makes a cell of a study."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be tried; every combination is."""

    robots: tuple[str, ...] = ("biped",)
    """Built-in or menagerie names, or paths."""
    feet: tuple[str, ...] = ("own", "softfoot:fast")
    """Feet by name, with their fidelity after a colon; `own` are those the robot came with."""
    modes: tuple[str, ...] = ("torque", "impedance")
    """How they are controlled."""
    heights: tuple[float, ...] = (0.005, 0.010, 0.015, 0.020)
    """Heights of the bar; 0 is level ground [m]."""
    places: tuple[str, ...] = ("random",)
    """Parts of the sole that are to meet the bar."""
    draws: int = 20
    """Trials of each cell; draw k is the same bar and start for every foot, mode and height."""
    steps: int = 8
    """Steps of each walk; the bar lies under the fourth."""
    seed: int = 0
    """Seed of the draws."""
    timestep: float = TIMESTEP
    """Time step of the simulation [s]."""
    rate: float = 500.0
    """Control steps a second; 250 walks as well and takes half the time [1/s]."""

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("robots", "feet", "modes", "heights", "places"):
            require(len(getattr(self, name)) > 0, name, (), "at least one")
        for mode in self.modes:
            require_choice("modes", mode, tuple(CONTROLLERS))
        for place in self.places:
            require_choice("places", place, PLACES)
        for height in self.heights:
            require(0 <= height <= 0.2, "heights", height, "heights in metres from 0 to 0.2")
        require(self.draws >= 1, "draws", self.draws, "a whole number, 1 or more")
        require(self.steps >= 5, "steps", self.steps, "5 steps or more, as the bar lies under the fourth")
        require(self.seed >= 0, "seed", self.seed, "a whole number, 0 or more")
        require(50 <= self.rate <= 5000, "rate", self.rate, "a number from 50 to 5000 a second")
        substeps(self.rate, self.timestep)

    def trials(self) -> list[dict[str, Any]]:
        """The config of every trial; those of one robot, foot and mode come together, as building them takes time."""
        cells = itertools.product(self.robots, self.feet, self.modes, self.places, self.heights, range(self.draws))
        return [
            {
                "robot": robot,
                "foot": foot,
                "mode": mode,
                "place": place,
                "obstacle": height,
                "draw": draw,
                "draw_seed": sweep.trial_seed(self.seed, draw) % 2**31,
                "steps": self.steps,
                "timestep": self.timestep,
                "rate": self.rate,
            }
            for robot, foot, mode, place, height, draw in cells
            # without a bar there is no place to meet it
            if height > 0 or place == self.places[0]
        ]


def find_walker(robot: str, foot: str | feet.Foot = "own") -> robots.Robot:
    """A robot by name or path with the feet that `plantar.feet.get` knows by that text, or with its own.

    Raises:
        InvalidInput: If there is no such robot or foot, or it does not fit.
    """
    found = robots.load(robot)
    return found if foot == "own" else robots.mount(found, foot)


@functools.lru_cache(maxsize=3)
def _course(robot: str, foot: str, mode: str, steps: int, timestep: float, rate: float) -> Any:
    """A course, kept for the next trial of this worker."""
    from plantar.walk.trial import Course  # noqa: PLC0415

    gait, tuning = Gait(steps=steps), Tuning(rate=rate)
    return Course(_walker(robot, foot), gait=gait, mode=mode, timestep=timestep, tuning=tuning)


@functools.lru_cache(maxsize=3)
def _walker(robot: str, foot: str) -> Any:
    return find_walker(robot, foot)


def run_one(config: dict[str, Any], seed: int) -> dict[str, Any]:
    """One trial of a study; its chance comes from the draw, so that it is the same for every foot."""
    course = _course(*(config[name] for name in ("robot", "foot", "mode", "steps", "timestep", "rate")))
    result = course.run(obstacle=config["obstacle"], place=config["place"], seed=config["draw_seed"])
    row = result.row()
    names = {"robot", "foot", "mode", "place", "obstacle", "seed", "status"}
    return {name: value for name, value in row.items() if name not in names} | {"ended": row["status"]}


def run_study(
    study: Study,
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
        progress: Called with the number of trials that ended since the last call.

    Returns:
        A row a trial.
    """
    trials = study.trials()
    result = sweep.run(run_one, trials, engine, out=out, seed=study.seed, workers=workers, progress=progress)  # type: ignore[arg-type]
    return named_rows(result.load(), trials)


def named_rows(table: Sequence[Row], trials: Sequence[dict[str, Any]]) -> Table:
    """The rows of a sweep with their configs; a sweep's own table leaves out what all configs share."""
    rows = []
    for row in table:
        found = {name: value for name, value in row.items() if not name.startswith("config.")}
        rows.append({**trials[row["trial"]], **found})
    return Table(rows)


def summarise(table: Sequence[Row]) -> list[Row]:
    """A row a cell: trials, successes, Wilson's interval, and means of the figures over its trials."""
    rows = []
    for key, group in _groups(table, CELL).items():
        good = [row for row in group if row.get("success") is not None]
        won = sum(bool(row["success"]) for row in good)
        low, high = wilson(won, len(good))
        row: Row = dict(zip(CELL, key, strict=True))
        row |= {"trials": len(good), "successes": won, "share": won / len(good) if good else None}
        row |= {"low": low, "high": high}
        for name in FIGURES:
            values = [float(r[name]) for r in good if r.get(name) is not None]
            finite = [v for v in values if not math.isnan(v)]
            row[name] = sum(finite) / len(finite) if finite else None
        rows.append(row)
    return rows


FIGURES = (
    "com_excursion",
    "dcm_error",
    "support_area",
    "cop_margin",
    "force_peak",
    "force_rate",
    "slip",
    "energy",
    "tilt",
    "drift",
)
"""Figures whose means are in the summary."""


def largest_bars(summary: Sequence[Row]) -> list[Row]:
    """For each robot, foot, mode and place the largest bar that it survives in 95 % of trials.

    A height counts only if all lower ones that were tried are survived as often.
    """
    rows = []
    for key, group in _groups(summary, CELL[:-1]).items():
        best, sure = 0.0, 0.0
        for cell in sorted(group, key=lambda r: r["obstacle"]):
            if cell["share"] is None or cell["share"] < ENOUGH:
                break
            best = cell["obstacle"]
            sure = cell["low"]
        tallest = max(cell["obstacle"] for cell in group)
        row: Row = dict(zip(CELL[:-1], key, strict=True))
        rows.append(row | {"largest_bar": best, "tallest_tried": tallest, "low_there": sure if best else None})
    return rows


def _groups(rows: Sequence[Row], names: Sequence[str]) -> dict[tuple, list[Row]]:
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups
