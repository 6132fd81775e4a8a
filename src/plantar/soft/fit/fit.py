"""Hyperelastic laws fitted to stress-stretch tables, with intervals, and a choice among them by held-out error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from plantar._checks import require
from plantar._notebook import Shown
from plantar.errors import InvalidInput
from plantar.soft.fit.laws import LAWS, Floats, Law, drucker_range
from plantar.soft.fit.table import Stretched

FLOOR = 0.1
"""Residuals count relative to the stress, or to this fraction of the median stress of their mode if that is more."""
BLOCKS = 5
"""Parts into which a single test is cut along its stretch, to hold one out at a time."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LawFit(Shown):
    """One law fitted to one table."""

    law: Law
    """The law."""
    constants: Floats
    """Its constants."""
    low: Floats
    """Lower ends of their intervals of 95 % by the bootstrap."""
    high: Floats
    """Upper ends."""
    error: float
    """Root mean square of the relative residuals of the fit."""
    held_out: float
    """The same of rows that the fit did not see."""
    stable: dict[str, tuple[float, float]]
    """Stretches of each mode between which the stress rises with the stretch."""
    stable_in_data: bool
    """Whether it does wherever the table has rows."""

    @property
    def shear(self) -> float:
        """Shear modulus at rest [Pa]."""
        return self.law.shear(self.constants)

    @property
    def young(self) -> float:
        """Young's modulus at rest [Pa]: three times the shear modulus, as rubber keeps its volume."""
        return 3 * self.shear

    def row(self) -> dict[str, object]:
        """The fit as one row."""
        names = zip(self.law.constants, self.constants, self.low, self.high, strict=True)
        return {
            "law": self.law.name,
            "error_percent": 100 * self.error,
            "held_out_percent": 100 * self.held_out,
            "stable_in_data": self.stable_in_data,
            "young": self.young,
            "constants": {name: [float(c), float(a), float(b)] for name, c, a, b in names},
        }


