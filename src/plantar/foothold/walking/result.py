"""What a quadruped's walk ends in."""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar.foothold.walking.controller import Step
from plantar.foothold.walking.metrics import WalkFigures


class CrossStatus(enum.Enum):
    """How a walk ended; the text is the advice."""

    CROSSED = "the robot crossed the ground and stands"
    FELL = "the robot fell: look at the film, try another way to choose, a shorter stride or easier ground"
    STUCK = "the time was over before the robot was across: look at the film, try a shorter stride"


@dataclass(frozen=True, kw_only=True)
class CrossRecord:
    """Time series of a walk."""

    frames: np.ndarray
    """Positions of the whole model (frames, nq); empty unless asked for."""
    frame_times: np.ndarray
    """Times of the frames [s]."""
    path: np.ndarray
    """Time, base x y z, tilt, planned and true centre of mass x y (n, 9)."""


@dataclass(frozen=True, kw_only=True)
class CrossResult:
    """One walk: what was tried, how it ended, and its figures."""

    robot: str
    """Name of the robot."""
    foot: str
    """Its feet."""
    terrain: str
    """Kind of ground."""
    choose: str
    """How footholds were chosen."""
    seed: int
    """Seed of ground and start."""
    status: CrossStatus
    """How it ended."""
    distance: float
    """Way of the base [m]."""
    duration: float
    """Simulated time [s]."""
    steps: tuple[Step, ...]
    """All steps as they were planned."""
    figures: WalkFigures
    """Figures."""
    failures: int
    """Control steps in which the quadratic program had no solution."""
    control_s: float
    """Time of the processor spent in the controller [s]."""
    physics_s: float
    """Time of the processor spent in MuJoCo [s]."""
    record: CrossRecord | None = None
    """Time series, if asked for."""

    @property
    def success(self) -> bool:
        """Whether the robot crossed the ground."""
        return self.status is CrossStatus.CROSSED

    @property
    def pace(self) -> float:
        """Simulated time over the processor's: above 1 is faster than real time."""
        return self.duration / max(self.control_s + self.physics_s, 1e-9)

    def row(self) -> dict[str, Any]:
        """The result as one row of a table: everything but time series and what depends on the machine."""
        row: dict[str, Any] = {n: getattr(self, n) for n in ("robot", "foot", "terrain", "choose", "seed")}
        row |= {"success": self.success, "ended": self.status.name.lower(), "distance": self.distance}
        row |= {"duration": self.duration, "steps": len(self.steps), "failures": self.failures}
        return row | dataclasses.asdict(self.figures)
