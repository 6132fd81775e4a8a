"""Forces of rows with limits and of contacts with friction, from the compliance W between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar._jit import njit
from plantar.soft.solve.coulomb import newton

SWEEPS = 10
"""Sweeps over contacts with friction before Newton steps are tried first."""


@dataclass(frozen=True)
class Rows:
    """What the rows of a problem w = W l + d ask for.

    A row is free of force limits where `low` is -inf and `high` inf: then w = 0. Else l is at a limit and w points
    away from it (w >= 0 at the low one). A contact is a normal row with low 0 and two rows of friction after it.
    """

    low: np.ndarray
    """Least force of every row."""
    high: np.ndarray
    """Largest force of every row."""
    friction: np.ndarray
    """Coefficient of friction of a normal row with two tangential rows after it; -1: a row of its own; -2: a
    tangential row."""


@dataclass(frozen=True)
class Forces:
    """Solution of the rows."""

    value: np.ndarray
    """Force of every row."""
    iterations: int
    """Rounds it took."""
    residual: float
    """Largest violation of the conditions, as a fraction of the largest |d|."""
    converged: bool
    """Whether the residual is below the tolerance."""


def solve_rows(
    W: np.ndarray,
    d: np.ndarray,
    rows: Rows,
    start: np.ndarray | None = None,
    *,
    tolerance: float = 1e-12,
    limit: int = 4000,
) -> Forces:
    """Find l such that w = W l + d fulfils what `rows` ask for.

    Rows without friction are solved exactly by active sets. Contacts with friction are swept by projected Gauss-Seidel
    with blocks of three, and finished by Newton steps as soon as those lead to a solution. `tolerance` is relative to
    the largest |d|, `limit` counts sweeps.
    """
    n, W = len(d), np.ascontiguousarray(W)
    if n == 0:
        return Forces(np.zeros(0), 0, 0.0, True)
    if n == 1:
        value = -d[0] / W[0, 0] if W[0, 0] > 0 else 0.0
        return Forces(np.array([min(max(value, rows.low[0]), rows.high[0])]), 1, 0.0, True)
    scale = float(np.abs(d).max()) or 1.0
    guess = np.zeros(n) if start is None or len(start) != n else start
    if (rows.friction == -1).all():
        value, rounds, ok = active_set(W, d, rows.low, rows.high, guess)
        if ok:
            return Forces(value, rounds, _violation(W, d, rows, value) / scale, True)
    value, rounds = _swept(W, d, rows, guess.copy(), tolerance * scale, limit)
    residual = _violation(W, d, rows, value) / scale
    return Forces(value, rounds, residual, residual <= max(1e-8, 1e3 * tolerance))


def _swept(
    W: np.ndarray, d: np.ndarray, rows: Rows, value: np.ndarray, goal: float, limit: int
) -> tuple[np.ndarray, int]:
    """Forces and sweeps: Newton steps are tried after a few, and after as many more each time that they fail."""
    problem = (W, d, rows.low, rows.high, rows.friction)
    done = 0
    while done < limit:
        wanted = max(done, SWEEPS)
        value, rounds = gauss_seidel(*problem, value, goal, min(wanted, limit - done))
        done += rounds
        if rounds < wanted:
            break
        try:
            finished, ok = newton(*problem, value.copy(), goal)
        except np.linalg.LinAlgError:
            continue
        if ok:
            return finished, done
    return value, done


def _violation(W: np.ndarray, d: np.ndarray, rows: Rows, value: np.ndarray) -> float:
    return float(violation(W, d, rows.low, rows.high, rows.friction, value))


@njit()
def active_set(W, d, low, high, start):  # noqa: PLR0912  (one loop, compiled)
    """Exact solution of rows with limits: change all wrong rows at once, one by one if that goes round in circles."""
    n = len(d)
    state = np.zeros(n, dtype=np.int64)  # 0 inside, -1 at low, 1 at high
    for i in range(n):
        if np.isfinite(low[i]) and start[i] <= low[i]:
            state[i] = -1
        elif np.isfinite(high[i]) and start[i] >= high[i]:
            state[i] = 1
    value = np.zeros(n)
    fewest, patience = n + 1, 10
    for rounds in range(20 * n + 50):
        inside = np.flatnonzero(state == 0)
        for i in range(n):
            value[i] = 0.0 if state[i] == 0 else (low[i] if state[i] < 0 else high[i])
        if len(inside):
            A, b = np.empty((len(inside), len(inside))), np.empty(len(inside))
            w = W @ value + d
            for p in range(len(inside)):
                b[p] = -w[inside[p]]
                for q in range(len(inside)):
                    A[p, q] = W[inside[p], inside[q]]
                A[p, p] *= 1.0 + 1e-14
            solution = np.linalg.solve(A, b)
            for p in range(len(inside)):
                value[inside[p]] = solution[p]
        w = W @ value + d
        biggest = np.max(np.abs(d)) + 1e-300
        force = np.max(np.abs(value)) + 1e-300
        wrong = 0
        last = -1
        new = state.copy()
        for i in range(n):
            change = state[i]
            if state[i] == 0 and value[i] < low[i] - 1e-13 * force:
                change = -1
            elif state[i] == 0 and value[i] > high[i] + 1e-13 * force:
                change = 1
            elif (state[i] < 0 and w[i] < -1e-13 * biggest) or (state[i] > 0 and w[i] > 1e-13 * biggest):
                change = 0
            if change != state[i]:
                wrong += 1
                last = i
                new[i] = change
        if wrong == 0:
            return value, rounds + 1, True
        if wrong < fewest:
            fewest, patience = wrong, 10
        else:
            patience -= 1
        if patience > 0:
            state = new
        else:
            state[last] = new[last]
    return value, 20 * n + 50, False


@njit()
def gauss_seidel(W, d, low, high, friction, value, tolerance, limit):
    """Projected Gauss-Seidel; the block of a contact is solved by projected steps onto the cone of Coulomb."""
    n = len(d)
    w = W @ value + d
    for rounds in range(limit):
        change = 0.0
        i = 0
        while i < n:
            if friction[i] < 0.0:
                new = value[i] - w[i] / W[i, i] if W[i, i] > 0.0 else value[i]
                new = min(max(new, low[i]), high[i])
                step = new - value[i]
                if step != 0.0:
                    value[i] = new
                    for k in range(n):
                        w[k] += W[k, i] * step
                    change = max(change, abs(step) * W[i, i])
                i += 1
                continue
            # a point that cannot move has no force to find
            if W[i, i] > 0.0:
                change = max(change, _contact(W, w, low, friction[i], value, i))
            i += 3
        if change <= tolerance:
            return value, rounds + 1
    return value, limit


@njit()
def _contact(W, w, low, mu, value, i):
    n = len(w)
    old0, old1, old2 = value[i], value[i + 1], value[i + 2]
    normal, t1, t2 = old0, old1, old2
    a, b, c = w[i], w[i + 1], w[i + 2]
    rho = 1.0 / max(W[i + 1, i + 1], W[i + 2, i + 2], 1e-300)
    for _ in range(20):
        new = max(normal - a / W[i, i], 0.0)
        s = new - normal
        normal = new
        a += W[i, i] * s
        b += W[i + 1, i] * s
        c += W[i + 2, i] * s
        u, v = t1 - rho * b, t2 - rho * c
        size = math.sqrt(u * u + v * v)
        most = mu * normal
        if size > most:
            u, v = (u * most / size, v * most / size) if size > 0.0 else (0.0, 0.0)
        p, q = u - t1, v - t2
        t1, t2 = u, v
        a += W[i, i + 1] * p + W[i, i + 2] * q
        b += W[i + 1, i + 1] * p + W[i + 1, i + 2] * q
        c += W[i + 2, i + 1] * p + W[i + 2, i + 2] * q
        if abs(s) + abs(p) + abs(q) <= 1e-14 * (abs(normal) + abs(t1) + abs(t2)):
            break
    value[i], value[i + 1], value[i + 2] = normal, t1, t2
    s, p, q = normal - old0, t1 - old1, t2 - old2
    for k in range(n):
        w[k] += W[k, i] * s + W[k, i + 1] * p + W[k, i + 2] * q
    return max(abs(s) * W[i, i], abs(p) * W[i + 1, i + 1], abs(q) * W[i + 2, i + 2])


@njit()
def violation(W, d, low, high, friction, value):
    """Largest distance from the conditions, in units of w: |l - proj(l - w / W_ii)| W_ii."""
    w = W @ value + d
    worst = 0.0
    i = 0
    while i < len(d):
        c = max(W[i, i], 1e-300)
        new = min(max(value[i] - w[i] / c, low[i]), high[i])
        worst = max(worst, abs(new - value[i]) * c)
        if friction[i] >= 0.0:
            c = max(W[i + 1, i + 1], W[i + 2, i + 2], 1e-300)
            u, v = value[i + 1] - w[i + 1] / c, value[i + 2] - w[i + 2] / c
            size, most = math.sqrt(u * u + v * v), friction[i] * value[i]
            if size > most:
                u, v = (u * most / size, v * most / size) if size > 0.0 else (0.0, 0.0)
            worst = max(worst, abs(u - value[i + 1]) * c, abs(v - value[i + 2]) * c)
            i += 2
        i += 1
    return worst
