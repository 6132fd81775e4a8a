"""What a study tries: robots, feet, modes, courses and levels, the same draws for every foot."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plantar import sweep
from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar._extras import require_extra
from plantar.errors import InvalidInput
from plantar.table import Row, Table
from plantar.walk import courses
from plantar.walk.control import controllers
from plantar.walk.course import BIPED
from plantar.walk.footholds import find_chooser, home_of
from plantar.walk.plans.gaits import Crawl, Trot
from plantar.walk.sim.obstacles import STEP
from plantar.walk.sim.scene import TIMESTEP
from plantar.walk.sim.simulation import substeps
from plantar.walk.study.feet import content_of, find_walker, named_feet
from plantar.walk.study.walks import Walks

WALKS: Any = Walks()
"""What runs the trials."""
RETRIED = ("error", "timeout", "bad_result", "died")
"""Statuses of trials that `retry` runs again."""
CELL = ("robot", "foot", "mode", "choose", "course", "level")
"""What makes a cell of a study."""


@dataclass(frozen=True, kw_only=True)
class Study(Checked):
    """What to try, in every combination."""

    robots: tuple[str, ...] = ("biped",)
    """Built-in or menagerie names, or paths."""
    feet: tuple[str, ...] = ("own", "softfoot:fast", "locked", "like")
    """Feet by name, with their fidelity after a colon; `own` are those the robot came with, `locked` and `like` the
    controls of the first foot that is named: with its joints fixed, and a plate of its outline, height and mass."""
    modes: tuple[str, ...] = ("torque", "impedance")
    """Controllers: names of `plantar.walk.controllers`, or `module:function`."""
    courses: tuple[str, ...] = ("bar",)
    """Courses."""
    levels: tuple[float, ...] = (0.005, 0.010, 0.015, 0.020)
    """Levels of difficulty, in the unit of the courses; 0 is level ground. Not needed if a level is searched for."""
    draws: int = 20
    """Trials of each cell; draw k is the same course and start for every foot, mode and level."""
    choose: tuple[str, ...] = ("nominal",)
    """Foothold choosers; `nominal` is blind."""
    plan: str = ""
    """`crawl` or `trot` for quadrupeds; empty: bipeds step, quadrupeds crawl."""
    steps: int = 8
    """Number of steps of a biped's walk; a single bar lies under the fourth."""
    distance: float = Crawl.distance
    """Distance a quadruped walks [m]."""
    stride: float = Crawl.stride
    """Distance of a crawl per cycle of four steps [m]."""
    speed: float = Trot.speed
    """Speed of a trot [m/s]."""
    push: float = 0.0
    """Impulse of an additional push at a random moment from a random side, for 60 kg [N s]."""
    seed: int = 0
    """Seed of the draws."""
    timestep: float = TIMESTEP
    """Time step of the simulation [s]."""
    rate: float | None = None
    """Control steps per second; None: 500 for bipeds, which also walk with 250 in half the time, 250 for
    quadrupeds [1/s]."""

    def __post_init__(self) -> None:
        """Check every field."""
        object.__setattr__(self, "feet", named_feet(self.feet))
        for name in ("robots", "modes", "courses", "choose"):
            require(len(getattr(self, name)) > 0, name, (), "at least one")
        for name in ("robots", "modes", "courses", "choose", "levels"):  # what is walked twice is not known better
            values = getattr(self, name)
            require(len(set(values)) == len(values), name, values, "each of them once")
        for mode in self.modes:
            controllers.find(mode)
        for course in self.courses:
            courses.find(course)
        for chooser in self.choose:
            find_chooser(chooser)
        require_choice("plan", self.plan, ("", "crawl", "trot"))
        Crawl(distance=self.distance, stride=self.stride)
        Trot(distance=self.distance, speed=self.speed)
        for level in self.levels:
            require(math.isfinite(level) and level >= 0, "levels", level, "numbers from 0, heights in metres")
        require(self.draws >= 1, "draws", self.draws, "an integer, 1 or more")
        least = STEP + 2
        require(self.steps >= least, "steps", self.steps, f"{least} steps or more, as a bar lies under the fourth")
        require(0 <= self.push <= 200, "push", self.push, "an impulse in N s from 0 to 200")
        require(self.seed >= 0, "seed", self.seed, "an integer, 0 or more")
        if self.rate is not None:
            require(50 <= self.rate <= 5000, "rate", self.rate, "a number from 50 to 5000 per second")
            substeps(self.rate, self.timestep)

    def check(self) -> None:
        """Refuse what does not exist, fit or is not installed before anything is run.

        Raises:
            InvalidInput: If a robot or foot does not exist or fit.
            MissingExtra: If the packages that walking needs are not installed.
        """
        require_extra("walk")
        for robot, foot in itertools.product(self.robots, self.feet):
            walker = find_walker(robot, foot)
            if len(walker.places) > BIPED and (wrong := [c for c in self.courses if c in ("heel", "arch", "toe")]):
                raise InvalidInput(f"course {wrong[0]!r} is under a part of a biped's sole: {robot!r} has more feet")

    def cells(self) -> list[dict[str, Any]]:
        """All of a cell except its level; those that share a robot are grouped."""
        products = itertools.product(self.robots, self.feet, self.modes, self.choose, self.courses)
        return [dict(zip(CELL[:-1], values, strict=True)) for values in products]

    def trial(self, cell: dict[str, Any], level: float, draw: int) -> dict[str, Any]:
        """The config of one trial."""
        names = ("plan", "steps", "distance", "stride", "speed", "push", "timestep", "rate")
        shared = {name: getattr(self, name) for name in names}
        shared |= {"draw": draw, "draw_seed": sweep.trial_seed(self.seed, draw) % 2**31}
        files = content_of(*(cell[name] for name in ("robot", "foot", "mode", "choose", "course")))
        plugged = {"maker": controllers.where(cell["mode"]), "chooser": home_of(cell["choose"]), "files": files}
        return {**cell, "level": level, **shared, **{name: where for name, where in plugged.items() if where}}

    def trials(self) -> list[dict[str, Any]]:
        """The config of every trial; those of one robot, foot and mode are grouped, as building them takes time."""
        require(len(self.levels) > 0, "levels", (), "at least one")
        return [
            self.trial(cell, level, draw)
            for cell in self.cells()
            for level in self.levels
            # without obstacles all courses are the same
            if level > 0 or cell["course"] == self.courses[0]
            for draw in range(self.draws)
        ]

    def with_seed(self, seed: int) -> Study:
        """The same study on other draws."""
        return replace(self, seed=seed)


