"""`plantar ground terrain`: shapes of the ground, their maps and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import mujoco
import typer

from plantar._files import write_config, write_text
from plantar.cli.common import Json, Out, Overwrite, emit, note, numbers, parse_changes, results_folder, table_text
from plantar.cli.ground.options import GroundFile
from plantar.cli.show_options import Html, Video, report_on
from plantar.errors import InvalidInput
from plantar.ground import ElevationMap, Ground
from plantar.ground.clips import terrain_clip
from plantar.ground.terrain.fields import HeightField, Rough, cell_advice
from plantar.ground.terrain.patches import with_ground
from plantar.ground.terrain.plots import draw_terrain, plot_elevation
from plantar.ground.terrain.registry import fields_of, kinds, make
from plantar.ground.terrain.terrain import Terrain
from plantar.show.plots import save
from plantar.show.report import Section

PIT = -1.0
"""Height on the map where there is no ground [m]."""


def terrain(
    kind: Annotated[
        str | None,
        typer.Argument(metavar="KIND", help="Kind of terrain, a terrain.json, or a map; lists the kinds if left out."),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--terrain-set", metavar="FIELD=VALUE", help="Change a field of the terrain.")
    ] = None,
    ground: GroundFile = None,
    cell: Annotated[float, typer.Option(help="Cell of the elevation map [m].")] = 0.01,
    sole: Annotated[
        str | None, typer.Option(metavar="L,W", help="Length and width of a flat sole, to check the cell size [m].")
    ] = None,
    picture: Annotated[bool, typer.Option("--picture/--no-picture", help="Draw the scene.")] = True,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make a terrain: scene for MuJoCo, elevation map, picture; without KIND list the kinds and their fields."""
    if kind is None:
        rows = _kinds()
        emit({"terrains": rows}, as_json=as_json, text=table_text(rows))
        return
    made = _terrain(kind, parse_changes("--terrain-set", changes))
    if ground is not None:
        made = with_ground(made, Ground.load(ground))
    advice = _advice(made, sole)
    grid = made.elevation_map(cell=cell, pit=PIT)
    folder = results_folder(out, f"terrain-{made.kind}", overwrite)
    names = _write(made, grid, folder, picture)
    low, high = float(grid.heights.min()), float(grid.heights.max())
    if advice:
        note(advice)
    record = {
        "kind": made.kind,
        "geoms": names,
        "lowest": low,
        "highest": high,
        "roughness": grid.roughness,
        "advice": advice,
        "folder": folder,
    }
    words = (
        f"the ground {made.kind.replace('_', ' ')}: its scene, its map and its roughness.",
        f"heights from {1e3 * low:.4g} to {1e3 * high:.4g} mm, roughness {1e3 * grid.roughness:.4g} mm rms.",
        f"the map is the scene's own surface on cells of {1e3 * cell:g} mm. {advice}".strip(),
    )
    pictures = [path for path in (folder / "elevation.png", folder / "picture.png") if path.is_file()]
    views = {"clip": terrain_clip(made), "html": html, "video": video}
    title = f"Terrain: {made.kind.replace('_', ' ')}"
    report = report_on(folder, title, words, [Section(title="Elevation", picture=pictures)], **views)
    record["report"] = report
    text = (
        f"{made.kind}: supporting geoms: {len(names)}, heights from {1e3 * low:.4g} to {1e3 * high:.4g} mm, "
        f"roughness {1e3 * grid.roughness:.4g} mm rms\n\nscene, map and pictures: {folder}\nreport: {report}"
    )
    emit(record, as_json=as_json, text=text)


def _kinds() -> list[dict[str, Any]]:
    rows = []
    for kind, cls in kinds().items():
        about = (cls.__doc__ or "").splitlines()[0]
        fields = " ".join(f"{name}={value!r}".replace(" ", "") for name, value in fields_of(kind))
        rows.append({"kind": kind, "what": about, "fields": fields})
    return rows


def _terrain(kind: str, fields: dict[str, Any]) -> Terrain:
    if kind.endswith(".json"):
        return Terrain.from_dict({**Terrain.load(kind).to_dict(), **fields})
    if Path(kind).suffix:
        if fields:
            raise InvalidInput(f"--terrain-set {next(iter(fields))} is not allowed: an elevation file has no fields")
        return HeightField(grid=ElevationMap.load(kind).filled("lowest"))
    return make(kind, **fields)


def _advice(made: Terrain, sole: str | None) -> str:
    if sole is None:
        return ""
    sides = numbers("--sole", sole)
    if len(sides) != 2 or min(sides) <= 0:
        raise InvalidInput(f"--sole {sole!r} is not allowed: give length and width in metres, as in 0.25,0.12")
    if isinstance(made, Rough | HeightField):
        return cell_advice(made.cell if isinstance(made, Rough) else made.grid.cell, (sides[0], sides[1]))
    return ""


def _write(made: Terrain, grid: ElevationMap, folder: Path, picture: bool) -> list[str]:
    spec = mujoco.MjSpec()
    spec.modelname = made.kind
    names = made.add(spec)
    spec.compile()
    write_text(folder / "scene.xml", spec.to_xml())
    made.save(folder / "terrain.json")
    grid.save(folder / "elevation.npz")
    save(plot_elevation(grid, title=f"Elevation of {made.kind.replace('_', ' ')} ground"), folder / "elevation.png")
    if picture:
        draw_terrain(made, folder / "picture.png")
    # the map of a scanned field is in elevation.npz already
    record = {k: v for k, v in made.to_dict().items() if k != "grid"}
    write_config(folder, seed=getattr(made, "seed", None), command="ground terrain", terrain=record, geoms=names)
    return names
