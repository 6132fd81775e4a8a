"""The equations of the centroidal plan as a sparse matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from plantar.walk.plans.predictive.horizon import Horizon, Phase

if TYPE_CHECKING:
    from plantar.walk.plans.predictive.problem import Guess

STATE = 9
"""Centre of mass, its velocity, and angular momentum over mass."""
_SKEW_ROWS, _SKEW_COLUMNS = np.array([0, 0, 1, 1, 2, 2]), np.array([1, 2, 0, 2, 0, 1])
"""Where a matrix that takes a cross product is not zero."""


def _skew(v: np.ndarray) -> np.ndarray:
    """Those entries of the matrices that take a cross product with `v` from the left, shape (n, 6)."""
    x, y, z = v.T
    return np.column_stack([-z, y, z, -x, -y, x])


class Entries:
    """Entries of a sparse matrix, gathered block by block."""

    def __init__(self) -> None:
        self.rows, self.columns, self.values = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()

    def add(self, rows: np.ndarray, columns: np.ndarray, values: np.ndarray | float) -> None:
        """Add entries; the three are broadcast against each other."""
        for store, array in zip(
            (self.rows, self.columns, self.values), np.broadcast_arrays(rows, columns, values), strict=True
        ):
            store.append(array.ravel())

    def matrix(self, shape: tuple[int, int]) -> sparse.csc_matrix:
        """The matrix; entries at one place are summed."""
        where = np.concatenate(self.rows), np.concatenate(self.columns)
        return sparse.csc_matrix((np.concatenate(self.values), where), shape=shape)


def dynamics(
    horizon: Horizon,
    state: np.ndarray,
    guess: Guess,
    contacts: list[Phase],
    starts: np.ndarray,
    size: int,
    gravity: float,
) -> tuple[sparse.csc_matrix, np.ndarray]:
    """Forces constant over an interval move the centre of mass exactly; their moment is linearised at the guess."""
    count, h = len(contacts), horizon.lengths
    first = STATE * np.arange(count)
    b = np.zeros((count, STATE))
    b[:, 2], b[:, 5] = -0.5 * gravity * h * h, -gravity * h
    total = np.array([f.sum(axis=0) for f in guess.forces])
    b[:, 6:9] = -gravity * h[:, None] * np.cross(total, guess.position)
    a = Entries()
    _add_flow(a, first, h, total, gravity)
    _add_forces(a, first, h, contacts, guess, int(starts[0]), gravity)
    _add_displacements(a, b, h, contacts, guess, int(starts[-1]), gravity)
    # what the first interval begins with is known
    b[0] += state
    b[0, 0:3] += h[0] * state[3:6]
    b[0, 6:9] += gravity * h[0] * np.cross(total[0], state[0:3] / 2 + state[3:6] * h[0] / 12)
    return a.matrix((STATE * count, size)), b.ravel()


def _add_flow(a: Entries, first: np.ndarray, h: np.ndarray, total: np.ndarray, gravity: float) -> None:
    """What the states at the beginning and at the end of each interval have to do with each other."""
    all_states, places = np.arange(STATE), np.arange(3)
    ends, befores = first[:, None], first[1:, None]
    a.add(ends + all_states, ends + all_states, 1.0)
    a.add(befores + all_states, befores - STATE + all_states, -1.0)
    a.add(befores + places, befores - STATE + 3 + places, -h[1:, None])
    # the mean of a parabola over the interval, from its ends and its slopes there
    mean = -gravity * h[:, None] / 2 * _skew(total)
    slope = -gravity * h[:, None] ** 2 / 12 * _skew(total)
    a.add(ends + 6 + _SKEW_ROWS, ends + _SKEW_COLUMNS, mean)
    a.add(ends + 6 + _SKEW_ROWS, ends + 3 + _SKEW_COLUMNS, -slope)
    a.add(befores + 6 + _SKEW_ROWS, befores - STATE + _SKEW_COLUMNS, mean[1:])
    a.add(befores + 6 + _SKEW_ROWS, befores - STATE + 3 + _SKEW_COLUMNS, slope[1:])


def _add_forces(
    a: Entries, first: np.ndarray, h: np.ndarray, contacts: list[Phase], guess: Guess, start: int, gravity: float
) -> None:
    """What the contact forces do: they push, and turn by their arms in the guess."""
    counts = [len(phase.points) for phase in contacts]
    points = np.concatenate([phase.points for phase in contacts])
    steps = np.concatenate([phase.owners for phase in contacts])
    which = np.repeat(np.arange(len(contacts)), counts)
    arms = points - guess.position[which]
    ahead = steps >= 0
    arms[ahead, :2] += guess.moved[steps[ahead]]
    rows, columns = first[which][:, None], start + 3 * np.arange(len(points))[:, None]
    length, places = h[which][:, None], np.arange(3)
    a.add(rows + places, columns + places, -0.5 * gravity * length**2)
    a.add(rows + 3 + places, columns + places, -gravity * length)
    a.add(rows + 6 + _SKEW_ROWS, columns + _SKEW_COLUMNS, -gravity * length * _skew(arms))


def _add_displacements(
    a: Entries, b: np.ndarray, h: np.ndarray, contacts: list[Phase], guess: Guess, start: int, gravity: float
) -> None:
    """What moving a step does to the moment of the forces that will stand on it."""
    pairs = [(i, s.step) for i, phase in enumerate(contacts) for s in phase.stances if s.step >= 0]
    if not pairs:
        return
    which, step = np.array(pairs).T
    force = np.array([guess.forces[i][contacts[i].owners == k].sum(axis=0) for i, k in pairs])
    scale = gravity * h[which][:, None]
    moved = np.column_stack([guess.moved[step], np.zeros(len(step))])
    np.add.at(b[:, 6:9], which, scale * np.cross(force, moved))
    within = _SKEW_COLUMNS < 2  # steps move along the ground
    rows, columns = STATE * which[:, None] + 6, start + 2 * step[:, None]
    a.add(rows + _SKEW_ROWS[within], columns + _SKEW_COLUMNS[within], scale * _skew(force)[:, within])
