"""Pictures and films of single trials of a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plantar._extras import EXTRAS
from plantar._folders import file_name
from plantar.ground import Flat
from plantar.show.page import write_page
from plantar.show.plots import save
from plantar.show.report import Section
from plantar.table import Row
from plantar.walk.clips import walk_clip
from plantar.walk.pictures import photo_sequence, walk_film
from plantar.walk.plans.known_ground import map_of
from plantar.walk.result import WalkResult
from plantar.walk.sim.scene import Scene
from plantar.walk.study.feet import reference_foot
from plantar.walk.study.ground_plots import plot_footholds
from plantar.walk.study.study import CELL, Study, done
from plantar.walk.study.walks import course_of, laid, walk

SAME = ("robot", "mode", "course", "level", "draw")
"""What trials of one draw share, whatever the foot and the chooser."""


def photo_sections(folder: Path, study: Study, table: Sequence[Row]) -> list[Section]:
    """A draw to show with every foot; or, where footholds are chosen, one of each course with every chooser."""
    if len(study.choose) == 1:
        told = telling_trial(done(table), "foot", reference_foot(study.feet)) if len(study.feet) > 1 else None
        return [_feet_section(folder, study, told)] if told is not None else []
    found = []
    for course in study.courses:
        rows = [row for row in done(table) if row["course"] == course and row["foot"] == study.feet[0]]
        told = telling_trial(rows, "choose", study.choose[-1])
        if told is not None:
            found.append(_choosers_section(folder, study, told))
    return found


def telling_trial(rows: Sequence[Row], by: str, best: str) -> Row | None:
    """The trial to show: one that `best` walks and another does not, at the middle of the levels.

    Where there is none, the first draw of that level.
    """
    tried = [row for row in rows if row["level"] > 0]
    if not tried:
        return None
    levels = sorted({row["level"] for row in tried})
    middle = levels[len(levels) // 2]
    tried.sort(key=lambda r: (r["mode"] != "impedance", abs(r["level"] - middle)))
    fell = {tuple(r[k] for k in SAME) for r in tried if not r["success"]}
    good = (r for r in tried if r[by] == best and r["success"] and tuple(r[k] for k in SAME) in fell)
    return next(good, tried[0])


def _configs(study: Study, row: Row, by: str, values: Sequence[str]) -> list[dict[str, Any]]:
    """The trial of a row for each foot or chooser."""
    cells = [{**{name: row[name] for name in CELL[:-1]}, by: value} for value in values]
    return [study.trial(cell, row["level"], row["draw"]) for cell in cells]


def _feet_section(folder: Path, study: Study, row: Row) -> Section:
    """Photo sequences of one draw, one row per foot: the whole robot, and its feet on the obstacles."""
    configs = _configs(study, row, "foot", study.feet)
    results = [walk(config, frames=True) for config in configs]
    scenes, g = [laid(config)[0].scene for config in configs], course_of(configs[0]).gait
    biped = hasattr(g, "single_support")
    on_bar = g.settle + g.start + 4.2 * (g.single_support + g.double_support) if biped else None
    whole: dict[str, Any] = {"shots": 8, "span": 5.0, "size": (230, 360)} if biped else {"shots": 5, "size": (380, 300)}
    whole["around"] = None if on_bar is None else on_bar + 1.0
    kinds = [("photos.png", whole)]
    if biped:
        kinds.append(("feet.png", {"shots": 5, "around": on_bar, "span": 1.2, "close": True, "size": (380, 240)}))
    pictures = [photo_sequence(folder / name, scenes[0], results, scenes, **how) for name, how in kinds]
    return Section(
        title="One draw, every foot",
        text="The same start and course, one row per foot in the order " + ", ".join(study.feet) + ".",
        picture=pictures,
        film=_films(folder, file_name(Path(row["course"]).stem), scenes, results, study.feet),
        caption=f"{row['robot']}, {row['mode']}, {row['course']} at {row['level']:g}, draw {row['draw']}",
    )


def _choosers_section(folder: Path, study: Study, row: Row) -> Section:
    """Walk one draw again with the first foot and every chooser: photos, footholds, and a film."""
    configs = _configs(study, row, "choose", study.choose)
    results = [walk(config, frames=True) for config in configs]
    course, layout = laid(configs[0])
    name = file_name(Path(row["course"]).stem)
    photos = photo_sequence(folder / f"photos_{name}.png", course.scene, results, size=(380, 300), shots=5)
    seen = map_of(layout.terrain or Flat(), study.distance)
    pictures = [photos, save(plot_footholds(seen, results), folder / f"footholds_{name}.png")]
    films = _films(folder, name, [course.scene] * len(results), results, study.choose)
    return Section(
        title=f"{name}, draw {row['draw']}",
        text=f"On `{row['foot']}`, one row per chooser: {', '.join(study.choose)}. Crosses are nominal footholds, "
        f"dots those taken.",
        picture=pictures,
        film=films,
    )


def _films(
    folder: Path, course: str, scenes: Sequence[Scene], results: Sequence[WalkResult], names: Sequence[str]
) -> list[Path]:
    """A page for each walk, or one from the side for all where the extra `show` is not installed."""
    if EXTRAS["show"].missing:
        return [walk_film(folder / f"watch_{course}.html", scenes[0], results, f"{results[0].robot} on {course}")]
    pages = [folder / f"watch_{course}_{label}.html" for label in _labels(names)]
    walks = zip(pages, scenes, results, strict=True)
    return [write_page(page, walk_clip(scene, result)) for page, scene, result in walks]


def _labels(names: Sequence[str]) -> list[str]:
    """Names for files; those that are alike without their folders, as of a foot and its control, get a number."""
    stems = [file_name(Path(name).stem) for name in names]
    return [stem if stems.count(stem) == 1 else f"{stem}_{k + 1}" for k, stem in enumerate(stems)]
