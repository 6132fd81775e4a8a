"""Slender bodies of beam elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar._config import Checked, Limit, Vector
from plantar.soft.fem.groups import BeamGroup
from plantar.soft.fem.parts import Parts, check_graph, check_name, check_rayleigh
from plantar.soft.mesh.mesh import chosen


@dataclass(frozen=True, kw_only=True)
class Section(Checked):
    """Cross-section of a beam; its y axis is `BeamBody.up`."""

    area: float
    """Area [m^2]."""
    inertia_y: float
    """Second moment of area for bending along z (about y) [m^4]."""
    inertia_z: float
    """Second moment of area for bending along y (about z) [m^4]."""
    torsion: float
    """Torsion constant [m^4]."""
    shear: Limit = float("inf")
    """Area that carries shear [m^2]; infinite: no shear deformation (Euler-Bernoulli)."""

    def __post_init__(self) -> None:
        for name in ("area", "inertia_y", "inertia_z", "torsion", "shear"):
            require(getattr(self, name) > 0, f"section {name}", getattr(self, name), "a number above 0")

    @classmethod
    def circle(cls, radius: float, *, shear: bool = False) -> Section:
        """A full circle; `shear` adds shear deformation (Timoshenko, factor 0.9)."""
        area, inertia = np.pi * radius**2, np.pi * radius**4 / 4
        return cls(
            area=area,
            inertia_y=inertia,
            inertia_z=inertia,
            torsion=2 * inertia,
            shear=0.9 * area if shear else float("inf"),
        )

    @classmethod
    def rectangle(cls, y: float, z: float, *, shear: bool = False) -> Section:
        """A rectangle with edges `y` and `z` [m]; torsion constant after Roark."""
        a, b = max(y, z) / 2, min(y, z) / 2
        torsion = a * b**3 * (16 / 3 - 3.36 * b / a * (1 - b**4 / (12 * a**4)))
        return cls(
            area=y * z,
            inertia_y=y * z**3 / 12,
            inertia_z=z * y**3 / 12,
            torsion=torsion,
            shear=5 / 6 * y * z if shear else float("inf"),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class BeamBody(Checked):
    """A net of corotational beams; every node is a frame with position and orientation."""

    name: str
    """Its name in the scene."""
    nodes: np.ndarray | Sequence[Sequence[float]]
    """Places of its nodes (n, 3) [m]."""
    edges: np.ndarray | Sequence[Sequence[int]]
    """The two nodes of every beam (m, 2)."""
    section: Section | Sequence[Section]
    """Cross-section of all beams, or one for each."""
    young: float
    """Young's modulus [Pa]."""
    poisson: float = 0.3
    """Poisson's ratio; it sets the shear modulus only."""
    density: float
    """Mass per volume [kg/m^3]."""
    up: Vector = (0.0, 0.0, 1.0)
    """A direction that no beam is parallel to: y axes of sections are as near to it as can be."""
    fixed: Sequence[int] = ()
    """Nodes that can neither move nor turn."""
    rayleigh: tuple[float, float] | None = None
    """Rayleigh damping on mass [1/s] and stiffness [s]; that of the scene if None."""

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"body {self.name!r}: "
        nodes, edges = np.asarray(self.nodes, dtype=float), np.asarray(self.edges, dtype=np.int64)
        check_graph(where, nodes, edges)
        loose = sorted(set(range(len(nodes))) - set(edges.ravel().tolist()))
        require(not loose, f"{where}nodes", f"node {loose[:1]} without a beam", "only nodes that beams use")
        ok = isinstance(self.section, Section) or len(self.section) == len(edges)
        require(ok, f"{where}section", self.section, f"one section, or {len(edges)}")
        for field in ("young", "density"):
            require(0 < getattr(self, field) < float("inf"), where + field, getattr(self, field), "a number above 0")
        require(-1 < self.poisson <= 0.5, f"{where}poisson", self.poisson, "a number above -1, at most 0.5")
        check_rayleigh(self.rayleigh)
        chosen(f"{where}fixed", self.fixed, len(nodes))
        lengths, angle = self._lengths(), self._slants()
        require(bool((lengths > 0).all()), f"{where}beam {int(np.argmin(lengths))} length", 0.0, "two different places")
        require(
            bool((angle > 1e-6).all()),
            f"{where}up",
            tuple(self.up),
            f"a direction that beam {int(np.argmin(angle))} is not parallel to",
        )

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        nodes, edges = np.asarray(self.nodes, dtype=float), np.asarray(self.edges, dtype=np.int64)
        return nodes[edges[:, 0]], nodes[edges[:, 1]]

    def _lengths(self) -> np.ndarray:
        first, second = self._ends()
        return np.linalg.norm(second - first, axis=1)

    def _slants(self) -> np.ndarray:
        first, second = self._ends()
        up = np.asarray(self.up, dtype=float)
        return np.linalg.norm(np.cross(second - first, up), axis=1) / (self._lengths() * np.linalg.norm(up) + 1e-300)

    def sections(self) -> list[Section]:
        """One cross-section a beam."""
        if isinstance(self.section, Section):
            return [self.section] * len(self.edges)
        require(
            len(self.section) == len(self.edges),
            f"body {self.name!r}: section",
            len(self.section),
            f"one section, or {len(self.edges)}",
        )
        return list(self.section)

    def axes(self) -> np.ndarray:
        """Axes of every beam at rest, as columns: along it, y of the section, z of the section."""
        first, second = self._ends()
        x = (second - first) / self._lengths()[:, None]
        up = np.asarray(self.up, dtype=float)
        y = up - (x @ up)[:, None] * x
        y /= np.linalg.norm(y, axis=1)[:, None]
        return np.stack([x, y, np.cross(x, y)], axis=2)

    def build(self, offset: int, frame: int) -> Parts:
        """Its frames and elements."""
        nodes, edges = np.asarray(self.nodes, dtype=float), np.asarray(self.edges, dtype=np.int64)
        lengths, sections, axes = self._lengths(), self.sections(), self.axes()
        stiffness = np.stack(
            [beam_stiffness(s, self.young, self.poisson, le) for s, le in zip(sections, lengths, strict=True)]
        )
        group = BeamGroup(np.array([frame]), edges, offset, stiffness, lengths, np.ascontiguousarray(axes))
        mass, inertia = self._masses(nodes, edges, lengths, sections, axes)
        quat = np.tile([1.0, 0.0, 0.0, 0.0], (len(nodes), 1))
        fixed = chosen("fixed", self.fixed, len(nodes))
        blocks = np.concatenate([2 * fixed, 2 * fixed + 1])
        return Parts(
            points=np.zeros((0, 3)), mass=mass, groups=[group], frames=nodes, quat=quat, inertia=inertia, fixed=blocks
        )

    def _masses(self, nodes, edges, lengths, sections, axes) -> tuple[np.ndarray, np.ndarray]:  # noqa: ANN001
        mass, inertia = np.zeros(len(nodes)), np.zeros((len(nodes), 3, 3))
        for (a, b), length, section, R in zip(edges, lengths, sections, axes, strict=True):
            half = 0.5 * self.density * section.area * length
            local = (
                0.5
                * self.density
                * length
                * np.array([section.inertia_y + section.inertia_z, section.inertia_y, section.inertia_z])
            )
            # half a beam that turns about its end
            local[1:] += half * (length / 2) ** 2 / 3
            for node in (a, b):
                mass[node] += half
                inertia[node] += (R * local) @ R.T
        return mass, inertia


def beam_stiffness(section: Section, young: float, poisson: float, length: float) -> np.ndarray:
    """Stiffness (12, 12) of a straight beam along x; order: position and rotation of the first, then the second end."""
    K = np.zeros((12, 12))
    shear = young / (2 * (1 + poisson))
    _pair(K, 0, 6, young * section.area / length)
    _pair(K, 3, 9, shear * section.torsion / length)
    for u, r, sign, inertia in ((1, 5, 1.0, section.inertia_z), (2, 4, -1.0, section.inertia_y)):
        bending = young * inertia
        phi = 12 * bending / (shear * section.shear * length**2)
        c = bending / ((1 + phi) * length**3)
        at = [u, r, u + 6, r + 6]
        s = sign * 6 * length
        K[np.ix_(at, at)] += c * np.array(
            [
                [12, s, -12, s],
                [s, (4 + phi) * length**2, -s, (2 - phi) * length**2],
                [-12, -s, 12, -s],
                [s, (2 - phi) * length**2, -s, (4 + phi) * length**2],
            ]
        )
    return K


def _pair(K: np.ndarray, i: int, j: int, k: float) -> None:
    K[i, i] += k
    K[j, j] += k
    K[i, j] -= k
    K[j, i] -= k
