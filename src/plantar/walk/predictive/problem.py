"""The plan of the centre of mass as a sparse quadratic program."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from plantar._checks import require_positive
from plantar.walk.predictive._equations import STATE, Entries, dynamics
from plantar.walk.predictive.horizon import Horizon


@dataclass(frozen=True, kw_only=True)
class PredictiveConfig:
    """How far the controller looks ahead and what it is asked to care for."""

    seconds: float = 1.6
    """How far ahead [s]."""

    longest: float = 0.1
    """Longest interval of the plan [s]."""

    period: float = 0.03
    """Time between two plans [s]."""

    friction: float = 0.5
    """Friction that the plan counts on."""

    divergent: float = 200.0
    """Weight of the divergent component of motion on its way [1/m^2]."""

    end: float = 1000.0
    """Weight of the divergent component at the end of the plan, besides [1/m^2]."""

    height: float = 200.0
    """Weight of its height [1/m^2]."""

    climb: float = 20.0
    """Weight of its velocity up and down [s^2/m^2]."""

    momentum: float = 1000.0
    """Weight of the angular momentum over mass [s^2/m^4]."""

    even: float = 1.0
    """Weight of an even share of the load on the corners of the soles."""

    tangential: float = 0.2
    """Weight of horizontal contact forces."""

    displacement: float = 300.0
    """Weight of moving a step from where it was planned [1/m^2]."""

    reach: float = 0.12
    """How far a step may be moved, each way [m]; 0 keeps all steps where they were planned."""

    def __post_init__(self) -> None:
        """Check that all are positive where they must be."""
        require_positive(self, "predictive.", ["seconds", "longest", "period", "friction", "even", "end"])


@dataclass(frozen=True, kw_only=True)
class Aim:
    """What the plan should come to, at the end of each interval."""

    divergent: np.ndarray
    """Divergent component of motion, shape (intervals, 2) [m]."""

    height: np.ndarray
    """Height of the centre of mass in the world, shape (intervals,) [m]."""

    omega: float
    """Natural frequency of the pendulum that the divergent component belongs to [1/s]."""


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
    """A quadratic program: minimise z'Pz/2 + q'z with A z = b, G z <= h, lower <= z <= upper."""

    P: sparse.csc_array
    q: np.ndarray
    A: sparse.csc_array
    b: np.ndarray
    G: sparse.csc_array
    h: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    state: np.ndarray
    """Centre of mass, velocity and angular momentum over mass now."""
    horizon: Horizon
    """The time that is planned."""
    starts: np.ndarray = field(repr=False)
    """Where the forces of each interval begin in z; the last entry is where the displacements begin."""


def points_of(horizon: Horizon, interval: int) -> tuple[np.ndarray, np.ndarray]:
    """Contact points of an interval and the step ahead that each belongs to."""
    stances = horizon.phases[horizon.phase[interval]].stances
    if not stances:
        return np.zeros((0, 3)), np.zeros(0, int)
    points = np.concatenate([s.corners for s in stances])
    return points, np.concatenate([np.full(len(s.corners), s.step) for s in stances])


def even_guess(horizon: Horizon, aim: Aim) -> Guess:
    """The guess of who knows nothing better: the aim, and a load spread evenly."""
    forces = []
    for i in range(len(horizon.phase)):
        points, _ = points_of(horizon, i)
        forces.append(np.tile([0.0, 0.0, 1.0 / max(len(points), 1)], (len(points), 1)))
    position = np.column_stack([aim.divergent, aim.height])
    return Guess(position=position, forces=tuple(forces), moved=np.zeros((horizon.steps, 2)))


def build(
    horizon: Horizon, state: np.ndarray, aim: Aim, config: PredictiveConfig, guess: Guess | None = None
) -> CentroidalProblem:
    """Build the program for a robot whose centre of mass, velocity and momentum over mass are `state`."""
    guess = guess or even_guess(horizon, aim)
    intervals = len(horizon.phase)
    contacts = [points_of(horizon, i) for i in range(intervals)]
    starts = STATE * intervals + 3 * np.cumsum([0, *(len(p) for p, _ in contacts)])
    size = int(starts[-1]) + 2 * horizon.steps
    a, b = dynamics(horizon, state, guess, contacts, starts, size)
    g = _friction(contacts, starts, size, config.friction)
    p, q = _cost(horizon, aim, config, starts, size)
    lower, upper = np.full(size, -1e3), np.full(size, 1e3)
    lower[starts[0] + 2 : starts[-1] : 3] = 0.0
    upper[starts[0] + 2 : starts[-1] : 3] = 3.0  # times the weight; more is a blow no plan should count on
    lower[starts[-1] :], upper[starts[-1] :] = -config.reach, config.reach
    return CentroidalProblem(
        P=p,
        q=q,
        A=a,
        b=b,
        G=g,
        h=np.zeros(4 * sum(len(p) for p, _ in contacts)),
        lower=lower,
        upper=upper,
        state=state,
        horizon=horizon,
        starts=starts,
    )


def _friction(contacts: list, starts: np.ndarray, size: int, friction: float) -> sparse.csc_array:
    """A pyramid inside the cone at every contact point."""
    count = sum(len(points) for points, _ in contacts)
    inside = friction / np.sqrt(2.0)
    where = 3 * np.arange(count)[:, None] + starts[0]
    columns = np.stack([where + [0, 2], where + [0, 2], where + [1, 2], where + [1, 2]], axis=1).ravel()
    values = np.tile([1.0, -inside, -1.0, -inside], 2 * count)
    return sparse.csr_array((values, columns, 2 * np.arange(4 * count + 1)), shape=(4 * count, size)).tocsc()


def _cost(
    horizon: Horizon, aim: Aim, config: PredictiveConfig, starts: np.ndarray, size: int
) -> tuple[sparse.csc_array, np.ndarray]:
    intervals = len(horizon.phase)
    weight, q = np.zeros(size), np.zeros(size)
    h = horizon.lengths / config.longest  # a cut in an interval must not double its weight
    rows = STATE * np.arange(intervals)
    for column, each in ((2, config.height), (5, config.climb), *((c, config.momentum) for c in (6, 7, 8))):
        weight[rows + column] = each * h
    q[rows + 2] = -config.height * h * aim.height
    for i, length in enumerate(h):
        points = (starts[i + 1] - starts[i]) // 3
        if points:
            share = length * points * np.tile([config.tangential, config.tangential, config.even], points)
            weight[starts[i] : starts[i + 1]] = share
            q[starts[i] + 2 : starts[i + 1] : 3] = -share[2::3] / points
    weight[starts[-1] :] = config.displacement
    p = Entries()
    p.add(np.arange(size), np.arange(size), weight)
    divergent = config.divergent * h
    divergent[-1] += config.end
    for axis in range(2):
        for m, share in [(0, 1.0), (3, 1.0 / aim.omega)]:
            for n, other in [(0, 1.0), (3, 1.0 / aim.omega)]:
                p.add(rows + axis + m, rows + axis + n, divergent * share * other)
            q[rows + axis + m] -= divergent * share * aim.divergent[:, axis]
    return p.matrix((size, size)), q
