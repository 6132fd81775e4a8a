"""First guesses: crude ones that follow from the request, random ones, and other solutions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plantar.gait._dynamics import Dynamics
from plantar.gait._layout import Layout, Phase
from plantar.gait._program import Block, Program
from plantar.gait.cost import powers
from plantar.gait.footfalls import LOADED
from plantar.gait.legged import LeggedRobot
from plantar.gait.pairs import Pairs, unpaired
from plantar.gait.patterns import Pattern, stride
from plantar.gait.request import Request
from plantar.gait.result import GaitResult


@dataclass(frozen=True)
class Guess:
    """A motion to start from."""

    durations: tuple[float, ...]
    """Of the phases."""
    motion: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    """Times to coordinates and velocities."""
    accelerations: Callable[[np.ndarray], np.ndarray] | None = None
    """Times to accelerations; zero if not given."""
    deflections: Callable[[np.ndarray], np.ndarray] | None = None
    """Times to deflections of the feet's anchors; zero if not given."""
    mesh: np.ndarray | None = None
    """Fractions of the intervals to begin with, for one phase; even ones if not given."""
    keep: bool = False
    """Whether to search first for the motion nearest to this one, so that its footfall order has a chance."""
    source: GaitResult | None = None
    """The solution it comes from; accelerations and forces are then taken from it too."""


def hop_times(robot: LeggedRobot, request: Request) -> tuple[float, float]:
    """Fall from the apex to standing height, and half a swing of the leg's spring."""
    drop = max((request.apex or 1.1) - 1 - robot.foot_radius, 0.02)
    return math.sqrt(2 * drop), math.pi / math.sqrt(robot.leg_stiffness / robot.mass)


def crude(robot: LeggedRobot, phases: tuple[Phase, ...], request: Request) -> Guess:
    """Bob up and down while moving on at the asked speed, legs upright and just long enough to reach the ground."""
    fall, stand = hop_times(robot, request)
    total = 2 * fall + stand
    durations = (total,) if len(phases) == 1 else (fall, stand, fall)
    top = request.apex or 1.1
    return Guess(durations, lambda times: _bob(robot, request.speed, total, top, times))


def _bob(robot: LeggedRobot, speed: float, total: float, top: float, times: np.ndarray) -> tuple:
    swing, turn = top - 0.9, 2 * np.pi / total
    q, v = np.zeros((len(times), 3 + 4 * robot.legs)), np.zeros((len(times), 3 + 4 * robot.legs))
    q[:, 0], v[:, 0] = speed * times, speed
    q[:, 1], v[:, 1] = top - swing * (1 - np.cos(turn * times)) / 2, -swing * turn / 2 * np.sin(turn * times)
    depth = robot.law.static_depth(robot.mass / max(1, robot.legs / 2))
    for i in range(robot.legs):
        q[:, 4 + 2 * i] = np.minimum(1.0, q[:, 1] - robot.foot_radius + depth)
    return q, v


def patterned(robot: LeggedRobot, request: Request, order: Pattern) -> Guess:
    """A motion whose feet come down in that order; for rubber feet, which need no phases."""
    found = stride(robot, request, order)
    return Guess(
        (found.duration,),
        lambda times: found.motion(request.speed, times)[:2],
        lambda times: found.motion(request.speed, times)[2],
        keep=True,
    )


