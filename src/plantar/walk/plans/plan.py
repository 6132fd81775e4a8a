"""What a plan is: given the robot's state, it says what the whole body should do now."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np

from plantar.walk.control.program import Targets
from plantar.walk.control.tuning import Tuning
from plantar.walk.footholds import Step
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.kinematics import Kinematics, level_error
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Stance


@dataclass(kw_only=True)
class Reference:
    """The planned motion of this moment, as stiff joints are held to it."""

    com: np.ndarray
    """Centre of mass (3,) [m]."""
    soles: np.ndarray
    """Place and heading of each sole (feet, 4) [m, rad]."""
    attitude: np.ndarray
    """Attitude of the base (w, x, y, z)."""


class Plan(ABC):
    """The plan of one walk; a new one is made for each.

    Args:
        legged: The robot.
        tuning: Weights, gains and all else.
    """

    feet: ClassVar[int] = 2
    """Number of feet of the robots that it is for."""
    fallen: ClassVar[tuple[float, float]] = (0.65, 0.8)
    """A robot has fallen when its base is lower than this fraction of its standing height, or tilted more [rad]."""
    patience: ClassVar[float] = 1.3
    """How many times as long as planned a walk may take before it is given up."""
    arrives: ClassVar[bool] = True
    """Whether a walk should end where its path does; otherwise it ends after that distance."""
    stance: Stance
    """How the robot stands at the start."""

    def __init__(self, legged: Legged, tuning: Tuning):
        self.legged, self.tuning, self.dt = legged, tuning, 1 / tuning.rate
        self.weight = legged.mass * legged.gravity
        self.taken = self.recoveries = self.late = 0
        """Steps taken, steps taken from standing, and feet that found the ground far below their foothold."""
        self.notes: list[str] = list(legged.notes)
        """Notes for the user on this robot and walk."""
        self.steps: list[Step] = []
        """Steps whose footholds were chosen."""

    @abstractmethod
    def reset(self, dyn: Dynamics, time: float) -> None:
        """Begin from where the robot stands."""

    @abstractmethod
    def advance(self, dyn: Dynamics, time: float, loads: np.ndarray) -> Targets:
        """Advance to `time`, and return what the body should do; `loads` are the forces on the soles [N]."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the walk is over and the robot stands."""

    @abstractmethod
    def reference(self) -> Reference:
        """The planned motion of this moment."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """Duration of an undisturbed walk, without resting at the end [s]."""

    @abstractmethod
    def path(self) -> np.ndarray:
        """Corners of the planned path along the ground (n, 2) [m]."""

    def row(self) -> tuple[float, ...]:
        """DCM, its plan, planned centre of mass and centre of pressure along the ground, and phase, for the record.

        The phase is 0 standing, 1 with few feet on the ground, 2 with all.
        """
        return (math.nan,) * 9

    def start(self, draw: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Position of the robot at the start, offset from its stance by eight numbers and one per joint.

        Args:
            draw: Numbers within +-1; the first two move the centre of mass.
            upper: Offsets of the joints outside the legs [rad].
        """
        lg, qpos = self.legged, self.stance.qpos.copy()
        placed = lg.place(qpos)
        com = placed.subtree_com[lg.base] + 0.01 * np.array([draw[0], draw[1], 0.0])
        posture = qpos[lg.q_joint] + np.where(lg.is_leg, 0.0, upper)
        soles = np.zeros((len(lg.soles), 4))
        soles[:, :3] = lg.points(placed)
        if np.any(draw):
            kinematics = Kinematics(lg)
            for _ in range(8):
                kinematics.step(qpos, soles, com, self.stance.attitude, posture)
        return qpos

    def turn_base(self, dyn: Dynamics, attitude: np.ndarray) -> np.ndarray:
        """Turn acceleration in its own frame that brings the base to an attitude [rad/s^2]."""
        turn, (stiff, damp) = np.zeros(3), self.tuning.gains.base
        mujoco.mju_subQuat(turn, attitude, dyn.qpos[3:7])
        return stiff * turn - damp * dyn.qvel[3:6]

    def follow(self, dyn: Dynamics, i: int, path: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
        """Acceleration of a sole in the air on a path: place and heading, their rates and accelerations (4,) each."""
        (place, rate, acceleration), g = path, self.tuning.gains
        moving = dyn.sole_velocity(i)
        back = g.swing[0] * (place[:3] - dyn.sole_position(i)) + g.swing[1] * (rate[:3] - moving[:3])
        # a leg that is stopped by something, even its own joint, must not throw the body over
        back *= min(1.0, g.swing_most / max(math.sqrt(back @ back), 1e-9))
        if self.legged.soles[i].point:
            return acceleration[:3] + back
        turn = level_error(dyn.sole_matrix(i).reshape(3, 3), place[3])
        spin = np.array([0.0, 0.0, rate[3]])
        wish = np.empty(6)
        wish[:3] = acceleration[:3] + back
        wish[3:] = g.swing_turn[0] * turn + g.swing_turn[1] * (spin - moving[3:])
        return wish
