"""Materials: what stress a strain makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from plantar._checks import require, require_choice
from plantar._config import Checked

Rotation = Literal["polar", "edge", "edge_polar", "none"]
"""Where a corotational element takes its rotation from."""


def lame(young: float, poisson: float) -> tuple[float, float]:
    """Lame's lambda and mu of Young's modulus and Poisson's ratio."""
    return young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))


@dataclass(frozen=True, kw_only=True)
class Material(Checked):
    """Base of all materials."""

    young: float
    """Young's modulus [Pa]."""
    poisson: float = 0.45
    """Poisson's ratio, above -1 and below 0.5; 0.49 is nearly incompressible, and linear tetrahedra lock near it."""

    def __post_init__(self) -> None:
        require(0 < self.young < float("inf"), "young", self.young, "a number above 0, in Pa")
        if self.poisson == 0.5:
            require(False, "poisson", 0.5, "less than 0.5, say 0.49: linear tetrahedra cannot be incompressible")
        require(-1 < self.poisson < 0.5, "poisson", self.poisson, "a number above -1 and below 0.5")

    @property
    def lame(self) -> tuple[float, float]:
        """Lame's lambda and mu [Pa]."""
        return lame(self.young, self.poisson)


@dataclass(frozen=True, kw_only=True)
class Corotational(Material):
    """Linear elasticity in a frame that turns with the element: large displacements, small strains."""

    rotation: Rotation = "polar"
    """`polar`: R of F = R S, the textbook element. `edge`: frame of edges 0-1 and 0-2, as SOFA's `large`; it depends
    on the order of the vertices. `edge_polar`: polar decomposition of the matrix of edges, as SOFA's `polar` and `svd`.
    `none`: no rotation, as SOFA's `small`: right only for small displacements."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("rotation", self.rotation, ("polar", "edge", "edge_polar", "none"))


@dataclass(frozen=True, kw_only=True)
class NeoHookean(Material):
    r"""W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2, as SOFA's NeoHookean; needs J > 0 everywhere."""


@dataclass(frozen=True, kw_only=True)
class StableNeoHookean(Material):
    """W = mu/2 (I1 - 3) + l/2 (J - 1 - mu/l)^2 with l = lambda + mu (Smith et al. 2018).

    It is defined for inverted elements too.
    """


@dataclass(frozen=True, kw_only=True)
class StVenantKirchhoff(Material):
    """W = lambda/2 tr(E)^2 + mu tr(E^2), E the Green strain; too soft in strong compression."""


MATERIALS = {
    "corotational": Corotational,
    "neo_hookean": NeoHookean,
    "stable_neo_hookean": StableNeoHookean,
    "st_venant_kirchhoff": StVenantKirchhoff,
}
"""Materials by the names that scene files use."""
