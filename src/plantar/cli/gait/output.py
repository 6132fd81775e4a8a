"""Output of the gait commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from plantar._files import write_config, write_table
from plantar.cli.common import note, results_folder
from plantar.cli.show_options import report_on
from plantar.errors import PlantarError
from plantar.gait.check import check
from plantar.gait.families import Family, gait_file
from plantar.gait.plots import plot_diagram, plot_family, plot_gaits
from plantar.gait.replay import replay
from plantar.gait.result import GaitResult
from plantar.show.clip import Clip
from plantar.show.film import Film, write_film
from plantar.show.plots import save
from plantar.show.recorder import ClipRecorder
from plantar.show.report import Section
from plantar.show.view import View

GAITS = "gaits"
"""Folder of a sweep's gaits, one file each."""
UNITS = {"cost_of_*": "1", "cost": "m g l0", "speed": "sqrt(g l0)", "stride_time": "sqrt(l0/g)", "*seconds": "s"}
"""Units of the columns of gaits."""


def write_gaits(
    results: list[GaitResult], folder: Path, *, film: bool, seed: int | None, html: Path | None, video: Path | None
) -> tuple[Path, list[dict[str, Any]]]:
    """Write trajectories, meshes, plots, film and report of solved gaits; return the report and one row per gait."""
    rows = []
    for i, result in enumerate(results, start=1):
        row = result.summary()
        if result.ok:
            checked = check(result)
            row |= {"return_error": checked.return_error, "cost_error": checked.cost_error}
            write_table(folder, f"{i}_{result.contact}", result.table())
        row["violated"] = "; ".join(result.violated)
        write_table(folder, f"{i}_{result.contact}_meshes", result.history)
        rows.append(row)
    good, sections = [r for r in results if r.ok], []
    if good:
        pictures = [save(plot_gaits(good), folder / "gait.png"), save(plot_diagram(good), folder / "diagram.png")]
        sections.append(Section(title="Motion and contact", picture=pictures))
    first = results[0]
    write_config(
        folder, command="gait solve", seed=seed, robot=first.robot.to_dict(), request=first.request, gaits=rows
    )
    soft, views = [r for r in good if r.contact == "soft"], {}
    if film and soft:
        error, views = _film(soft[0])
        rows[results.index(soft[0])] |= error
    write_table(folder, "gaits", rows)
    sections.append(Section(title="Gaits", table=rows, units=UNITS))
    title = f"Optimal gait of the {first.robot.name}"
    return report_on(folder, title, _words(results, rows), sections, html=html, video=video, **views), rows


def _words(results: list[GaitResult], rows: list[dict[str, Any]]) -> tuple[str, str, str]:
    """Question, result and confidence of a gait."""
    first, request = results[0], results[0].request
    apex = "" if request.apex is None else f", apex {request.apex:g} l0"
    asked = f"the cheapest periodic gait of the {first.robot.name} at a speed of {request.speed:g} sqrt(g l0){apex}, "
    asked += f"by its {request.cost} cost, with {' and '.join(r.contact for r in results)} contact."
    found = "; ".join(f"{r.contact}: {r.status.value}, cost {r.cost:.4g} m g l0" for r in results) + "."
    checks = [f"an independent integrator returns to the start within {row['return_error']:.2g}" for row in rows
              if row.get("return_error") is not None]  # fmt: skip
    checks += [f"MuJoCo follows within {row['replay_error']:.2g} leg lengths" for row in rows if "replay_error" in row]
    sure = "; ".join([f"the largest defect is {max(r.defect for r in results):.2g}", *checks])
    return asked, found, f"{sure}. It is a local optimum: another `--start` or `--guess` may find a cheaper one."


def _film(result: GaitResult) -> tuple[dict[str, Any], dict[str, Any]]:
    """Replay in MuJoCo and film it; return the row's figure and what the report shows."""
    try:
        # the error is that of the optimised part; a film of a symmetric gait shows both halves
        error = replay(result, step=5e-5).error
        shown = replay(result, step=5e-5, strides=2 if result.request.symmetric else 1)
    except PlantarError as problem:
        note(f"plantar: no film: {problem}")
        return {}, {}
    text = f"speed {result.speed:.3g}, losses {result.cost:.4g}; off the optimum by {error:.2g} leg lengths"
    film = Film(
        shown.model,
        (shown.times * result.robot.unit_time).tolist(),
        shown.positions[:, None],
        shown.frames[:, None],
        [f"{result.robot.name}, rubber feet"],
        [text],
    )
    title = f"{result.robot.name}: optimal gait replayed in MuJoCo"
    return {"replay_error": error}, {
        "clip": _clip(title, film, text),
        "watch_old_film": lambda page: write_film(page, title, film),
    }


