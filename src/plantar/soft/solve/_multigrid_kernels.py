"""Compiled loops of the multigrid: sweeps and products with matrices of square blocks, by rows."""

from __future__ import annotations

import numpy as np

from plantar._jit import njit

F = np.float64


@njit()
def aggregate(ptr, ind, alone):
    """Group every node with its neighbours; nodes between groups join one; `alone` are numbers of groups given before.

    Returns:
        The group of every node, and how many there are.
    """
    n = len(ptr) - 1
    group = alone.copy()
    count = group.max() + 1
    for i in range(n):
        if group[i] >= 0:
            continue
        free = True
        for p in range(ptr[i], ptr[i + 1]):
            if group[ind[p]] >= 0 and alone[ind[p]] < 0:
                free = False
                break
        if free:
            for p in range(ptr[i], ptr[i + 1]):
                if group[ind[p]] < 0:
                    group[ind[p]] = count
            count += 1
    joined = group.copy()
    for i in range(n):
        if group[i] < 0:
            for p in range(ptr[i], ptr[i + 1]):
                if group[ind[p]] >= 0 and alone[ind[p]] < 0:
                    joined[i] = group[ind[p]]
                    break
            if joined[i] < 0:
                joined[i] = count
                count += 1
    return joined, count


@njit()
def lower_blocks(data, at, place, diagonal, low, node):
    """Blocks on the diagonal and below it from the values of upper scalar rows; `place` is -1 on the diagonal."""
    for q in range(len(at)):
        m = place[q]
        if m < 0:
            u, p = diagonal[node[q]], at[q, 0]
            u[0, 0], u[0, 1], u[0, 2] = data[p], data[p + 1], data[p + 2]
            p = at[q, 1]
            u[1, 0], u[1, 1], u[1, 2] = u[0, 1], data[p], data[p + 1]
            u[2, 0], u[2, 1], u[2, 2] = u[0, 2], u[1, 2], data[at[q, 2]]
            continue
        v = low[m]
        for a in range(3):
            p = at[q, a]
            for b in range(3):
                v[b, a] = data[p + b]


@njit(fastmath=True)
def times(ptr, ind, low, diagonal, x, out):
    """The product of a symmetric matrix of blocks of three with x; each block below the diagonal is read once."""
    for i in range(len(ptr) - 1):
        k, j = diagonal[i], 3 * i
        x0, x1, x2 = x[j], x[j + 1], x[j + 2]
        t0 = k[0, 0] * x0 + k[0, 1] * x1 + k[0, 2] * x2
        t1 = k[1, 0] * x0 + k[1, 1] * x1 + k[1, 2] * x2
        t2 = k[2, 0] * x0 + k[2, 1] * x1 + k[2, 2] * x2
        for p in range(ptr[i], ptr[i + 1]):
            k, j = low[p], 3 * ind[p]
            y0, y1, y2 = x[j], x[j + 1], x[j + 2]
            t0 += k[0, 0] * y0 + k[0, 1] * y1 + k[0, 2] * y2
            t1 += k[1, 0] * y0 + k[1, 1] * y1 + k[1, 2] * y2
            t2 += k[2, 0] * y0 + k[2, 1] * y1 + k[2, 2] * y2
            out[j] += k[0, 0] * x0 + k[1, 0] * x1 + k[2, 0] * x2
            out[j + 1] += k[0, 1] * x0 + k[1, 1] * x1 + k[2, 1] * x2
            out[j + 2] += k[0, 2] * x0 + k[1, 2] * x1 + k[2, 2] * x2
        out[3 * i], out[3 * i + 1], out[3 * i + 2] = t0, t1, t2


@njit(fastmath=True)
def sweep_down_3(ptr, ind, low, inverse, b, x, r):
    """Gauss-Seidel from x = 0 downwards; r is what is left, which only the upper triangle makes."""
    for i in range(len(ptr) - 1):
        t0, t1, t2 = b[3 * i], b[3 * i + 1], b[3 * i + 2]
        for p in range(ptr[i], ptr[i + 1]):
            k, j = low[p], 3 * ind[p]
            y0, y1, y2 = x[j], x[j + 1], x[j + 2]
            t0 -= k[0, 0] * y0 + k[0, 1] * y1 + k[0, 2] * y2
            t1 -= k[1, 0] * y0 + k[1, 1] * y1 + k[1, 2] * y2
            t2 -= k[2, 0] * y0 + k[2, 1] * y1 + k[2, 2] * y2
        k = inverse[i]
        x0 = k[0, 0] * t0 + k[0, 1] * t1 + k[0, 2] * t2
        x1 = k[1, 0] * t0 + k[1, 1] * t1 + k[1, 2] * t2
        x2 = k[2, 0] * t0 + k[2, 1] * t1 + k[2, 2] * t2
        x[3 * i], x[3 * i + 1], x[3 * i + 2] = x0, x1, x2
        r[3 * i] = r[3 * i + 1] = r[3 * i + 2] = F(0.0)
        for p in range(ptr[i], ptr[i + 1]):
            k, j = low[p], 3 * ind[p]
            r[j] -= k[0, 0] * x0 + k[1, 0] * x1 + k[2, 0] * x2
            r[j + 1] -= k[0, 1] * x0 + k[1, 1] * x1 + k[2, 1] * x2
            r[j + 2] -= k[0, 2] * x0 + k[1, 2] * x1 + k[2, 2] * x2


