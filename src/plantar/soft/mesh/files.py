"""Meshes in files: VTK, VTU, Gmsh and STL in and out, STEP in."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._extras import require_extra
from plantar._files import replacing
from plantar.errors import InvalidInput
from plantar.soft.mesh.cad import CAD, triangulated
from plantar.soft.mesh.mesh import Floats, Ints, Mesh

SOLID, SURFACE = (".vtk", ".vtu", ".msh"), (".stl", ".obj", ".ply", ".vtk", ".vtu", ".msh")
"""Suffixes of files that hold tetrahedra, and of those that hold triangles."""
REGION, FACES_OF, CELLS = "region_", "surface_", "cells_"
"""Prefixes of the names of regions, surfaces and sets of tetrahedra in files."""
FACES = re.compile(r"triangle|quad|polygon\d*")
"""Kinds of cells that are flat faces."""
JOIN = "|"
"""Separator of the names of sets that a group of a .msh file belongs to."""


@checks_arguments
def read_mesh(path: str | Path, *, unit: float = 1.0) -> Mesh:
    """Read tetrahedra from a .vtk, .vtu or .msh file.

    The order of nodes and elements is the file's. Named sets of points and cells (Gmsh's physical groups), and point
    and cell data as `write_mesh` names them, become regions, surfaces and cell sets. The mesh is not checked: give it
    to `plantar.soft.mesh.check.check`.

    Args:
        path: The file.
        unit: Length of the file's unit [m]; 0.001 for millimetres.

    Raises:
        InvalidInput: If the file cannot be read or holds no tetrahedra; the message says what it holds.
    """
    data = _read(path, SOLID)
    blocks = [np.asarray(block.data) for block in data.cells if block.type == "tetra"]
    if not blocks:
        kinds = ", ".join(sorted({block.type for block in data.cells})) or "nothing"
        raise InvalidInput(
            f"{path} holds no linear tetrahedra, only {kinds}: give a volume mesh, or fill a surface with "
            "`plantar soft mesh`"
        )
    regions = {str(name): np.asarray(where).ravel() for name, where in data.point_sets.items()}
    for name, marks in data.point_data.items():
        if str(name).startswith(REGION):
            regions[str(name)[len(REGION) :]] = np.flatnonzero(np.asarray(marks).ravel())
    return Mesh(
        unit * _three(data.points), np.concatenate(blocks), regions, _surfaces(data), _groups(data, "tetra", 3, CELLS)
    )


def read_surface(path: str | Path, *, unit: float = 1.0) -> tuple[Floats, Ints]:
    """Read nodes (n, 3) and triangles (k, 3) from a file; nodes at the same place are one.

    Args:
        path: The file; a .step or .stp file needs the extra `cad`.
        unit: Length of the file's unit [m]; of a STEP file, which specifies its own, a factor on metres.

    Raises:
        InvalidInput: If the file cannot be read or holds no triangles.
    """
    data: Any
    if Path(path).suffix.lower() in CAD:
        with triangulated(Path(path)) as between:
            data = _read(between, SURFACE)
        # Open Cascade writes millimetres, whatever the unit of the file
        data.points = 0.001 * data.points
    else:
        data = _read(path, SURFACE)
    # faces with more corners, as many programs write them in .obj files, are fans of triangles
    faces = [np.asarray(b.data, dtype=np.int64) for b in data.cells if FACES.fullmatch(b.type)]
    blocks = [face[:, [0, k, k + 1]] for face in faces for k in range(1, face.shape[1] - 1)]
    if not blocks:
        kinds = ", ".join(sorted({block.type for block in data.cells})) or "nothing else"
        raise InvalidInput(f"{path} holds no triangles, only {kinds}: give a surface, such as an STL file")
    places, where = np.unique(_three(data.points), axis=0, return_inverse=True)
    triangles = where.reshape(-1)[np.concatenate(blocks)]
    used, triangles = np.unique(triangles, return_inverse=True)
    return unit * places[used], triangles.reshape(-1, 3)


def write_mesh(
    path: str | Path,
    mesh: Mesh,
    *,
    nodes: ArrayLike | None = None,
    point_data: Mapping[str, ArrayLike] | None = None,
    cell_data: Mapping[str, ArrayLike] | None = None,
) -> Path:
    """Write a mesh with results on it to a .vtu, .vtk or .msh file.

    Args:
        path: The file; its folder must exist.
        mesh: The mesh; its regions are written as point data `region_<name>` (1 inside), its surfaces as triangles with
            cell data `surface_<name>`, its sets of tetrahedra as cell data `cells_<name>`; in .msh files both are
            physical groups, those of cells in several sets with a name such as `sole|toe`.
        nodes: Places of the nodes (n, 3) if they are not those at rest.
        point_data: Values at the nodes (n,) or (n, 3) by name.
        cell_data: Values in the tetrahedra (m,) or (m, 3) by name.
    """
    import meshio  # noqa: PLC0415  (extra `soft`)

    path = Path(path)
    require(path.suffix.lower() in SOLID, "file", str(path), "a name that ends in " + ", ".join(SOLID))
    points = mesh.nodes if nodes is None else np.asarray(nodes, dtype=float)
    require(points.shape == mesh.nodes.shape, "nodes", f"shape {points.shape}", f"an array {mesh.nodes.shape}")
    marks = {f"region_{name}": _marks(where, len(points)) for name, where in mesh.regions.items()}
    at_points = {**marks, **{name: np.asarray(value) for name, value in (point_data or {}).items()}}
    faces, surfaces = _numbered(mesh.surfaces)
    cells: list[Any] = [("tetra", mesh.tets), *([("triangle", faces)] if len(faces) else [])]
    given = {name: np.asarray(value) for name, value in (cell_data or {}).items()}
    names: dict[str, np.ndarray] = {}
    if gmsh := path.suffix.lower() == ".msh":
        require(not (given and len(faces)), "cell_data", sorted(given), "none in a .msh file of a mesh with surfaces")
        in_cells = _physical(mesh, surfaces, len(faces), names) | {name: [value] for name, value in given.items()}
    else:
        given |= {f"{CELLS}{name}": _marks(where, len(mesh.tets)) for name, where in mesh.cells.items()}
        in_cells = {name: [value, np.zeros((len(faces), *value.shape[1:]))] for name, value in given.items()}
        for name, mine in surfaces.items():
            in_cells[f"{FACES_OF}{name}"] = [np.zeros(len(mesh.tets), np.uint8), _marks(mine, len(faces))]
        in_cells = {name: values[: len(cells)] for name, values in in_cells.items()}
    whole = meshio.Mesh(points, cells, point_data=at_points, cell_data=in_cells, field_data=names)  # type: ignore[arg-type]
    with replacing(path) as scratch, contextlib.redirect_stdout(io.StringIO()):
        # of several formats with this suffix Gmsh's keeps names, and its version 2.2 those of surfaces too
        meshio.write(scratch, whole, file_format="gmsh22" if gmsh else None)
    return path


def write_surface(path: str | Path, nodes: ArrayLike, triangles: ArrayLike) -> Path:
    """Write triangles to an .stl, .obj, .ply or .vtu file."""
    import meshio  # noqa: PLC0415

    path = Path(path)
    require(path.suffix.lower() in SURFACE, "file", str(path), "a name that ends in " + ", ".join(SURFACE))
    options: dict[str, Any] = {"binary": True} if path.suffix.lower() == ".stl" else {}
    with replacing(path) as scratch:
        meshio.write(scratch, meshio.Mesh(np.asarray(nodes), [("triangle", np.asarray(triangles))]), **options)
    return path


def _read(path: str | Path, suffixes: Sequence[str]) -> Any:
    """Content of a file; any failure of the reader becomes one line."""
    require_extra("soft")
    import meshio  # noqa: PLC0415

    path = Path(path)
    ends = suffixes if suffixes is SOLID else (*suffixes, *CAD)
    require(path.suffix.lower() in suffixes, "mesh file", str(path), "a file that ends in " + ", ".join(ends))
    if not path.is_file():
        raise InvalidInput(f"{path} cannot be read (no such file): give a mesh file")
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            found = meshio.read(path)
    except (Exception, SystemExit) as error:  # the reader exits the program if a file is broken
        reason = " ".join(str(error).split()) if not isinstance(error, SystemExit) else "it is broken"
        kind = path.suffix[1:].upper()
        raise InvalidInput(f"{path} cannot be read as {kind} ({reason or 'it is broken'}): export it again") from error
    for corners in (np.asarray(block.data) for block in found.cells if len(block.data)):
        if corners.dtype.kind in "iu" and not 0 <= corners.min() <= corners.max() < len(found.points):
            raise InvalidInput(
                f"{path} names points that it does not hold, or counts them from the end: export it again with "
                f"numbers of its {len(found.points)} points"
            )
    return found


def _three(points: ArrayLike) -> Floats:
    array = np.asarray(points, dtype=float)
    require(array.ndim == 2 and array.shape[1] == 3, "points", f"shape {array.shape}", "three coordinates per point")
    return array


def _numbered(surfaces: Mapping[str, Ints]) -> tuple[Ints, dict[str, Ints]]:
    """Triangles of all surfaces, each once, and their numbers in every surface."""
    if not surfaces:
        return np.zeros((0, 3), dtype=np.int64), {}
    faces, number = np.unique(np.concatenate(list(surfaces.values())), axis=0, return_inverse=True)
    parts = np.split(number.reshape(-1), np.cumsum([len(t) for t in surfaces.values()])[:-1])
    return faces, dict(zip(surfaces, parts, strict=True))


def _physical(mesh: Mesh, surfaces: dict[str, Ints], faces: int, names: dict[str, np.ndarray]) -> dict[str, Any]:
    """Gmsh's tags of tetrahedra and triangles; fills in `names`. A cell has one tag: one for each mix of sets."""
    tags = []
    for sets, count, dimension in ((mesh.cells, len(mesh.tets), 3), (surfaces, faces, 2)):
        member = np.stack([np.zeros(count, np.uint8), *(_marks(where, count) for where in sets.values())], axis=1)
        mixes, mix_of = np.unique(member, axis=0, return_inverse=True)
        numbers = np.zeros(len(mixes), dtype=np.int32)
        for i in np.flatnonzero(mixes.any(axis=1)):
            name = JOIN.join(name for name, inside in zip(sets, mixes[i, 1:], strict=True) if inside)
            require(name not in names, "surface", name, "a name that no set of tetrahedra has, in a .msh file")
            numbers[i] = len(names) + 1
            names[name] = np.array([numbers[i], dimension])
        tags.append(numbers[mix_of.reshape(-1)])
    kept = tags if faces else tags[:1]
    return {"gmsh:physical": kept, "gmsh:geometrical": kept}


