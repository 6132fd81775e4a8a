"""`plantar ground tracks`: a robot steps over ground that keeps its footprint."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import mujoco
import typer

from plantar._fields import to_record
from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, emit, parse_changes, results_folder
from plantar.cli.ground.options import GroundFile, Soles, sole_names
from plantar.errors import InvalidInput
from plantar.ground.soil.yielding import YieldingGround, load_ground
from plantar.ground.terrain.registry import make
from plantar.identify.march import March, MarchResult, march
from plantar.identify.tracks_plots import plot_tracks, press_twice
from plantar.show.picture import render
from plantar.show.plots import save
from plantar.show.view import View

PLATE = 0.04
"""Width of the plate that is pressed twice [m]."""


def tracks(
    material: Annotated[
        str | None, typer.Option(help="A soil of `plantar ground materials`; dry_sand if left out.")
    ] = None,
    ground: GroundFile = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--ground-set", metavar="FIELD=VALUE", help="Change a field of the ground, as in rebound=0.2."),
    ] = None,
    robot: Annotated[str, typer.Option(metavar="R", help="khr3hv, or the path of a biped's MJCF or URDF.")] = "khr3hv",
    soles: Soles = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps.")] = 6,
    stride: Annotated[float, typer.Option(help="Length of a step [m].")] = 0.03,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Let a robot, guided by a gantry, step over yielding ground: tracks, forces, energy, a picture."""
    soil = _ground(material, ground, parse_changes("--ground-set", changes))
    names = sole_names(soles)
    plan = March(steps=steps, stride=stride)
    folder = results_folder(out, "ground-tracks", overwrite)
    result = march(robot, soil, plan, names)
    rows = result.rows
    lowest = float(result.tracks.elevation().heights.min())
    least = float(min((b["lost"] - a["lost"] for a, b in zip(rows, rows[1:], strict=False)), default=0.0))
    record = {"ground": soil.to_dict(), "deepest_track": -lowest, "work": rows[-1]["work"], "lost": rows[-1]["lost"]}
    file = _write(result, soil, folder, {"robot": Path(robot).name, "plan": plan, "feet": names}, record)
    text = (
        f"{soil.name}: tracks up to {-1e3 * lowest:.3g} mm deep after {steps} steps; {rows[-1]['work']:.3g} J put into "
        f"the ground, {rows[-1]['lost']:.3g} J lost, which fell by at most {max(0.0, -least):.1g} J between rows\n\n"
        f"tracks, plot, picture: {folder}\nground: {file}"
    )
    emit({**record, "least_loss": least, "file": file, "folder": folder}, as_json=as_json, text=text)


def _ground(material: str | None, file: Path | None, fields: dict[str, Any]) -> YieldingGround:
    if file is not None and material is not None:
        raise InvalidInput("give either --material or --ground")
    if file is None:
        made = YieldingGround.of(material or "dry_sand")
    else:
        made = load_ground(file)
        if not isinstance(made, YieldingGround):
            raise InvalidInput(f"ground {str(file)!r} does not yield: give one that `plantar ground tracks` wrote")
    return make(YieldingGround.kind, **{**to_record(made), **fields})  # type: ignore[return-value]


def _write(
    result: MarchResult, soil: YieldingGround, folder: Path, settings: dict[str, Any], record: dict[str, Any]
) -> Path:
    model = result.tracks.model
    presses = press_twice(soil, PLATE, 1.25 * PLATE**2, max(record["deepest_track"], 1e-3))
    write_table(folder, "march", result.rows)
    write_table(folder, "press_twice", presses)
    result.tracks.elevation().save(folder / "elevation.npz")
    title = f"{settings['robot']} on {soil.name}"
    save(plot_tracks(result, presses, title=title), folder / "tracks.png")
    result.tracks.paint()
    mujoco.mj_forward(model, result.data)
    base = result.data.qpos[:3]
    view = View(azimuth=120, elevation=-25, distance=3 * float(base[2]), centre=(float(base[0]) / 2, 0.0, base[2] / 3))
    render(model, result.data, folder / "picture.png", camera=view)
    write_config(folder, command="ground tracks", **settings, result=record)
    return soil.save(folder / "ground.json")
