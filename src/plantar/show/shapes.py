"""Triangles of MuJoCo's geoms, few enough for a browser."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import mujoco
import numpy as np

Geom = mujoco.mjtGeom
FINEST = 1e-4
"""Corners of a mesh nearer than this are one [m]."""
MOST_CORNERS = 20_000
"""A mesh with more corners than this is drawn coarser."""


@dataclass(frozen=True)
class Mesh:
    """Triangles of one colour."""

    corners: np.ndarray
    """Places (n, 3) [m]; neighbours that do not share a corner are drawn with an edge between them."""
    faces: np.ndarray
    """Three corners per triangle (m, 3)."""


def shape_of(model: mujoco.MjModel, geom: int) -> tuple[str, Mesh, tuple[float, float, float]] | None:
    """Name, mesh and size along its axes of a geom; geoms of one name have one mesh. None where nothing is drawn."""
    kind, (a, b, c), which = Geom(int(model.geom_type[geom])), model.geom_size[geom], int(model.geom_dataid[geom])
    slender = round(float(b / a), 3) if kind == Geom.mjGEOM_CAPSULE else 0.0  # its ends do not stretch with it
    found = {
        Geom.mjGEOM_BOX: lambda: ("box", box(), (2 * a, 2 * b, 2 * c)),
        Geom.mjGEOM_SPHERE: lambda: ("ball", ball(), (a, a, a)),
        Geom.mjGEOM_ELLIPSOID: lambda: ("ball", ball(), (a, b, c)),
        Geom.mjGEOM_CYLINDER: lambda: ("cylinder", cylinder(), (a, a, 2 * b)),
        Geom.mjGEOM_CAPSULE: lambda: (f"capsule {slender:g}", capsule(slender), (a, a, a)),
        Geom.mjGEOM_MESH: lambda: (f"mesh {which}", mesh_of(model, which), (1.0, 1.0, 1.0)),
        Geom.mjGEOM_HFIELD: lambda: (f"field {which}", field_of(model, which), (1.0, 1.0, 1.0)),
    }.get(kind)
    return found() if found else None


@functools.cache
def box() -> Mesh:
    """A cube with edges of length 1."""
    square = np.array([[-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]])
    x, y, z = square.T
    sides = [(x, y, z), (y, x, -z), (z, x, y), (-z, y, x), (y, z, x), (x, -z, y)]
    corners = np.concatenate([np.stack(side, axis=1) for side in sides])
    faces = np.concatenate([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * k for k in range(6)])
    return Mesh(corners, faces)


@functools.cache
def ball() -> Mesh:
    """A sphere of radius 1."""
    return capsule(0.0)


@functools.cache
def cylinder(round_: int = 24) -> Mesh:
    """A cylinder of radius 1 and length 1 along z."""
    turn = np.linspace(0, 2 * np.pi, round_, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    side = np.concatenate([np.column_stack([ring, np.full(round_, z)]) for z in (-0.5, 0.5)])
    lids = np.concatenate([side, [[0, 0, -0.5], [0, 0, 0.5]]])
    k, after = np.arange(round_), (np.arange(round_) + 1) % round_
    wall = np.concatenate([np.stack([k, after, after + round_], 1), np.stack([k, after + round_, k + round_], 1)])
    below = np.stack([after, k, np.full(round_, 2 * round_)], 1)
    above = np.stack([k, after, np.full(round_, round_ + 1)], 1) + round_
    return Mesh(np.concatenate([side, lids]), np.concatenate([wall, below + 2 * round_, above + 2 * round_]))


@functools.cache
def capsule(slender: float, round_: int = 20, rings: int = 5) -> Mesh:
    """A capsule of radius 1 along z whose cylinder is `2 * slender` long."""
    lift = np.linspace(-np.pi / 2, 0, rings + 1)
    lift = np.concatenate([lift, -lift[::-1]])
    if slender == 0:
        lift = np.unique(lift)  # a ball has one middle
    up = np.sin(lift) + np.where(np.arange(len(lift)) < len(lift) / 2, -slender, slender)
    turn = np.linspace(0, 2 * np.pi, round_, endpoint=False)
    level, around = np.meshgrid(np.arange(len(lift)), turn, indexing="ij")
    wide = np.cos(lift)[level]
    corners = np.stack([wide * np.cos(around), wide * np.sin(around), up[level]], axis=-1).reshape(-1, 3)
    return Mesh(corners, _grid_faces(len(lift), round_, closed=True))


def _grid_faces(rows: int, columns: int, *, closed: bool = False) -> np.ndarray:
    """Triangles between points of a grid, numbered row by row; closed joins the last column to the first."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns - (not closed)), indexing="ij")
    here, right = (i * columns + j).ravel(), (i * columns + (j + 1) % columns).ravel()
    return np.concatenate(
        [np.stack([here, right, right + columns], 1), np.stack([here, right + columns, here + columns], 1)]
    )


def mesh_of(model: mujoco.MjModel, mesh: int) -> Mesh:
    """A mesh of the model; its corners are split where MuJoCo's normals say that there is an edge."""
    at, count = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    first = model.mesh_vertadr[mesh]
    corners = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(float)
    faces, normals = model.mesh_face[at : at + count], model.mesh_facenormal[at : at + count]
    pairs, index = np.unique(np.stack([faces.ravel(), normals.ravel()], 1), axis=0, return_inverse=True)
    return thinned(Mesh(corners[pairs[:, 0]], index.reshape(-1, 3)))


def thinned(mesh: Mesh) -> Mesh:
    """The mesh with corners that are close together made one, the more so the more there are."""
    cell = FINEST
    while len(mesh.corners) > MOST_CORNERS and cell < 0.02:
        cell *= 2
        mesh = _merged(mesh, cell)
    return mesh


def _merged(mesh: Mesh, cell: float) -> Mesh:
    places, index = np.unique(np.round(mesh.corners / cell).astype(np.int64), axis=0, return_inverse=True)
    faces = index.reshape(-1)[mesh.faces]
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return Mesh(places * cell, faces[whole])


def field_of(model: mujoco.MjModel, field: int) -> Mesh:
    """The surface of a height field."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    start = int(model.hfield_adr[field])
    half_x, half_y, top, _ = model.hfield_size[field]
    heights = top * model.hfield_data[start : start + rows * columns].reshape(rows, columns)
    return surface(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows), heights)


def surface(x: np.ndarray, y: np.ndarray, heights: np.ndarray, most: int = 60_000) -> Mesh:
    """The surface over a grid of places, with `heights[row of y, column of x]` [m]; fine grids are drawn coarser."""
    every = max(1, int(np.ceil(np.sqrt(heights.size / most))))
    x, y, heights = x[::every], y[::every], heights[::every, ::every]
    across, along = np.meshgrid(x, y)
    return Mesh(np.stack([across, along, heights], axis=-1).reshape(-1, 3), _grid_faces(len(y), len(x)))
