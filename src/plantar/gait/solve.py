"""Optimise a periodic gait: collocation, IPOPT, mesh refinement, and a reason when there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from plantar._checks import require, require_choice
from plantar.gait import _guess
from plantar.gait._guess import Guess
from plantar.gait._ipopt import FEASIBLE, run_ipopt, unpack, violations
from plantar.gait._layout import Contact, Phase
from plantar.gait._mesh import defects, finer
from plantar.gait._program import Program
from plantar.gait._run import Clock, Run
from plantar.gait.effort import Effort
from plantar.gait.legged import Hopper, LeggedRobot
from plantar.gait.pairs import PAIRS, Pairs, alike, folded, paired, whole
from plantar.gait.patterns import Pattern, pattern
from plantar.gait.request import Request
from plantar.gait.result import GaitResult, Status


def solve(
    robot: LeggedRobot | None = None,
    contact: Contact = "soft",
    request: Request | None = None,
    *,
    guess: GaitResult | Pattern | str | int | None = None,
    effort: Effort | None = None,
    meshes: Sequence[np.ndarray] | None = None,
    progress: Callable[[], None] = lambda: None,
) -> GaitResult:
    """Find a locally optimal periodic gait.

    Args:
        robot: The robot; the hopper if not given.
        contact: "soft" finds contacts by itself; "hard" has flight, stance and flight of all feet, or the phases of
            a soft `guess`.
        request: Speed, apex and objective.
        guess: Another result to start from, a pattern of footfalls or its name ("run", "trot"; see `PATTERNS`),
            or the seed of a random guess; a crude one if not given. A quadruped's pairs of legs are solved for as
            one leg each first.
        effort: Meshes, tolerance and limits.
        meshes: For each phase the shares of its intervals on the first mesh; even ones if not given.
        progress: Called after each mesh.

    Returns:
        The gait with its status; also when none was found, with what is violated.
    """
    robot, request, effort = robot or Hopper(), request or Request(), effort or Effort()
    require_choice("contact", contact, ("soft", "hard"))
    clock, through = Clock(), None
    if isinstance(guess, str) and contact == "soft" and robot.legs == 4 and guess in PAIRS:
        through = _through_pairs(robot, request, guess, effort, progress)
        if through.ok and alike(robot, PAIRS[guess]):
            return _of_all_legs(through, robot, request, PAIRS[guess])
    if isinstance(guess, GaitResult) and contact == "soft" and guess.robot == robot and request.symmetric:
        pair = folded(guess)
        if pair is not None:
            fewer = replace(request, symmetric=False)
            found = solve(pair[0].robot, "soft", fewer, guess=pair[0], effort=effort, progress=progress)
            return _of_all_legs(found, robot, request, pair[1])
    phases, first = _start(robot, contact, request, guess)
    run = Run(robot, phases, request, effort, clock)
    if through is not None:
        run.history += through.history
        first = _guess.from_pairs(through, robot, PAIRS[str(guess)]) if through.ok else first
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


def _through_pairs(
    robot: LeggedRobot, request: Request, name: str, effort: Effort, progress: Callable[[], None]
) -> GaitResult:
    """The gait of a quadruped whose legs move in pairs, as one of two legs."""
    two, order = paired(robot, PAIRS[name]), pattern(robot, name)
    fewer = replace(request, symmetric=request.symmetric and two.swaps)
    if not alike(robot, PAIRS[name]):
        effort = replace(effort, refinements=0, seconds=effort.seconds / 3)
    order = Pattern(tuple(order.phases[pair[0]] for pair in PAIRS[name]), order.duty, order.humps)
    return solve(two, "soft", fewer, guess=order, effort=replace(effort, explain=False), progress=progress)


def _of_all_legs(found: GaitResult, robot: LeggedRobot, request: Request, pairs: Pairs) -> GaitResult:
    """A gait of paired legs as one of all legs, with constraints and defect checked again."""
    segments = whole(found, robot, pairs)
    result = replace(found, robot=robot, request=request, segments=segments)
    program = Program(robot, (segments[0].phase,), request, [segments[0].mesh])
    violation, violated = violations(program, _guess.pack(program, _guess.from_result(result)))
    defect = float(defects(robot, segments[0]).max())
    return replace(result, violation=violation, defect=defect, violated=violated)


def _first_mesh(run: Run, meshes: list[np.ndarray], first: Guess, *, warm: bool) -> bool:
    """Solve on the first mesh: another gait is near enough to start from, a guess goes through softer feet."""
    program = Program(run.robot, run.phases, run.request, meshes)
    x0 = _guess.pack(program, first)
    if warm and run.mesh(program, x0, start="warm"):
        return True
    if first.mesh is not None and run.mesh(program, x0, start="near"):
        return True
    ladder, soft = run.effort.cushions, run.phases[0].contact == "soft"
    for softness in (ladder, (2 * ladder[0], *ladder)) if soft and ladder else ():
        if run.eased(softness, meshes, first):
            return True
    return not warm and run.mesh(program, x0, start="cold")


def _start(
    robot: LeggedRobot, contact: Contact, request: Request, guess: GaitResult | Pattern | str | int | None
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
    if isinstance(guess, str | Pattern):
        require(contact == "soft", "guess", guess, "a soft result for rigid feet: patterns start rubber feet only")
        order = pattern(robot, guess) if isinstance(guess, str) else guess
        return phases, _guess.patterned(robot, request, order)
    if guess is None:
        return phases, _guess.crude(robot, phases, request)
    return phases, _guess.scattered(robot, phases, request, guess)


def _meshes(effort: Effort, phases: tuple[Phase, ...], warm: GaitResult | None, first: Guess) -> list[np.ndarray]:
    """Even meshes that share the intervals by duration, or the meshes of a solution of the same phases."""
    if warm is not None and tuple(s.phase for s in warm.segments) == phases:
        return [s.mesh for s in warm.segments]
    if first.mesh is not None:
        return [first.mesh]
    count = effort.intervals if warm is None else max(effort.intervals, min(warm.intervals, 3 * effort.intervals))
    share = np.array(first.durations) / sum(first.durations)
    numbers = np.maximum(np.round(count * share).astype(int), 2)
    return [np.full(n, 1 / n) for n in numbers]


def _nearest(
    robot: LeggedRobot,
    phases: tuple[Phase, ...],
    request: Request,
    effort: Effort,
    clock: Clock,
    meshes: list[np.ndarray],
    first: Guess,
) -> list[str]:
    """What part of the request must be relaxed: the motion closest to its speed and apex, and by how much."""
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
