"""Meshes of tetrahedra with named regions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plantar._checks import require
from plantar._config import Checked
from plantar.errors import InvalidInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
"""Corners of the four faces of a tetrahedron; their normals point out of one of positive volume."""


@dataclass(frozen=True, eq=False)
class Mesh(Checked):
    """A body cut into tetrahedra.

    Nothing in it can be changed: every method returns a new mesh. Indices count from 0. Building one checks
    shapes and indices only; `plantar.soft.mesh.check.check` looks for bad elements.
    """

    nodes: Floats
    """Places of the nodes (n, 3) [m], or in the unit of the file they came from."""
    tets: Ints
    """The four nodes of each tetrahedron (m, 4); the volume is positive in a valid mesh."""
    regions: Mapping[str, Ints] = field(default_factory=dict)
    """Named sets of nodes: sorted indices without repetition."""
    surfaces: Mapping[str, Ints] = field(default_factory=dict)
    """Named sets of triangles (k, 3) whose normals point out of the material; a cavity's point into it."""
    cells: Mapping[str, Ints] = field(default_factory=dict)
    """Named sets of tetrahedra: sorted indices without repetition, for parts of another material."""

    def __post_init__(self) -> None:
        """Check shapes and indices, and make the arrays read-only."""
        nodes = _array("nodes", self.nodes, np.float64, 3)
        tets = _array("tets", self.tets, np.int64, 4)
        _check_indices("tets", tets, len(nodes))
        for name, value in (("nodes", nodes), ("tets", tets)):
            object.__setattr__(self, name, value)
        kinds = (("regions", 0, len(nodes)), ("surfaces", 3, len(nodes)), ("cells", 0, len(tets)))
        for name, width, count in kinds:
            object.__setattr__(self, name, _named(name, getattr(self, name), width, count))

    def __repr__(self) -> str:
        """Sizes and names, for display at the prompt."""
        names = ", ".join([*self.regions, *self.surfaces, *self.cells])
        return f"Mesh({len(self.nodes)} nodes, {len(self.tets)} tetrahedra{'; ' + names if names else ''})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Parts to rebuild it from, so that a mesh can be copied and sent to other processes."""
        return type(self), (self.nodes, self.tets, dict(self.regions), dict(self.surfaces), dict(self.cells))

    @cached_property
    def volumes(self) -> Floats:
        """Volume of each tetrahedron (m,); negative where it is inside out."""
        return tet_volumes(self.nodes, self.tets)

    @property
    def volume(self) -> float:
        """Volume of the whole mesh."""
        return float(self.volumes.sum())

    @cached_property
    def centroids(self) -> Floats:
        """Middle of each tetrahedron (m, 3)."""
        return self.nodes[self.tets].mean(axis=1)

    @cached_property
    def bounds(self) -> Floats:
        """Lowest and highest corner of the box around the nodes (2, 3)."""
        return np.array([self.nodes.min(axis=0), self.nodes.max(axis=0)])

    @cached_property
    def boundary(self) -> Ints:
        """Triangles (k, 3) of the whole surface, outer and cavities, normals out of the material."""
        return boundary_triangles(self.tets)

    @property
    def boundary_nodes(self) -> Ints:
        """Nodes of the surface, sorted."""
        return np.unique(self.boundary)

    @cached_property
    def edges(self) -> Ints:
        """Edges (k, 2), each once, lower index first."""
        pairs = self.tets[:, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]].reshape(-1, 2)
        return np.unique(np.sort(pairs, axis=1), axis=0)

    def region(self, name: str) -> Ints:
        """Nodes of a named region.

        Raises:
            InvalidInput: If there is no such region; the message lists those that exist.
        """
        return _find("region", name, self.regions)

    def surface(self, name: str) -> Ints:
        """Triangles (k, 3) of a named surface; `boundary` is always there."""
        return self.boundary if name == "boundary" else _find("surface", name, self.surfaces)

    def cell_set(self, name: str) -> Ints:
        """Tetrahedra of a named set."""
        return _find("cell set", name, self.cells)

    def with_region(self, name: str, where: Callable[[Floats], Bools] | ArrayLike) -> Self:
        """A copy with one more named set of nodes.

        Args:
            name: Name of the region; one that exists is replaced.
            where: Node indices, one truth a node, or a function of the nodes (n, 3) that says which belong to it,
                such as `in_box`, `in_sphere`, `near_plane` make.

        Raises:
            InvalidInput: If no node belongs to it.
        """
        given = where(self.nodes) if callable(where) else where
        nodes = chosen(f"region {name!r}", given, len(self.nodes))
        low, high = np.round(self.bounds, 6).tolist()
        require(len(nodes) > 0, "region", name, f"a place that holds nodes; the mesh goes from {low} to {high}")
        return replace(self, regions={**self.regions, name: nodes})

    def with_surface(self, name: str, where: Callable[[Floats], Bools] | ArrayLike) -> Self:
        """A copy with one more named set of triangles.

        Args:
            name: Name of the surface; one that exists is replaced.
            where: Triangles (k, 3), or a function of places: triangles of the boundary whose three corners are
                in it belong to the surface.

        Raises:
            InvalidInput: If no triangle belongs to it.
        """
        if callable(where):
            inside = where(self.nodes)
            triangles = self.boundary[inside[self.boundary].all(axis=1)]
        else:
            triangles = np.asarray(where, dtype=np.int64).reshape(-1, 3)
        require(len(triangles) > 0, "surface", name, "a place that holds triangles of the boundary")
        return replace(self, surfaces={**self.surfaces, name: triangles})

    def with_cells(self, name: str, where: Callable[[Floats], Bools] | ArrayLike) -> Self:
        """A copy with one more named set of tetrahedra, by index or by the place of their middle."""
        cells = chosen(f"cells {name!r}", where(self.centroids) if callable(where) else where, len(self.tets))
        require(len(cells) > 0, "cells", name, "a place that holds the middle of a tetrahedron")
        return replace(self, cells={**self.cells, name: cells})

    def moved(self, *, rotation: ArrayLike | None = None, translation: ArrayLike = (0, 0, 0), scale: float = 1) -> Self:
        """A copy scaled, then turned by the matrix `rotation`, then shifted."""
        turn = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        require(turn.shape == (3, 3) and np.linalg.det(turn) > 0, "rotation", rotation, "a (3, 3) rotation matrix")
        require(scale > 0, "scale", scale, "a number above 0")
        return replace(self, nodes=scale * self.nodes @ turn.T + np.asarray(translation, dtype=float))


