"""Run the demonstration of a soft robot: records, times, and what it looked like."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar.soft.robots.robot import SoftRobot
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.state import State
from plantar.table import Table

LONGEST = 3600.0
"""Longest time of a demonstration [s]."""

WARM_UP = 3
"""First steps that are not timed: they compile, analyse and find their first contacts."""


@dataclass(frozen=True, eq=False)
class RobotRun:
    """What a demonstration gave."""

    robot: SoftRobot
    """The robot."""
    scene: Scene
    """Its scene as it ended."""
    table: Table
    """One row per step: `time` and the robot's readings, SI units."""
    step_times: np.ndarray
    """Processor time of each step after the first three [s]: wall time on a machine with a core to spare."""
    shots: list[State]
    """Some states, first and last among them."""

    @property
    def milliseconds(self) -> float:
        """Median time of a step [ms]."""
        return float(1e3 * np.median(self.step_times))

    def row(self) -> dict[str, Any]:
        """The robot beside its row in the paper's table."""
        paper = self.robot.published
        return {
            "robot": self.robot.name,
            "dof": self.scene.dofs,
            "dof_paper": paper.dof,
            "ms": self.milliseconds,
            "ms_best": float(1e3 * self.step_times.min()),
            "ms_paper": paper.milliseconds,
            "dt_ms": 1e3 * self.robot.dt,
            "real_time": self.milliseconds < 1e3 * self.robot.dt,
            "material": paper.material,
            "actuation": paper.actuation,
            "contact": paper.contact,
            "control": paper.control,
        }


def steps_of(robot: SoftRobot, duration: float | None = None) -> int:
    """Steps of a robot's demonstration, or of this part of it [s].

    Raises:
        InvalidInput: If the time cannot be simulated.
    """
    ok = duration is None or 0 < duration <= LONGEST
    require(ok, "duration", duration, f"a time in seconds above 0, {LONGEST:g} at most")
    return max(1, round((robot.duration if duration is None else duration) / robot.dt))


def run(
    robot: SoftRobot,
    *,
    duration: float | None = None,
    scene: Scene | None = None,
    shots: int = 4,
    progress: Callable[[int], object] | None = None,
    on_step: Callable[[Scene], object] | None = None,
) -> RobotRun:
    """Run a robot's demonstration.

    Args:
        robot: The robot.
        duration: Simulated time [s]; the whole demonstration if not given.
        scene: A scene to run it in, such as a reduced one; a fresh one of the robot's if not given.
        shots: How many states are kept for pictures.
        progress: Called with 1 after each step.
        on_step: Called with the scene after each step.
    """
    steps = steps_of(robot, duration)
    scene = robot.scene() if scene is None else scene
    keep = set(np.linspace(0, steps - 1, min(shots, steps)).round().astype(int).tolist())
    rows, times, kept = [], [], []
    for k in range(steps):
        start = time.process_time()
        robot.act(scene, k * robot.dt)
        times.append(time.process_time() - start)
        rows.append({"time": scene.time, **{n: float(v) for n, v in robot.readings(scene).items()}})
        if k in keep:
            kept.append(scene.state)
        if progress:
            progress(1)
        if on_step:
            on_step(scene)
    return RobotRun(robot, scene, Table(rows), np.array(times[min(WARM_UP, steps - 1) :]), kept)
