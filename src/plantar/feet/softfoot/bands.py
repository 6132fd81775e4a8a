"""From a rubber band's datasheet to the stiffness of a joint.

A coupling of two modules is held together by elastic bands. The band is anchored inside both
modules and leaves each of them at an *exit point* that lies `exit_offset` beyond the module's
hinge, towards the other module. When the pair rolls by an angle theta at each hinge the exit
points separate by `2 * exit_offset * (1 - cos(theta))`, so a band that is stretched at rest
brings the pair back from either side:

    U(theta) = 1/2 k (s + 2 a (1 - cos(theta)))^2        s: stretch at rest [m], a: exit offset
    U''(0)   = 2 a k s = 2 a F                           F: tension at rest [N]

Both hinges turn by theta, so each carries half of that: `a F` [N m/rad].
"""

from __future__ import annotations

from dataclasses import dataclass

from plantar._arguments import checks_arguments
from plantar._checks import check_at_least, require, require_positive
from plantar._config import Checked

SHORE_A_RANGE = (20.0, 80.0)
"""Range of hardness in which Gent's relation holds [Shore A]."""


@checks_arguments
def young_from_shore_a(hardness: float) -> float:
    """Young's modulus of a rubber from its Shore A hardness.

    Gent's relation for the indentation of an incompressible half space (A. N. Gent, Rubber
    Chemistry and Technology 31, 896-906, 1958), for a durometer as in ASTM D2240.

    Args:
        hardness: Shore A hardness, 20 to 80; stiffer rubber has a higher value.

    Returns:
        Young's modulus [Pa].

    Raises:
        InvalidInput: If the hardness is outside the range in which the relation holds.
    """
    low, high = SHORE_A_RANGE
    require(low <= hardness <= high, "hardness", hardness, f"{low:g} to {high:g} Shore A")
    megapascal = 0.0981 * (56.0 + 7.62336 * hardness) / (0.137505 * (254.0 - 2.54 * hardness))
    return 1e6 * megapascal


@checks_arguments
def band_stiffness(young: float, area: float, free_length: float) -> float:
    """Axial stiffness `E A / L0` of one band [N/m]."""
    return young * area / free_length


@checks_arguments
def joint_stiffness(tension: float, exit_offset: float) -> float:
    """Stiffness that bands of this tension give to each hinge of a rolling pair [N m/rad]."""
    return tension * exit_offset


@dataclass(frozen=True, kw_only=True)
class Band(Checked, prefix="band."):
    """The elastic bands of one coupling.

    The defaults give 0.80 N m/rad at each hinge, the value of the released twin.
    """

    hardness: float = 60.0
    """Shore A hardness of the rubber; sets the modulus through Gent's relation."""
    width: float = 0.005
    """Width of a band's section [m]."""
    thickness: float = 0.004
    """Thickness of a band's section [m]."""
    free_length: float = 0.016
    """Length of a band that carries no force [m]."""
    stretch: float = 1.0
    """Strain of a band in the straight foot [-]; joint stiffness grows in proportion."""
    count: int = 2
    """Bands at each coupling."""
    exit_offset: float = 0.00554
    """Distance beyond its hinge at which the band leaves a module [m]; below half a coupling length."""
    damping: float = 0.04
    """Damping of each hinge [N m s/rad]; heuristic, as in the released twin."""
    stiffness: float | None = None
    """Stiffness of each hinge, overriding the derived one [N m/rad]."""

    def __post_init__(self) -> None:
        """Check every field."""
        low, high = SHORE_A_RANGE
        require(low <= self.hardness <= high, "band.hardness", self.hardness, f"{low:g} to {high:g} Shore A")
        require_positive(self, "band.", ("width", "thickness", "free_length", "stretch", "exit_offset"))
        require(self.count >= 1, "band.count", self.count, "1 or more")
        check_at_least(self, "band.", ("damping",))
        if self.stiffness is not None:
            check_at_least(self, "band.", ("stiffness",))

    @property
    def axial_stiffness(self) -> float:
        """Stiffness of all bands of a coupling together [N/m]."""
        young = young_from_shore_a(self.hardness)
        return self.count * band_stiffness(young, self.width * self.thickness, self.free_length)

    @property
    def tension(self) -> float:
        """Tension of all bands of a coupling in the straight foot [N]."""
        return self.hinge_stiffness / self.exit_offset

    @property
    def hinge_stiffness(self) -> float:
        """Stiffness of each hinge of a rolling pair [N m/rad]."""
        if self.stiffness is not None:
            return self.stiffness
        tension = self.axial_stiffness * self.stretch * self.free_length
        return joint_stiffness(tension, self.exit_offset)