def run_study(
    study: Study,
    out: str | Path,
    *,
    engine: sweep.EngineName = "processes",
    workers: int | None = None,
    retry: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Run a study on all cores; an interrupted one resumes.

    Args:
        study: What to try.
        out: Folder of the sweep.
        engine: `processes`, `threads` or `ray`; the table is the same, bit for bit.
        workers: How many at once; None takes all cores.
        retry: Whether trials that ended in an error are run again.
        progress: Called with the number of trials that ended since the last call.

    Returns:
        One row per trial.
    """
    return run_trials(study, study.trials(), out, engine=engine, workers=workers, retry=retry, progress=progress)


def run_trials(study: Study, trials: Sequence[dict[str, Any]], out: str | Path, **how: Any) -> Table:
    """Run some trials of a study; see `run_study`."""
    retry = RETRIED if how.pop("retry", False) else ()
    engine = how.pop("engine", "processes")
    result = sweep.run(WALKS, trials, engine, out=out, seed=study.seed, retry=retry, **how)
    return named_rows(result.load(), trials)


def named_rows(table: Sequence[Row], trials: Sequence[dict[str, Any]]) -> Table:
    """The rows of a sweep with their configs; a sweep's own table leaves out what all configs share."""
    rows = []
    for row in table:
        found = {name: value for name, value in row.items() if not name.startswith("config.")}
        rows.append({**trials[row["trial"]], **found})
    return Table(rows)


def done(table: Iterable[Row]) -> list[Row]:
    """The trials that ended as walks do, not in an error."""
    return [row for row in table if row.get("success") is not None]
