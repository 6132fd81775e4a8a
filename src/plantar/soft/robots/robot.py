"""What every soft robot is: a frozen description that builds its own scene and knows how to move in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar.soft.scene.scene import Scene

CONTACT = (1e-6, 200)
"""Accuracy and most rounds of contacts with friction: a thousandth of a micrometre is enough for a robot."""


@dataclass(frozen=True)
class Published:
    """A row of the table in Coevoet et al., "Software toolkit for modeling, simulation, and control of soft robots"."""

    material: str
    """S: silicone, P: printed plastic."""
    actuation: str
    """C: cables, P: pressure."""
    contact: bool
    """Whether it touches something."""
    control: Literal["direct", "inverse"]
    """Actuators given, or found from where the robot should be."""
    dof: int
    """Degrees of freedom there."""
    milliseconds: float
    """Time of one step there, on an Intel Core i5-4590 [ms]."""


@dataclass(frozen=True, kw_only=True)
class SoftRobot(Checked, ABC):
    """Base of the soft robots; x and y are level, z is up, lengths in metres."""

    name: ClassVar[str]
    """Name in the registry, `plantar soft robot NAME`."""
    published: ClassVar[Published]
    """The robot's row in the paper's table; the geometry here is our own."""
    duration: ClassVar[float]
    """Length of its demonstration [s]."""
    carrier: ClassVar[str | None] = None
    """The rigid body that carries a mobile robot; its reduced modes follow it."""
    modes: ClassVar[int] = 12
    """Modes of its reduced version."""
    shaken: ClassVar[float] = 0.5
    """Fraction of the actuators' limits by which they are shaken to learn its shapes; 0: the demonstration alone."""

    dt: float = 0.02
    """Time step [s]."""

    def __post_init__(self) -> None:
        """Check what all robots share."""
        require(1e-4 <= self.dt <= 0.2, "dt", self.dt, "a time from 0.0001 to 0.2 s")

    @abstractmethod
    def scene(self) -> Scene:
        """Build a fresh scene at rest."""

    @abstractmethod
    def act(self, scene: Scene, time: float) -> None:
        """Make one step of the demonstration, which ends at `time` + dt [s]."""

    @abstractmethod
    def readings(self, scene: Scene) -> dict[str, float]:
        """What is recorded after each step, SI units."""

    @classmethod
    def summary(cls) -> str:
        """One line on what it is and does."""
        return (cls.__doc__ or "").split("\n")[0]


def ramp(time: float, start: float, end: float) -> float:
    """0 before `start`, 1 after `end`, smooth in between."""
    s = min(1.0, max(0.0, (time - start) / (end - start)))
    return s * s * (3 - 2 * s)


def turned(points: object, angle: float) -> np.ndarray:
    """Points (n, 3) turned about z by `angle` [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points, dtype=float) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T
