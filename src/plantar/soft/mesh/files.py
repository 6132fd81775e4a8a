"""Meshes in files: VTK, VTU, Gmsh and STL in; VTU and series for ParaView out."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar._extras import require_extra
from plantar._files import replacing, write_text
from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import Floats, Ints, Mesh

SOLID, SURFACE = (".vtk", ".vtu", ".msh"), (".stl", ".obj", ".ply", ".vtk", ".vtu", ".msh")
"""Suffixes of files that hold tetrahedra, and of those that hold triangles."""
COARSE = 0.05
"""Largest angle between neighbouring triangles of a curved face in CAD [rad]."""
CAD = (".step", ".stp")
"""Suffixes of files with curved faces, which are cut into triangles when they are read."""


REGION, FACES_OF, CELLS = "region_", "surface_", "cells_"
"""Start of the names under which regions, surfaces and sets of tetrahedra stand in files."""


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
            f"{path} holds no linear tetrahedra but {kinds}: give a volume mesh, or fill a surface with "
            "`plantar soft mesh`"
        )
    regions = {str(name): np.asarray(where).ravel() for name, where in data.point_sets.items()}
    for name, marks in data.point_data.items():
        if str(name).startswith(REGION):
            regions[str(name)[len(REGION) :]] = np.flatnonzero(np.asarray(marks).ravel())
    return Mesh(unit * _three(data.points), np.concatenate(blocks), regions, _surfaces(data), _cell_sets(data))


def read_surface(path: str | Path, *, unit: float = 1.0) -> tuple[Floats, Ints]:
    """Read nodes (n, 3) and triangles (k, 3) from a file; nodes at the same place are one.

    Args:
        path: The file; a .step or .stp file needs the extra `cad`.
        unit: Length of the file's unit [m]; of a STEP file, which says its own, a factor on metres.

    Raises:
        InvalidInput: If the file cannot be read or holds no triangles.
    """
    data = _read_cad(Path(path)) if Path(path).suffix.lower() in CAD else _read(path, SURFACE)
    blocks = [np.asarray(block.data, dtype=np.int64) for block in data.cells if block.type == "triangle"]
    if not blocks:
        kinds = ", ".join(sorted({block.type for block in data.cells})) or "nothing"
        raise InvalidInput(f"{path} holds no triangles but {kinds}: give a surface, such as an STL file")
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
            cell data `surface_<name>` (not to .msh files), its sets of tetrahedra as cell data `cells_<name>`.
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
    in_cells = {name: [np.asarray(value)] for name, value in (cell_data or {}).items()}
    in_cells |= {f"{CELLS}{name}": [_marks(where, len(mesh.tets))] for name, where in mesh.cells.items()}
    cells: list[Any] = [("tetra", mesh.tets)]
    if mesh.surfaces and path.suffix.lower() != ".msh":
        faces, number = np.unique(np.concatenate(list(mesh.surfaces.values())), axis=0, return_inverse=True)
        cells.append(("triangle", faces))
        in_cells = {name: [value[0], np.zeros((len(faces), *value[0].shape[1:]))] for name, value in in_cells.items()}
        parts = np.split(number.reshape(-1), np.cumsum([len(t) for t in mesh.surfaces.values()])[:-1])
        for name, mine in zip(mesh.surfaces, parts, strict=True):
            in_cells[f"{FACES_OF}{name}"] = [np.zeros(len(mesh.tets), np.uint8), _marks(mine, len(faces))]
    whole = meshio.Mesh(points, cells, point_data=at_points, cell_data=in_cells)  # type: ignore[arg-type]
    with replacing(path) as scratch, contextlib.redirect_stdout(io.StringIO()):
        # of several formats with this suffix Gmsh's is the one that keeps names
        meshio.write(scratch, whole, file_format="gmsh" if path.suffix.lower() == ".msh" else None)
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


class Series:
    """Results over time for ParaView: one .vtu file a frame and a .pvd file that lists them.

    The .pvd file is written after every frame, so that a run that stops leaves what it had.

    Args:
        folder: An existing folder.
        name: Name of the .pvd file and start of the frames' names.
    """

    def __init__(self, folder: str | Path, name: str = "body"):
        self.folder, self.name = Path(folder), name
        self.times: list[float] = []
        self.path = self.folder / f"{name}.pvd"

    def add(self, time: float, mesh: Mesh, nodes: ArrayLike, **point_data: ArrayLike) -> Path:
        """Write the frame at `time` [s] with nodes at `nodes`; `displacement` is added."""
        require(not self.times or time > self.times[-1], "time", time, "a time after the last frame's")
        moved = np.asarray(nodes, dtype=float)
        values = {"displacement": moved - mesh.nodes, **point_data}
        frame = write_mesh(self.folder / self._frame(len(self.times)), mesh, nodes=moved, point_data=values)
        self.times.append(float(time))
        write_text(self.path, self._index())
        return frame

    def _frame(self, number: int) -> str:
        return f"{self.name}_{number:05d}.vtu"

    def _index(self) -> str:
        lines = [
            f'    <DataSet timestep="{time:.9g}" part="0" file={quoteattr(self._frame(i))}/>'
            for i, time in enumerate(self.times)
        ]
        head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n'
        return head + "  <Collection>\n" + "\n".join(lines) + "\n  </Collection>\n</VTKFile>\n"


def _read(path: str | Path, suffixes: Sequence[str]) -> Any:
    """What a file holds; every way in which the reader fails becomes one line."""
    require_extra("soft")
    import meshio  # noqa: PLC0415

    path = Path(path)
    ends = suffixes if suffixes is SOLID else (*suffixes, *CAD)
    require(path.suffix.lower() in suffixes, "mesh file", str(path), "a file that ends in " + ", ".join(ends))
    if not path.is_file():
        raise InvalidInput(f"{path} cannot be read (there is no such file): give a mesh file")
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return meshio.read(path)
    except (Exception, SystemExit) as error:  # the reader leaves the program where a file is broken
        reason = " ".join(str(error).split()) if not isinstance(error, SystemExit) else "it is broken"
        kind = path.suffix[1:].upper()
        raise InvalidInput(f"{path} cannot be read as {kind} ({reason or 'it is broken'}): export it again") from error


def _read_cad(path: Path) -> Any:
    """What a STEP file holds, its curved faces cut into triangles, in metres."""
    require_extra("cad")
    import cascadio  # noqa: PLC0415

    if not path.is_file():
        raise InvalidInput(f"{path} cannot be read (there is no such file): give a STEP file")
    with tempfile.TemporaryDirectory() as folder:
        between = Path(folder) / "body.obj"
        with _silence():
            failed = cascadio.step_to_obj(str(path), str(between), tol_angular=COARSE, use_colors=False)
        if failed or not between.is_file():
            raise InvalidInput(f"{path} cannot be read as STEP, or holds no body: export solids, not sketches")
        data = _read(between, SURFACE)
    # Open Cascade writes millimetres, whatever the unit of the file
    data.points = 0.001 * data.points
    return data


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep what compiled code prints off the terminal: errors are one line, and ours."""
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "wb") as nowhere:
        for number in (1, 2):
            os.dup2(nowhere.fileno(), number)
        try:
            yield
        finally:
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)


