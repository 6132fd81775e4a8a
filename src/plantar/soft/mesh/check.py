"""What is wrong with a mesh, by element number, and what can be repaired."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.mesh._faults import (
    SLIVER,
    Fault,
    degenerate,
    disconnected,
    duplicated,
    inverted,
    non_manifold,
    open_surface,
    pieces,
    pocket,
    repeated,
    same_place,
    unused,
)
from plantar.soft.mesh.mesh import Ints, Mesh
from plantar.soft.mesh.quality import mean_ratio

__all__ = ["Fault", "check", "check_closed", "find_faults", "keep_cells", "open_surface", "pieces", "repair"]


def find_faults(mesh: Mesh, *, parts: int | None = 1) -> list[Fault]:
    """Everything wrong with a mesh, most serious first; an empty list for a valid one.

    Args:
        mesh: The mesh.
        parts: How many separate pieces it should have; None accepts any number.
    """
    found = [
        degenerate(mesh),
        inverted(mesh),
        repeated(mesh),
        duplicated(mesh),
        non_manifold(mesh),
        unused(mesh),
        pocket(mesh),
        disconnected(mesh, parts),
    ]
    return [fault for fault in found if fault is not None]


def check(mesh: Mesh, *, name: str = "mesh", parts: int | None = 1) -> Mesh:
    """The mesh itself if it is valid.

    Raises:
        InvalidInput: One line that names the first bad element or node, and how many more there are.
    """
    faults = find_faults(mesh, parts=parts)
    if faults:
        raise InvalidInput(f"{name}: {faults[0].text}")
    return mesh


def check_closed(triangles: Ints, name: str) -> None:
    """Raise `InvalidInput` unless the triangles close a volume, each edge walked once in each direction."""
    fault = open_surface(triangles, name)
    if fault is not None:
        raise InvalidInput(fault.text)


def repair(mesh: Mesh, *, largest_part: bool = False) -> tuple[Mesh, list[str]]:
    """A repaired copy, and a line on each thing done.

    Nodes at the same place become one, flat and repeated tetrahedra are removed, inverted ones are turned, and unused
    nodes are removed. What cannot be repaired without guessing (holes, parts attached at an edge) stays, and
    `find_faults` still reports it.

    Args:
        mesh: The mesh.
        largest_part: Whether only its largest connected piece is kept.
    """
    done: list[str] = []
    merged, lost = _merge_nodes(mesh)
    if lost:
        done.append(f"{lost} nodes merged with another at the same place")
    good = np.abs(mean_ratio(merged.nodes, merged.tets)) > SLIVER
    _, first = np.unique(np.sort(merged.tets, axis=1), axis=0, return_index=True)
    once = np.isin(np.arange(len(merged.tets)), first)
    keep = good & once
    if largest_part and keep.any():
        alive = np.flatnonzero(keep)
        keep = np.isin(np.arange(len(keep)), alive[pieces(merged.tets[alive], len(merged.nodes))[0]])
    if not keep.any():
        raise InvalidInput("mesh: no tetrahedron with a volume is left; give a mesh of solid elements")
    if (~keep).any():
        done.append(f"{int((~keep).sum())} flat, repeated or detached tetrahedra removed")
    whole = keep_cells(merged, np.flatnonzero(keep))
    turned = whole.volumes < 0
    if turned.any():
        tets = whole.tets.copy()
        tets[turned] = tets[turned][:, [0, 2, 1, 3]]
        whole = replace(whole, tets=tets)
        done.append(f"{int(turned.sum())} inverted tetrahedra turned")
    unused = len(merged.nodes) - len(whole.nodes)
    if unused:
        done.append(f"{unused} unused nodes removed")
    return whole, done


def keep_cells(mesh: Mesh, cells: Ints) -> Mesh:
    """The part of a mesh made of some of its tetrahedra; names follow."""
    used, tets = np.unique(mesh.tets[cells], return_inverse=True)
    new = np.full(len(mesh.nodes), -1)
    new[used] = np.arange(len(used))
    number = np.full(len(mesh.tets), -1)
    number[cells] = np.arange(len(cells))
    regions = {name: _alive(new[nodes]) for name, nodes in mesh.regions.items()}
    surfaces = {name: new[t][(new[t] >= 0).all(axis=1)] for name, t in mesh.surfaces.items()}
    sets = {name: _alive(number[c]) for name, c in mesh.cells.items()}
    return Mesh(mesh.nodes[used], tets.reshape(-1, 4), regions, surfaces, sets)


def _alive(numbers: Ints) -> Ints:
    return numbers[numbers >= 0]


def _merge_nodes(mesh: Mesh) -> tuple[Mesh, int]:
    where = same_place(mesh)
    lost = int((where != np.arange(len(where))).sum())
    if not lost:
        return mesh, 0
    regions = {name: where[nodes] for name, nodes in mesh.regions.items()}
    surfaces = {name: where[t] for name, t in mesh.surfaces.items()}
    return Mesh(mesh.nodes, where[mesh.tets], regions, surfaces, mesh.cells), lost
