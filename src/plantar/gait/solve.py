"""Optimise a periodic gait: collocation, IPOPT, mesh refinement, and a reason when there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require, require_choice
from plantar.gait import _guess
from plantar.gait._cushion import cushioned
from plantar.gait._guess import Guess
from plantar.gait._ipopt import FEASIBLE, Start, run_ipopt, unpack, violations
from plantar.gait._layout import Contact, Phase
from plantar.gait._mesh import defects, finer
from plantar.gait._program import Program
from plantar.gait.legged import Hopper, LeggedRobot
from plantar.gait.patterns import pattern
from plantar.gait.request import Request
from plantar.gait.result import GaitResult, Segment, Status

EASED = 1e-2
"""Largest violation of a softer foot's solution that is still worth starting from."""
COARSEST = 0.03
"""Defect above which a softer foot's mesh is cut before its solution starts the next foot."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How hard to try."""

    intervals: int = 20
    """Intervals of the first mesh, shared by the phases."""
    tolerance: float = 1e-5
    """Defect below which no interval is cut any more."""
    refinements: int = 6
    """Meshes after the first, at most."""
    iterations: int = 400
    """Iterations of IPOPT on one mesh, at most."""
    seconds: float = 60.0
    """Processor time for everything, at most [s]; an explanation may take a quarter more."""
    cushions: tuple[float, ...] = (4.0, 2.0)
    """Rubber feet so many times as soft are solved for first, each from the one before, when there is only a guess;
    none if empty."""
    explain: bool = True
    """Whether a failure is followed by a search for what of the request must give way."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(self.intervals >= 4, "intervals", self.intervals, "a whole number from 4")
        require(self.tolerance > 0, "tolerance", self.tolerance, "a number above 0")
        require(self.refinements >= 0, "refinements", self.refinements, "a whole number from 0")
        require(self.iterations >= 1, "iterations", self.iterations, "a whole number from 1")
        require(self.seconds > 0, "seconds", self.seconds, "a number above 0 [s]")
        require(all(c > 1 for c in self.cushions), "cushions", self.cushions, "numbers above 1, falling")


def solve(
    robot: LeggedRobot | None = None,
    contact: Contact = "soft",
    request: Request | None = None,
    *,
    guess: GaitResult | str | int | None = None,
    effort: Effort | None = None,
    meshes: Sequence[np.ndarray] | None = None,
    progress: Callable[[], None] = lambda: None,
) -> GaitResult:
    """Find a locally optimal periodic gait.

    Args:
        robot: What moves; the hopper if not given.
        contact: "soft" finds contacts by itself; "hard" has flight, stance and flight of all feet, or the phases of
            a soft `guess`.
        request: Speed, apex and objective.
        guess: Another result to start from, the name of a pattern of footfalls ("run", "trot"; see `PATTERNS`), or
            the seed of a random guess; a crude one if not given.
        effort: Meshes, tolerance and limits.
        meshes: For each phase the shares of its intervals on the first mesh; even ones if not given.
        progress: Called after each mesh.

    Returns:
        The gait with its status; also when none was found, with what is violated.
    """
    robot, request, effort = robot or Hopper(), request or Request(), effort or Effort()
    require_choice("contact", contact, ("soft", "hard"))
    phases, first = _start(robot, contact, request, guess)
    clock = _Clock()
    run = _Run(robot, phases, request, effort, clock)
    known = guess if isinstance(guess, GaitResult) else None
    meshes = list(meshes or _meshes(effort, phases, known, first))
    require(len(meshes) == len(phases), "meshes", len(meshes), f"one for each of {len(phases)} phases")
    solved = _first_mesh(run, meshes, first, warm=known is not None)
    progress()
    ok = solved
    while ok and run.worst > effort.tolerance and run.meshes <= effort.refinements and clock.left(effort) > 0:
        meshes = [finer(s.mesh, d, effort.tolerance) for s, d in zip(run.segments, run.defects, strict=True)]
        program = Program(robot, phases, request, meshes)
        finer_guess = _guess.from_result(run.result(Status.COARSE))
        previous = run.saved()
        x0 = _guess.pack(program, finer_guess)
        ok = run.mesh(program, x0, start="warm") or run.mesh(program, x0, start="near")
        if not ok:
            run.restore(previous)
        progress()
    if not solved:
        missed = _nearest(robot, phases, request, effort, clock, meshes, first) if effort.explain else []
        return run.failed(missed)
    return run.result(Status.SOLVED if run.worst <= effort.tolerance else Status.COARSE)


def _first_mesh(run: _Run, meshes: list[np.ndarray], first: Guess, *, warm: bool) -> bool:
    """Solve on the first mesh: another gait is near enough to start from, a guess goes through softer feet."""
    program = Program(run.robot, run.phases, run.request, meshes)
    x0 = _guess.pack(program, first)
    if warm and run.mesh(program, x0, start="warm"):
        return True
    ladder, soft = run.effort.cushions, run.phases[0].contact == "soft"
    for softness in (ladder, tuple(2 * c for c in ladder)) if soft and ladder else ():
        if run.eased(softness, meshes, first):
            return True
    return not warm and run.mesh(program, x0, start="cold")


def _start(
    robot: LeggedRobot, contact: Contact, request: Request, guess: GaitResult | str | int | None
) -> tuple[tuple[Phase, ...], Guess]:
    """Phases and first guess."""
    every = tuple(range(robot.legs))
    phases = (Phase("soft"),) if contact == "soft" else (Phase("hard"), Phase("hard", every), Phase("hard"))
    if isinstance(guess, GaitResult):
        require(guess.robot == robot, "guess", guess.robot.name, "a result of the same robot")
        if contact == "hard" and guess.contact == "soft":
            phases, durations = _guess.stances(guess)
            return phases, _guess.from_result(guess, durations)
        if contact == "soft":
            return phases, _guess.from_result(guess, (guess.stride_time,))
        return tuple(s.phase for s in guess.segments), _guess.from_result(guess)
    if isinstance(guess, str):
        require(contact == "soft", "guess", guess, "a soft result for rigid feet: patterns start rubber feet only")
        return phases, _guess.patterned(robot, request, pattern(robot, guess))
    if guess is None:
        return phases, _guess.crude(robot, phases, request)
    return phases, _guess.scattered(robot, phases, request, guess)


def _meshes(effort: Effort, phases: tuple[Phase, ...], warm: GaitResult | None, first: Guess) -> list[np.ndarray]:
    """Even meshes that share the intervals by duration, or the meshes of a solution of the same phases."""
    if warm is not None and tuple(s.phase for s in warm.segments) == phases:
        return [s.mesh for s in warm.segments]
    count = effort.intervals if warm is None else max(effort.intervals, min(warm.intervals, 3 * effort.intervals))
    share = np.array(first.durations) / sum(first.durations)
    numbers = np.maximum(np.round(count * share).astype(int), 2)
    return [np.full(n, 1 / n) for n in numbers]


class _Clock:
    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def seconds(self) -> tuple[float, float]:
        return time.perf_counter() - self.wall, time.process_time() - self.cpu

    def left(self, effort: Effort) -> float:
        return effort.seconds - self.seconds()[1]


class _Run:
    """Solutions mesh after mesh."""

    def __init__(self, robot: LeggedRobot, phases: Any, request: Request, effort: Effort, clock: _Clock) -> None:
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
        return sum(row["softness"] == 1 for row in self.history)

    def eased(self, ladder: tuple[float, ...], meshes: list[np.ndarray], first: Guess) -> bool:
        """Solve for feet that are softer, less and less so, and then for the real ones."""
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


def _nearest(
    robot: LeggedRobot,
    phases: tuple[Phase, ...],
    request: Request,
    effort: Effort,
    clock: _Clock,
    meshes: list[np.ndarray],
    first: Guess,
) -> list[str]:
    """What of the request must give way: the motion that comes nearest to its speed and apex, and by how much."""
    program = Program(robot, phases, request.relaxed(), meshes)
    seconds = max(clock.left(effort), 0.25 * effort.seconds)
    x, stats = run_ipopt(program, _guess.pack(program, first), effort.iterations, seconds, start="cold")
    violation, named = violations(program, x)
    segments, _ = unpack(program, x)
    if violation > FEASIBLE and stats["return_status"] != "Infeasible_Problem_Detected":
        return []  # out of time says nothing about the request
    if violation > FEASIBLE:
        return [f"no motion within reach of speed {request.speed:g} and apex {request.apex}", *named]
    q = segments[0].points[0], segments[-1].points[-1]
    reached = (q[1][0] - q[0][0]) / sum(s.duration for s in segments)
    missed = []
    if abs(reached - request.speed) > 1e-3:
        missed.append(f"average speed {request.speed:g}: {reached:.3f} is the nearest within motor and leg limits")
    if request.apex is not None and abs(q[0][1] - request.apex) > 1e-3:
        missed.append(f"apex height {request.apex:g}: {q[0][1]:.3f} is the nearest with the feet off the ground")
    return missed
