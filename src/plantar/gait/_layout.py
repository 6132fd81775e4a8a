"""Which numbers the optimiser has at a point in time, and in which rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from plantar.gait.cost import slacks
from plantar.gait.legged import LeggedRobot

Contact = Literal["soft", "hard"]


@dataclass(frozen=True)
class Phase:
    """A stretch of time with one set of equations."""

    contact: Contact
    """Rubber law, or rigid feet."""
    stance: tuple[int, ...] = ()
    """Rigid feet on the ground; the soft law finds its own."""

    @property
    def name(self) -> str:
        """For display."""
        return "stride" if self.contact == "soft" else "stance" if self.stance else "flight"


@dataclass(frozen=True)
class Layout:
    """Rows of a point: coordinates, velocities, deflections; accelerations, deflection rates; rigid forces; powers."""

    coordinates: int
    """Coordinates with motors."""
    feet: int
    """Feet with an anchor, 0 in rigid phases."""
    stance: int
    """Rigid feet on the ground."""
    slacks: int = 0
    """Powers of which only the positive part counts; they are last, and no part of a solved motion."""

    @classmethod
    def of(cls, robot: LeggedRobot, phase: Phase, cost: str = "thermal") -> Layout:
        """The layout of a phase."""
        feet = robot.legs if phase.contact == "soft" else 0
        return cls(3 + 4 * robot.legs, feet, len(phase.stance), slacks(cost, robot.legs))

    @property
    def states(self) -> int:
        """Rows of the state: coordinates, velocities, deflections."""
        return 2 * self.coordinates + self.feet

    @property
    def size(self) -> int:
        """All rows."""
        return self.force.stop + self.slacks

    @property
    def q(self) -> slice:
        """Coordinates."""
        return slice(0, self.coordinates)

    @property
    def v(self) -> slice:
        """Velocities."""
        return slice(self.coordinates, 2 * self.coordinates)

    @property
    def deflection(self) -> slice:
        """Deflections of the feet's anchors."""
        return slice(2 * self.coordinates, self.states)

    @property
    def a(self) -> slice:
        """Accelerations."""
        return slice(self.states, self.states + self.coordinates)

    @property
    def rate(self) -> slice:
        """Deflection rates."""
        return slice(self.states + self.coordinates, self.states + self.coordinates + self.feet)

    @property
    def force(self) -> slice:
        """Rigid ground forces: along, across."""
        return slice(self.rate.stop, self.rate.stop + 2 * self.stance)

    @property
    def drawn(self) -> slice:
        """Positive parts of powers."""
        return slice(self.force.stop, self.size)

    @property
    def derivative(self) -> np.ndarray:
        """For each state the row that holds its time derivative."""
        rows = np.arange(self.size)
        return np.concatenate([rows[self.v], rows[self.a], rows[self.rate]])
