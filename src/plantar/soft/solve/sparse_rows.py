"""Rows of constraints without their zeros, for scenes with too many nodes to hold a number for each in every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, vstack

from plantar._jit import njit
from plantar.soft.fem.beam_kernels import quat_matrix
from plantar.soft.scene.contact_near import NearContact
from plantar.soft.solve.blocks import Sparse
from plantar.soft.solve.complementarity import Rows

if TYPE_CHECKING:
    from plantar.soft.solve.model import Model
    from plantar.soft.solve.state import Commands, Method, State


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of one linearisation; as `ActiveRows`, by numbers that are not zero."""

    H: Sparse
    """Derivatives of the rows by all blocks (k, 3 n)."""
    G: Sparse
    """Forces per unit effort (k, 3 n); H unless cables have friction."""
    value: np.ndarray
    """Values of the rows (k)."""
    rows: Rows
    """Limits and friction."""
    names: list[tuple[str, int]]
    """Owner and number of rows, in order."""
    near: dict[str, NearContact]
    """Contacts that have rows."""


def sparse_rows(model: Model, state: State, commands: Commands, method: Method) -> SparseRows:
    """Rows of actuators that are solved for, bonds and contacts."""
    size, x, quat = model.system.size, state.x, state.quat
    near = {n: found for n, c in model.contacts.items() if (found := c.detect(state, method.h or 0.0)) is not None}
    parts: list[Sparse] = []
    loads: list[Sparse] = []
    values: list[Any] = []
    limits: list[tuple[Any, Any, Any]] = []
    names: list[tuple[str, int]] = []
    for name, actuator in model.actuators.items():
        if not model.is_row(name):
            continue
        row = np.zeros((1, size, 3))
        values.append([actuator.evaluate(x, quat, row[0]) - commands.values[name]])
        parts.append(_sparse(row))
        if actuator.has_friction:
            row[:] = 0.0
            actuator.load(x, quat, row[0], state.cables[name][1])
        loads.append(_sparse(row))
        low, high = model.configs[name].limits
        limits.append(([low], [high], [-1.0]))
        names.append((name, 1))
    for bond in model.bonds.values():
        H = np.zeros((bond.rows, size, 3))
        values.append(bond.evaluate(x, quat, H) - bond.target)
        parts.append(_sparse(H))
        loads.append(parts[-1])
        limits.append((bond.low, bond.high, np.full(bond.rows, -1.0)))
        names.append((bond.name, bond.rows))
    for name, contact in near.items():
        values.append(contact.values(state, method.start))
        parts.append(_contact(contact, state, size))
        loads.append(parts[-1])
        limits.append(contact.limits())
        names.append((name, contact.rows))
    empty = csr_array((0, 3 * size))
    low, high, friction = (np.concatenate([np.zeros(0), *(part[i] for part in limits)]) for i in range(3))
    H, G = (vstack([empty, *stack], format="csr") for stack in (parts, loads))
    value = np.concatenate([np.zeros(0), *values])
    return SparseRows(H, G, value, Rows(low, high, friction), names, near)


def _sparse(rows: np.ndarray) -> Sparse:
    return csr_array(rows.reshape(len(rows), -1))


def _contact(near: NearContact, state: State, size: int) -> Sparse:
    """Derivatives of the gaps and slips of a contact."""
    found, m = near.found, near.live.map
    block, centre = -1, np.zeros(3)
    if found.frame is not None:
        block = int(near.live.system.frame_block[found.frame])
        centre = state.x[block]
    terms = int(np.diff(m.start).max(initial=0))
    most = near.rows * 3 * (2 * terms + found.blocks.shape[1] + 2)
    row, col, val = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64), np.empty(most)
    count = _entries(
        *(found.point, found.position, found.gap, near.directions, found.blocks, found.weights),
        *(m.start, m.block, m.weight, m.frame, m.arm, state.quat, block, centre, row, col, val),
    )
    return csr_array((val[:count], (row[:count], col[:count])), shape=(near.rows, 3 * size))


@njit()
def _entries(
    point, position, gap, direction, blocks, weights, start, block, weight, frame, arm, quat, carrier, centre,
    row, col, val,
):  # fmt: skip
    """The numbers that `contact_rows` adds up, one by one; returns how many there are."""
    R, r, n = np.empty((3, 3)), np.empty(3), 0
    per = direction.shape[1]
    for i in range(len(point)):
        for k in range(per):
            d, at = direction[i, k], per * i + k
            for t in range(start[point[i]], start[point[i] + 1]):
                n = _put(row, col, val, n, at, block[t], weight[t], d)
                if frame[t] >= 0:
                    quat_matrix(quat[frame[t]], R)
                    for c in range(3):
                        r[c] = R[c, 0] * arm[t, 0] + R[c, 1] * arm[t, 1] + R[c, 2] * arm[t, 2]
                    n = _put(row, col, val, n, at, block[t] + 1, weight[t], _cross(r, d))
            for j in range(blocks.shape[1]):
                n = _put(row, col, val, n, at, blocks[i, j], -weights[i, j], d)
            if carrier >= 0:
                for c in range(3):
                    r[c] = position[i, c] - gap[i] * direction[i, 0, c] - centre[c]
                n = _put(row, col, val, n, at, carrier, -1.0, d)
                n = _put(row, col, val, n, at, carrier + 1, -1.0, _cross(r, d))
    return n


@njit()
def _cross(r, d):
    return np.array([r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]])


@njit()
def _put(row, col, val, n, at, block, weight, d):
    for c in range(3):
        row[n], col[n], val[n] = at, 3 * block + c, weight * d[c]
        n += 1
    return n
