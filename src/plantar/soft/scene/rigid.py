"""Rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar._config import Checked, Quaternion, Vector
from plantar.soft.fem.parts import Parts, check_name, check_rayleigh


@dataclass(frozen=True, kw_only=True, eq=False)
class RigidBody(Checked):
    """A body that does not deform: one frame at its centre of mass."""

    name: str
    """Its name in the scene."""
    mass: float
    """Mass [kg]."""
    inertia: Sequence[float] | np.ndarray
    """Principal moments of inertia (3) or the whole matrix (3, 3), about the origin, in its own axes [kg m^2]."""
    position: Vector = (0.0, 0.0, 0.0)
    """Where its origin, which is its centre of mass, is at rest [m]."""
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Orientation at rest: quaternion w x y z."""
    fixed: bool = False
    """Whether it cannot move; `Scene.move` moves it."""
    rayleigh: tuple[float, float] | None = None
    """Rayleigh damping; only the part on mass [1/s] counts. That of the scene if None."""

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"body {self.name!r}: "
        require(0 < self.mass < float("inf"), f"{where}mass", self.mass, "a number above 0, in kg")
        eigenvalues = np.linalg.eigvalsh(self.inertia_matrix())
        require(bool((eigenvalues > 0).all()), f"{where}inertia", self.inertia, "moments above 0, in kg m^2")
        ok = len(self.position) == 3 and bool(np.isfinite(self.position).all())
        require(ok, f"{where}position", self.position, "three numbers")
        norm = float(np.linalg.norm(self.orientation))
        require(
            len(self.orientation) == 4 and abs(norm - 1) < 1e-6,
            f"{where}orientation",
            self.orientation,
            "a unit quaternion w x y z",
        )
        check_rayleigh(self.rayleigh)

    @classmethod
    def box(cls, *, name: str, size: Sequence[float], mass: float, **fields: object) -> RigidBody:
        """A box with edges `size` [m] and uniform density."""
        a, b, c = (float(s) ** 2 for s in size)
        inertia = mass / 12 * np.array([b + c, a + c, a + b])
        return cls(name=name, mass=mass, inertia=inertia, **fields)  # type: ignore[arg-type]

    @classmethod
    def ball(cls, *, name: str, radius: float, mass: float, **fields: object) -> RigidBody:
        """A ball of uniform density."""
        return cls(name=name, mass=mass, inertia=np.full(3, 0.4 * mass * radius**2), **fields)  # type: ignore[arg-type]

    def inertia_matrix(self) -> np.ndarray:
        """The matrix of inertia in its own axes."""
        inertia = np.asarray(self.inertia, dtype=float)
        matrix = np.diag(inertia) if inertia.ndim == 1 else inertia
        require(matrix.shape == (3, 3), f"body {self.name!r}: inertia", self.inertia, "3 moments or a (3, 3) matrix")
        return matrix

    def build(self, offset: int, frame: int) -> Parts:
        """Its frame."""
        return Parts(
            points=np.zeros((0, 3)),
            mass=np.array([self.mass]),
            frames=np.array([self.position], dtype=float),
            quat=np.array([self.orientation], dtype=float),
            inertia=self.inertia_matrix()[None],
            fixed=np.arange(2) if self.fixed else np.zeros(0, dtype=np.int64),
        )
