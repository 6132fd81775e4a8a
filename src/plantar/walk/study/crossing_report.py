"""What a study of quadruped walks leaves in its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plantar._files import write_config, write_table
from plantar.show.plots import save
from plantar.show.report import Section, write_report
from plantar.table import Row
from plantar.walk.known import map_of
from plantar.walk.pictures import photo_sequence, walk_film
from plantar.walk.study.crossing_plots import plot_footholds, plot_study
from plantar.walk.study.crossings import CELL, CrossStudy, best_of, ground_of, summarise, walk

SHOWN = (*CELL, "walks", "successes", "low", "high", "slip", "slip_low", "slip_high", "collisions", "transport", "tilt")
"""Columns of the summary for people."""
UNITS = {"slip*": "m/m", "tilt": "rad", "low": "", "high": ""}
"""Units of them."""


def telling_draw(study: CrossStudy, table: Sequence[Row], terrain: str) -> int:
    """The seed to show: one that the last way to choose crosses on the first foot and the first way does not."""
    won = {(r["foot"], r["choose"], r["draw"]): bool(r.get("success")) for r in table if r["terrain"] == terrain}
    foot, first, last = study.feet[0], study.choose[0], study.choose[-1]
    for draw in range(study.seed, study.seed + study.seeds):
        if won.get((foot, last, draw)) and won.get((foot, first, draw)) is False:
            return draw
    return study.seed


def write_walks(folder: Path, study: CrossStudy, terrain: str, draw: int) -> list[Path]:
    """Walk one draw again with the first foot and every way to choose: photos, footholds, and a film."""
    made = ground_of(terrain, draw, study.difficulty)
    wanted = {"terrain": terrain, "foot": study.feet[0], "draw": draw}
    configs = [config for config in study.trials() if wanted.items() <= config.items()]
    results = [walk(config, frames=True) for config in configs]
    scene = study.course(study.feet[0]).on(made).scene
    name = Path(terrain).stem
    photos = photo_sequence(folder / f"photos_{name}.png", scene, results, size=(380, 300), shots=5)
    holds = save(plot_footholds(map_of(made, study.distance), results), folder / f"footholds_{name}.png")
    walk_film(folder / f"watch_{name}.html", scene, results, f"{study.robot} on {name}, seed {draw}")
    return [photos, holds]


def write_study(
    folder: Path, study: CrossStudy, table: Sequence[Row], *, photos: bool = True
) -> tuple[Path, list[Row]]:
    """Write tables, figures, photo sequences, films and the report of a study; returns the report and the summary."""
    summary = summarise(table)
    write_table(folder, "walks", list(table))
    write_table(folder, "summary", summary)
    write_table(folder, "best", best_of(summary))
    write_config(folder, seed=study.seed, command="foothold walk", study=study)
    sections = [
        Section(
            title="Who crosses",
            text="Bars and ends are 95 % intervals: Wilson's of the share of walks that crossed, bootstrapped ones of "
            "the means. Ground and start of a seed are the same in every cell.",
            picture=save(plot_study(summary), folder / "study.png"),
            table=[{name: row[name] for name in SHOWN} for row in summary],
            units=UNITS,
        ),
        Section(title="Best on each ground", text="Most crossings, then least slip.", table=best_of(summary)),
    ]
    if photos:
        for terrain in study.terrains:
            draw = telling_draw(study, table, terrain)
            pictures = write_walks(folder, study, terrain, draw)
            rows = ", ".join(study.choose)
            sections.append(
                Section(
                    title=f"{Path(terrain).stem}, seed {draw}",
                    text=f"On `{study.feet[0]}`, a row for each way to choose: {rows}. Crosses are nominal footholds, "
                    f"dots those taken. The film is `watch_{Path(terrain).stem}.html` beside this file.",
                    picture=pictures,
                )
            )
    won, tried = sum(r["successes"] for r in summary), sum(r["walks"] for r in summary)
    report = write_report(
        folder,
        "A quadruped chooses its footholds",
        sections,
        summary=f"{study.robot} over {', '.join(study.terrains)}, feet {', '.join(study.feet)}, {study.seeds} seeds a "
        f"cell, difficulty {study.difficulty:g}.",
        headline={"walks": tried, "crossed": f"{won} of {tried}"},
    )
    return report, summary
