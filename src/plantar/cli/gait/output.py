"""What the commands about gaits write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from plantar._files import write_config, write_table
from plantar.cli.common import note, results_folder
from plantar.errors import PlantarError
from plantar.gait.check import check
from plantar.gait.families import Family, gait_file
from plantar.gait.plots import plot_diagram, plot_family, plot_gaits
from plantar.gait.replay import replay
from plantar.gait.result import GaitResult
from plantar.show.film import Film, write_film
from plantar.show.plots import save

GAITS = "gaits"
"""Folder of a sweep's gaits, one file each."""


def write_gaits(results: list[GaitResult], folder: Path, *, film: bool, seed: int | None) -> list[dict[str, Any]]:
    """Write trajectories, meshes, plots and film of solved gaits; return one row per gait."""
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
    good = [r for r in results if r.ok]
    if good:
        save(plot_gaits(good), folder / "gait.png")
        save(plot_diagram(good), folder / "diagram.png")
    first = results[0]
    write_config(
        folder, command="gait solve", seed=seed, robot=first.robot.to_dict(), request=first.request, gaits=rows
    )
    soft = [r for r in good if r.contact == "soft"]
    if film and soft:
        rows[results.index(soft[0])] |= _film(soft[0], folder)
    write_table(folder, "gaits", rows)
    return rows


def _film(result: GaitResult, folder: Path) -> dict[str, Any]:
    """Replay in MuJoCo and film it."""
    try:
        # the error is that of the optimised part; a film of a symmetric gait shows both halves
        error = replay(result, step=5e-5).error
        shown = replay(result, step=5e-5, strides=2 if result.request.symmetric else 1)
    except PlantarError as problem:
        note(f"plantar: no film: {problem}")
        return {}
    text = f"speed {result.speed:.3g}, losses {result.cost:.4g}; off the optimum by {error:.2g} leg lengths"
    film = Film(
        shown.model,
        (shown.times * result.robot.unit_time).tolist(),
        shown.positions[:, None],
        shown.frames[:, None],
        [f"{result.robot.name}, rubber feet"],
        [text],
    )
    write_film(folder / "watch.html", f"{result.robot.name}: optimal gait replayed in MuJoCo", film)
    return {"replay_error": error}


def motion_differences(first: GaitResult, second: GaitResult) -> dict[str, float]:
    """How alike two gaits are, over the share of the stride: root mean square and cost."""
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
    """The folder of a sweep: a new one, or one that the same sweep has begun in; `overwrite` begins it anew."""
    folder = results_folder(out, "gait-sweep", overwrite, settings)
    if overwrite:
        for start in settings["starts"]:
            for speed in settings["speeds"]:
                (folder / GAITS / gait_file(start, speed)).unlink(missing_ok=True)
    return folder


def write_family(found: Family, folder: Path, *, seed: int) -> list[dict[str, Any]]:
    """Write the table, plots and settings of gait families."""
    rows = found.rows()
    write_table(folder, "gaits", rows)
    save(plot_family(found), folder / "family.png")
    chosen = found.examples(12)
    labels = [f"{name}, speed {r.speed:.2f}, cost of transport {r.transport:.3f}" for r, name in chosen]
    save(plot_diagram([r for r, _ in chosen], labels), folder / "diagrams.png")
    write_config(folder, command="gait sweep", seed=seed, robot=found.results[0].robot.to_dict(), gaits=rows)
    return rows
