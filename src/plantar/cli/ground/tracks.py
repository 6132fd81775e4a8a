"""`plantar ground tracks`: a robot walks over ground that keeps its footprints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from plantar import robots, walk
from plantar._fields import to_record
from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Seed, emit, parse_changes, results_folder
from plantar.cli.foot_options import NAMING, Set, read_foot
from plantar.cli.ground.options import GroundFile
from plantar.cli.show_options import Html, Video, report_on
from plantar.errors import InvalidInput
from plantar.ground.soil.tracks_plots import plot_tracks, press_twice
from plantar.ground.soil.yielding import YieldingGround, load_ground
from plantar.ground.terrain.registry import make
from plantar.show.plots import save
from plantar.show.report import Section
from plantar.table import Table
from plantar.walk.clips import walk_clip
from plantar.walk.pictures import photo_sequence

PLATE = 0.04
"""Width of the plate that is pressed twice [m]."""

UNITS = {"deepest_track": "m", "work": "J", "lost": "J", "distance": "m"}
"""Units of the numbers of a walk."""


def tracks(
    material: Annotated[
        str | None, typer.Option(help="A soil from `plantar ground materials`; dry_sand if left out.")
    ] = None,
    ground: GroundFile = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--ground-set", metavar="FIELD=VALUE", help="Change a field of the ground, as in rebound=0.2."),
    ] = None,
    robot: Annotated[str, typer.Option(metavar="R", help="A robot's name, or an MJCF or URDF file.")] = "biped",
    foot: Annotated[
        str | None, typer.Option("--foot", metavar="FOOT", help=f"Put these feet on it: {NAMING}; - reads stdin.")
    ] = None,
    set_: Set = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps.")] = 6,
    seed: Seed = 0,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make a robot walk over yielding ground: tracks, loads, energy lost to the ground, pictures."""
    soil = _ground(material, ground, parse_changes("--ground-set", changes))
    if foot is None and set_:
        raise InvalidInput(f"--set {set_[0]!r} is not allowed without --foot: give a foot that has fields")
    worn = None if foot is None else read_foot(foot, set_)
    walker = robots.load(robot) if worn is None else robots.mount(robot, worn)
    course = walk.Course(walker, gait=walk.Gait(steps=steps), terrain=soil)
    folder = results_folder(out, "ground-tracks", overwrite)
    result = course.run(seed=seed, record=True, frames=True)
    assert result.record is not None and result.record.tracks is not None
    left = result.record.tracks
    lowest = float(left.elevation().heights.min())
    record = {"ground": soil.to_dict(), "status": result.status.name.lower(), "deepest_track": -lowest}
    record |= {"work": left.work, "lost": left.lost_energy, "distance": result.distance}
    settings = {"robot": Path(robot).name, "foot": worn, "steps": steps}
    file, picture = _write(result, soil, folder, settings, record, seed)
    shots = photo_sequence(folder / "picture.png", course.scene, [result])
    words = (
        f"the tracks of {settings['robot']} in {soil.name.replace('_', ' ')} over {steps} steps, with seed {seed}.",
        f"{result.status.value}; tracks up to {-1e3 * lowest:.3g} mm deep over {result.distance:.2f} m; of "
        f"{left.work:.3g} J put into the ground, {left.lost_energy:.3g} J are lost.",
        "one walk; the law of the soil uses the material's published parameters, which hold for plates pressed slowly.",
    )
    sections = [
        Section(
            title="Tracks, loads and the soil", picture=picture, table=[record | {"ground": soil.name}], units=UNITS
        )
    ]
    clip = walk_clip(course.scene, result)
    clip = replace(clip, notes=(*clip.notes, "the tracks are drawn as they are at the end"))
    title = f"Tracks in {soil.name.replace('_', ' ')}"
    views = {"clip": clip, "html": html, "video": video, "watch_picture": shots}
    report = report_on(folder, title, words, sections, **views)
    text = (
        f"{soil.name}: {result.status.value}; tracks up to {-1e3 * lowest:.3g} mm deep over {result.distance:.2f} m; "
        f"{left.work:.3g} J put into the ground, {left.lost_energy:.3g} J lost to it\n\n"
        f"report: {report}\nground: {file}"
    )
    emit({**record, "file": file, "folder": folder, "report": report}, as_json=as_json, text=text)


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
    result: walk.WalkResult,
    soil: YieldingGround,
    folder: Path,
    settings: dict[str, Any],
    record: dict[str, Any],
    seed: int,
) -> tuple[Path, Path]:
    kept = result.record
    assert kept is not None and kept.tracks is not None
    presses = press_twice(soil, PLATE, 1.25 * PLATE**2, max(record["deepest_track"], 1e-3))
    names = ["time", *(name for name in kept.columns if name.startswith("load_"))]
    series = np.stack([kept.column(name) for name in names], axis=1)
    loads = Table(dict(zip(names, row, strict=True)) for row in series.tolist())
    write_table(folder, "loads", loads)
    write_table(folder, "press_twice", presses)
    kept.tracks.elevation().save(folder / "elevation.npz")
    title = f"{settings['robot']} on {soil.name.replace('_', ' ')}"
    picture = save(plot_tracks(kept.tracks, presses, loads, title=title), folder / "tracks.png")
    write_config(folder, seed=seed, command="ground tracks", **settings, result=record)
    return soil.save(folder / "ground.json"), picture
