"""Reach and collisions of a leg for every cell of a map, by NumPy."""

from __future__ import annotations

import math

import numpy as np

from plantar.foothold._reach_numba import GROUND, LEGS, OK, REACH, UNKNOWN

Array = np.ndarray


def envelope(h: Array, radius: float, cell: float) -> Array:
    """Lowest height of the middle of a ball of `radius` over each cell that just touches the ground."""
    n = math.floor(radius / cell + 1e-9)
    rows, columns = h.shape
    wide = np.full((rows + 2 * n, columns + 2 * n), -np.inf)
    wide[n : n + rows, n : n + columns] = np.where(np.isnan(h), -np.inf, h)
    out = np.full(h.shape, -np.inf)
    for dj in range(-n, n + 1):
        for di in range(-n, n + 1):
            square = radius**2 - cell**2 * (dj**2 + di**2)
            if square >= 0:
                part = wide[n + dj : n + dj + rows, n + di : n + di + columns]
                np.maximum(out, part + math.sqrt(square), out=out)
    return out


def segments_hit(env: Array, start: Array, end: Array, share: float, steps: int) -> Array:
    """Whether segments (n, 3), in cells and metres, dip below an envelope in their first `share` (n,)."""
    end = start + share * (end - start)
    rows, columns = env.shape
    t = (np.arange(steps + 1) / steps)[:, None]
    u, v, z = (start[:, k] + t * (end - start)[:, k] for k in range(3))
    inside = (u >= 0) & (v >= 0) & (u <= columns - 1) & (v <= rows - 1)
    i = np.clip(np.where(inside, u, 0).astype(int), 0, columns - 2)
    j = np.clip(np.where(inside, v, 0).astype(int), 0, rows - 2)
    a, b = np.where(inside, u, 0) - i, np.where(inside, v, 0) - j
    with np.errstate(invalid="ignore"):
        level = (1 - b) * ((1 - a) * env[j, i] + a * env[j, i + 1])
        level += b * ((1 - a) * env[j + 1, i] + a * env[j + 1, i + 1])
        return (inside & (z < level)).any(axis=0)


def segment_distance(p: Array, q: Array, r: Array, s: Array) -> Array:
    """Distance between segments p q and r s, arrays (..., 3)."""
    d1, d2, w = q - p, s - r, p - r
    a, e = (d1 * d1).sum(-1), (d2 * d2).sum(-1)
    b, c, f = (d1 * d2).sum(-1), (d1 * w).sum(-1), (d2 * w).sum(-1)
    det = a * e - b * b
    skew = det > 1e-12 * a * e
    t = np.where(skew, np.clip((b * f - c * e) / np.where(skew, det, 1.0), 0, 1), 0.0)
    g = (b * t + f) / e
    t = np.where(g < 0, np.clip(-c / a, 0, 1), np.where(g > 1, np.clip((b - c) / a, 0, 1), t))
    g = np.clip(g, 0, 1)
    return np.linalg.norm(w + t[..., None] * d1 - g[..., None] * d2, axis=-1)


def reasons(
    margin: Array,
    known: Array,
    legs: Array,
    grid: Array,
    envelopes: tuple[Array, Array],
    steps: tuple[int, int],
    share: float,
    others: Array,
    gaps: Array,
) -> Array:
    """Reason of every cell, from margins (rows, columns) and the legs' points in the map (rows, columns, 3, 3)."""
    found = np.where(np.isnan(known), UNKNOWN, np.where(margin < 0, REACH, OK)).astype(np.uint8)
    free = np.flatnonzero(found == OK)
    points = legs.reshape(-1, 3, 3)[free]
    cells = points.copy()
    cells[..., :2] = (points[..., :2] - grid[:2]) / grid[2]
    hit = segments_hit(envelopes[0], cells[:, 0], cells[:, 1], 1.0, steps[0])
    hit |= segments_hit(envelopes[1], cells[:, 1], cells[:, 2], share, steps[1])
    clash = np.zeros(len(free), bool)
    for other, gap in zip(others, gaps, strict=True):
        for n in range(2):
            clash |= segment_distance(points[:, n], points[:, n + 1], other[0], other[1]) < gap[n]
    flat = found.ravel()
    flat[free] = np.where(hit, GROUND, np.where(clash, LEGS, OK))
    return flat.reshape(found.shape)