@njit(fastmath=True)
def sweep_up_3(ptr, ind, low, inverse, b, x, done):
    """Gauss-Seidel upwards; `done` is room for what later rows give to earlier ones."""
    n = len(ptr) - 1
    for i in range(3 * n):
        done[i] = b[i]
    for i in range(n - 1, -1, -1):
        t0, t1, t2 = done[3 * i], done[3 * i + 1], done[3 * i + 2]
        for p in range(ptr[i], ptr[i + 1]):
            k, j = low[p], 3 * ind[p]
            y0, y1, y2 = x[j], x[j + 1], x[j + 2]
            t0 -= k[0, 0] * y0 + k[0, 1] * y1 + k[0, 2] * y2
            t1 -= k[1, 0] * y0 + k[1, 1] * y1 + k[1, 2] * y2
            t2 -= k[2, 0] * y0 + k[2, 1] * y1 + k[2, 2] * y2
        k = inverse[i]
        x0 = k[0, 0] * t0 + k[0, 1] * t1 + k[0, 2] * t2
        x1 = k[1, 0] * t0 + k[1, 1] * t1 + k[1, 2] * t2
        x2 = k[2, 0] * t0 + k[2, 1] * t1 + k[2, 2] * t2
        x[3 * i], x[3 * i + 1], x[3 * i + 2] = x0, x1, x2
        for p in range(ptr[i], ptr[i + 1]):
            k, j = low[p], 3 * ind[p]
            done[j] -= k[0, 0] * x0 + k[1, 0] * x1 + k[2, 0] * x2
            done[j + 1] -= k[0, 1] * x0 + k[1, 1] * x1 + k[2, 1] * x2
            done[j + 2] -= k[0, 2] * x0 + k[1, 2] * x1 + k[2, 2] * x2


@njit(fastmath=True)
def sweep_down_6(ptr, ind, mid, val, inverse, b, x, r):
    """The same as `sweep_down_3` with blocks of six."""
    n, t = len(ptr) - 1, np.empty(6, F)
    for i in range(n):
        for a in range(6):
            t[a] = b[6 * i + a]
        for p in range(ptr[i], mid[i]):
            _less_6(val[p], x, 6 * ind[p], t)
        _solve_6(inverse[i], t, x, 6 * i)
    for i in range(n):
        for a in range(6):
            t[a] = F(0.0)
        for p in range(mid[i] + 1, ptr[i + 1]):
            _less_6(val[p], x, 6 * ind[p], t)
        for a in range(6):
            r[6 * i + a] = t[a]


@njit(fastmath=True)
def sweep_up_6(ptr, ind, mid, val, inverse, b, x):
    """The same as `sweep_up_3` with blocks of six."""
    t = np.empty(6, F)
    for i in range(len(ptr) - 2, -1, -1):
        for a in range(6):
            t[a] = b[6 * i + a]
        for p in range(ptr[i], mid[i]):
            _less_6(val[p], x, 6 * ind[p], t)
        for p in range(mid[i] + 1, ptr[i + 1]):
            _less_6(val[p], x, 6 * ind[p], t)
        _solve_6(inverse[i], t, x, 6 * i)


@njit(fastmath=True, inline="always")
def _less_6(k, x, j, t):
    for a in range(6):
        s = F(0.0)
        for c in range(6):
            s += k[a, c] * x[j + c]
        t[a] -= s


@njit(fastmath=True, inline="always")
def _solve_6(k, t, x, i):
    for a in range(6):
        s = F(0.0)
        for c in range(6):
            s += k[a, c] * t[c]
        x[i + a] = s


@njit(fastmath=True)
def restrict(ptr, ind, val, r, out):
    """P^T r."""
    out[:] = F(0.0)
    rows = val.shape[1]
    for i in range(len(ptr) - 1):
        for p in range(ptr[i], ptr[i + 1]):
            k, j = val[p], 6 * ind[p]
            for a in range(rows):
                v = r[i * rows + a]
                for c in range(6):
                    out[j + c] += k[a, c] * v


@njit(fastmath=True)
def prolong(ptr, ind, val, e, x):
    """X += P e."""
    rows = val.shape[1]
    for i in range(len(ptr) - 1):
        for p in range(ptr[i], ptr[i + 1]):
            k, j = val[p], 6 * ind[p]
            for a in range(rows):
                s = F(0.0)
                for c in range(6):
                    s += k[a, c] * e[j + c]
                x[i * rows + a] += s


@njit()
def add_stiff(node, stiff, p_ptr, p_ind, p_val, ptr, ind, val):
    """Add P^T S P to coarse blocks, where S is zero but for the diagonal blocks of some nodes."""
    T = np.empty((3, 6))
    for s in range(len(node)):
        i = node[s]
        for q in range(p_ptr[i], p_ptr[i + 1]):
            for a in range(3):
                for c in range(6):
                    T[a, c] = (
                        stiff[s, a, 0] * p_val[q, 0, c]
                        + stiff[s, a, 1] * p_val[q, 1, c]
                        + stiff[s, a, 2] * p_val[q, 2, c]
                    )
            for p in range(p_ptr[i], p_ptr[i + 1]):
                row, col = p_ind[p], p_ind[q]
                low, high = ptr[row], ptr[row + 1]
                while low < high:
                    middle = (low + high) // 2
                    if ind[middle] < col:
                        low = middle + 1
                    else:
                        high = middle
                block = val[low]
                for a in range(6):
                    for c in range(6):
                        block[a, c] += p_val[p, 0, a] * T[0, c] + p_val[p, 1, a] * T[1, c] + p_val[p, 2, a] * T[2, c]
