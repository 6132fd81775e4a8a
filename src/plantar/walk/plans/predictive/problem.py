"""The plan of the centre of mass as a sparse quadratic program."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import qpsolvers
from scipy import sparse

from plantar.walk.plans.predictive._equations import STATE, dynamics
from plantar.walk.plans.predictive.config import PredictiveConfig
from plantar.walk.plans.predictive.horizon import Horizon


@dataclass(frozen=True, kw_only=True)
class Aim:
    """Targets of the plan at the end of each interval."""

    divergent: np.ndarray
    """Divergent component of motion, shape (intervals, 2) [m]."""
    height: np.ndarray
    """Height of the centre of mass in the world, shape (intervals,) [m]."""
    omega: float
    """Natural frequency of the pendulum that the divergent component belongs to [1/s]."""
    gravity: float = 9.81
    """Of the robot's world, downwards [m/s^2]."""


@dataclass(frozen=True, kw_only=True)
class Guess:
    """Where the moment of the forces, which is bilinear, is linearised."""

    position: np.ndarray
    """Centre of mass in the middle of each interval, shape (intervals, 3) [m]."""
    forces: tuple[np.ndarray, ...]
    """Forces over weight of each interval, shape (contact points, 3)."""
    moved: np.ndarray
    """Displacement of the steps ahead, shape (steps, 2) [m]."""


@dataclass(frozen=True, kw_only=True)
class CentroidalProblem:
    """A quadratic program of states, forces and displacements."""

    program: qpsolvers.Problem
    """Minimise z'Pz/2 + q'z with A z = b, G z <= h, lb <= z <= ub."""
    state: np.ndarray
    """Centre of mass, velocity and angular momentum over mass now."""
    horizon: Horizon
    """The time that is planned."""
    starts: np.ndarray = field(repr=False)
    """Where the forces of each interval begin in z; the last entry is where the displacements begin."""


def even_guess(horizon: Horizon, aim: Aim) -> Guess:
    """Default initial guess: the aim, and a load spread evenly."""
    forces = tuple(even_forces(len(horizon.of(i).points)) for i in range(len(horizon.phase)))
    position = np.column_stack([aim.divergent, aim.height])
    return Guess(position=position, forces=forces, moved=np.zeros((horizon.steps, 2)))


def even_forces(points: int) -> np.ndarray:
    """The weight, spread evenly over contact points."""
    return np.tile([0.0, 0.0, 1.0 / max(points, 1)], (points, 1))


def build(
    horizon: Horizon, state: np.ndarray, aim: Aim, config: PredictiveConfig, guess: Guess | None = None
) -> CentroidalProblem:
    """Build the program for a robot whose centre of mass, velocity and momentum over mass are `state`."""
    guess = guess or even_guess(horizon, aim)
    contacts = [horizon.of(i) for i in range(len(horizon.phase))]
    counts = np.array([len(phase.points) for phase in contacts])
    starts = STATE * len(contacts) + 3 * np.cumsum([0, *counts])
    size = int(starts[-1]) + 2 * horizon.steps
    a, b = dynamics(horizon, state, guess, contacts, starts, size, aim.gravity)
    p, q = _cost(horizon, aim, config, counts)
    lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
    lower[starts[0] + 2 : starts[-1] : 3] = 0.0
    upper[starts[0] + 2 : starts[-1] : 3] = 3.0  # times the weight; more is a blow no plan should count on
    lower[starts[-1] :], upper[starts[-1] :] = -config.reach, config.reach
    cone = _friction(counts.sum(), int(starts[0]), size, config.friction)
    program = qpsolvers.Problem(p, q, cone, np.zeros(4 * counts.sum()), a, b, lower, upper)
    return CentroidalProblem(program=program, state=state, horizon=horizon, starts=starts)


def _friction(points: int, first: int, size: int, friction: float) -> sparse.csc_matrix:
    """A pyramid inside the cone at every contact point; their forces begin at `first`."""
    inside = friction / np.sqrt(2.0)
    rows = 4 * np.arange(points)[:, None] + [0, 1, 2, 3, 0, 1, 2, 3]
    values = np.tile([1.0, -1.0, 1.0, -1.0, *[-inside] * 4], points)
    entries = np.zeros(size, int)  # of each column
    entries[first : first + 3 * points] = np.tile([2, 2, 4], points)
    return _compressed(values, rows.ravel(), entries, 4 * points)


_COST_ROWS = np.array([0, 3, 1, 4, 2, 0, 3, 1, 4, 5, 6, 7, 8])
"""Rows, column by column, where the cost of a state is not zero: the divergent component couples place and velocity."""
_COST_ENTRIES = np.array([2, 2, 1, 2, 2, 1, 1, 1, 1])
"""How many of them each column has."""


def _cost(
    horizon: Horizon, aim: Aim, config: PredictiveConfig, counts: np.ndarray
) -> tuple[sparse.csc_matrix, np.ndarray]:
    """Cost of the states, of the forces at these numbers of contact points per interval, and of moving steps."""
    h = horizon.lengths / config.longest  # a cut in an interval must not double its weight
    divergent = config.divergent * h
    divergent[-1] += config.end
    s, m = 1.0 / aim.omega, config.momentum
    states = divergent[:, None] * [1, s, 1, s, 0, s, s * s, s, s * s, 0, 0, 0, 0]
    states += h[:, None] * [0, 0, 0, 0, config.height, 0, 0, 0, 0, config.climb, m, m, m]
    forces = np.repeat(h * counts, counts)[:, None] * [config.tangential, config.tangential, config.even]
    steps = np.full(2 * horizon.steps, config.displacement)
    q_states, q_forces = np.zeros((len(h), STATE)), np.zeros((len(forces), 3))
    q_states[:, 0:2] = -divergent[:, None] * aim.divergent
    q_states[:, 3:5] = s * q_states[:, 0:2]
    q_states[:, 2] = -config.height * h * aim.height
    q_forces[:, 2] = -config.even * np.repeat(h, counts)
    ends = STATE * len(h)
    rows = (STATE * np.arange(len(h))[:, None] + _COST_ROWS).ravel()
    others = np.arange(ends, ends + forces.size + len(steps))
    p = _compressed(
        np.concatenate([states.ravel(), forces.ravel(), steps]),
        np.concatenate([rows, others]),
        np.concatenate([np.tile(_COST_ENTRIES, len(h)), np.ones(len(others), int)]),
        ends + len(others),
    )
    return p, np.concatenate([q_states.ravel(), q_forces.ravel(), np.zeros(len(steps))])


def _compressed(values: np.ndarray, rows: np.ndarray, entries: np.ndarray, height: int) -> sparse.csc_matrix:
    """A sparse matrix by its columns, each with a given number of entries."""
    return sparse.csc_matrix((values, rows, np.concatenate([[0], np.cumsum(entries)])), shape=(height, len(entries)))
