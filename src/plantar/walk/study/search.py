"""A study that looks for the level at which half of the walks fail, for every robot, foot, mode and course."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar._files import to_json, write_text
from plantar._read import reading
from plantar.errors import InvalidInput
from plantar.table import Row, Table
from plantar.walk import courses
from plantar.walk.study.study import CELL, Study, run_trials
from plantar.walk.study.threshold import Search, Threshold, difference

WHO = CELL[:-1]
"""What has its own threshold: robot, foot, mode, chooser and course."""
Key = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Plan(Checked):
    """How thresholds are searched for: rounds of some walks, after each of which new levels are chosen."""

    rounds: int = 4
    """Rounds."""
    batch: int = 8
    """Walks of each robot, foot, mode and course in a round."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(1 <= self.rounds <= 100, "rounds", self.rounds, "an integer from 1 to 100")
        require(2 <= self.batch <= 1000, "batch", self.batch, "an integer from 2 to 1000")

    def walks(self, study: Study) -> int:
        """Walks of a whole search."""
        return self.rounds * self.batch * len(study.cells())


def search_thresholds(study: Study, out: str | Path, plan: Plan | None = None, **how: Any) -> Table:
    """Walk where thresholds are not known yet; an interrupted search resumes.

    Draw k of every foot has the same course and start and the same place among the levels of its round; the level
    itself is each foot's own.

    Args:
        study: What to try; its levels and draws are not used.
        out: Folder of the search; each round is a sweep in it.
        plan: Rounds and walks of each.
        **how: Engine, workers, retry and progress, as of `run_study`; levels that were chosen without trials that are
            run again stay.

    Returns:
        One row per trial.
    """
    plan, folder, table = plan or Plan(), Path(out), Table([])
    for k in range(plan.rounds):
        trials = _round(study, plan, k, table, folder / f"round{k}.json")
        found = run_trials(study, trials, folder / f"round{k}", **how)
        table = Table([*table, *({**row, "round": k} for row in found)])
    return table


def _round(study: Study, plan: Plan, k: int, table: Sequence[Row], file: Path) -> list[dict[str, Any]]:
    """The trials of a round; once chosen they are kept, so that one that is run again changes no later round."""
    if file.exists():
        with reading(file, "round of a search", "give another folder"):
            kept = json.loads(file.read_text(encoding="utf-8"))
            _require_same(study, plan, k, kept, file)
            return kept
    known = searches(table)
    order = np.random.default_rng((study.seed, k)).permutation(plan.batch)
    trials = []
    for cell in study.cells():
        search = known.get(tuple(cell[name] for name in WHO)) or _search(cell["course"])
        levels = search.next_levels(plan.batch)
        trials += [study.trial(cell, levels[place], k * plan.batch + i) for i, place in enumerate(order)]
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, to_json(trials) + "\n")
    return json.loads(file.read_text(encoding="utf-8"))  # as a resumed run reads them


def _require_same(study: Study, plan: Plan, k: int, kept: list[dict[str, Any]], file: Path) -> None:
    """Refuse the trials of another search: only their levels are theirs to choose."""
    draws = [(cell, k * plan.batch + i) for cell in study.cells() for i in range(plan.batch)]
    same = len(kept) == len(draws) and all(
        trial == json.loads(to_json(study.trial(cell, trial["level"], draw)))
        for trial, (cell, draw) in zip(kept, draws, strict=True)
    )
    if not same:
        raise InvalidInput(f"out = {str(file.parent)!r} holds another search: give the same study, or another folder")


def _search(course: str) -> Search:
    kind = courses.find(course)
    return Search(kind.low, kind.high)


def searches(table: Sequence[Row]) -> dict[Key, Search]:
    """What walks say about every threshold; those on level ground and in error say nothing."""
    found: dict[Key, Search] = {}
    for row in table:
        if row.get("success") is None or row["level"] <= 0:
            continue
        key = tuple(row[name] for name in WHO)
        search = found.setdefault(key, _search(row["course"]))
        search.add([row["level"]], [bool(row["success"])])
    return found


def thresholds(table: Sequence[Row]) -> list[Row]:
    """One row per robot, foot, mode and course: the level at which half of the walks fail, and its interval."""
    rows = []
    for key, search in searches(table).items():
        found: Threshold = search.threshold()
        ends = {"low": found.low or None, "high": _known(found.high)}
        rows.append(dict(zip(WHO, key, strict=True)) | {"threshold": found.level, **ends, "walks": found.walks})
    return rows


def threshold_differences(table: Sequence[Row], reference: str) -> list[Row]:
    """One row per robot, mode, course and other foot: threshold of the reference less that of the other."""
    found, rows = searches(table), []
    for (robot, foot, *where), search in found.items():
        first = found.get((robot, reference, *where))
        if foot == reference or first is None:
            continue
        middle, low, high = difference(first, search)
        row: Row = dict(zip(WHO, (robot, reference, *where), strict=True)) | {"against": foot}
        row |= {"difference": middle, "low": _known(low), "high": _known(high)}
        rows.append(row | {"walks": first.walks + search.walks, "sure": bool(low > 0 or high < 0)})
    return rows


def _known(end: float) -> float | None:
    return None if math.isinf(end) else end


def level_of(table: Sequence[Row], foot: str = "own") -> dict[Key, float]:
    """The threshold of one foot by robot, mode, chooser and course, within the levels that can be walked."""
    levels = {}
    for (robot, name, *where), search in searches(table).items():
        if name == foot:
            kind = courses.find(where[-1])
            levels[robot, *where] = min(max(search.threshold().level, kind.low), kind.high)
    return levels


def pairs_at(study: Study, levels: dict[Key, float], draws: int) -> list[dict[str, Any]]:
    """Trials of all feet at a level that is each robot's, mode's, chooser's and course's own."""
    where = [name for name in WHO if name != "foot"]
    cells = itertools.product(study.cells(), range(draws))
    return [study.trial(cell, levels[tuple(cell[name] for name in where)], k) for cell, k in cells]