def _groups(data: Any, kind: str, dimension: int, start: str) -> dict[str, Ints]:
    """Named sets of one kind of cells, numbered over all its blocks: the file's sets, our marks, Gmsh's tags."""
    mine = [i for i, block in enumerate(data.cells) if block.type == kind]
    if not mine:
        return {}
    first = np.cumsum([0, *(len(data.cells[i].data) for i in mine)])
    found: dict[str, Ints] = {}
    for name, groups in data.cell_sets.items():
        parts = [
            np.asarray(groups[i], dtype=np.int64) + k
            for i, k in zip(mine, first, strict=False)
            if groups[i] is not None
        ]
        if sum(map(len, parts)) and not str(name).startswith("gmsh:"):
            found[str(name)] = np.concatenate(parts)
    marks = {str(name): np.concatenate([np.asarray(m[i]).ravel() for i in mine]) for name, m in data.cell_data.items()}
    found |= {name[len(start) :]: np.flatnonzero(mark) for name, mark in marks.items() if name.startswith(start)}
    tags = marks.get("gmsh:physical", np.zeros(first[-1]))
    for name, (number, size) in data.field_data.items():
        where = np.flatnonzero(tags == int(number))
        if int(size) == dimension and len(where):
            found.pop(str(name), None)
            for part in str(name).split(JOIN):
                found[part] = np.union1d(found.get(part, where), where)
    return found


def _surfaces(data: Any) -> dict[str, Ints]:
    """Named sets of triangles."""
    blocks = [np.asarray(block.data, dtype=np.int64) for block in data.cells if block.type == "triangle"]
    return {name: np.concatenate(blocks)[where] for name, where in _groups(data, "triangle", 2, FACES_OF).items()}


def _marks(where: Ints, count: int) -> np.ndarray:
    mark = np.zeros(count, dtype=np.uint8)
    mark[where] = 1
    return mark
