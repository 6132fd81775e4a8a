"""Where a policy should go: along the path of a walk and at its speed, as velocity commands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plantar._checks import require
from plantar._config import Checked, NotNegative, Positive
from plantar.learn.config import TaskConfig
from plantar.walk.control.protocol import Observation
from plantar.walk.control.tuning import Tuning
from plantar.walk.footholds import Step
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.pendulum import PendulumPlan
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Stance
from plantar.walk.sim.path import Path

CRAWL_SPEED = 0.2
"""Speed of a walk whose gait states none [m/s]."""
BACK, TURN = 1.0, 1.0
"""Velocity back to the path per metre of offset, and turn rate per radian off its direction [1/s]."""
ARRIVED = 0.5
"""Time from reaching the end, when the robot is commanded to stand, to the end of the walk [s]."""
BRAKE = 0.3
"""The robot is commanded to stand this long before it would reach the end of its path [s]."""
LOADED, LIFTED = 0.1, 0.02
"""A foot has landed above this fraction of the weight, and is lifted below it."""


@dataclass(frozen=True, kw_only=True)
class Pace(Checked, prefix="pace."):
    """A straight walk at a given speed; the steps are up to the robot."""

    distance: Positive = 4.0
    """Distance after which it stops and stands [m]."""
    speed: float = 0.5
    """Speed ahead; negative goes backwards [m/s]."""
    settle: NotNegative = 0.6
    """Standing before it goes [s]."""

    def __post_init__(self) -> None:
        """Check the speed."""
        require(0.02 <= abs(self.speed) <= 5, "pace.speed", self.speed, "a speed from 0.02 to 5 m/s, or backwards")


class Errand:
    """The path of one walk, and the robot's progress along it.

    Args:
        legged: The robot.
        stance: How it stands at the start.
        gait: The walk: a `Gait`, whose path and speed are kept whatever steps are taken, a `Pace`, or anything with
            `distance` and optionally `speed`.
        tuning: The control of other modes, as far as it makes the path of a `Gait`.
        task: What the policy was trained to do; commands stay within it.
    """

    name: ClassVar[str] = "policy"
    """Name of the plan in results."""
    patience: ClassVar[float] = 2.0
    """How many times its nominal duration a walk may take before it is given up."""
    arrives: ClassVar[bool] = True
    """A walk should end where its path does."""
    recoveries = late = 0

    def __init__(self, legged: Legged, stance: Stance, gait: Any, tuning: Tuning, task: TaskConfig):
        self.legged, self.stance, self.task = legged, stance, task
        self.notes: list[str] = []
        self.steps: list[Step] = []
        self._planned = PendulumPlan(legged, gait, tuning) if isinstance(gait, Gait) else None
        self.gait: Any = self._planned.gait if self._planned is not None else gait
        self.speed = abs(getattr(self.gait, "speed", CRAWL_SPEED))
        self.settle = float(getattr(self.gait, "settle", Pace.settle))
        self._tell_speed()
        self._path = Path(self.path())
        self._weight = legged.mass * legged.gravity
        self.reset(0.0)

    def _tell_speed(self) -> None:
        """Note a speed that the policy does not know."""
        asked, (low, high) = getattr(self.gait, "speed", CRAWL_SPEED), self.task.forward
        if not low <= asked <= high:
            told = f"the policy was trained at {low:g} to {high:g} m/s: it walks at {min(max(asked, low), high):g}"
            self.notes.append(f"{told} m/s instead of {asked:.3g}")

    def reset(self, time: float) -> None:
        """Begin at the start of the path."""
        self._begun, self._at, self._time = time, 0, time
        self._over: float | None = None
        self.taken = 0
        self._down = np.ones(len(self.legged.soles), bool)

    def path(self) -> np.ndarray:
        """Corners of the path along the ground (n, 2) [m]."""
        if self._planned is not None:
            return self._planned.path()
        ahead = math.copysign(self.gait.distance, getattr(self.gait, "speed", 1.0))
        return np.array([[0.0, 0.0], [ahead, 0.0]])

    def footsteps(self) -> list[Foothold]:
        """Footholds of a `Gait`: where bars are laid that other modes meet, whatever steps are taken."""
        return self._planned.footsteps() if self._planned is not None else []

    @property
    def seconds(self) -> float:
        """Duration of an undisturbed walk [s]."""
        alone = self.settle + self._path.length / self.speed + ARRIVED if self.speed else self.settle
        return max(alone, self._planned.seconds if self._planned is not None else 0.0)

    @property
    def done(self) -> bool:
        """Whether the walk is over."""
        return self._over is not None and self._time - self._over >= ARRIVED

    def command(self, seen: Observation) -> np.ndarray:
        """Velocity ahead and to the left in the base's axes [m/s], and turn rate [rad/s]."""
        self._watch(seen)
        w, x, y, z = seen.qpos[3:7]
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        self._at, along, aside, direction = self._path.near(seen.qpos[:2], self._at)
        left, walks = self._path.length - along, seen.time - self._begun >= self.settle
        if self._over is None and walks and left <= min(BRAKE * self.speed, self._path.length / 2):
            self._over = seen.time
        if self._over is not None or not walks:
            return np.zeros(3)
        across = np.array([-direction[1], direction[0]])
        wish = self.speed * direction - BACK * aside * across
        c, s = math.cos(yaw), math.sin(yaw)
        off = self._path.heading(self._at) - yaw
        turn = TURN * math.remainder(off, math.tau)
        limits = (self.task.forward, self.task.sideways, self.task.turn)
        wishes = (c * wish[0] + s * wish[1], c * wish[1] - s * wish[0], turn)
        return np.array([min(max(v, low), high) for v, (low, high) in zip(wishes, limits, strict=True)])

    def _watch(self, seen: Observation) -> None:
        """Count the feet that land."""
        self._time = seen.time
        share = seen.loads / self._weight
        self.taken += int((~self._down & (share > LOADED)).sum())
        self._down = np.where(self._down, share > LIFTED, share > LOADED)

    def row(self) -> tuple[float, ...]:
        """Only the phase is planned: 0 standing, 1 with few feet on the ground, 2 with all."""
        walks = self._over is None and self._time - self._begun >= self.settle
        phase = 0.0 if not walks else 2.0 if self._down.all() else 1.0
        return (*(math.nan,) * 8, phase)

    def start(self, draw: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Position at the start: the stance, all joints off as `upper` says [rad]."""
        qpos = self.stance.qpos.copy()
        qpos[self.legged.q_joint] += upper
        return qpos