def fit_laws(
    table: Stretched,
    laws: Sequence[str] = tuple(LAWS),
    *,
    draws: int = 60,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> list[LawFit]:
    """Fit laws to a table; the best first: the smallest held-out error among those that are stable in the data.

    Held out is one mode at a time where there are several, else one of `BLOCKS` ranges of stretch: what counts is how
    well a law predicts what was not measured.

    Args:
        table: Measured stresses.
        laws: Names of laws.
        draws: Tables drawn from the residuals for the intervals (wild bootstrap).
        seed: Seed of the draws.
        progress: Called with 1 after each law.
    """
    found = []
    for name in laws:
        require(name in LAWS, "law", name, f"one of {', '.join(LAWS)}")
        law = LAWS[name]
        if len(table.stretch) <= 2 * len(law.constants):
            if progress:
                progress(1)
            continue
        constants = _fit(law, table)
        low, high = _interval(law, table, constants, draws, seed)
        held, groups = [], _groups(table)
        for k in range(groups.max() + 1):
            seen, out = table.part(groups != k), table.part(groups == k)
            # residuals count by the scale of the whole table, or parts with small stresses would decide
            held.append(_residuals(law, _fit(law, seen), out, table))
        least, most = min(0.5, float(table.stretch.min())), max(2.0, float(table.stretch.max()))
        stable = drucker_range(law, constants, least, most)
        found.append(
            LawFit(
                law=law,
                constants=constants,
                low=low,
                high=high,
                error=_rms(_residuals(law, constants, table, table)),
                held_out=_rms(np.concatenate(held)),
                stable=stable,
                stable_in_data=all(_covers(stable[mode], table, mode) for mode in table.modes),
            )
        )
        if progress:
            progress(1)
    if not found:
        raise InvalidInput(f"no law can be fitted to {len(table.stretch)} rows: give more than 2 per constant")
    return sorted(found, key=lambda fit: (not fit.stable_in_data, fit.held_out))


def _covers(span: tuple[float, float], table: Stretched, mode: str) -> bool:
    mine = table.stretch[table.mode == mode]
    return bool(span[0] <= mine.min() + 1e-9 or mine.min() >= 1) and bool(span[1] >= mine.max() - 1e-9)


def _groups(table: Stretched) -> np.ndarray:
    """Number of the part each row is held out with."""
    modes = table.modes
    if len(modes) > 1:
        return np.array([modes.index(mode) for mode in table.mode])
    rank = np.argsort(np.argsort(table.stretch, kind="stable"), kind="stable")
    return rank * BLOCKS // len(rank)


def _weights(table: Stretched, whole: Stretched) -> Floats:
    """One over the stress that residuals are relative to (n,)."""
    scale = np.abs(table.stress).copy()
    for mode in table.modes:
        mine = table.mode == mode
        scale[mine] = np.maximum(scale[mine], FLOOR * np.median(np.abs(whole.stress[whole.mode == mode])))
    return 1 / scale


def _model(law: Law, constants: Floats, table: Stretched) -> Floats:
    out = np.zeros(len(table.stretch))
    for mode in table.modes:
        mine = table.mode == mode
        out[mine] = law.stress(mode, table.stretch[mine], constants)
    return out


def _residuals(law: Law, constants: Floats, table: Stretched, whole: Stretched) -> Floats:
    return (_model(law, constants, table) - table.stress) * _weights(table, whole)


def _fit(law: Law, table: Stretched, weights: Floats | None = None, start: Floats | None = None) -> Floats:
    weights = _weights(table, table) if weights is None else weights
    if not law.pairs:
        eye = np.eye(len(law.constants))
        columns = np.stack([_model(law, e, table) * weights for e in eye], axis=1)
        return np.asarray(np.linalg.lstsq(columns, table.stress * weights, rcond=None)[0], dtype=np.float64)
    best, cost = np.zeros(2 * law.pairs), np.inf
    margin = 1e-3 * (law.high - law.low)
    for shapes in law.starts if start is None else (np.clip(start, law.low + margin, law.high - margin),):
        found = least_squares(
            lambda shape: _paired_residuals(law, shape, table, weights)[0],
            shapes,
            bounds=(law.low, law.high),
            ftol=1e-6,
        )
        if found.cost < cost:
            moduli = _paired_residuals(law, found.x, table, weights)[1]
            best, cost = np.stack([moduli, found.x], axis=1).ravel(), found.cost
    return best


def _paired_residuals(law: Law, shapes: Floats, table: Stretched, weights: Floats) -> tuple[Floats, Floats]:
    """Residuals with the best moduli for these shapes, and the moduli: they enter linearly.

    Moduli have the sign of their shape, which makes Ogden's law stable everywhere.
    """
    columns = []
    for k in range(law.pairs):
        constants = np.zeros(2 * law.pairs)
        constants[1::2] = shapes
        constants[2 * k] = np.sign(shapes[k]) or 1.0
        columns.append(_model(law, constants, table) * weights)
    from_zero = np.stack(columns, axis=1)
    moduli = _nonnegative(from_zero, table.stress * weights)
    return from_zero @ moduli - table.stress * weights, moduli * np.where(np.sign(shapes) == 0, 1, np.sign(shapes))


def _nonnegative(A: Floats, b: Floats) -> Floats:
    """Least squares with no solution below 0, by trying which are 0: there are three at most."""
    count = A.shape[1]
    best, cost = np.zeros(count), float(b @ b)
    for which in range(1, 2**count):
        mine = [k for k in range(count) if which >> k & 1]
        x = np.linalg.lstsq(A[:, mine], b, rcond=None)[0]
        left = A[:, mine] @ x - b
        if (x >= 0).all() and left @ left < cost:
            best, cost = np.zeros(count), float(left @ left)
            best[mine] = x
    return best


def _interval(law: Law, table: Stretched, constants: Floats, draws: int, seed: int) -> tuple[Floats, Floats]:
    """2.5 and 97.5 % of the constants over tables whose residuals got random signs."""
    rng = np.random.default_rng(seed)
    model = _model(law, constants, table)
    left, weights = table.stress - model, _weights(table, table)
    start, found = constants[1::2] if law.pairs else None, []
    for _ in range(draws):
        signs = rng.choice([-1.0, 1.0], len(left))
        found.append(_fit(law, Stretched(table.mode, table.stretch, model + signs * left), weights, start))
    if not found:
        return np.full(len(constants), np.nan), np.full(len(constants), np.nan)
    low, high = np.percentile(found, [2.5, 97.5], axis=0)
    return low, high


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
