"""`plantar foothold press`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from plantar._fields import edited
from plantar._files import write_config, write_table
from plantar.cli.common import (
    Json,
    Out,
    Overwrite,
    Progress,
    Seed,
    emit,
    parse_changes,
    results_folder,
    table_text,
    words,
)
from plantar.cli.foot_options import FootOption, Set, read_foot
from plantar.cli.foothold.input import read_map
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.feet import Foot
from plantar.foothold import ElevationMap, SoftSole, terrain_cost
from plantar.foothold.physics import MosaicConfig, PhysicsConfig, PhysicsData, Presser, PressPlan, PushRig, shipped
from plantar.foothold.physics.judge import sole_for
from plantar.foothold.physics.on_map import PressedMap, press_map
from plantar.foothold.physics.plots import plot_data, plot_pressed
from plantar.foothold.physics.scores import spearman
from plantar.show.plots import save
from plantar.show.report import Section

RigChanges = Annotated[
    list[str] | None,
    typer.Option("--rig", metavar="FIELD=VALUE", help="Change a field of the rig, as in friction=0.6."),
]
EngineName = Literal["threads", "gpu"]
Engine = Annotated[EngineName, typer.Option(help="MuJoCo on this machine's cores, or MuJoCo Warp.")]
Directions = Annotated[int, typer.Option(help="Presses per foothold, each pushed in a different direction.")]
UNITS = {"hold": "of the load", "slip": "m", "settle": "m", "tilt": "rad", "area": "m^2", "spread": "m"}
"""Units of the labels of footholds."""


def press(
    foot: FootOption = "softfoot_q:fast",
    changes: Set = None,
    mosaics: Annotated[int, typer.Option(min=1, help="Mosaics of 64 tiles.")] = 1,
    tiles: Annotated[int, typer.Option(help="Tiles along each side of a mosaic.")] = 8,
    footholds: Annotated[int, typer.Option(help="Footholds on each tile.")] = 8,
    directions: Directions = 8,
    kinds: Annotated[str, typer.Option(metavar="A,B,...", help="Kinds of ground; all by default.")] = "",
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="MAP", help="Press on this map instead, and draw the result beside the costs."),
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="With --on: spacing of footholds in cells.")] = 2,
    cells: Annotated[
        int | None, typer.Option(min=4, help="With --on: use only a part of this many cells per side.")
    ] = None,
    yaw: Annotated[float, typer.Option(help="With --on: yaw of the foot [degrees].")] = 0.0,
    rig: RigChanges = None,
    engine: Engine = "threads",
    worlds: Annotated[int, typer.Option(help="Worlds per launch on a GPU.")] = 16384,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press a foot on footholds and push it until it slides: slip, holding force, tilt and support as labels."""
    one = read_foot(foot, changes)
    names: dict[str, Any] = {"kinds": words(kinds)} if kinds else {}
    config = PhysicsConfig(
        mosaic=MosaicConfig(tiles=tiles, seed=seed, **names),
        plan=PressPlan(footholds=footholds, directions=directions, seed=seed),
        rig=edited(PushRig(), parse_changes("--rig", rig)),
    )
    if on is not None:
        _press_map(one, config, on, every, cells, math.radians(yaw), engine, out, overwrite, as_json)
        return
    folder = results_folder(out, "foothold-press", overwrite)
    data = _press_mosaics(one, config, mosaics, engine, worlds, folder)
    write_config(folder, command="foothold press", seed=seed, foot=one, config=config, engine=engine)
    rows = _by_kind(data)
    said = (
        f"how well {foot} holds on {len(rows)} kinds of ground.",
        f"{len(data)} footholds, each pushed in {directions} directions; medians by kind are in the table.",
        f"{100 * max(row['failed'] for row in rows):.2g} % of the presses of any kind failed; friction and load "
        "are those of the rig in config.json.",
    )
    sections = [Section(title="By kind", picture=folder / "kinds.png", table=rows, units=UNITS)]
    report = report_on(folder, f"Footholds of {foot} by physics", said, sections)
    record = {"foot": one, "folder": folder, "footholds": len(data), "presses": len(data) * directions, "kinds": rows}
    text = f"{table_text(rows, units=UNITS)}\n\n{len(data)} footholds: {folder}\nreport: {report}"
    emit({**record, "report": report}, as_json=as_json, text=text)


