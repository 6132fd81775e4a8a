"""Solutions of one gait, mesh after mesh."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from plantar.gait import _guess
from plantar.gait._cushion import cushioned
from plantar.gait._guess import Guess
from plantar.gait._ipopt import FEASIBLE, Start, run_ipopt, unpack, violations
from plantar.gait._mesh import defects, finer
from plantar.gait._program import Program
from plantar.gait.effort import Effort
from plantar.gait.legged import LeggedRobot
from plantar.gait.request import Request
from plantar.gait.result import GaitResult, Segment, Status

EASED = 1e-2
"""Largest violation of a softer foot's solution that is still worth starting from."""
COARSEST = 0.03
"""Defect above which a softer foot's mesh is cut before its solution starts the next foot."""


class Clock:
    """Wall and processor time since it was made."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def seconds(self) -> tuple[float, float]:
        return time.perf_counter() - self.wall, time.process_time() - self.cpu

    def left(self, effort: Effort) -> float:
        return effort.seconds - self.seconds()[1]


class Run:
    """Solutions mesh after mesh."""

    def __init__(self, robot: LeggedRobot, phases: Any, request: Request, effort: Effort, clock: Clock) -> None:
        self.robot, self.phases, self.request, self.effort, self.clock = robot, phases, request, effort, clock
        self.history: list[dict[str, Any]] = []
        self.segments: tuple[Segment, ...] = ()
        self.defects: list[np.ndarray] = []
        self.cost = self.violation = np.nan
        self.violated: list[str] = []

    @property
    def worst(self) -> float:
        """Largest defect."""
        return max((float(d.max()) for d in self.defects), default=np.inf)

    def saved(self) -> tuple:
        return self.segments, self.defects, self.cost, self.violation, self.violated

    def restore(self, saved: tuple) -> None:
        self.segments, self.defects, self.cost, self.violation, self.violated = saved

    @property
    def meshes(self) -> int:
        """Meshes tried with the feet as they are."""
        return sum(row["softness"] == 1 and row["legs"] == self.robot.legs for row in self.history)

    def eased(self, ladder: tuple[float, ...], meshes: list[np.ndarray], first: Guess) -> bool:
        """Solve for softer feet, less and less soft, and then for the real ones."""
        before, guess, start = self.saved(), first, "cold"
        for softness in (*ladder, 1.0):
            robot = cushioned(self.robot, softness) if softness > 1 else self.robot
            program = Program(robot, self.phases, self.request, meshes)
            x0 = _guess.pack(program, guess)
            if not self.mesh(program, x0, start=start, softness=softness, stay=guess.keep):
                self.restore(before)
                return False
            meshes = [finer(s.mesh, d, COARSEST) for s, d in zip(self.segments, self.defects, strict=True)]
            guess, start = _guess.from_result(self.result(Status.COARSE)), "near"
        return True

    def mesh(
        self, program: Program, x0: np.ndarray, *, start: Start, softness: float = 1.0, stay: bool = False
    ) -> bool:
        """Solve on one mesh and look at the outcome."""
        begin, loose = self.clock.seconds(), softness > 1
        # what only leads to a start, or can be tried again with a larger barrier parameter, must leave time for that
        patient = not loose and start != "warm"
        limits = (self.effort.iterations, self.clock.left(self.effort) / (1 if patient else 2))
        x, stats = run_ipopt(program, x0, *limits, start=start, loose=loose, stay=stay)
        self.segments, self.cost = unpack(program, x)
        self.violation, self.violated = violations(program, x)
        ok = bool(stats["success"]) and self.violation < (EASED if loose else FEASIBLE)
        finite = np.isfinite(x).all()
        self.defects = [defects(program.robot, s) for s in self.segments] if finite else []
        end = self.clock.seconds()
        self.history.append(
            {
                "legs": self.robot.legs,
                "softness": softness,
                "intervals": sum(len(s.mesh) for s in self.segments),
                "unknowns": program.unknowns,
                "iterations": int(stats["iter_count"]),
                "cost": self.cost,
                "violation": self.violation,
                "defect": self.worst,
                "seconds": end[0] - begin[0],
                "cpu_seconds": end[1] - begin[1],
                "ipopt": stats["return_status"],
                "ok": ok,
            }
        )
        return ok

    def result(self, status: Status, violated: list[str] | None = None) -> GaitResult:
        wall, cpu = self.clock.seconds()
        return GaitResult(
            robot=self.robot,
            request=self.request,
            contact=self.phases[0].contact,
            status=status,
            segments=self.segments,
            cost=self.cost,
            violation=self.violation,
            defect=self.worst,
            iterations=sum(row["iterations"] for row in self.history),
            seconds=wall,
            cpu_seconds=cpu,
            history=list(self.history),
            violated=list(violated or []),
        )

    def failed(self, missed: list[str]) -> GaitResult:
        """The last iterate with the reason."""
        status = Status.INFEASIBLE if missed else Status.NOT_CONVERGED
        return self.result(status, missed or self.violated)