def _three(points: ArrayLike) -> Floats:
    array = np.asarray(points, dtype=float)
    require(array.ndim == 2 and array.shape[1] == 3, "points", f"shape {array.shape}", "three coordinates a point")
    return array


def _cell_sets(data: Any) -> dict[str, Ints]:
    """Named sets of tetrahedra, numbered over all blocks of tetrahedra."""
    solid = [i for i, block in enumerate(data.cells) if block.type == "tetra"]
    start = dict(zip(solid, np.cumsum([0, *(len(data.cells[i].data) for i in solid)]), strict=False))
    found = {}
    for name, groups in data.cell_sets.items():
        parts = [np.asarray(groups[i], dtype=np.int64) + start[i] for i in solid if groups[i] is not None]
        if sum(map(len, parts)) and not str(name).startswith("gmsh:"):
            found[str(name)] = np.concatenate(parts)
    for name, marks in data.cell_data.items():
        if str(name).startswith(CELLS):
            found[str(name)[len(CELLS) :]] = np.flatnonzero(
                np.concatenate([np.asarray(marks[i]).ravel() for i in solid])
            )
    tags = data.cell_data.get("gmsh:physical")
    if tags is not None and solid:
        tag = np.concatenate([np.asarray(tags[i]) for i in solid])
        groups = {str(name): int(value[0]) for name, value in data.field_data.items() if int(value[1]) == 3}
        found |= {name: np.flatnonzero(tag == number) for name, number in groups.items() if (tag == number).any()}
    return found


def _surfaces(data: Any) -> dict[str, Ints]:
    """Named sets of triangles."""
    flat = [i for i, block in enumerate(data.cells) if block.type == "triangle"]
    if not flat:
        return {}
    triangles = np.concatenate([np.asarray(data.cells[i].data, dtype=np.int64) for i in flat])
    return {
        str(name)[len(FACES_OF) :]: triangles[np.concatenate([np.asarray(marks[i]).ravel() for i in flat]) > 0]
        for name, marks in data.cell_data.items()
        if str(name).startswith(FACES_OF)
    }


def _marks(where: Ints, count: int) -> np.ndarray:
    mark = np.zeros(count, dtype=np.uint8)
    mark[where] = 1
    return mark
