"""Parameters of the light builds of a SoftFoot, `fidelity="hinge"` and `"fast"`; see docs/fast.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from plantar._checks import check_at_least, check_constraint, require, require_choice, require_positive
from plantar._config import Checked

Impedance = tuple[float, float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class Fast(Checked, prefix="fast."):
    """Parameters of the light builds; None is derived from the foot, and `plantar feet reduce` fits the rest.

    Each coupling is one hinge at the middle of its rolling pair. The pair would end further away, by
    `coupling_length * (1 - cos(angle / 2))`; the rod that stands for the anterior arch yields by `stretch`
    times the sum of that over the couplings behind the metatarsus.
    """

    strips: int = 1
    """Chains that are built with `fidelity="fast"`; neighbours are merged. `hinge` builds all."""
    touch: Literal["box", "rod"] = "box"
    """What the modules between heel, metatarsus and toe tip touch with: a box with its four corners; a rod along the
    foot with its two ends, which carry about the same forces with fewer contacts. On yielding ground use boxes."""
    stretch: float | None = None
    """Fraction of the chain's lengthening that the rod yields; None takes the cosine of its slope."""
    rod_offset: float = 0.0
    """The rod is longer by this than from the ankle to the metatarsal joint [m]."""
    bend: float = 1.0
    """Stiffness of the couplings, as a multiple of what the bands give."""
    harden: float = 0.0
    """Cubic stiffness of the couplings, as a multiple of what the bands give [1/rad^2]."""
    cord_arm: float = 1.0
    """Moment arms of the cord, as a multiple of those in the straight foot."""
    cord_slack: float = 0.0
    """Added to the slack of the cord [m]."""
    loop_solref: tuple[float, float] = (0.01, 1.0)
    """Time constant [s] and damping ratio of the rods."""
    loop_solimp: Impedance | None = None
    """Impedance of the rods; None makes them yield as much as the loop closures of the full foot."""

    def __post_init__(self) -> None:
        """Check every field."""
        require_choice("fast.touch", self.touch, ("box", "rod"))
        require(self.strips in range(1, 6), "fast.strips", self.strips, "an integer from 1 to 5")
        require_positive(self, "fast.", ("bend", "cord_arm"))
        check_at_least(self, "fast.", ("harden",))
        for name, most in (("rod_offset", 0.01), ("cord_slack", 0.05)):
            value = getattr(self, name)
            require(abs(value) <= most, f"fast.{name}", value, f"a length in metres within +-{most:g}")
        ok = self.stretch is None or 0 <= self.stretch <= 2
        require(ok, "fast.stretch", self.stretch, "a number from 0 to 2, or None")
        if self.loop_solimp is not None:
            check_constraint(self, "fast.", "loop_")
