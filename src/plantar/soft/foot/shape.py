"""The geometry of a solid foot: its mesh, the part fixed to the ankle, and the pads of its sole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.soft.mesh.check import check
from plantar.soft.mesh.mesh import Floats, Ints, Mesh
from plantar.soft.mesh.shapes import lattice

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot

BLUNT = 0.45
"""Half width at heel and toe as a fraction of the widest."""
DOWN = 0.7
"""A triangle belongs to the sole if its normal points down by at least this (cosine of 45 degrees)."""


@dataclass(frozen=True, eq=False)
class SolidShape:
    """A foot's mesh in the ankle's frame, ready to be condensed."""

    mesh: Mesh
    """Regions `mount` (fixed to the ankle) and `sole` (may touch the ground); surface `sole`."""
    weights: Floats
    """Fraction of each node in each pad (pads, nodes); rows add up to 1."""
    areas: Floats
    """Area of each pad (pads,) [m^2]."""
    places: Floats
    """Middle of each pad (pads, 3) [m]."""
    sizes: Floats
    """Length and width of each pad (pads, 2) [m]."""

    def ties(self) -> tuple[Ints, csr_array]:
        """Nodes of the sole (s,), and how they follow the pads (s, pads); nodes between pads follow both."""
        share = self.weights * self.areas[:, None]
        sole = np.flatnonzero(share.any(axis=0))
        return sole, csr_array((share[:, sole] / share[:, sole].sum(axis=0)).T)

    @property
    def mount(self) -> Ints:
        """Nodes that move with the ankle."""
        return self.mesh.region("mount")


def solid_shape(foot: SolidFoot) -> SolidShape:
    """Build the mesh of a foot and divide its sole into pads, heel first."""
    mesh = _from_file(foot) if foot.mesh_file else _sole(foot)
    return _with_pads(mesh, foot.pads)


def outline(u: Floats, power: float = 4.0) -> Floats:
    """Half width of the sole at u = -1 (heel) to 1 (toe), as a fraction of the widest."""
    return BLUNT + (1 - BLUNT) * (1 - np.abs(u) ** power) ** (1 / power)


def _sole(foot: SolidFoot) -> Mesh:
    cell = foot.cell
    cells = [max(2, round(size / cell)) for size in (foot.length, foot.width, foot.thickness)]
    cells[2] = max(3, cells[2])
    x0, y0 = foot.ankle_offset

    def warp(nodes: Floats) -> Floats:
        u, v, w = nodes.T
        lift = foot.toe_spring * np.clip((u - 0.4) / 0.6, 0, None) ** 2
        low = lift - foot.ankle_height
        z = low + (foot.thickness - lift) * w
        return np.column_stack([u * foot.length / 2 - x0, v * outline(u) * foot.width / 2 - y0, z])

    planes = [np.linspace(-1, 1, cells[0] + 1), np.linspace(-1, 1, cells[1] + 1), np.linspace(0, 1, cells[2] + 1)]
    mesh = lattice(*planes, warp=warp)
    bottom = mesh.regions["z0"]
    on_bottom = np.zeros(len(mesh.nodes), bool)
    on_bottom[bottom] = True
    triangles = mesh.boundary[on_bottom[mesh.boundary].all(axis=1)]
    return Mesh(mesh.nodes, mesh.tets, {"mount": mesh.regions["z1"], "sole": bottom}, {"sole": triangles})


def _from_file(foot: SolidFoot) -> Mesh:
    """A mesh from a file, moved so that its lowest node is on the ground.

    Nodes near its top are the mount and what faces down is the sole, unless the file names them.
    """
    from plantar.soft.mesh.files import read_mesh  # noqa: PLC0415  (extra `soft`)

    raw = check(read_mesh(foot.mesh_file, unit=foot.mesh_unit), name=foot.mesh_file)
    x0, y0 = foot.ankle_offset
    low, high = raw.bounds
    middle = (low + high) / 2
    mesh = raw.moved(translation=(-middle[0] - x0, -middle[1] - y0, -low[2] - foot.ankle_height))
    tall = high[2] - low[2]
    require(foot.mount_depth < tall, "mount_depth", foot.mount_depth, f"less than the mesh's height, {tall:.4g} m")
    top = mesh.nodes[:, 2].max() - foot.mount_depth
    if "mount" not in mesh.regions:
        mesh = mesh.with_region("mount", lambda p: p[:, 2] >= top)
    if "sole" in mesh.surfaces:
        return mesh.with_region("sole", np.unique(mesh.surface("sole")))
    mount = np.zeros(len(mesh.nodes), bool)
    mount[mesh.region("mount")] = True
    triangles = mesh.boundary[~mount[mesh.boundary].any(axis=1)]
    a, b, c = (mesh.nodes[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    down = normal[:, 2] < -DOWN * np.linalg.norm(normal, axis=1)
    if not down.any():
        raise InvalidInput(f"{foot.mesh_file} has no surface that faces down: turn it so that its sole is below")
    return mesh.with_surface("sole", triangles[down]).with_region("sole", np.unique(triangles[down]))


def _with_pads(mesh: Mesh, pads: tuple[int, int]) -> SolidShape:
    triangles = mesh.surface("sole")
    a, b, c = (mesh.nodes[triangles[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    middle = (a + b + c) / 3
    owner = _owners(middle, area, pads)
    names, owner = np.unique(owner, return_inverse=True)
    count = len(names)
    weights = np.zeros((count, len(mesh.nodes)))
    for corner in range(3):
        np.add.at(weights, (owner, triangles[:, corner]), area / 3)
    areas = weights.sum(axis=1)
    weights /= areas[:, None]
    places = weights @ mesh.nodes
    spread = np.sqrt(np.maximum(weights @ mesh.nodes[:, :2] ** 2 - places[:, :2] ** 2, 1e-12))
    return SolidShape(mesh, weights, areas, places, spread * np.sqrt(12))


def _owners(middle: Floats, area: Floats, pads: tuple[int, int]) -> Ints:
    """Pad of each triangle: strips of equal area from heel to toe, each cut in equal areas from right to left."""
    strip = _shares(middle[:, 0], area, pads[0])
    owner = np.zeros(len(middle), dtype=np.int64)
    for i in range(pads[0]):
        mine = strip == i
        if mine.any():
            owner[mine] = i * pads[1] + _shares(middle[mine, 1], area[mine], pads[1])
    return owner


def _shares(place: Floats, area: Floats, count: int) -> Ints:
    """Which of `count` parts of equal area each triangle belongs to; triangles at the same place stay together."""
    order = np.unique(np.round(place, 9), return_inverse=True)[1].reshape(-1)
    per_place = np.bincount(order, area)
    until = np.cumsum(per_place) - per_place / 2
    part = np.minimum((until / per_place.sum() * count).astype(np.int64), count - 1)
    return part[order]