def _press_mosaics(
    foot: Foot, config: PhysicsConfig, count: int, engine: EngineName, worlds: int, folder: Path
) -> PhysicsData:
    presser = Presser(foot, config, engine, worlds=worlds)
    parts = []
    total = count * config.mosaic.tiles**2 * min(config.plan.footholds, config.mosaic.cells**2) * config.plan.directions
    with Progress(total, "presses") as bar:
        for number in range(count):
            parts.append(presser.footholds(number, bar.advance))
            # Each mosaic is saved as soon as it is done: a long run that is stopped loses one at most.
            parts[-1].save(folder / f"pressed_{number:03d}.npz", foot=foot.name, config=config, engine=engine)
    data = PhysicsData.joined(parts)
    write_table(folder, "kinds", _by_kind(data))
    save(plot_data(data.finite()), folder / "kinds.png")
    return data


def _press_map(
    foot: Foot,
    config: PhysicsConfig,
    source: str,
    every: int,
    cells: int | None,
    yaw: float,
    engine: EngineName,
    out: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    ground = read_map(source, None)
    if cells is not None:
        ground = ground.crop(ground.centre, (cells, cells))
    folder = results_folder(out, "foothold-press", overwrite)
    sole = sole_for(foot)
    edge = 4
    sides = [len(range(edge, size - edge, every)) for size in ground.shape]
    with Progress(sides[0] * sides[1] * config.plan.directions, "presses") as bar:
        found = press_map(ground, foot, config, yaw=yaw, every=every, edge=edge, engine=engine, progress=bar.advance)
    name = "cost of eq. 3" if isinstance(sole, SoftSole) else "analytic cost"
    cost = terrain_cost(ground, sole, yaw).cost
    picture = save(plot_pressed(found, {name: cost}, _learned(foot, ground, yaw)), folder / "pressed.png")
    rows = _map_rows(found, cost)
    write_table(folder, "pressed", rows)
    write_config(folder, command="foothold press", foot=foot, config=config, source=Path(source).name, yaw=yaw)
    columns = {key: np.array([row[key] for row in rows]) for key in ("hold", "slip", "cost")}
    ranks = {"hold": spearman(columns["cost"], -columns["hold"]), "slip": spearman(columns["cost"], columns["slip"])}
    record = {"foot": foot, "folder": folder, "footholds": len(rows), "rank_correlation": ranks, "picture": picture}
    summary = f"{len(rows)} footholds; {name} ranks hold {ranks['hold']:.2f}, slip {ranks['slip']:.2f}"
    asked = f"how well {foot.name} holds on {Path(source).stem}, and whether its cost predicts it."
    sure = "1 would be a perfect ranking by the cost, 0 none; one map, one yaw of the foot."
    section = Section(title="The map, its cost and the presses", picture=picture)
    record["report"] = report_on(folder, "A map, pressed", (asked, f"{summary}.", sure), [section])
    emit(record, as_json=as_json, text=f"{summary}\npicture: {picture}\nreport: {record['report']}")


def _learned(foot: Foot, ground: ElevationMap, yaw: float) -> np.ndarray | None:
    """Holding force by the learned score shipped with Plantar, if there is one for this foot and cell size."""
    try:
        return shipped(foot.name).map(ground, yaw)["hold"]
    except InvalidInput:
        return None


def _map_rows(found: PressedMap, cost: np.ndarray) -> list[dict[str, Any]]:
    ground, rows = found.elevation, []
    for j, row in enumerate(found.rows):
        for i, column in enumerate(found.columns):
            x, y = ground.position(int(row), int(column))
            labels = {name: float(getattr(found.labels, name)[j, i]) for name in found.labels.names()}
            rows.append({"x": x, "y": y, **labels, "cost": float(cost[row, column])})
    return rows


def _by_kind(data: PhysicsData) -> list[dict[str, Any]]:
    """Medians of the labels of each kind, and the fraction of failed presses."""
    rows, labels = [], data.labels
    for number, kind in enumerate(data.kinds):
        own = data.foothold_kind == number
        if not own.any():
            continue
        middle = {name: float(np.nanmedian(getattr(labels, name)[own])) for name in labels.names()}
        failed = float(np.isnan(data.presses["hold"][own]).mean())
        rows.append({"kind": kind, "footholds": int(own.sum()), **middle, "failed": failed})
    return rows
