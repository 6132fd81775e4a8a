"""Terrain costs of all cells of a map, as loops for Numba."""

from __future__ import annotations

import numpy as np

from plantar.foothold._jit import compiled


@compiled
def box_qp(a, b, c, p, q, low0, high0, low1, high1):
    """Least (u, v) of (a u u + 2 b u v + c v v) / 2 - p u - q v in a box; a c > b b."""
    det = a * c - b * b
    u, v = (c * p - b * q) / det, (a * q - b * p) / det
    if low0 <= u <= high0 and low1 <= v <= high1:
        return u, v
    # The least value is then on the rim: the best of the four edges.
    best, bu, bv = np.inf, 0.0, 0.0
    for k in range(4):
        if k < 2:
            u = low0 if k == 0 else high0
            v = min(max((q - b * u) / c, low1), high1)
        else:
            v = low1 if k == 2 else high1
            u = min(max((p - b * v) / a, low0), high0)
        value = 0.5 * (a * u * u + 2 * b * u * v + c * v * v) - p * u - q * v
        if value < best:
            best, bu, bv = value, u, v
    return bu, bv


@compiled
def close_holes_loop(h, out):
    """As `plantar.foothold.close_holes`."""
    rows, columns = h.shape
    for j in range(rows):
        for i in range(columns):
            own = h[j, i]
            top = own
            inner_j, inner_i = 0 < j < rows - 1, 0 < i < columns - 1
            if inner_i and own < h[j, i - 1] and own < h[j, i + 1]:
                top = max(top, (h[j, i - 1] + h[j, i + 1]) / 2)
            if inner_j and own < h[j - 1, i] and own < h[j + 1, i]:
                top = max(top, (h[j - 1, i] + h[j + 1, i]) / 2)
            out[j, i] = top


@compiled
def soft_loop(h, dj, di, x, y, slopes, curves, means, limits, wanted, weights, fit, cost, shape):
    """Cost of eq. 3 and coefficients (c0, c11, c12, c21, c22) of every cell; NaN where the patch is not whole."""
    rows, columns = h.shape
    n = len(dj)
    reach_j, reach_i = 0, 0
    for k in range(n):
        reach_j, reach_i = max(reach_j, abs(dj[k])), max(reach_i, abs(di[k]))
    keep = shape.shape[0] > 0
    # Offsets into the flat map and the slots of the patch, so that the inner loops are straight lines.
    flat = h.ravel()
    jump = np.empty(n, np.int64)
    xx, yy = np.empty(n), np.empty(n)
    for k in range(n):
        jump[k] = dj[k] * columns + di[k]
        xx[k], yy[k] = x[k] * x[k], y[k] * y[k]
    z = np.empty(n)
    for j in range(rows):
        for i in range(columns):
            cost[j, i] = np.nan
            if keep:
                for k in range(5):
                    shape[k, j, i] = np.nan
            if j < reach_j or j >= rows - reach_j or i < reach_i or i >= columns - reach_i:
                continue
            at = j * columns + i
            own = flat[at]
            s0, sx, sy, sxx, syy = 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(n):
                v = flat[at + jump[k]] - own
                z[k] = v
                s0 += v
                sx += v * x[k]
                sy += v * y[k]
                sxx += v * xx[k]
                syy += v * yy[k]
            if not np.isfinite(s0):
                continue
            c11, c21 = box_qp(slopes[0], slopes[1], slopes[2], sx, sy, -limits[0], limits[0], -limits[1], limits[1])
            c12, c22 = box_qp(
                curves[0], curves[1], curves[2], sxx - means[0] * s0, syy - means[1] * s0,
                -limits[2], limits[2], -limits[3], limits[3],
            )  # fmt: skip
            c0 = s0 / n - c12 * means[0] - c22 * means[1]
            miss = 0.0
            for k in range(n):
                miss += abs(c0 + c11 * x[k] + c12 * xx[k] + c21 * y[k] + c22 * yy[k] - z[k])
            cost[j, i] = (
                fit * miss
                + weights[0] * abs(wanted[0] - c11)
                + weights[1] * abs(wanted[1] - c21)
                + weights[2] * abs(wanted[2] - c12)
                + weights[3] * abs(wanted[3] - c22)
            )
            if keep:
                shape[0, j, i], shape[1, j, i], shape[2, j, i] = c0 + own, c11, c12
                shape[3, j, i], shape[4, j, i] = c21, c22


@compiled
def ball_loop(h, dj, di, x, y, slopes, slope, roughness, bump, cost):
    """Cost for a ball of every cell; NaN where its surroundings are not whole."""
    rows, columns = h.shape
    n = len(dj)
    reach = 0
    for k in range(n):
        reach = max(reach, abs(dj[k]), abs(di[k]))
    for j in range(rows):
        for i in range(columns):
            cost[j, i] = np.nan
            if j < reach or j >= rows - reach or i < reach or i >= columns - reach:
                continue
            own = h[j, i]
            s0, sx, sy, ss = 0.0, 0.0, 0.0, 0.0
            for k in range(n):
                z = h[j + dj[k], i + di[k]] - own
                s0 += z
                sx += z * x[k]
                sy += z * y[k]
                ss += z * z
            if not np.isfinite(s0):
                continue
            a, b, mean = sx / slopes[0], sy / slopes[2], s0 / n
            rest = max(ss - n * mean * mean - a * sx - b * sy, 0.0)
            cost[j, i] = (
                np.hypot(a, b) / slope + np.sqrt(rest / n) / roughness + max(-mean * n / max(n - 1, 1), 0.0) / bump
            )
