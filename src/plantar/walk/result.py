"""A walk from its first control step to its end, and what it ends in."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plantar import feet
from plantar._notebook import Shown
from plantar.walk.footholds import Step
from plantar.walk.sim.metrics import Metrics
from plantar.walk.sim.obstacles import Bar
from plantar.walk.sim.record import Recorder, WalkRecord
from plantar.walk.sim.simulation import Simulation

if TYPE_CHECKING:
    from plantar.robots import Robot

TELL = 0.1
"""Simulated time between two progress calls [s]."""


class WalkStatus(enum.Enum):
    """How a trial ended; the text is the advice."""

    WALKED = "all steps were taken and the robot stands"
    STOOD = "no step was requested, and the robot stands; figures per metre are undefined"
    FELL = "the robot fell: look at the film, try a lower obstacle, a shorter step or another mode"
    STUCK = "the time was up before all steps were taken: give more time, or a faster gait"
    STRAYED = "the robot stands, but far from its goal: look at slip, and at the path in the figure"


@dataclass(frozen=True, kw_only=True)
class WalkResult(Shown):
    """One trial: what was tried, how it ended, and its figures."""

    robot: str
    """Name of the robot."""
    foot: str
    """Name of its feet; `own` are those it came with, and changed ones have a fingerprint behind their name."""
    mode: str
    """Controller."""
    plan: str
    """Name of the plan; empty for a user's controller."""
    terrain: str
    """Kind of ground."""
    choose: str
    """How footholds were chosen."""
    seed: int
    """Seed of the trial."""
    obstacle: float
    """Height of the bar; 0 without one [m]."""
    place: str
    """Part of the sole that the bar was meant for."""
    bars: tuple[Bar, ...]
    """The bars on the path."""
    status: WalkStatus
    """How it ended."""
    steps: int
    """Steps taken."""
    recoveries: int
    """Times that a step was taken to recover from a stand."""
    distance: float
    """Distance along the path [m]."""
    duration: float
    """Simulated time [s]."""
    metrics: Metrics
    """Figures."""
    failures: int
    """Control steps in which the whole-body program had no solution; the last good torques were held in them."""
    control_s: float
    """Time spent in the controller [s]."""
    physics_s: float
    """Time spent in simulating and measuring [s]."""
    bar_under: float | None = None
    """Place of the first bar ahead of the middle of the sole that is planned to meet it [m]; None without one."""
    footholds: tuple[Step, ...] = ()
    """Steps whose footholds were chosen, as they were planned."""
    collisions: tuple[tuple[float, str], ...] = ()
    """When which link other than a foot hit the ground [s]."""
    record: WalkRecord | None = None
    """Time series, if requested."""

    @property
    def success(self) -> bool:
        """Whether the robot completed its path, or stood if it was only to stand."""
        return self.status in (WalkStatus.WALKED, WalkStatus.STOOD)

    @property
    def pace(self) -> float:
        """Simulated time over the time that control, physics and measuring took: above 1 is faster than real time."""
        return self.duration / max(self.control_s + self.physics_s, 1e-9)

    def text(self) -> str:
        """The result in a line."""
        held = f"; torques were held in {self.failures} control steps without a solution" if self.failures else ""
        return (
            f"{self.status.value}: {self.steps} steps, {self.distance:.2f} m in {self.duration:.1f} s, "
            f"{self.pace:.1f} times real time{held}"
        )

    def row(self) -> dict[str, Any]:
        """The result as one row of a table: everything but time series and what depends on the machine."""
        names = ("robot", "foot", "mode", "plan", "terrain", "choose", "seed", "obstacle", "place")
        row: dict[str, Any] = {name: getattr(self, name) for name in names}
        row |= {"bar_x": self.bars[0].x if self.bars else None, "bar_under": self.bar_under, "success": self.success}
        row |= {"status": self.status.name.lower(), "steps": self.steps, "recoveries": self.recoveries}
        row |= {"distance": self.distance, "duration": self.duration, "failures": self.failures}
        return row | dataclasses.asdict(self.metrics)


def foot_name(walker: Robot) -> str:
    """Name of a robot's feet, with their fidelity; `own` are those it came with.

    Feet with locked joints are named as in studies, and those with other fields than the ones of that name have a
    fingerprint behind it.
    """
    worn = walker.places[0].foot
    if worn is None:
        return "own"
    foot = dataclasses.replace(worn, rigid=False)
    name = foot.name if foot.fidelity == "full" else f"{foot.name}:{foot.fidelity}"
    if foot.name in feet.names() and foot != feet.get(name):
        name = f"{name}@{foot.fingerprint()[:6]}"
    return f"locked:{name}" if worn.rigid else name


def walk_on(
    sim: Simulation, recorder: Recorder, most: float, rest: float, progress: Callable[[float], None] | None = None
) -> WalkStatus:
    """Tick until the robot stands for a while after all pushes, falls, or the time is over.

    Args:
        sim: The walk.
        recorder: Records it.
        most: Time after which it is given up, not counting the rest [s].
        rest: How long the robot has to stand [s].
        progress: Called with the time simulated since the last call [s].
    """
    stood, told = None, 0.0
    while True:
        sim.tick()
        recorder(sim)
        now = float(sim.data.time)
        if progress is not None and now - told >= TELL:
            progress(now - told)
            told = now
        if sim.fallen:
            return WalkStatus.FELL
        stands = sim.controller.done and now >= sim.pusher.over
        stood = (now if stood is None else stood) if stands else None
        if stood is not None and now - stood >= rest:
            return WalkStatus.WALKED
        if now > most + rest:
            return WalkStatus.STUCK
