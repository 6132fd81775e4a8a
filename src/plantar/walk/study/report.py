"""What trials and studies leave in their folders."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plantar._files import write_config, write_table
from plantar.show.plots import save
from plantar.show.report import Section, write_report
from plantar.table import Row, Table
from plantar.walk.control.tuning import Tuning
from plantar.walk.pictures import photo_sequence, walk_film
from plantar.walk.plans.gait import Gait
from plantar.walk.result import WalkResult
from plantar.walk.sim.metrics import COLUMNS
from plantar.walk.study.claims import judge, overall
from plantar.walk.study.plots import plot_figures, plot_places, plot_success, plot_walk
from plantar.walk.study.study import Study, find_walker, largest_bars, summarise
from plantar.walk.trial import Course

UNITS = {
    "com_excursion": "m",
    "com_sway": "m",
    "dcm_error": "m",
    "dcm_error_max": "m",
    "support_area": "m^2",
    "support_area_min": "m^2",
    "cop_margin": "m",
    "cop_margin_min": "m",
    "force_peak": "weights",
    "force_rate": "weights/s",
    "slip": "m/m",
    "energy": "J/m",
    "transport": "",
    "tilt": "rad",
    "drift": "",
}
"""Units of the figures."""

PLACES_TEXT = (
    "Every walk at the place of its bar under the sole that was planned to meet it: heels are on the left, toes on the "
    "right."
)


def figures_table(result: WalkResult) -> list[Row]:
    """The figures of a trial, one a row, with unit and meaning."""
    docs = _meanings()
    return [
        {"figure": name, "value": value, "unit": UNITS[name], "meaning": docs.get(name, "")}
        for name, value in dataclasses.asdict(result.metrics).items()
    ]


def _meanings() -> dict[str, str]:
    """The docstring under each field of `Metrics`, without its unit."""
    import ast  # noqa: PLC0415
    import inspect  # noqa: PLC0415

    from plantar.walk.sim.metrics import Metrics  # noqa: PLC0415

    body = ast.parse(inspect.getsource(Metrics)).body[0].body  # type: ignore[attr-defined]
    docs = {}
    for field, text in zip(body, body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            docs[field.target.id] = text.value.value.split(" [")[0].rstrip(".")  # type: ignore[attr-defined, union-attr]
    return docs


def write_trial(
    folder: Path, course: Course, result: WalkResult, settings: dict[str, Any], pictures: bool = True
) -> Path:
    """Write table, time series, figures, film and report of a recorded trial; returns the report."""
    r = result.record
    assert r is not None
    write_table(folder, "result", [result.row()])
    series = Table(dict(zip(COLUMNS, map(float, row), strict=True)) for row in r.table[::5])
    write_table(folder, "time_series", series)
    write_config(folder, seed=result.seed, command="walk trial", **settings)
    sections = [Section(title="How it went", picture=save(plot_walk(result), folder / "walk.png"))]
    if pictures and len(r.frames):
        walk_film(folder / "watch.html", course.scene, [result], f"{result.robot} walks")
        shots = photo_sequence(folder / "photos.png", course.scene, [result])
        sections.insert(
            0,
            Section(title="Watch it", text="The walk as a film: open `watch.html` beside this file.", picture=shots),
        )
    sections.append(Section(title="Figures", table=figures_table(result)))
    return write_report(
        folder,
        f"{result.robot} on feet `{result.foot}`",
        sections,
        summary=f"{result.status.value.capitalize()}. Mode {result.mode}, seed {result.seed}"
        + (f", bar of {1e3 * result.obstacle:g} mm." if result.obstacle else ", no bar."),
        headline={
            "steps": result.steps,
            "way": f"{result.distance:.2f} m",
            "simulated over real time": f"{result.pace:.1f}",
        },
    )


def telling_trial(study: Study, table: Sequence[Row]) -> Row | None:
    """The trial to show: a bar of 10 mm, or the one nearest to that, that the last foot crosses and the first does not.

    Where there is none, the first draw of that bar.
    """
    barred = [row for row in table if row["obstacle"] > 0 and row.get("success") is not None]
    if not barred or len(study.feet) < 2:
        return None
    barred.sort(key=lambda r: (r["mode"] != "impedance", abs(r["obstacle"] - 0.010)))
    key = ("robot", "mode", "place", "obstacle", "draw")
    won = {(*(r[k] for k in key), r["foot"]): bool(r["success"]) for r in barred}
    for row in barred:
        same = tuple(row[k] for k in key)
        if won.get((*same, study.feet[-1])) and won.get((*same, study.feet[0])) is False:
            return row
    return barred[0]


def write_photos(folder: Path, study: Study, row: Row) -> list[Path]:
    """Photo sequences of one draw, a row for each foot: the whole robot, and its feet on the bar."""
    gait, tuning, pairs = Gait(steps=study.steps), Tuning(rate=study.rate), []
    for foot in study.feet:
        walker = find_walker(row["robot"], foot)
        course = Course(walker, gait=gait, mode=row["mode"], timestep=study.timestep, tuning=tuning)
        result = course.run(obstacle=row["obstacle"], place=row["place"], seed=row["draw_seed"], frames=True)
        pairs.append((course, result))
    scenes, results = [c.scene for c, _ in pairs], [r for _, r in pairs]
    g = pairs[0][0].gait
    on_bar = g.settle + g.start + 4.2 * (g.single_support + g.double_support)
    whole = photo_sequence(
        folder / "photos.png", scenes[0], results, scenes, shots=8, around=on_bar + 1.0, span=5.0, size=(230, 360)
    )
    close = photo_sequence(
        folder / "feet.png", scenes[0], results, scenes, shots=5, around=on_bar, span=1.2, close=True, size=(380, 240)
    )
    return [whole, close]


def write_study(folder: Path, study: Study, table: Sequence[Row], photos: bool = False) -> tuple[Path, list[Row]]:
    """Write summary, verdicts, figures and report of a study; returns the report and the summary."""
    summary = summarise(table)
    bars = largest_bars(summary)
    verdicts = judge(summary)
    write_table(folder, "trials", list(table))
    write_table(folder, "summary", summary)
    write_table(folder, "largest_bars", bars)
    write_table(folder, "claims", verdicts)
    write_config(folder, seed=study.seed, command="walk study", study=study)
    shown = ("robot", "foot", "mode", "place", "obstacle", "trials", "successes", "low", "high")
    won, tried = sum(r["successes"] for r in summary), sum(r["trials"] for r in summary)
    sections = [
        Section(
            title="Success by height of the bar",
            text="Share of walks that took all steps and ended standing; bars are Wilson's 95 % intervals. The draws "
            "of start and bar are the same for every foot.",
            picture=save(plot_success(summary), folder / "success.png"),
            table=[{name: row[name] for name in shown} for row in summary],
        ),
        Section(
            title="Largest bar survived in 95 % of walks",
            text="A height counts if all lower ones that were tried are survived as often. `low there` is the lower "
            "end of the interval at that height: few trials cannot prove a large share.",
            table=bars,
        ),
        Section(
            title="The paper's claims",
            text="Crotti et al. (2024), section V, beside what was found here. Shares from 5 to 95 % count as "
            "sometimes, 80 % and more as generally, 10 % and less as a consistent fall; a difference has to pass "
            "Fisher's exact test at 5 %.",
            table=overall(verdicts),
        ),
        Section(title="Claim by claim", table=verdicts),
        Section(title="Means of the figures", picture=save(plot_figures(summary), folder / "figures.png")),
    ]
    if any(row.get("bar_under") is not None for row in table):
        picture = save(plot_places(table), folder / "places.png")
        sections.insert(1, Section(title="Where the bar lay", text=PLACES_TEXT, picture=picture))
    told = telling_trial(study, table) if photos else None
    if told is not None:
        sections.insert(
            1,
            Section(
                title="One bar, every foot",
                text="The same start and bar, a row for each foot in the order " + ", ".join(study.feet) + ".",
                picture=write_photos(folder, study, told),
                caption=f"{told['robot']}, {told['mode']}, bar of {1e3 * told['obstacle']:g} mm, draw {told['draw']}",
            ),
        )
    report = write_report(
        folder,
        "Walking over bars",
        sections,
        summary=f"{len(study.robots)} robots, {len(study.feet)} feet, modes {', '.join(study.modes)}, "
        f"{study.draws} draws a cell, seed {study.seed}.",
        headline={"trials": tried, "walked": f"{won} of {tried}"},
    )
    return report, summary
