"""Parametric meshes by construction: boxes, rods, tubes, shells with cavities, any set of voxels.

Each is a lattice of hexahedral cells cut into tetrahedra the same way everywhere, so that neighbours always fit,
then bent into shape by a map. `plantar.soft.mesh.implicit` fills shapes that no lattice fits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plantar._checks import require
from plantar._config import Count, Positive, Vector, check_value
from plantar._kinds import Within
from plantar.soft.mesh.check import pieces, repair
from plantar.soft.mesh.mesh import Floats, Ints, Mesh, enclosed_volume

MOST_CELLS = 2_000_000
"""Largest number of cells of a mesh: six tetrahedra each fill some gigabytes."""
KUHN = np.array([[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]])
"""The six tetrahedra of a cell along its diagonal 0-7; corner i is at (i & 1, i >> 1 & 1, i >> 2 & 1)."""


def lattice(
    xs: ArrayLike,
    ys: ArrayLike,
    zs: ArrayLike,
    *,
    keep: NDArray[np.bool_] | None = None,
    warp: Callable[[Floats], Floats] | None = None,
    mirror: bool = True,
) -> Mesh:
    """Tetrahedra in the cells between the planes x = `xs`, y = `ys`, z = `zs`.

    Args:
        xs: Rising places of the planes along x.
        ys: The same along y.
        zs: The same along z.
        keep: Which cells exist (nx, ny, nz); all of them if not given.
        warp: Moves the nodes (n, 3) to their places; it must keep volumes positive.
        mirror: Whether neighbouring cells are mirror images, so that a symmetric body gets an unbiased
            mesh; otherwise all cells are cut the same way.

    Returns:
        The mesh, with the regions `x0`, `x1`, `y0`, `y1`, `z0`, `z1`: the nodes on the outermost planes.
    """
    planes = [_planes(name, values) for name, values in (("xs", xs), ("ys", ys), ("zs", zs))]
    shape = tuple(len(p) - 1 for p in planes)
    mask = np.ones(shape, bool) if keep is None else np.asarray(keep, bool)
    require(mask.shape == shape, "keep", f"shape {mask.shape}", f"an array {shape}, one value per cell")
    require(bool(mask.any()), "keep", "no cell", "at least one cell that exists")
    index = np.argwhere(mask)  # (m, 3)
    corners = _corners(index, shape, mirror)
    grid = np.stack(np.meshgrid(*planes, indexing="ij"), axis=-1).reshape(-1, 3)
    used, tets = np.unique(corners[:, KUHN].reshape(-1, 4), return_inverse=True)
    tets = tets.reshape(-1, 4)
    nodes = grid[used]
    regions = {
        f"{axis}{side}": np.flatnonzero(nodes[:, i] == planes[i][-side])
        for i, axis in enumerate("xyz")
        for side in (0, 1)
    }
    if mirror:
        odd = np.repeat(index.sum(axis=1) % 2 == 1, len(KUHN))
        tets[odd] = tets[odd][:, [0, 2, 1, 3]]
    nodes = nodes if warp is None else np.asarray(warp(nodes), dtype=float)
    return Mesh(nodes, tets, {name: where for name, where in regions.items() if len(where)})


def box(size: ArrayLike, cells: tuple[int, int, int], *, origin: ArrayLike = (0, 0, 0)) -> Mesh:
    """A box of `size` (3,) with `cells` along each edge; its lowest corner is at `origin`."""
    check_value("size", size, Vector)
    check_value("origin", origin, Vector)
    size, origin = np.asarray(size, dtype=float), np.asarray(origin, dtype=float)
    require(size.shape == (3,) and bool((size > 0).all()), "size", size.tolist(), "three lengths above 0")
    _check_cells(cells)
    planes = [origin[i] + np.linspace(0, size[i], cells[i] + 1) for i in range(3)]
    return lattice(*planes)


def beam(length: float, width: float, height: float, cell: float) -> Mesh:
    """A bar along x from 0 to `length`, centred on the x axis, with cells of about `cell`."""
    size = (length, width, height)
    check_value("length, width, height and cell", (*size, cell), tuple[Positive, ...])
    cells = tuple(max(1, round(s / cell)) for s in size)
    return box(size, cells, origin=(0, -width / 2, -height / 2))  # type: ignore[arg-type]


def voxels(mask: ArrayLike, size: float, *, origin: ArrayLike = (0, 0, 0)) -> Mesh:
    """The cubes of edge `size` where `mask` (nx, ny, nz) is true.

    Closed holes in it become surfaces `cavity1`, `cavity2`, ... whose triangles point into the material.
    """
    keep = np.asarray(mask, dtype=bool)
    require(keep.ndim == 3, "mask", f"{keep.ndim} axes", "an array with three axes")
    require(size > 0, "size", size, "a length above 0")
    start = np.asarray(origin, dtype=float)
    return with_cavities(lattice(*(start[i] + size * np.arange(keep.shape[i] + 1) for i in range(3)), keep=keep))


def hollow_box(size: ArrayLike, wall: float, cells: tuple[int, int, int], layers: int = 1) -> Mesh:
    """A closed box with walls of thickness `wall`; its inside is the surface `cavity1`.

    Args:
        size: Outer lengths (3,).
        wall: Thickness of all six walls.
        cells: Cells of the inside along each edge.
        layers: Cells through a wall.
    """
    check_value("size", size, Vector)
    check_value("wall", wall, Positive)
    check_value("layers", layers, Annotated[int, Within(1, 100)])
    size = np.asarray(size, dtype=float)
    _check_cells(cells)
    require(0 < wall < size.min() / 2, "wall", wall, f"more than 0 and less than {size.min() / 2:g}")
    planes = [
        np.concatenate(
            [np.linspace(0, wall, layers + 1)[:-1], np.linspace(wall, s - wall, n + 1), s - _rest(wall, layers)]
        )
        for s, n in zip(size, cells, strict=True)
    ]
    keep = np.ones([len(p) - 1 for p in planes], bool)
    keep[layers:-layers, layers:-layers, layers:-layers] = False
    return with_cavities(lattice(*planes, keep=keep))


def cylinder(radius: float, height: float, rings: int, layers: int) -> Mesh:
    """A rod along z from 0 to `height`, with `rings` cells from the axis to its side."""
    check_value("radius and height", (radius, height), tuple[Positive, ...])
    check_value("rings and layers", (rings, layers), tuple[Count, ...])
    require(rings * rings * layers <= MOST_CELLS, "rings and layers", (rings, layers), "fewer")
    return revolved(np.linspace(0, height, layers + 1), lambda z: np.full_like(z, radius), rings)


def tube(inner: float, outer: float, height: float, cells: tuple[int, int, int]) -> Mesh:
    """An open tube along z with `cells` through its wall, around it and along it."""
    check_value("inner, outer and height", (inner, outer, height), tuple[Positive, ...])
    require(0 < inner < outer, "inner and outer", (inner, outer), "radii with 0 < inner < outer")
    _check_cells(cells)
    require(cells[1] >= 4 and cells[1] % 2 == 0, "cells around", cells[1], "an even number, 4 or more")
    around = np.linspace(0, 2 * math.pi, cells[1] + 1)
    flat = lattice(np.linspace(inner, outer, cells[0] + 1), around, np.linspace(0, height, cells[2] + 1))
    r, angle, z = flat.nodes.T
    nodes = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    ends = {
        "z0": flat.regions["z0"],
        "z1": flat.regions["z1"],
        "inner": flat.regions["x0"],
        "outer": flat.regions["x1"],
    }
    return repair(Mesh(nodes, flat.tets, ends))[0]  # the seam's nodes are there twice


def revolved(
    zs: ArrayLike,
    outer: Callable[[Floats], Floats],
    rings: int,
    *,
    inner: Callable[[Floats], Floats] | None = None,
    hollow: tuple[int, int] | None = None,
    core: int | None = None,
) -> Mesh:
    """A body of revolution about z, solid or with a closed cavity on its axis: a rod, a bellows, a bulb.

    Args:
        zs: Rising heights of the layers.
        outer: Radius of the side at heights z.
        rings: Cells from the axis to the side.
        inner: Radius of the cavity's side at heights z.
        hollow: First and last plane of the cavity, as indices into `zs`.
        core: Rings inside `inner`; two thirds of them if not given.

    Returns:
        The mesh, with regions `z0` and `z1` (ends) and `side`, and the surface `cavity1` if it is hollow.
    """
    heights = _planes("zs", zs)
    require(rings >= 1, "rings", rings, "1 or more")
    core = max(1, round(2 * rings / 3)) if core is None else core
    ticks = np.arange(-rings, rings + 1, dtype=float)
    keep = np.ones((2 * rings, 2 * rings, len(heights) - 1), bool)
    if hollow is not None:
        require(inner is not None and 1 <= core < rings, "core", core, f"1 to {rings - 1}, with a radius `inner`")
        low, high = hollow
        require(0 < low < high < len(heights) - 1, "hollow", hollow, f"planes between 1 and {len(heights) - 2}")
        keep[rings - core : rings + core, rings - core : rings + core, low:high] = False
    mesh = lattice(ticks, ticks, heights, keep=keep)
    square = mesh.nodes
    ring = np.abs(square[:, :2]).max(axis=1)
    out = outer(square[:, 2])
    ins = out * core / rings if inner is None else inner(square[:, 2])
    require(bool((ins < out).all() and (ins > 0).all()), "inner", "a radius", "more than 0 and less than `outer`")
    radius = np.where(ring <= core, ins * ring / core, ins + (out - ins) * (ring - core) / max(1, rings - core))
    nodes = np.column_stack([_disc(square[:, :2]) * radius[:, None], square[:, 2]])
    regions = {"z0": mesh.regions["z0"], "z1": mesh.regions["z1"], "side": np.flatnonzero(ring == rings)}
    bent = Mesh(nodes, mesh.tets, regions)
    return with_cavities(bent) if hollow is not None else bent


def with_cavities(mesh: Mesh) -> Mesh:
    """The mesh with its closed inner surfaces named `cavity1`, `cavity2`, ..., largest volume first."""
    triangles = mesh.boundary
    parts = [triangles[group] for group in pieces(triangles, len(mesh.nodes))]
    holes = [part for part in parts if enclosed_volume(mesh.nodes, part) < 0]
    holes.sort(key=lambda part: enclosed_volume(mesh.nodes, part))
    for number, part in enumerate(holes, start=1):
        mesh = mesh.with_surface(f"cavity{number}", part)
    return mesh


def _corners(index: Ints, shape: tuple[int, ...], mirror: bool) -> Ints:
    """The eight corners of each cell (m, 8); mirrored cells count theirs from the other side."""
    bits = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
    flip = (index % 2)[:, None, :] if mirror else 0
    place = index[:, None, :] + (bits[None] ^ flip)  # (m, 8, 3)
    size = np.array(shape) + 1
    return (place[..., 0] * size[1] + place[..., 1]) * size[2] + place[..., 2]


def _disc(square: Floats) -> Floats:
    """Unit directions, or 0 in the middle, of points on squares, evenly spread around."""
    x, y = square.T
    ring = np.abs(square).max(axis=1)
    scale = np.where(ring > 0, ring, 1)
    flat = np.abs(x) >= np.abs(y)
    angle = np.where(flat, np.pi / 4 * y / scale * np.sign(x), np.pi / 2 - np.pi / 4 * x / scale * np.sign(y))
    angle = angle + np.where(flat, np.where(x < 0, np.pi, 0), np.where(y < 0, np.pi, 0))
    return np.column_stack([np.cos(angle), np.sin(angle)]) * (ring > 0)[:, None]


def _planes(name: str, values: ArrayLike) -> Floats:
    planes = np.asarray(values, dtype=float)
    ok = planes.ndim == 1 and len(planes) > 1 and bool((np.diff(planes) > 0).all())
    require(ok, name, planes.tolist(), "two or more rising numbers")
    return planes


def _rest(wall: float, layers: int) -> Floats:
    return wall - np.linspace(0, wall, layers + 1)[1:]


def _check_cells(cells: tuple[int, int, int]) -> None:
    check_value("cells", cells, tuple[Count, Count, Count])
    require(math.prod(cells) <= MOST_CELLS, "cells", cells, f"{MOST_CELLS} cells together at most")
