"""Soft bodies of tetrahedra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.errors import InvalidInput
from plantar.soft.fem.groups import TetGroup
from plantar.soft.fem.material import Material
from plantar.soft.fem.parts import Parts, check_name, check_rayleigh
from plantar.soft.mesh.check import check as check_mesh
from plantar.soft.mesh.mesh import Mesh, chosen

Region = str | Sequence[int] | np.ndarray
"""Nodes of a mesh: the name of a region, their numbers, or one truth for each node of the mesh."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SoftBody(Checked):
    """A body of tetrahedra."""

    name: str
    """Its name in the scene."""
    mesh: Mesh
    """Nodes, tetrahedra and named regions."""
    material: Material
    """What it is made of."""
    parts: Mapping[str, Material] = field(default_factory=dict)
    """Other materials by the name of a set of tetrahedra."""
    density: float | None = None
    """Mass per volume [kg/m^3]; give this or `mass`."""
    mass: float | None = None
    """Mass of the whole body [kg]."""
    lumping: Literal["volume", "uniform"] = "volume"
    """`volume`: a quarter of an element's mass to each of its nodes. `uniform`: the same mass on every node, as
    SOFA's UniformMass."""
    fixed: Region | Sequence[Region] = ()
    """Nodes that cannot move: names of regions, or numbers. `Scene.move` moves them."""
    rigid: Mapping[str, Region] = field(default_factory=dict)
    """Nodes that move as a rigid body, by the name of the frame that carries them: a `RigidBody` of the scene, or a new
    name, which makes a frame without mass of its own in the middle of the nodes."""
    rayleigh: tuple[float, float] | None = None
    """Rayleigh damping on mass [1/s] and stiffness [s]; that of the scene if None."""
    check: bool = True
    """Whether the mesh is checked for inverted, flat, duplicate and loose elements."""

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"body {self.name!r}: "
        require(isinstance(self.mesh, Mesh), f"{where}mesh", type(self.mesh).__name__, "a plantar.soft.Mesh")
        require(
            isinstance(self.material, Material), f"{where}material", self.material, "a material such as Corotational"
        )
        if (self.density is None) == (self.mass is None):
            raise InvalidInput(f"{where}give either density, in kg/m^3, or mass, in kg")
        value = self.density if self.mass is None else self.mass
        require(value is not None and 0 < value < float("inf"), f"{where}density or mass", value, "a number above 0")
        require_choice(f"{where}lumping", self.lumping, ("volume", "uniform"))
        check_rayleigh(self.rayleigh)
        if self.check:
            check_mesh(self.mesh, name=f"body {self.name!r}", parts=None)
        self.fixed_nodes()

    def nodes(self, region: Region) -> np.ndarray:
        """Node numbers of a region."""
        if isinstance(region, str):
            return self.mesh.region(region)
        return chosen(f"body {self.name!r}: nodes", region, len(self.mesh.nodes))

    def fixed_nodes(self) -> np.ndarray:
        """Numbers of the nodes that cannot move."""
        if isinstance(self.fixed, str):
            return self.nodes(self.fixed)
        several = [f for f in self.fixed if isinstance(f, str | Sequence | np.ndarray)]
        if len(several) == len(self.fixed):
            return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *map(self.nodes, several)]))  # type: ignore[arg-type]
        return self.nodes(np.asarray(self.fixed))

    def node_masses(self) -> np.ndarray:
        """Mass of every node [kg]."""
        volumes = self.mesh.volumes
        total = self.mass if self.mass is not None else float(self.density or 0.0) * volumes.sum()
        n = len(self.mesh.nodes)
        if self.lumping == "uniform":
            return np.full(n, total / n)
        share = np.repeat(volumes / 4, 4)
        return total / volumes.sum() * np.bincount(self.mesh.tets.ravel(), share, minlength=n)

    def build(self, offset: int, frame: int) -> Parts:
        """Its blocks and elements; `offset` is its first block, `frame` its first frame."""
        nodes = np.array(self.mesh.nodes)
        groups = [
            TetGroup(nodes, self.mesh.tets[cells], offset, material, np.ones(len(cells)))
            for material, cells in self.cells()
        ]
        rigid = {name: self.nodes(region) for name, region in self.rigid.items()}
        return Parts(points=nodes, mass=self.node_masses(), groups=[*groups], fixed=self.fixed_nodes(), rigid=rigid)

    def cells(self) -> list[tuple[Material, np.ndarray]]:
        """Materials and the tetrahedra made of them."""
        owner = np.zeros(len(self.mesh.tets), dtype=np.int64)
        materials = [self.material, *self.parts.values()]
        for i, name in enumerate(self.parts, start=1):
            owner[self.mesh.cell_set(name)] = i
        return [(m, np.flatnonzero(owner == i)) for i, m in enumerate(materials) if (owner == i).any()]