def scattered(robot: LeggedRobot, phases: tuple[Phase, ...], request: Request, seed: int) -> Guess:
    """A guess with its time and every coordinate but x disturbed at random by a smooth periodic motion.

    For one leg, and for rigid phases, that is the crude guess; for several a pattern, its phases and duty drawn too.
    """
    rng = np.random.default_rng(seed)
    if robot.legs == 1 or phases[0].contact == "hard":
        base = crude(robot, phases, request)
    else:
        base = patterned(robot, request, _drawn(robot, rng))
    stretch = rng.uniform(0.6, 1.6)
    durations = tuple(stretch * d for d in base.durations)
    total, size = sum(durations), 3 + 4 * robot.legs
    spread = np.full(size, 0.3)
    spread[[0, 1]] = 0.0, 0.05
    spread[4 : 3 + 2 * robot.legs : 2] = spread[4 + 2 * robot.legs :: 2] = 0.08
    waves = rng.normal(0, 1, (2, 2, size)) * spread / np.array([1, 2])[:, None, None]

    def motion(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, v = base.motion(times / stretch)
        q[:, 0], v[:, 0] = request.speed * times, request.speed
        v[:, 1] /= stretch
        for k in (1, 2):
            turn = 2 * np.pi * k / total
            c, s = np.cos(turn * times)[:, None], np.sin(turn * times)[:, None]
            q += waves[k - 1, 0] * c + waves[k - 1, 1] * s
            v += turn * (waves[k - 1, 1] * c - waves[k - 1, 0] * s)
        return q, v

    return Guess(durations, motion)


def _drawn(robot: LeggedRobot, rng: np.random.Generator) -> Pattern:
    """A pattern in which each leg is in step with its mirror image, or half a stride from it."""
    apart, phases = 0.5 * rng.integers(2), [0.0] * robot.legs
    for leg, other in enumerate(robot.mirror):
        if leg < other:
            phases[leg] = float(rng.uniform())
            phases[other] = (phases[leg] + apart) % 1
    return Pattern(tuple(phases), float(rng.uniform(0.35, 0.7)))


def from_result(result: GaitResult, durations: tuple[float, ...] | None = None) -> Guess:
    """Start from another solution."""

    def motion(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = result.at(times)
        return found["q"], found["v"]

    return Guess(durations or tuple(s.duration for s in result.segments), motion, source=result)


def from_pairs(result: GaitResult, robot: LeggedRobot, pairs: Pairs) -> Guess:
    """A gait of two legs, each of which stands for a pair of the robot's."""
    of = np.argsort(np.concatenate(pairs)) // 2

    def spread(times: np.ndarray, what: str) -> np.ndarray:
        return unpaired(result.at(times)[what], robot, pairs)

    return Guess(
        (result.stride_time,),
        lambda times: (spread(times, "q"), spread(times, "v")),
        lambda times: spread(times, "a"),
        lambda times: result.at(times)["deflection"][:, of],
        mesh=result.segments[0].mesh,
    )


def stances(result: GaitResult, samples: int = 600) -> tuple[tuple[Phase, ...], tuple[float, ...]]:
    """Rigid phases that follow a soft motion's contacts, and their durations."""
    times = np.linspace(0, result.stride_time, samples)
    # a foot that only grazes the ground as it swings is not in stance
    on = np.stack([np.interp(times, result.times, force) > LOADED for force in result.force[:, 1::2].T], axis=1)
    phases, cuts = [], [0.0]
    for i in range(samples):
        stance = tuple(np.flatnonzero(on[i]).tolist())
        if not phases or phases[-1].stance != stance:
            if phases:
                cuts.append(float(times[i]))
            phases.append(Phase("hard", stance))
    cuts.append(result.stride_time)
    return tuple(phases), tuple(np.diff(cuts).tolist())


def pack(program: Program, guess: Guess) -> np.ndarray:
    """A guess as the program's unknowns."""
    x, start = np.zeros(program.unknowns), 0.0
    source = guess.source
    same = source is not None and tuple(s.phase for s in source.segments) == program.phases
    for i, (block, phase, duration) in enumerate(zip(program.blocks, program.phases, guess.durations, strict=True)):
        layout: Layout = block.functions.layout
        nodes = np.concatenate([[0.0], np.cumsum(block.mesh)])
        times = start + duration * np.sort(np.concatenate([nodes, (nodes[1:] + nodes[:-1]) / 2]))
        if source is not None and same:
            points = source.segments[i].at(times, layout)
        else:
            points = _points(source, phase, layout, times, guess)
        drawn, lost = _powers(program, layout, points)
        x[block.start : block.duration] = np.hstack([points[:, : layout.drawn.start], drawn]).ravel()
        x[block.duration] = duration
        x[block.duration + 1 : block.mean_loss + 1] = _summed(block, lost)
        start += duration
    return x


def _points(source: GaitResult | None, phase: Phase, layout: Layout, times: np.ndarray, guess: Guess) -> np.ndarray:
    """Points of a phase from a motion, with accelerations and forces where another solution has them."""
    points = np.zeros((len(times), layout.size))
    points[:, layout.q], points[:, layout.v] = guess.motion(times)
    if guess.accelerations is not None:
        points[:, layout.a] = guess.accelerations(times)
    if guess.deflections is not None and layout.feet:
        points[:, layout.deflection] = guess.deflections(times)
    if source is not None:
        found = source.at(times)
        points[:, layout.a] = found["a"]
        if layout.feet:
            points[:, layout.deflection] = found["deflection"]
        if layout.stance:
            rows = [2 * foot + k for foot in phase.stance for k in (0, 1)]
            points[:, layout.force] = np.stack([np.interp(times, source.times, c) for c in source.force.T[rows]], 1)
    return points


def _powers(program: Program, layout: Layout, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positive parts of the powers that count, and the cost's rate."""
    model, cost = Dynamics(program.robot), program.request.cost
    joint = model.terms(points[:, layout.q], points[:, layout.v])["joint"]
    a, speed = (points[:, rows][:, model.bodies :] for rows in (layout.a, layout.v))
    torque = joint + model.inertia * a
    found = powers(cost, torque, speed, model.loss_factor, lambda p: p.sum(axis=-1, keepdims=True))
    return np.fmax(found, 0.0)[:, : layout.slacks], model.drawn(cost, torque, speed)


def _summed(block: Block, loss: np.ndarray) -> np.ndarray:
    """A rate summed up by Simpson's rule, over the duration."""
    return np.cumsum(block.mesh * (loss[:-2:2] + 4 * loss[1::2] + loss[2::2]) / 6)
