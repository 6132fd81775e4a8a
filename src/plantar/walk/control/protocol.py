"""What a controller is: given the robot's state, it returns torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Stance


@dataclass(kw_only=True)
class Observation:
    """What a controller receives in each control step."""

    time: float
    """Time [s]."""
    qpos: np.ndarray
    """Position in the coordinates of `Legged`: base, then joints."""
    qvel: np.ndarray
    """Velocity in the same coordinates."""
    loads: np.ndarray
    """Vertical force on each sole [N]."""
    pressure: np.ndarray | None = None
    """Where each sole is pressed, ahead and to the left of its middle (feet, 2), 0 where it is not; None for
    controllers that do not sense it [m]."""


@dataclass(kw_only=True)
class Command:
    """Output of a controller: the motors apply torque + stiffness (position - q) + damping (velocity - v)."""

    torque: np.ndarray
    """Torque of each joint [N m]."""
    position: np.ndarray | None = None
    """Angles that the joint impedance pulls to [rad]; None without impedance."""
    velocity: np.ndarray | None = None
    """Velocities that go with them [rad/s]."""


class Controller(Protocol):
    """Anything that walks: given the robot's state, it returns torques."""

    legged: Legged
    """The robot as the controller knows it."""
    stance: Stance
    """How the robot stands at the start."""
    stiffness: np.ndarray
    """Stiffness of each joint's impedance, zero for pure torque [N m/rad]."""
    damping: np.ndarray
    """Damping of each joint's impedance [N m s/rad]."""

    def reset(self, observation: Observation) -> None:
        """Start over from a standing robot."""
        ...

    def act(self, observation: Observation) -> Command:
        """The command of this control step."""
        ...

    @property
    def done(self) -> bool:
        """Whether the walk is over and the robot stands."""
        ...
