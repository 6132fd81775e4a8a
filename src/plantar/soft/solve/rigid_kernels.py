"""From all blocks to those that can move: fixed blocks drop out, slaves hand their share to their frame."""

from __future__ import annotations

import numpy as np

from plantar._jit import njit
from plantar.soft.fem.beam_kernels import quat_matrix, turn


def plan(kind: np.ndarray, number: np.ndarray, master: np.ndarray, row: np.ndarray, col: np.ndarray):
    """Where every slot goes in the reduced upper pattern.

    Returns:
        simple: slots between two free blocks; their reduced slots; terms (slot, part of i, part of j, reduced slot,
        transposed) of slots with a slave, where a part is 0 for a free block, 1 for the position and 2 for the
        orientation of a frame; rows and columns of the reduced pattern.
    """
    n = int((number >= 0).sum())
    free = (kind[row] == 0) & (kind[col] == 0)
    simple = np.flatnonzero(free)
    keys = [number[row[simple]] * n + number[col[simple]], np.arange(n, dtype=np.int64) * (n + 1)]
    mixed = np.flatnonzero((kind[row] != 1) & (kind[col] != 1) & ~free)
    terms: list[tuple[int, int, int, int, int]] = []
    for s in mixed.tolist():
        i, j = int(row[s]), int(col[s])
        for part_i, a in _targets(i, kind, number, master):
            for part_j, b in _targets(j, kind, number, master):
                if i == j and a > b:
                    continue
                terms.append((s, part_i, part_j, min(a, b) * n + max(a, b), int(a > b)))
    table = np.array(terms, dtype=np.int64).reshape(-1, 5)
    keys.append(table[:, 3])
    unique = np.unique(np.concatenate(keys))
    table[:, 3] = np.searchsorted(unique, table[:, 3])
    return simple, np.searchsorted(unique, keys[0]), table, unique // n, unique % n


def _targets(i: int, kind: np.ndarray, number: np.ndarray, master: np.ndarray) -> list[tuple[int, int]]:
    if kind[i] == 0:
        return [(0, int(number[i]))]
    return [(1, int(number[master[i]])), (2, int(number[master[i] + 1]))]


@njit()
def fill(data, at, diagonal, simple, target, row, col, K, c_stiffness, mass):
    """Add c K + M of slots between free blocks to the values of the reduced matrix."""
    for t in range(len(simple)):
        s, q = simple[t], target[t]
        c, k = c_stiffness[row[s]], K[s]
        if diagonal[q]:
            m = mass[row[s]]
            p = at[q, 0]
            data[p] += c * k[0, 0] + m
            data[p + 1] += c * k[0, 1]
            data[p + 2] += c * k[0, 2]
            p = at[q, 1]
            data[p] += c * k[1, 1] + m
            data[p + 1] += c * k[1, 2]
            data[at[q, 2]] += c * k[2, 2] + m
        else:
            for a in range(3):
                p = at[q, a]
                data[p] += c * k[a, 0]
                data[p + 1] += c * k[a, 1]
                data[p + 2] += c * k[a, 2]


@njit()
def fill_slaves(data, at, diagonal, terms, row, col, K, c_stiffness, mass, arm):  # noqa: PLR0912  (one loop, compiled)
    """Add J_i^T (c K + M) J_j of slots with a slave, where v_i = v_t - [arm] w."""
    A, B = np.empty((3, 3)), np.empty((3, 3))
    for t in range(len(terms)):
        s, part_i, part_j, q, swap = terms[t]
        i, j = row[s], col[s]
        for a in range(3):
            for b in range(3):
                A[a, b] = c_stiffness[i] * K[s, a, b]
            if i == j:
                A[a, a] += mass[i]
        if part_j == 2:
            for a in range(3):
                # A times -[arm]: row vector times matrix is the cross product arm x row, negated twice
                x, y, z = A[a, 0], A[a, 1], A[a, 2]
                A[a, 0] = arm[j, 1] * z - arm[j, 2] * y
                A[a, 1] = arm[j, 2] * x - arm[j, 0] * z
                A[a, 2] = arm[j, 0] * y - arm[j, 1] * x
        if part_i == 2:
            for b in range(3):
                x, y, z = A[0, b], A[1, b], A[2, b]
                A[0, b] = arm[i, 1] * z - arm[i, 2] * y
                A[1, b] = arm[i, 2] * x - arm[i, 0] * z
                A[2, b] = arm[i, 0] * y - arm[i, 1] * x
        for a in range(3):
            for b in range(3):
                B[a, b] = A[b, a] if swap else A[a, b]
        if diagonal[q]:
            # both halves of an off-diagonal pair fall on the diagonal of one frame
            for a in range(3):
                for b in range(a, 3):
                    data[at[q, a] + b - a] += B[a, b] + (B[b, a] if i != j else 0.0)
        else:
            for a in range(3):
                for b in range(3):
                    data[at[q, a] + b] += B[a, b]


