"""Constants of a law that fit a table best: moduli by linear least squares, shapes by search."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from plantar.soft.fit.laws import Floats, Law
from plantar.soft.fit.table import Stretched

FLOOR = 0.1
"""Residuals count relative to the stress, or to this fraction of the median stress of their mode if that is more."""


def weights(table: Stretched, whole: Stretched) -> Floats:
    """One over the stress that residuals of a part of the whole table are relative to (n,)."""
    scale = np.abs(table.stress).copy()
    for mode in table.modes:
        mine, all_of_it = table.mode == mode, np.abs(whole.stress[whole.mode == mode])
        scale[mine] = np.maximum(scale[mine], FLOOR * np.median(all_of_it))
    return 1 / scale


def model(law: Law, constants: Floats, table: Stretched) -> Floats:
    """Stress by a law at the rows of a table (n,) [Pa]."""
    out = np.zeros(len(table.stretch))
    for mode in table.modes:
        mine = table.mode == mode
        out[mine] = law.stress(mode, table.stretch[mine], constants)
    return out


def residuals(law: Law, constants: Floats, table: Stretched, whole: Stretched) -> Floats:
    """Relative residuals at the rows of a part of the whole table (n,)."""
    return (model(law, constants, table) - table.stress) * weights(table, whole)


def best_constants(law: Law, table: Stretched, scale: Floats | None = None, start: Floats | None = None) -> Floats:
    """The constants with the smallest relative residuals.

    Args:
        law: The law.
        table: Measured stresses.
        scale: Weights of the rows; by their stresses if not given.
        start: Constants near which shapes are searched; from the law's own starts if not given.
    """
    scale = weights(table, table) if scale is None else scale
    if not law.shapes:
        return _moduli(law, np.zeros(0), table, scale)[1]
    best, cost = np.zeros(len(law.constants)), np.inf
    margin = 1e-3 * (law.high - law.low)
    starts = law.starts
    if start is not None:
        starts = (tuple(np.clip(start[list(law.shapes)], law.low + margin, law.high - margin)),)
    for shapes in starts:
        found = least_squares(
            lambda shape: _moduli(law, shape, table, scale)[0],
            shapes,
            bounds=(law.low, law.high),
            x_scale=law.size,
            ftol=1e-6,
        )
        if found.cost < cost:
            best, cost = _moduli(law, found.x, table, scale)[1], found.cost
    return best


def _moduli(law: Law, shapes: Floats, table: Stretched, scale: Floats) -> tuple[Floats, Floats]:
    """Residuals with the best moduli for these shapes, and all constants: moduli enter linearly."""
    base = np.zeros(len(law.constants))
    base[list(law.shapes)] = shapes
    signs = np.ones(len(law.moduli))
    if law.signed:
        signs = np.where(shapes < 0, -1.0, 1.0)
    columns = []
    for k, sign in zip(law.moduli, signs, strict=True):
        unit = base.copy()
        unit[k] = sign
        columns.append(model(law, unit, table) * scale)
    from_zero, measured = np.stack(columns, axis=1), table.stress * scale
    if law.shapes or law.positive:
        moduli = _nonnegative(from_zero, measured)
    else:
        moduli = np.linalg.lstsq(from_zero, measured, rcond=None)[0]
    base[list(law.moduli)] = signs * moduli
    return from_zero @ moduli - measured, base


def _nonnegative(A: Floats, b: Floats) -> Floats:
    """Least squares with no solution below 0, by trying which are 0: there are three at most."""
    count = A.shape[1]
    size = np.maximum(np.linalg.norm(A, axis=0), 1e-300)
    best, cost = np.zeros(count), float(b @ b)
    for which in range(1, 2**count):
        mine = [k for k in range(count) if which >> k & 1]
        x = np.linalg.lstsq(A[:, mine] / size[mine], b, rcond=None)[0] / size[mine]
        left = A[:, mine] @ x - b
        if (x >= 0).all() and left @ left < cost:
            best, cost = np.zeros(count), float(left @ left)
            best[mine] = x
    return best


def interval(law: Law, table: Stretched, constants: Floats, draws: int, seed: int) -> tuple[Floats, Floats]:
    """2.5 and 97.5 % of the constants over tables whose residuals got random signs."""
    rng = np.random.default_rng(seed)
    told = model(law, constants, table)
    left, scale, found = table.stress - told, weights(table, table), []
    for _ in range(draws):
        signs = rng.choice([-1.0, 1.0], len(left))
        drawn = Stretched(table.mode, table.stretch, told + signs * left)
        found.append(best_constants(law, drawn, scale, constants))
    if not found:
        return np.full(len(constants), np.nan), np.full(len(constants), np.nan)
    low, high = np.percentile(found, [2.5, 97.5], axis=0)
    return low, high
