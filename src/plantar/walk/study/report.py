"""Output of studies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plantar._files import write_config, write_table
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report
from plantar.table import Row
from plantar.walk.course import BIPED
from plantar.walk.study.claims import judge, overall
from plantar.walk.study.feet import feet_table, find_walker, reference_foot
from plantar.walk.study.ground_plots import plot_courses
from plantar.walk.study.photos import photo_sections
from plantar.walk.study.plots import plot_figures, plot_intervals, plot_places, plot_success
from plantar.walk.study.search import threshold_differences, thresholds
from plantar.walk.study.study import CELL, Study
from plantar.walk.study.summary import largest_levels, paired, summarise, verdicts
from plantar.walk.study.walks import UNDER

SHOWN = (*CELL, "trials", "successes", "low", "high")
"""Columns of the summary for people."""
FEET_TEXT = (
    "How the feet differ besides softness. `locked` and `like` are mounted where their foot is and the controller gets "
    "the same description of them (`told length`, `told width`); `contact` is the stiffness of the sole "
    "[N/m^3], empty where the robot's file defines the contact (`solref`)."
)
PAIRS_TEXT = (
    "How much more often the first foot walks than the other over the same draws. Intervals are Bonett and Price's for "
    "pairs, p is McNemar's exact test. A difference counts as certain only if both agree."
)
PLACES_TEXT = (
    "Every walk at the place of its bar under the sole that was planned to meet it: heels are on the left, toes on the "
    "right."
)
CLAIMS_TEXT = (
    "Crotti et al. (2024), section V, compared with these results. Rates from 5 to 95 % count as sometimes, 80 % and "
    "more as generally, 20 % and less as a consistent fall. A claim is confirmed or refuted only where the whole "
    "interval does."
)
SEARCH_TEXT = (
    "The level at which half of the walks fail, with its 95 % interval, from a search that walks where it is not known "
    "yet (docs/walk.md). An empty end is beyond the levels tried."
)


def write_study(folder: Path, study: Study, table: Sequence[Row], photos: bool = False) -> tuple[Path, list[Row]]:
    """Write summary, paired differences, verdicts, figures and report of a study; returns report and summary."""
    summary = summarise(table)
    pairs = paired(table, reference=reference_foot(study.feet))
    choosers = paired(table, by="choose") if len(study.choose) > 1 else []
    several = len(study.levels) > 1
    _write_tables(folder, summary=summary, pairs=pairs, largest_levels=largest_levels(summary), choosers=choosers)
    sections = [
        Section(
            title="Success by level",
            text="Rate of walks that took all steps and ended standing; ends are Wilson's 95 % intervals. The draws "
            "of start and course are the same for every foot.",
            picture=save(plot_success(summary) if several else plot_courses(summary), folder / "success.png"),
            table=[{name: row[name] for name in SHOWN} for row in summary],
        ),
        *(
            [_pairs_section(pairs, "foot", "feet", save(plot_intervals((), pairs), folder / "pairs.png"))]
            if pairs
            else ()
        ),
        *([_pairs_section(choosers, "choose", "choosers")] if choosers else ()),
        Section(
            title="Largest level survived in 95 % of walks",
            text="A level counts if all lower ones that were tried are survived as often. `low there` is the lower end "
            "of the interval at that level: few trials cannot prove a high rate.",
            table=largest_levels(summary),
        ),
        *_claims_sections(folder, study, table),
        Section(title="Means of the figures", picture=save(plot_figures(summary), folder / "figures.png")),
    ]
    if any(row.get("bar_under") is not None for row in table):
        picture = save(plot_places(table), folder / "places.png")
        sections.insert(1, Section(title="Where the bar lay", text=PLACES_TEXT, picture=picture))
    sections[1:1] = photo_sections(folder, study, table) if photos else []
    report = _write(folder, study, table, sections, verdicts(pairs))
    return report, summary


def write_search(folder: Path, study: Study, table: Sequence[Row]) -> tuple[Path, list[Row]]:
    """Write thresholds, their differences, figures and report of a search; returns the report and the thresholds."""
    found = thresholds(table)
    apart = threshold_differences(table, reference_foot(study.feet))
    _write_tables(folder, thresholds=found, threshold_differences=apart)
    sections = []
    for course in study.courses:
        rows = [row for row in found if row["course"] == course]
        if not rows:  # all of its walks ended in errors
            continue
        picture = save(plot_intervals(rows, (), course), folder / f"thresholds_{course}.png")
        sections.append(Section(title=f"Where half fail: {course}", text=SEARCH_TEXT, picture=picture, table=rows))
    if apart:
        sections.append(Section(title="Differences of thresholds", table=apart))
    return _write(folder, study, table, sections), found


def _write(folder: Path, study: Study, table: Sequence[Row], sections: list[Section], said: Sequence[str] = ()) -> Path:
    """Write what every study leaves: trials, feet, config and the report."""
    feet = feet_table(study.robots, study.feet)
    _write_tables(folder, trials=table, feet=feet)
    write_config(folder, seed=study.seed, command="walk study", study=study)
    good = [row for row in table if row.get("success") is not None]
    won = sum(bool(row["success"]) for row in good)
    sections.append(Section(title="The feet", text=FEET_TEXT, table=feet))
    return write_report(
        folder,
        "Walking with different feet",
        sections,
        summary=in_words(
            f"how {', '.join(study.robots)} walk with feet {', '.join(study.feet)}, controlled by "
            f"{', '.join(study.modes)}, over {', '.join(study.courses)}, from seed {study.seed}.",
            f"{won} of {len(good)} walks took all steps and ended standing. {' '.join(f'{s}.' for s in said)}".strip(),
            "intervals are 95 %, and the draws are the same for every foot; differences they do not support are not "
            "claimed.",
        ),
        headline={"trials": len(good), "walked": f"{won} of {len(good)}"},
    )


def _write_tables(folder: Path, **tables: Sequence[Row]) -> None:
    """Write tables; one without rows, as of differences of a single foot, is left out."""
    for name, rows in tables.items():
        if rows:
            write_table(folder, name, list(rows))


def _pairs_section(rows: list[Row], by: str, who: str, picture: Path | None = None) -> Section:
    """Paired comparison of feet or choosers."""
    said = verdicts(rows, by=by)
    text = PAIRS_TEXT + (" " + ". ".join(said) + "." if said else f" These walks show no difference between {who}.")
    return Section(title=f"{who.capitalize()} over the same draws", text=text, picture=picture, table=rows)


def _claims_sections(folder: Path, study: Study, table: Sequence[Row]) -> list[Section]:
    """What the paper says about bipeds on bars."""
    bipeds = [robot for robot in study.robots if len(find_walker(robot).places) <= BIPED]
    found = judge([row for row in table if row["robot"] in bipeds]) if set(UNDER) & set(study.courses) else []
    if not found:
        return []
    _write_tables(folder, claims=found)
    return [
        Section(title="The paper's claims", text=CLAIMS_TEXT, table=overall(found)),
        Section(title="Claim by claim", table=found),
    ]
