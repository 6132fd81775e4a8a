"""The error card of a reduced scene: how far it is from the whole one, and how much faster."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._notebook import Shown
from plantar.soft.mesh.mesh import Floats
from plantar.soft.reduction.reduce import Reduction
from plantar.soft.scene.scene import Scene

Drive = Callable[[Scene, int], object]
"""Makes step number k in a scene."""


@dataclass(frozen=True, kw_only=True)
class ReductionCard(Shown):
    """A reduced scene against the whole one, over one run."""

    run: str
    """What was run."""
    dof: int
    """Degrees of freedom of the whole scene."""
    modes: int
    """Modes of the reduced one."""
    cells: int
    """Tetrahedra of the whole scene."""
    elements: int
    """Elements that the reduced one assembles."""
    motion: float
    """Largest motion of a node in the run [m]."""
    error: float
    """Largest distance of a node from where the whole scene has it [m]."""
    error_mean: float
    """Mean over steps of the root mean square distance [m]."""
    effort_error: float
    """Largest difference of an actuator's effort, as a fraction of the largest effort of its kind."""
    ms_full: float
    """Processor time of a fast step of the full scene [ms]."""
    ms_reduced: float
    """Processor time of a fast step of the reduced scene [ms]."""

    @property
    def relative(self) -> float:
        """Largest distance as a fraction of the largest motion."""
        return self.error / self.motion if self.motion else 0.0

    @property
    def speed_up(self) -> float:
        """How many times faster a step is."""
        return self.ms_full / self.ms_reduced

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        return {
            "run": self.run,
            "dof": self.dof,
            "modes": self.modes,
            "tetrahedra": self.cells,
            "elements": self.elements,
            "motion_mm": 1e3 * self.motion,
            "error_mm": 1e3 * self.error,
            "error_percent": 100 * self.relative,
            "error_mean_mm": 1e3 * self.error_mean,
            "effort_error_percent": 100 * self.effort_error,
            "ms_full": self.ms_full,
            "ms_reduced": self.ms_reduced,
            "speed_up": self.speed_up,
        }


def reduction_card(
    build: Callable[[], Scene],
    reduction: Reduction,
    drive: Drive,
    steps: int,
    *,
    run: str = "run",
    progress: Callable[[int], object] | None = None,
) -> ReductionCard:
    """Drive the whole and the reduced scene in turn, step by step, and compare every node.

    Args:
        build: Makes a fresh scene.
        reduction: Its reduction.
        drive: Makes step number k; called with each of the two scenes.
        steps: How many.
        run: Name of the run.
        progress: Called with 1 after each pair of steps.
    """
    whole, reduced = build(), reduction.apply(build())
    errors, means, motions, efforts = [], [], [], []
    times: dict[str, list[float]] = {"full": [], "reduced": []}
    for k in range(steps):
        for name, scene in (("full", whole), ("reduced", reduced)):
            start = time.process_time()
            drive(scene, k)
            times[name].append(time.process_time() - start)
        gap = np.linalg.norm(_points(reduced) - _points(whole), axis=1)
        errors.append(gap.max())
        means.append(np.sqrt((gap**2).mean()))
        motions.append(np.linalg.norm(_points(whole) - whole.system.x0[~whole.system.rotational], axis=1).max())
        efforts.append([list(whole.efforts.values()), list(reduced.efforts.values())])
        if progress:
            progress(1)
    return ReductionCard(
        run=run,
        dof=whole.dofs,
        modes=reduced.dofs,
        cells=sum(len(g.blocks) for g in whole.system.groups),
        elements=reduction.elements,
        motion=float(max(motions)),
        error=float(max(errors)),
        error_mean=float(np.mean(means)),
        effort_error=_effort_error(np.array(efforts)),
        ms_full=1e3 * _best(times["full"]),
        ms_reduced=1e3 * _best(times["reduced"]),
    )


def _points(scene: Scene) -> Floats:
    return scene.state.x[~scene.system.rotational]


def _best(times: Sequence[float]) -> float:
    """The tenth percentile after the first steps: other programs only ever make a step slower."""
    return float(np.percentile(times[min(3, len(times) - 1) :], 10))


def _effort_error(efforts: Floats) -> float:
    if not efforts.size:
        return 0.0
    most = np.abs(efforts[:, 0]).max()
    return float(np.abs(efforts[:, 1] - efforts[:, 0]).max() / most) if most > 0 else 0.0
