"""The motors of Remy's models: how limits, inertia and losses follow from size and gearing."""

from __future__ import annotations

from dataclasses import dataclass

from plantar._checks import require_positive
from plantar._config import Checked


@dataclass(frozen=True, kw_only=True)
class Motor(Checked):
    """An electric motor with its gear, in units of the robot's mass, leg length and gravity.

    The scaling laws are those of Remy's prismatic models: power 24 rho^1.35, usable share 0.07 rho^-0.37, inertia
    0.6 rho^1.26 over the squared no-load speed. Force and position stand for torque and angle at a rotary joint.
    """

    no_load_speed: float
    """Speed without load at the joint; it plays the gear ratio [sqrt(g l0), or rad sqrt(g/l0)]."""
    size: float = 1.0
    """rho: size of the motor, 1 for all the robot carries at one joint of one leg."""
    count: int = 1
    """How many such motors move as one; forces, inertia and losses are those of all."""
    rotor: float | None = None
    """Inertia of one rotor at the joint, where it is known; from the scaling law if not [m, or m l0^2]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        given = () if self.rotor is None else ("rotor",)
        require_positive(self, "", ("no_load_speed", "size", "count", *given))

    @property
    def power(self) -> float:
        """Stall force times no-load speed [m g sqrt(g l0)]."""
        return 24.0 * self.count * self.size**1.35

    @property
    def usable(self) -> float:
        """Fraction of stall force and no-load speed that the motor may be run at."""
        return 0.07 * self.size**-0.37

    @property
    def inertia(self) -> float:
        """Inertia of the rotor at the joint [m, or m l0^2]."""
        return self.count * (self.rotor or 0.6 * self.size**1.26 / self.no_load_speed**2)

    @property
    def force_limit(self) -> float:
        """Largest force or torque [m g, or m g l0]."""
        return self.usable * self.power / self.no_load_speed

    @property
    def speed_limit(self) -> float:
        """Largest speed [as `no_load_speed`]."""
        return (1.0 - self.usable) * self.no_load_speed

    @property
    def loss_factor(self) -> float:
        """Thermal loss over squared force [1/(m sqrt(g/l0)) and the like]."""
        return self.no_load_speed**2 / self.power
