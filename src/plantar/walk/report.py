"""Output of a trial."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from plantar._fields import field_docs
from plantar._files import write_config, write_table
from plantar._rows import readable
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report
from plantar.show.watch import watch
from plantar.table import Row, Table
from plantar.walk.clips import walk_clip
from plantar.walk.course import Course
from plantar.walk.pictures import photo_sequence, walk_film
from plantar.walk.plots import plot_walk
from plantar.walk.result import WalkResult
from plantar.walk.sim.metrics import Metrics

_UNIT = re.compile(r"^(.*?) \[([^\]]+)\]\.?$")


def figures_table(result: WalkResult) -> list[Row]:
    """The figures of a trial, one per row, with unit and meaning as the docstrings of `Metrics` give them."""
    rows: list[Row] = []
    for name, value in dataclasses.asdict(result.metrics).items():
        text = field_docs(Metrics).get(name, "")
        found = _UNIT.match(text)
        meaning, unit = found.groups() if found else (text.rstrip("."), "")
        rows.append({"figure": name, "value": value, "unit": unit, "meaning": meaning})
    return rows


def write_trial(
    folder: Path, course: Course, result: WalkResult, settings: dict[str, Any], pictures: bool = True
) -> Path:
    """Write table, time series, figures, film and report of a recorded trial; returns the report."""
    r = result.record
    assert r is not None
    write_table(folder, "result", [result.row()])
    series = Table(dict(zip(r.columns, map(float, row), strict=True)) for row in r.table[::5])
    write_table(folder, "time_series", series)
    write_config(folder, seed=result.seed, command="walk trial", **settings)
    sections = [Section(title="How it went", picture=save(plot_walk(result), folder / "walk.png"))]
    if pictures and len(r.frames):
        shots = photo_sequence(folder / "photos.png", course.scene, [result])
        title = f"{result.robot} walks"
        film = {"old_film": lambda page: walk_film(page, course.scene, [result], title), "picture": shots}
        sections.insert(0, watch(folder, walk_clip(course.scene, result), **film))
    sections.append(Section(title="In numbers", table=readable(figures_table(result))))
    feet = "its own feet" if result.foot == "own" else f"{result.foot} feet"
    return write_report(
        folder,
        f"{result.robot} on {feet}",
        sections,
        summary=in_words(
            f"how {result.robot} walks on {feet}, controlled by {result.mode}, over "
            + (f"a bar of {1e3 * result.obstacle:g} mm" if result.obstacle else "ground without a bar")
            + f", with seed {result.seed}.",
            f"{result.status.value}; {result.steps} steps over {result.distance:.2f} m.",
            "the same seed gives the same walk to the last bit, but one walk is one draw of start and course: "
            "`plantar walk study` gives success rates with intervals.",
        ),
        headline={
            "steps": result.steps,
            "distance walked": f"{result.distance:.2f} m",
            "simulated over real time": f"{result.pace:.1f}",
        },
    )
