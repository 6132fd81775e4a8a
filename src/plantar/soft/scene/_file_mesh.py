"""Meshes and surfaces that scene files name or describe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Vector, check_value
from plantar._kinds import Long
from plantar.errors import InvalidInput
from plantar.soft.mesh import shapes
from plantar.soft.mesh.files import read_mesh, read_surface
from plantar.soft.mesh.groups import FACING, SHARP, facing, patch
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.mesh.places import in_box, in_sphere, near_plane

SHAPES = {
    "box": shapes.box,
    "beam": shapes.beam,
    "hollow_box": shapes.hollow_box,
    "cylinder": shapes.cylinder,
    "tube": shapes.tube,
}
"""Parametric meshes available in scene files."""


def read_body_mesh(data: Mapping[str, Any], folder: Path) -> Mesh:
    """The mesh of a body with its named regions."""
    given = data.get("mesh")
    require(
        isinstance(given, dict),
        f"mesh of {data.get('name')!r}",
        given,
        "a table with a file, a shape, or nodes and tets",
    )
    mesh = _mesh(dict(given), folder)  # type: ignore[arg-type]
    for kind in ("regions", "surfaces", "cells"):
        require(isinstance(data.get(kind) or {}, dict), kind, data.get(kind), "a table of names and places")
    for name, where in (data.get("regions") or {}).items():
        mesh = mesh.with_region(name, place_of(name, where, mesh))
    for name, where in (data.get("surfaces") or {}).items():
        mesh = mesh.with_surface(name, place_of(name, where, mesh))
    for name, where in (data.get("cells") or {}).items():
        mesh = mesh.with_cells(name, place_of(name, where, mesh))
    return mesh


def _mesh(given: dict[str, Any], folder: Path) -> Mesh:
    if "file" in given:
        _only("mesh", given, ("file", "unit"))
        return read_mesh(_inside(folder, given["file"]), unit=float(given.get("unit", 1.0)))
    if "shape" in given:
        shape = given.pop("shape")
        require_choice("shape", shape, tuple(SHAPES))
        try:
            return SHAPES[shape](**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
        except TypeError as error:
            raise InvalidInput(f"shape {shape!r}: {error}; see plantar.soft.mesh.shapes.{shape}") from error
    _only("mesh", given, ("nodes", "tets"))
    require("nodes" in given and "tets" in given, "mesh", sorted(given), "a file, a shape, or nodes and tets")
    return Mesh(np.asarray(given["nodes"], dtype=float), np.asarray(given["tets"], dtype=np.int64))


def read_triangles(given: Mapping[str, Any], folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a surface file."""
    _only("surface", given, ("file", "unit"))
    require("file" in given, "surface", sorted(given), "a file and optionally its unit in m")
    return read_surface(_inside(folder, given["file"]), unit=float(given.get("unit", 1.0)))


def _inside(folder: Path, name: Any) -> Path:
    require(isinstance(name, str), "file", name, "a path")
    return folder / name


def _only(what: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput(f"unknown field {unknown[0]!r} of {what}: known fields are {', '.join(known)}")


def place_of(name: str, where: Any, mesh: Mesh) -> Any:
    """A part of a mesh: numbers, a box, a ball, a plane; or of its surface, where it faces or a patch."""
    if isinstance(where, list):
        check_value(f"region {name!r}", where, Sequence[int])
        return np.asarray(where, dtype=np.int64)
    known = "box, sphere, plane, normal, patch"
    require(isinstance(where, dict) and len(where) == 1, f"region {name!r}", where, f"numbers, or one of {known}")
    kind, value = next(iter(where.items()))
    require(kind in known.split(", "), f"region {name!r}: place", kind, f"one of {known}")
    if kind == "box":
        check_value(f"box of region {name!r}", value, Annotated[Sequence[Vector], Long(2)])
        return in_box(value[0], value[1])
    require(isinstance(value, dict), f"{kind} of region {name!r}", value, "a table")
    for field, given in value.items():
        hint = float if field in ("radius", "within", "angle") else Vector
        check_value(f"{field} of region {name!r}", given, hint)
    try:
        if kind == "sphere":
            return in_sphere(value["centre"], float(value["radius"]))
        if kind == "plane":
            return near_plane(value["point"], value["normal"], float(value.get("within", 1e-9)))
        if kind == "normal":
            return facing(mesh, value["direction"], float(value.get("within", FACING)))
        return patch(mesh, value["point"], float(value.get("angle", SHARP)))
    except KeyError as error:
        raise InvalidInput(f"region {name!r}: {kind} has no {error}; see docs/soft_mesh.md") from error