def tet_volumes(nodes: Floats, tets: Ints) -> Floats:
    """Signed volume of each tetrahedron (m,)."""
    a, b, c, d = (nodes[tets[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6


def boundary_triangles(tets: Ints) -> Ints:
    """Faces (k, 3) that belong to one tetrahedron only, in order of their tetrahedra."""
    faces = tets[:, FACES].reshape(-1, 3)
    _, first, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[np.sort(first[counts == 1])]


def enclosed_volume(nodes: Floats, triangles: Ints) -> float:
    """Volume inside a closed surface whose normals point outward; negative if they point inward."""
    a, b, c = (nodes[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", np.cross(a, b), c) / 6)


def chosen(name: str, value: ArrayLike, count: int) -> Ints:
    """Some of `count` things, sorted and each once: by their numbers, or by one truth for each thing.

    Raises:
        InvalidInput: If it is neither; truths would else be taken for the numbers 0 and 1, and numbers below 0 or too
            large for things of others.
    """
    given = np.asarray(value)
    if given.dtype == bool:
        require(given.shape == (count,), name, f"truths of shape {given.shape}", f"one truth for each of {count}")
        return np.flatnonzero(given)
    whole = given.size == 0 or (given.dtype.kind in "iuf" and bool((given == np.floor(given)).all()))
    require(whole, name, value, f"numbers from 0 to {count - 1}, or {count} truths")
    numbers = np.unique(given.astype(np.int64))
    bad = numbers[(numbers < 0) | (numbers >= count)]
    require(not len(bad), name, bad[:1].tolist(), f"numbers from 0 to {count - 1}")
    return numbers


def _array(name: str, value: ArrayLike, kind: type, width: int) -> NDArray:
    try:
        array = np.array(value, dtype=kind)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} = {type(value).__name__} is not allowed: give numbers (n, {width})") from error
    require(array.ndim == 2 and array.shape[1] == width, name, f"shape {array.shape}", f"an array (n, {width})")
    require(len(array) > 0, name, "nothing", "at least one row")
    array.flags.writeable = False
    return array


def _check_indices(name: str, indices: Ints, count: int) -> None:
    bad = np.argwhere((indices < 0) | (indices >= count))
    if len(bad):
        value = int(indices[tuple(bad[0])])
        raise InvalidInput(f"{name}[{bad[0][0]}] names {value}: give indices from 0 to {count - 1}")


def _named(kind: str, sets: Mapping[str, ArrayLike], width: int, count: int) -> Mapping[str, Ints]:
    found: dict[str, Ints] = {}
    for name, value in sets.items():
        if width:
            array = np.array(np.asarray(value, dtype=np.int64).reshape(-1, width))
            _check_indices(f"{kind}[{name!r}]", array, count)
        else:
            array = chosen(f"{kind}[{name!r}]", value, count)
        array.flags.writeable = False
        found[name] = array
    return MappingProxyType(found)


def _find(kind: str, name: str, sets: Mapping[str, Ints]) -> Ints:
    if name not in sets:
        raise InvalidInput(f"unknown {kind} {name!r}: the mesh has {', '.join(sets) or 'none'}")
    return sets[name]
