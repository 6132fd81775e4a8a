"""Terrain costs of all cells of a map, by NumPy: the same as the compiled loops, a few times slower."""

from __future__ import annotations

import numpy as np

from plantar.foothold._patch import Patch

Array = np.ndarray


def under(h: Array, patch: Patch) -> Array:
    """Heights under the patch of each cell, from the cell's own; NaN off the map (n, rows, columns)."""
    rj, ri = int(np.abs(patch.rows).max()), int(np.abs(patch.columns).max())
    rows, columns = h.shape
    wide = np.full((rows + 2 * rj, columns + 2 * ri), np.nan)
    wide[rj : rj + rows, ri : ri + columns] = h
    out = np.empty((len(patch.rows), rows, columns))
    for k, (dj, di) in enumerate(zip(patch.rows, patch.columns, strict=True)):
        np.subtract(wide[rj + dj : rj + dj + rows, ri + di : ri + di + columns], h, out=out[k])
    return out


def soft_cost(h: Array, patch: Patch, limits: Array, wanted: Array, weights: Array, fit: float) -> tuple[Array, Array]:
    """Cost of eq. 3 and coefficients (5, rows, columns); see `soft_loop`."""
    z = under(h, patch)
    x, y = patch.x, patch.y
    terms = np.stack([np.ones_like(x), x, y, x * x, y * y])
    s0, sx, sy, sxx, syy = np.einsum("mn,njk->mjk", terms, z)
    c11, c21 = box_qp(patch.slopes, sx, sy, limits[0], limits[1])
    p, q = sxx - patch.means[0] * s0, syy - patch.means[1] * s0
    c12, c22 = box_qp(patch.curves, p, q, limits[2], limits[3])
    c0 = s0 / len(x) - c12 * patch.means[0] - c22 * patch.means[1]
    shape = np.stack([c0, c11, c21, c12, c22])
    miss = np.abs(np.einsum("mn,mjk->njk", terms, shape) - z).sum(axis=0)
    off = np.abs(wanted[:, None, None] - shape[1:])
    cost = fit * miss + np.einsum("m,mjk->jk", weights, off)
    shape = np.stack([c0 + h, c11, c12, c21, c22])
    return cost, np.where(np.isnan(cost), np.nan, shape)


def box_qp(hessian: Array, p: Array, q: Array, limit0: float, limit1: float) -> tuple[Array, Array]:
    """Least (u, v) of (a u u + 2 b u v + c v v) / 2 - p u - q v within +-limit0, +-limit1, for arrays p, q."""
    a, b, c = hessian
    det = a * c - b * b
    u, v = (c * p - b * q) / det, (a * q - b * p) / det
    inside = (np.abs(u) <= limit0) & (np.abs(v) <= limit1)
    candidates = []
    for edge in (-limit0, limit0):
        candidates.append((np.full(p.shape, edge), np.clip((q - b * edge) / c, -limit1, limit1)))
    for edge in (-limit1, limit1):
        candidates.append((np.clip((p - b * edge) / a, -limit0, limit0), np.full(p.shape, edge)))
    us, vs = (np.stack(values) for values in zip(*candidates, strict=True))
    value = 0.5 * (a * us * us + 2 * b * us * vs + c * vs * vs) - p * us - q * vs
    best = np.argmin(np.where(np.isnan(value), np.inf, value), axis=0)[None]
    edge_u, edge_v = (np.take_along_axis(w, best, axis=0)[0] for w in (us, vs))
    known = ~np.isnan(p)
    return np.where(inside | ~known, u, edge_u), np.where(inside | ~known, v, edge_v)


def ball_cost(h: Array, patch: Patch, slope: float, roughness: float, bump: float) -> Array:
    """Cost for a ball; see `ball_loop`."""
    z = under(h, patch)
    n = len(patch.x)
    s0, ss = z.sum(axis=0), (z * z).sum(axis=0)
    sx, sy = np.einsum("n,njk->jk", patch.x, z), np.einsum("n,njk->jk", patch.y, z)
    a, b, mean = sx / patch.slopes[0], sy / patch.slopes[2], s0 / n
    rest = np.maximum(ss - n * mean**2 - a * sx - b * sy, 0.0)
    return np.hypot(a, b) / slope + np.sqrt(rest / n) / roughness + np.maximum(-s0 / max(n - 1, 1), 0.0) / bump
