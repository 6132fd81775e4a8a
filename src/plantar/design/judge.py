"""Confidence: chosen feet, their start and controls, walked on draws that the search never saw."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plantar import feet, sweep
from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.design.subject import Ground, Setting, each_once
from plantar.table import Row, Table
from plantar.walk.study.feet import OWN
from plantar.walk.study.study import CELL, Study, run_trials
from plantar.walk.study.summary import paired, pooled, summarise

FRESH = 1_000_003
"""Added to the seed of a search for the draws of its evaluation."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What walks on fresh draws say."""

    table: Table
    """One row per walk."""
    summary: list[Row]
    """One row per foot and ground: successes with Wilson's interval, means of the figures."""
    pairs: list[Row]
    """One row per ground and foot: how much more often the first chosen foot walks over the same draws."""
    overall: list[Row]
    """The same over all grounds, by bootstrap over draws."""


@checks_arguments
def judge(
    chosen: Mapping[str, feet.Foot],
    setting: Setting,
    out: str | Path,
    *,
    grounds: Sequence[str] | None = None,
    draws: int = 10,
    first: int = 0,
    controls: Sequence[str] = (),
    fidelity: str = "full",
    own: bool = True,
    only_controls: bool = False,
    engine: sweep.EngineName = "processes",
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Judgement:
    """Walk with some feet over the same fresh draws.

    Args:
        chosen: Feet by name; the first is compared with all others.
        setting: What they were searched under.
        out: Folder; existing results are resumed.
        grounds: Other grounds than those of the search, held out from it; None takes the same.
        draws: Walks of each foot on each ground.
        first: Number of the first draw: blocks of draws can be run one after the other, and their tables joined.
        controls: `locked` and `like` are the first foot with its joints fixed, and a plate of its outline.
        fidelity: Build that walks; `full` for the final evaluation.
        own: Whether the robot's own feet walk too.
        only_controls: Whether the controls walk alone, to be joined with walks of the chosen feet over these draws.
        engine: Engine of `plantar.sweep`.
        workers: How many walks run at once.
        progress: Called with the number of walks that ended.
    """
    folder = Path(out)
    places = each_once("grounds", setting.grounds if grounds is None else grounds)
    names = _saved({label: foot.with_(fidelity=fidelity) for label, foot in chosen.items()}, folder / "feet")
    related = {f"{control}:{next(iter(names))}": f"{control} {next(iter(chosen))}" for control in controls}
    names = related if only_controls else names | related
    study = study_of(setting, places, (*names, *((OWN,) if own else ())), first + draws)
    trials = [
        study.trial(cell, place.level, draw)
        for cell in study.cells()
        for place in places
        if place.course == cell["course"]
        for draw in range(first, first + draws)
    ]
    table = run_trials(study, trials, folder / "walks", engine=engine, workers=workers, progress=progress)
    named = Table([{**row, "foot": names.get(row["foot"], row["foot"])} for row in table])
    return judgement(named, next(iter(chosen)))


def study_of(setting: Setting, places: Sequence[Ground], worn: Sequence[str], draws: int = 1) -> Study:
    """The study with which feet are judged that were searched under a setting."""
    return Study(
        robots=(setting.robot,),
        feet=tuple(worn),
        modes=(setting.mode,),
        courses=tuple(dict.fromkeys(place.course for place in places)),
        draws=draws,
        steps=setting.footsteps,
        distance=setting.distance,
        push=setting.push,
        rate=setting.rate,
        seed=setting.seed + FRESH,
    )


def _saved(chosen: Mapping[str, feet.Foot], folder: Path) -> dict[str, str]:
    """Write feet as files; returns the label of each by its file."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, str] = {}
    for label, foot in chosen.items():
        path = str(folder / f"{_ODD.sub('_', label)}.json")
        require(path not in names, "chosen", ", ".join(chosen), "names that differ in letters or digits")
        feet.save(foot, path, overwrite=True)
        names[path] = label
    return names


_ODD = re.compile(r"[^\w-]")


def judgement(table: Table, reference: str) -> Judgement:
    """What walks say, all feet compared with one of them."""
    return Judgement(
        table=table,
        summary=summarise(table, CELL),
        pairs=paired(table, reference=reference),
        overall=pooled(table, reference=reference, over=None),
    )


def fresh(setting: Setting, stream: int = 0) -> Setting:
    """The setting with draws that a search under it does not use; stream 0 has those of the judgement."""
    return replace(setting, seed=setting.seed + (stream + 1) * FRESH)