def _clip(title: str, film: Film, text: str) -> Clip:
    """The film in three dimensions."""
    recorder = ClipRecorder(film.model, overlays=False)
    for time, places, turns in zip(film.times, film.positions, film.frames, strict=True):
        recorder.take_bodies(time, places, turns, np.zeros((1, 3)))
    torso = film.positions[:, 0, film.model.body("torso").id]
    x, z = float(torso[:, 0].mean()), float(torso[:, 2].mean())
    reach = float(np.ptp(torso[:, 0])) + 1.5 * z
    view = View(azimuth=105, elevation=-8, distance=1.5 * reach, centre=(x, 0.0, 0.55 * z))
    return recorder.clip(title, view=view, notes=(text,), floor=-0.01)


def motion_differences(first: GaitResult, second: GaitResult) -> dict[str, float]:
    """How similar two gaits are over the fraction of the stride: root mean square and cost."""
    share = np.linspace(0, 1, 400)
    a, b = (r.at(share * r.stride_time * (1 - 1e-9)) for r in (first, second))
    names = first.robot.coordinates
    found = {"cost_ratio": second.cost / first.cost, "stride_time_ratio": second.stride_time / first.stride_time}
    for i, name in enumerate(names[: 3 + 2 * first.robot.legs]):
        gap = a["q"][:, i] - b["q"][:, i]
        found[f"rms_{name}"] = float(np.sqrt(np.mean(gap**2)))
        if i:
            found[f"correlation_{name}"] = float(np.corrcoef(a["q"][:, i], b["q"][:, i])[0, 1])
    for i, name in enumerate(names[3 + 2 * first.robot.legs :]):
        pair = (a["torque"][:, i], b["torque"][:, i])
        found[f"correlation_torque_{name}"] = float(np.corrcoef(*pair)[0, 1])
    return found


def sweep_folder(out: Path | None, settings: dict[str, Any], overwrite: bool) -> Path:
    """The folder of a sweep: a new one, or one that the same sweep started; `overwrite` starts over."""
    folder = results_folder(out, "gait-sweep", overwrite, settings)
    if overwrite:
        for start in settings["starts"]:
            for speed in settings["speeds"]:
                (folder / GAITS / gait_file(start, speed)).unlink(missing_ok=True)
    return folder


def write_family(found: Family, folder: Path, *, seed: int) -> tuple[Path, list[dict[str, Any]]]:
    """Write the table, plots, settings and report of gait families; return the report and one row per gait."""
    rows = found.rows()
    write_table(folder, "gaits", rows)
    family = save(plot_family(found), folder / "family.png")
    chosen = found.examples(12)
    labels = [f"{name}, speed {r.speed:.2f}, cost of transport {r.transport:.3f}" for r, name in chosen]
    diagrams = save(plot_diagram([r for r, _ in chosen], labels), folder / "diagrams.png")
    robot = found.results[0].robot
    write_config(folder, command="gait sweep", seed=seed, robot=robot.to_dict(), gaits=rows)
    best = min(rows, key=lambda row: row["cost_of_transport"])
    words = (
        f"which gaits of the {robot.name} are cheapest at which speed.",
        f"{len(rows)} gaits; the cheapest is {best['gait']} at {best['speed']:.2f} sqrt(g l0) with a cost of transport "
        f"of {best['cost_of_transport']:.3g}.",
        f"every gait is a local optimum with a defect of at most {max(row['defect'] for row in rows):.2g}; starts that "
        "were not tried may lead to cheaper ones.",
    )
    sections = [
        Section(title="Cost and timing over speed", picture=family),
        Section(title="Feet on the ground", picture=diagrams),
        Section(title="Gaits", table=rows, units=UNITS),
    ]
    return report_on(folder, f"Gaits of the {robot.name}", words, sections), rows
