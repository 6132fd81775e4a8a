"""What a trial ends in."""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar.walk.sim.metrics import COLUMNS, Metrics
from plantar.walk.sim.obstacles import Bar


class WalkStatus(enum.Enum):
    """How a trial ended; the text is the advice."""

    WALKED = "all steps were taken and the robot stands"
    FELL = "the robot fell: look at the film, try a lower obstacle, a shorter step or another mode"
    STUCK = "the time was over before all steps were taken: give more time, or a quicker gait"
    STRAYED = "the robot stands, but far from where it was to go: look at slip, and at the path in the figure"


@dataclass(frozen=True, kw_only=True)
class WalkRecord:
    """Time series of a trial."""

    table: np.ndarray
    """A row a control step; `plantar.walk.COLUMNS` names the columns."""
    frames: np.ndarray
    """Positions of the whole model (frames, nq); empty unless asked for."""
    frame_times: np.ndarray
    """Times of the frames [s]."""

    def column(self, name: str) -> np.ndarray:
        """One time series by name."""
        return self.table[:, COLUMNS.index(name)]


@dataclass(frozen=True, kw_only=True)
class WalkResult:
    """One trial: what was tried, how it ended, and its figures."""

    robot: str
    """Name of the robot."""
    foot: str
    """Name of its feet; `own` are those it came with."""
    mode: str
    """How it was controlled."""
    seed: int
    """Seed of the trial."""
    obstacle: float
    """Height of the bar; 0 without one [m]."""
    place: str
    """Part of the sole that the bar was meant for."""
    bars: tuple[Bar, ...]
    """The bars on the way."""
    status: WalkStatus
    """How it ended."""
    steps: int
    """Steps taken."""
    recoveries: int
    """Times that a step was taken to recover from a stand."""
    distance: float
    """Way along the path [m]."""
    duration: float
    """Simulated time [s]."""
    metrics: Metrics
    """Figures."""
    failures: int
    """Control steps in which the quadratic program had no solution."""
    control_s: float
    """Time spent in the controller [s]."""
    physics_s: float
    """Time spent in simulating and measuring [s]."""
    bar_under: float | None = None
    """Place of the first bar ahead of the middle of the sole that is planned to meet it [m]; None without one."""
    record: WalkRecord | None = None
    """Time series, if asked for."""

    @property
    def success(self) -> bool:
        """Whether the robot walked all of its way."""
        return self.status is WalkStatus.WALKED

    @property
    def pace(self) -> float:
        """Simulated time over the time that control, physics and measuring took: above 1 is faster than real time."""
        return self.duration / max(self.control_s + self.physics_s, 1e-9)

    def row(self) -> dict[str, Any]:
        """The result as one row of a table: everything but time series and what depends on the machine."""
        row: dict[str, Any] = {
            name: getattr(self, name) for name in ("robot", "foot", "mode", "seed", "obstacle", "place")
        }
        row |= {"bar_x": self.bars[0].x if self.bars else None, "bar_under": self.bar_under, "success": self.success}
        row |= {"status": self.status.name.lower(), "steps": self.steps, "recoveries": self.recoveries}
        row |= {"distance": self.distance, "duration": self.duration, "failures": self.failures}
        return row | dataclasses.asdict(self.metrics)
