"""Groups of equal elements: each adds its forces and stiffness blocks to those of the scene."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from plantar.soft.fem import beam_kernels, hyper_kernels, tet_kernels
from plantar.soft.fem.material import Corotational, Material, NeoHookean, StableNeoHookean
from plantar.soft.fem.pattern import Pattern, element_slots

ROTATIONS = {"none": 0, "edge": 1, "edge_polar": 2, "polar": 3}


class Group(Protocol):
    """Elements that share a formula."""

    blocks: np.ndarray
    """Block numbers of every element."""

    def place(self, pattern: Pattern) -> None:
        """Find where the blocks go."""
        ...

    def add(self, x: np.ndarray, quat: np.ndarray, f: np.ndarray, K: np.ndarray, exact: bool) -> None:
        """Add forces and stiffness."""
        ...

    def energy(self, x: np.ndarray, quat: np.ndarray) -> float:
        """Strain energy."""
        ...


class TetGroup:
    """Tetrahedra of one law.

    Args:
        X: Rest positions of all points of the body.
        tets: Vertex numbers in the body.
        offset: First block of the body.
        material: One material for all, or one for every element (of one class).
        names: Numbers of the elements in their mesh, for messages.
    """

    def __init__(self, X: np.ndarray, tets: np.ndarray, offset: int, material: Material, stiffness: np.ndarray):
        self.material = material
        self.tets = np.ascontiguousarray(tets, dtype=np.int32)
        self.kind = ROTATIONS[material.rotation] if isinstance(material, Corotational) else tet_kernels.NONE
        self.volume, self.gradient, self.frame = tet_kernels.rest_shape(X, self.tets, self.kind)
        self.blocks = self.tets + np.int32(offset)
        lam, mu = material.lame
        self.lam, self.mu = lam * stiffness, mu * stiffness
        self.rotation = np.zeros((len(tets), 3, 3))
        self.law = -1
        if not isinstance(material, Corotational):
            soft = hyper_kernels.STABLE if isinstance(material, StableNeoHookean) else hyper_kernels.SVK
            self.law = hyper_kernels.NEO_HOOKEAN if isinstance(material, NeoHookean) else soft

    def place(self, pattern: Pattern) -> None:
        """Find where the blocks go."""
        self.slot, self.flip = element_slots(pattern, self.blocks)

    def add(self, x: np.ndarray, quat: np.ndarray, f: np.ndarray, K: np.ndarray, exact: bool) -> None:
        """Add forces and stiffness."""
        if self.law < 0:
            tet_kernels.corotational(
                x,
                self.blocks,
                self.volume,
                self.gradient,
                self.frame,
                self.lam,
                self.mu,
                self.kind,
                exact,
                f,
                K,
                self.slot,
                self.flip,
                self.rotation,
            )
            return
        hyper_kernels.hyperelastic(
            x, self.blocks, self.volume, self.gradient, self.lam, self.mu, self.law, f, K, self.slot, self.flip
        )

    def energy(self, x: np.ndarray, quat: np.ndarray) -> float:
        """Strain energy."""
        return float(self.energies(x).sum())

    @property
    def needs_volume(self) -> bool:
        """Whether the law has no meaning for inverted elements."""
        return self.law == hyper_kernels.NEO_HOOKEAN

    def least_det(self, x: np.ndarray) -> float:
        """Least det F."""
        return float(tet_kernels.least_det(x, self.blocks, self.volume))

    def energies(self, x: np.ndarray) -> np.ndarray:
        """Strain energy of every element."""
        return tet_kernels.tet_energy(
            x, self.blocks, self.volume, self.gradient, self.frame, self.lam, self.mu, self.kind, self.law
        )


class SpringGroup:
    """Springs between two points: stiffness, rest length, and perhaps no push."""

    def __init__(self, pairs: np.ndarray, offset: int, stiffness: np.ndarray, length: np.ndarray):
        self.blocks = (np.asarray(pairs) + offset).astype(np.int32)
        self.stiffness, self.length = np.asarray(stiffness, dtype=float), np.asarray(length, dtype=float)

    def place(self, pattern: Pattern) -> None:
        """Find where the blocks go."""
        self.slot, self.flip = element_slots(pattern, self.blocks)

    def add(self, x: np.ndarray, quat: np.ndarray, f: np.ndarray, K: np.ndarray, exact: bool) -> None:
        """Add forces and stiffness."""
        beam_kernels.springs(x, self.blocks, self.stiffness, self.length, exact, f, K, self.slot, self.flip)

    def energy(self, x: np.ndarray, quat: np.ndarray) -> float:
        """Strain energy."""
        length = np.linalg.norm(x[self.blocks[:, 1]] - x[self.blocks[:, 0]], axis=1)
        return float((0.5 * self.stiffness * (length - self.length) ** 2).sum())


class BeamGroup:
    """Corotational beams between frames; blocks are position and orientation of both ends."""

    def __init__(
        self, frames: np.ndarray, pairs: np.ndarray, offset: int, K0: np.ndarray, length: np.ndarray, align: np.ndarray
    ):
        self.pairs = np.asarray(pairs, dtype=np.int32) + np.int32(frames[0])
        first, second = offset + 2 * np.asarray(pairs)[:, 0], offset + 2 * np.asarray(pairs)[:, 1]
        self.blocks = np.stack([first, first + 1, second, second + 1], axis=1).astype(np.int32)
        self.K0, self.length, self.align = K0, length, align

    def place(self, pattern: Pattern) -> None:
        """Find where the blocks go."""
        self.slot, self.flip = element_slots(pattern, self.blocks)

    def add(self, x: np.ndarray, quat: np.ndarray, f: np.ndarray, K: np.ndarray, exact: bool) -> None:
        """Add forces and stiffness."""
        beam_kernels.beams(
            x, quat, self.blocks, self.pairs, self.K0, self.length, self.align, f, K, self.slot, self.flip
        )

    def energy(self, x: np.ndarray, quat: np.ndarray) -> float:
        """Strain energy."""
        return float(beam_kernels.beam_energy(x, quat, self.blocks, self.pairs, self.K0, self.length, self.align))
