"""Rubbers whose measured stress-stretch tables were fitted, with sources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar._checks import require_choice
from plantar.soft.fem.material import NeoHookean
from plantar.soft.fit.laws import LAWS, Floats, Law


@dataclass(frozen=True, kw_only=True)
class Rubber:
    """A rubber and the law that `plantar soft fit` chooses: the simplest of those with the smallest held-out error."""

    name: str
    """Short name."""
    what: str
    """What it is."""
    law_name: str
    """Name of the law."""
    constants: tuple[float, ...]
    """Its constants; moduli in Pa."""
    neo_hookean: float
    """C10 of the Neo-Hookean law fitted to the same table [Pa]: what finite elements take."""
    stretch: tuple[float, float]
    """Range of the measured stretches."""
    held_out: float
    """Held-out error of the law, relative."""
    source: str
    """Where the measurement was published."""

    @property
    def law(self) -> Law:
        """The law."""
        return LAWS[self.law_name]

    @property
    def young(self) -> float:
        """Young's modulus at rest by the law [Pa]."""
        return 3 * self.law.shear(np.array(self.constants))

    def stress(self, mode: str, stretch: Floats) -> Floats:
        """Nominal stress [Pa] of a test."""
        return self.law.stress(mode, np.asarray(stretch, dtype=float), np.array(self.constants))

    def material(self, poisson: float = 0.49) -> NeoHookean:
        """The Neo-Hookean material of scenes and feet; other laws have no elements yet."""
        return NeoHookean(young=2 * (1 + poisson) * 2 * self.neo_hookean, poisson=poisson)


RUBBERS = {
    rubber.name: rubber
    for rubber in (
        Rubber(
            name="treloar_1944",
            what="natural rubber, vulcanised with 8 % of sulphur",
            law_name="extended_tube",
            constants=(196029.0, 0.0953363, 207109.0, 0.01),
            neo_hookean=193506.0,
            stretch=(1.02, 7.6),
            held_out=0.084,
            source="L. R. G. Treloar, Transactions of the Faraday Society 40, 59 (1944)",
        ),
        Rubber(
            name="kawabata_1981",
            what="isoprene rubber",
            law_name="extended_tube",
            constants=(246862.0, 0.0573049, 145432.0, 0.01),
            neo_hookean=185169.0,
            stretch=(1.04, 3.7),
            held_out=0.068,
            source="S. Kawabata, M. Matsuda, K. Tei, H. Kawai, Macromolecules 14, 154 (1981)",
        ),
        Rubber(
            name="meunier_2008",
            what="silicone rubber without filler",
            law_name="neo_hookean",
            constants=(177330.0,),
            neo_hookean=177330.0,
            stretch=(0.49, 2.17),
            held_out=0.162,
            source="L. Meunier et al., Polymer Testing 27, 765 (2008)",
        ),
    )
}
"""Rubbers by name; `plantar soft fit` made the constants from the published tables."""


def rubber(name: str) -> Rubber:
    """A rubber by name."""
    require_choice("rubber", name, tuple(RUBBERS))
    return RUBBERS[name]
