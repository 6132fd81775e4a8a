"""Bodies of point masses and springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar.soft.fem.groups import SpringGroup
from plantar.soft.fem.parts import Parts, check_graph, check_name, check_rayleigh
from plantar.soft.mesh.mesh import chosen


@dataclass(frozen=True, kw_only=True, eq=False)
class SpringBody(Checked):
    """Point masses joined by springs."""

    name: str
    """Its name in the scene."""
    nodes: np.ndarray | Sequence[Sequence[float]]
    """Places of the masses (n, 3) [m]."""
    edges: np.ndarray | Sequence[Sequence[int]]
    """The two masses of every spring (m, 2)."""
    stiffness: float | Sequence[float] | np.ndarray
    """Stiffness of all springs, or of each [N/m]."""
    mass: float | Sequence[float] | np.ndarray
    """Mass of the whole body, shared out evenly, or of every point [kg]."""
    length: Sequence[float] | np.ndarray | None = None
    """Rest length of every spring [m]; as built if None."""
    fixed: Sequence[int] = ()
    """Masses that cannot move."""
    rayleigh: tuple[float, float] | None = None
    """Rayleigh damping on mass [1/s] and stiffness [s]; that of the scene if None."""

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"body {self.name!r}: "
        nodes, edges = np.asarray(self.nodes, dtype=float), np.asarray(self.edges, dtype=np.int64)
        check_graph(where, nodes, edges)
        bad = np.flatnonzero(self._lengths() <= 0)
        require(not len(bad), f"{where}spring {bad[:1].tolist()} length", 0.0, "two different places")
        for field, count, unit in (("stiffness", len(edges), "N/m"), ("mass", len(nodes), "kg")):
            value = np.asarray(getattr(self, field))
            ok = value.shape in ((), (count,)) and bool((value > 0).all())
            require(ok, where + field, value.tolist(), f"a number above 0, or {count} of them, in {unit}")
        ok = self.length is None or np.shape(self.length) == (len(edges),)
        require(ok, f"{where}length", self.length, f"{len(edges)} lengths, one for each spring")
        check_rayleigh(self.rayleigh)
        chosen(f"{where}fixed", self.fixed, len(nodes))

    def _lengths(self) -> np.ndarray:
        nodes, edges = np.asarray(self.nodes, dtype=float), np.asarray(self.edges, dtype=np.int64)
        return np.linalg.norm(nodes[edges[:, 1]] - nodes[edges[:, 0]], axis=1)

    def build(self, offset: int, frame: int) -> Parts:
        """Its points and springs."""
        nodes = np.array(self.nodes, dtype=float)
        stiffness = np.broadcast_to(np.asarray(self.stiffness, dtype=float), (len(self.edges),))
        length = self._lengths() if self.length is None else np.asarray(self.length, dtype=float)
        mass = np.asarray(self.mass, dtype=float)
        group = SpringGroup(np.asarray(self.edges), offset, np.array(stiffness), length)
        masses = np.full(len(nodes), mass / len(nodes)) if mass.ndim == 0 else mass
        return Parts(points=nodes, mass=masses, groups=[group], fixed=chosen("fixed", self.fixed, len(nodes)))