@njit()
def fill_inertia(data, at, diagonal, number, frame_block, inertia, c_mass):
    """Add rotational inertia of frames."""
    for f in range(len(frame_block)):
        block = frame_block[f] + 1
        if number[block] < 0:
            continue
        q = diagonal[number[block]]
        for a in range(3):
            for b in range(a, 3):
                data[at[q, a] + b - a] += c_mass[block] * inertia[f, a, b]


@njit()
def gather(rows, free, slaves, master, number, arm, out):
    """Forces on all blocks as forces on free blocks: out = T^T rows."""
    for k in range(len(rows)):
        r, o = rows[k], out[k]
        for n in range(len(free)):
            i = free[n]
            o[n, 0], o[n, 1], o[n, 2] = r[i, 0], r[i, 1], r[i, 2]
        for n in range(len(slaves)):
            i = slaves[n]
            t = number[master[i]]
            w = number[master[i] + 1]
            x, y, z = r[i, 0], r[i, 1], r[i, 2]
            o[t, 0] += x
            o[t, 1] += y
            o[t, 2] += z
            o[w, 0] += arm[i, 1] * z - arm[i, 2] * y
            o[w, 1] += arm[i, 2] * x - arm[i, 0] * z
            o[w, 2] += arm[i, 0] * y - arm[i, 1] * x


@njit()
def spread(reduced, free, slaves, master, arm, out):
    """Motion of free blocks as motion of all: out = T reduced."""
    for n in range(len(free)):
        i = free[n]
        out[i, 0], out[i, 1], out[i, 2] = reduced[n, 0], reduced[n, 1], reduced[n, 2]
    for n in range(len(slaves)):
        i = slaves[n]
        t = master[i]
        w = out[t + 1]
        out[i, 0] = out[t, 0] + w[1] * arm[i, 2] - w[2] * arm[i, 1]
        out[i, 1] = out[t, 1] + w[2] * arm[i, 0] - w[0] * arm[i, 2]
        out[i, 2] = out[t, 2] + w[0] * arm[i, 1] - w[1] * arm[i, 0]


@njit()
def world_arms(slaves, frame, local, quat, arm):
    """Arms of slaves in the world."""
    R = np.empty((3, 3))
    for n in range(len(slaves)):
        i = slaves[n]
        quat_matrix(quat[frame[i]], R)
        for a in range(3):
            arm[i, a] = R[a, 0] * local[i, 0] + R[a, 1] * local[i, 1] + R[a, 2] * local[i, 2]


@njit()
def advance(x, quat, d, rotational, frame_block, slaves, master, frame, local):
    """Move by `d`: points by their displacement, frames by their rotation vector, slaves onto their frame."""
    for i in range(len(x)):
        if not rotational[i]:
            x[i, 0] += d[i, 0]
            x[i, 1] += d[i, 1]
            x[i, 2] += d[i, 2]
    for f in range(len(frame_block)):
        quat[f] = turn(quat[f], d[frame_block[f] + 1])
    R = np.empty((3, 3))
    for n in range(len(slaves)):
        i = slaves[n]
        quat_matrix(quat[frame[i]], R)
        t = master[i]
        for a in range(3):
            x[i, a] = x[t, a] + R[a, 0] * local[i, 0] + R[a, 1] * local[i, 1] + R[a, 2] * local[i, 2]
