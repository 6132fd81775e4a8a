"""Newton steps on contacts with friction, for where sweeps have found which of them stick, slide and are open."""

from __future__ import annotations

import math

import numpy as np

from plantar._jit import njit

STEPS = 12
"""Most Newton steps of an attempt."""
NEAR = 1e-8
"""Stiffness that holds forces near those of the last step, as a fraction of the row's own compliance."""

ROUND_OFF = 4e-15
"""Of the largest motion by a force alone: no closer can a row be met."""


@njit()
def newton(W, d, low, high, friction, value, goal):
    """Forces from which no row is farther than `goal` from what it asks for, and whether they were found.

    Starts from `value`, which is overwritten. Each step takes rows as held or at a limit, contacts as open, sticking or
    sliding, by what their force would be after a projected step, and solves what that leaves as linear equations;
    sliding friction turns with the slip (Alart and Curnier 1991). The first guess decides: far from a solution the
    steps may go round in circles.
    """
    n = len(d)
    inside = np.empty(n, dtype=np.int64)
    for _ in range(STEPS):
        w, biggest = d.copy(), 0.0
        for i in range(n):
            if value[i] != 0.0:
                biggest = max(biggest, abs(W[i, i] * value[i]))
                for k in range(n):
                    w[k] += W[k, i] * value[i]
        slip, error = _sort(W, w, low, high, friction, value, inside)
        if error <= max(goal, ROUND_OFF * biggest):
            return value, True
        if not error < math.inf:
            break
        free = np.flatnonzero(inside)
        A, b = _equations(W, d, w, friction, value, free, slip)
        value[free] = np.linalg.solve(A, b)
    return value, False


@njit()
def _sort(W, w, low, high, friction, value, inside):
    """Mark rows to solve for, put the others at their limits; directions of sliding rows, and the largest error."""
    n = len(w)
    slip = np.zeros((n, 2))
    error = 0.0
    i = 0
    while i < n:
        size = max(W[i, i], 1e-300)
        wish = value[i] - w[i] / size
        new = min(max(wish, low[i]), high[i])
        error = max(error, abs(new - value[i]) * size)
        inside[i] = wish == new and W[i, i] > 0.0
        if not inside[i]:
            value[i] = new if W[i, i] > 0.0 else value[i]
        if friction[i] >= 0.0:
            size = max(W[i + 1, i + 1], W[i + 2, i + 2], 1e-300)
            u, v = value[i + 1] - w[i + 1] / size, value[i + 2] - w[i + 2] / size
            length, most = math.hypot(u, v), friction[i] * value[i]
            share = most / length if length > most else 1.0
            error = max(error, abs(share * u - value[i + 1]) * size, abs(share * v - value[i + 2]) * size)
            inside[i + 1] = inside[i + 2] = inside[i] and friction[i] > 0.0
            if not inside[i + 1]:
                value[i + 1] = value[i + 2] = 0.0
            elif length > most:
                slip[i] = u, v
            i += 2
        i += 1
    return slip, error


@njit()
def _equations(W, d, w, friction, value, free, slip):
    """Rows that hold: w = 0. Rows that slide: friction is mu times the normal force along u - w / size."""
    m = len(free)
    A, b = np.empty((m, m)), np.empty(m)
    still = value.copy()
    still[free] = 0.0
    for p in range(m):
        i = free[p]
        b[p] = -d[i]
        for k in range(len(d)):
            if still[k] != 0.0:
                b[p] -= W[i, k] * still[k]
        for q in range(m):
            A[p, q] = W[i, free[q]]
        # corners of a rigid body share their load in many ways: stay near the one there is
        A[p, p] += NEAR * W[i, i]
        b[p] += NEAR * W[i, i] * value[i]
    for p in range(m):
        i = free[p]
        if friction[i] < 0.0 or (slip[i, 0] == 0.0 and slip[i, 1] == 0.0):
            continue
        size, length = max(W[i + 1, i + 1], W[i + 2, i + 2]), math.hypot(slip[i, 0], slip[i, 1])
        e0, e1 = slip[i, 0] / length, slip[i, 1] / length
        share = friction[i] * max(value[i], 0.0) / length
        m00, m01, m11 = share * e1 * e1, -share * e0 * e1, share * e0 * e0
        # (1 - M) t - mu e n + M w(new) / size = M (w - t size) / size, with w(new) = A x - b
        g0, g1 = w[i + 1] / size - value[i + 1], w[i + 2] / size - value[i + 2]
        c0 = m00 * g0 + m01 * g1 + (m00 * b[p + 1] + m01 * b[p + 2]) / size
        c1 = m01 * g0 + m11 * g1 + (m01 * b[p + 1] + m11 * b[p + 2]) / size
        for q in range(m):
            a0, a1 = A[p + 1, q] / size, A[p + 2, q] / size
            A[p + 1, q], A[p + 2, q] = m00 * a0 + m01 * a1, m01 * a0 + m11 * a1
        A[p + 1, p] -= friction[i] * e0
        A[p + 2, p] -= friction[i] * e1
        A[p + 1, p + 1] += 1.0 - m00
        A[p + 1, p + 2] -= m01
        A[p + 2, p + 1] -= m01
        A[p + 2, p + 2] += 1.0 - m11
        b[p + 1], b[p + 2] = c0, c1
    return A, b
