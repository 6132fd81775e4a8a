"""`plantar soft mesh`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._fields import to_record
from plantar.cli.common import Json, Overwrite, Progress, emit, note, numbers, table_text
from plantar.errors import InvalidInput
from plantar.soft.mesh.check import check
from plantar.soft.mesh.files import SOLID, read_surface, write_mesh
from plantar.soft.mesh.groups import facing, patch, with_surface_group
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.mesh.places import in_box, in_sphere, near_plane
from plantar.soft.mesh.surface_fill import STAGES, extent_text, mesh_surface

UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "inch": 0.0254}
COUNTS = {"box": (6, 6), "sphere": (4, 4), "plane": (6, 7), "normal": (3, 4), "patch": (3, 4)}
"""Smallest and largest count of numbers for each kind of group."""
LOST = 0.05
"""Fraction of the volume from which the command doubts the size."""


def mesh(
    surface: Annotated[Path, typer.Argument(metavar="FILE", help="A surface: .stl, .obj, .ply, .step, .stp.")],
    size: Annotated[float, typer.Option(help="Target edge length of the tetrahedra [m].")],
    out: Annotated[
        Path | None,
        typer.Argument(metavar="MESH", help="File to write: .vtu, .vtk or .msh; FILE with suffix .vtu if left out."),
    ] = None,
    unit: Annotated[
        str, typer.Option(help="Unit of the file: mm, cm, m or inch; STEP files specify their own.")
    ] = "mm",
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=KIND:NUMBERS",
            help="Name a part, in m: box:x,y,z,x,y,z; sphere:x,y,z,radius; plane:x,y,z,nx,ny,nz[,within]; of the "
            "surface normal:x,y,z[,degrees] or patch:x,y,z[,degrees]. Can be repeated.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Close a surface, fill it with tetrahedra and report their quality (docs/soft_mesh.md)."""
    if unit not in UNITS:
        raise InvalidInput(f"--unit {unit!r} is not allowed: give one of {', '.join(UNITS)}")
    path = Path(f"{surface.stem}.vtu") if out is None else out
    _check_out(path, overwrite)
    groups = [_parse(text) for text in group or ()]
    with Progress(2 + len(STAGES), "soft mesh") as bar:
        factor = 1.0 if surface.suffix.lower() in (".step", ".stp") else UNITS[unit]
        nodes, triangles = read_surface(surface, unit=factor)
        bar.advance()
        made, report = mesh_surface(nodes, triangles, size, name=str(surface), progress=bar.advance)
        for name, kind, values in groups:
            made = _named(made, name, kind, values)
        write_mesh(path, check(made, name=str(surface)))
        bar.advance()
    note(f"{extent_text(made.nodes)}, if the unit of {surface.name} is right")
    if abs(report.volume_error) > LOST:
        note(f"volume off by {100 * report.volume_error:+.0f} %: walls thinner than --size are lost; give less")
    sizes = {name: len(nodes) for name, nodes in made.regions.items()}
    record: dict[str, Any] = {**to_record(report), "regions": sizes, "file": path}
    rows = [{"figure": k, "value": v} for k, v in to_record(report).items()]
    emit(record, as_json=as_json, text=f"{table_text(rows, digits=4)}\n\nregions: {sizes}\nfile: {path}")


def _check_out(path: Path, overwrite: bool) -> None:
    """Refuse a file that cannot be written before any work is done."""
    if path.suffix.lower() not in SOLID:
        raise InvalidInput(f"mesh {str(path)!r} is not allowed: give a file that ends in {', '.join(SOLID)}")
    if path.exists() and not overwrite:
        raise InvalidInput(f"{path} exists: give another name, or --overwrite to replace it")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"{path} cannot be written (no such folder): give a file in a folder that exists")


def _parse(text: str) -> tuple[str, str, list[float]]:
    name, equals, rest = text.partition("=")
    kind, colon, values = rest.partition(":")
    if not (equals and colon and name.strip() and kind in COUNTS):
        raise InvalidInput(f"--group {text!r} is not allowed: give NAME=KIND:NUMBERS, KIND one of {', '.join(COUNTS)}")
    found = numbers("--group", values)
    least, most = COUNTS[kind]
    if not least <= len(found) <= most:
        many = f"{least}" if least == most else f"{least} or {most}"
        raise InvalidInput(f"--group {text!r} is not allowed: {kind} takes {many} numbers")
    return name.strip(), kind, found


def _named(mesh: Mesh, name: str, kind: str, v: list[float]) -> Mesh:
    if kind == "normal":
        return with_surface_group(mesh, name, facing(mesh, v[:3], *v[3:]))
    if kind == "patch":
        return with_surface_group(mesh, name, patch(mesh, v[:3], *v[3:]))
    if kind == "box":
        return mesh.with_region(name, in_box(v[:3], v[3:]))
    if kind == "sphere":
        return mesh.with_region(name, in_sphere(v[:3], v[3]))
    return mesh.with_region(name, near_plane(v[:3], v[3:6], v[6] if len(v) > 6 else 1e-6))
