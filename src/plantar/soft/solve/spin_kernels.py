"""Free turning of rigid parts over a step, so that their momentum is kept whatever the step."""

from __future__ import annotations

import math

import numpy as np

from plantar._jit import njit

MOST, ENOUGH = 30, 1e-12
"""Most Newton steps for a spin, and the change, as a fraction of the spin, at which it is found."""
SLOW = 3e-3
"""Turn over a step below which the spin is taken to change as it does at the start of the step [rad]."""


@njit()
def keep_turning(x, v, h, mass, inertia, frame_block, number, slaves, master_frame, F):
    """Add the forces under which rigid parts alone would keep their momentum; False if a spin is too fast for the step.

    A part is a frame with its own mass and inertia and the nodes glued to it. Alone, its centre moves on and its
    angular momentum L = I w stays, with w and I those at the end of the step: backward Euler, which never gains energy.
    The rows of the step hold masses where they are at its start, so what turning changes comes in as a force.
    """
    n = len(frame_block)
    slow = np.empty(n, dtype=np.bool_)
    for f in range(n):
        w = v[frame_block[f] + 1]
        slow[f] = h * h * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) < SLOW * SLOW
        if slow[f]:
            _add_slow(w, inertia[f], F[frame_block[f] + 1])
    for s in slaves:
        if slow[master_frame[s]]:
            t = frame_block[master_frame[s]]
            w, m = v[t + 1], mass[s]
            a, b, c = x[s, 0] - x[t, 0], x[s, 1] - x[t, 1], x[s, 2] - x[t, 2]
            along, square = w[0] * a + w[1] * b + w[2] * c, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
            F[s, 0] -= m * (along * w[0] - square * a)
            F[s, 1] -= m * (along * w[1] - square * b)
            F[s, 2] -= m * (along * w[2] - square * c)
    return bool(slow.all()) or _turn_fast(x, v, h, mass, inertia, frame_block, number, slaves, master_frame, slow, F)


@njit()
def _add_slow(w, inertia, F):
    """Less w x I w."""
    a = inertia[0, 0] * w[0] + inertia[0, 1] * w[1] + inertia[0, 2] * w[2]
    b = inertia[1, 0] * w[0] + inertia[1, 1] * w[1] + inertia[1, 2] * w[2]
    c = inertia[2, 0] * w[0] + inertia[2, 1] * w[1] + inertia[2, 2] * w[2]
    F[0] -= w[1] * c - w[2] * b
    F[1] -= w[2] * a - w[0] * c
    F[2] -= w[0] * b - w[1] * a


@njit()
def _turn_fast(x, v, h, mass, inertia, frame_block, number, slaves, master_frame, slow, F):
    n = len(frame_block)
    total, first, second = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for f in range(n):
        total[f] = mass[frame_block[f]]
        second[f] = inertia[f]
    for s in slaves:
        f, m = master_frame[s], mass[s]
        r = x[s] - x[frame_block[f]]
        total[f] += m
        first[f] += m * r
        _add_point(second[f], m, r)
    change, turn = np.zeros((n, 3)), np.zeros((n, 3))
    for f in range(n):
        block = frame_block[f]
        spin = v[block + 1].copy()
        if slow[f] or number[block] < 0 or not total[f] > 0.0:
            continue
        arm = first[f] / total[f]
        _add_point(second[f], -total[f], arm)
        later = _free_spin(second[f], spin, h)
        if not np.all(np.isfinite(later)):
            return False
        # the centre keeps its velocity, so that the frame beside it changes its own
        change[f] = np.cross(spin, arm) - np.cross(later, _turned(arm, h * later))
        turn[f] = later - spin
        F[block] += mass[block] / h * change[f]
        F[block + 1] += inertia[f] @ turn[f] / h
    for s in slaves:
        f = master_frame[s]
        F[s] += mass[s] / h * (change[f] + np.cross(turn[f], x[s] - x[frame_block[f]]))
    return True


@njit()
def _add_point(inertia, m, r):
    """Inertia of a point mass about the origin."""
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    for a in range(3):
        for b in range(3):
            inertia[a, b] += m * ((square if a == b else 0.0) - r[a] * r[b])


@njit()
def _free_spin(inertia, spin, h):
    """The spin w with I w = exp(-h w) L, L = I spin: after the turn h w the angular momentum is L again; else NaN."""
    trace = inertia[0, 0] + inertia[1, 1] + inertia[2, 2]
    if not trace > 0.0:
        return spin
    A = inertia + 1e-9 * trace * np.eye(3)  # nodes in a line have no inertia about it
    L, w = A @ spin, spin.copy()
    for _ in range(MOST):
        y = _turned(L, -h * w)
        step = np.linalg.solve(A - h * _cross(y) @ _left(-h * w), y - A @ w)
        w += step
        if np.max(np.abs(step)) <= ENOUGH * np.max(np.abs(spin)):
            return w
    return np.full(3, np.nan)


@njit()
def _cross(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@njit()
def _turned(p, vector):
    """A place turned by a rotation vector."""
    first, second = _factors(vector)[:2]
    once = np.cross(vector, p)
    return p + first * once + second * np.cross(vector, once)


@njit()
def _left(vector):
    """How the turn of a rotation vector follows its change: J with exp(v + dv) = exp(J dv) exp(v)."""
    _, second, third = _factors(vector)
    K = _cross(vector)
    return np.eye(3) + second * K + third * (K @ K)


@njit()
def _factors(vector):
    """Sin a / a, (1 - cos a) / a^2 and (a - sin a) / a^3 of the angle a."""
    a = math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    if a < 1e-4:
        return 1.0 - a * a / 6, 0.5 - a * a / 24, 1 / 6 - a * a / 120
    return math.sin(a) / a, (1 - math.cos(a)) / a**2, (a - math.sin(a)) / a**3
