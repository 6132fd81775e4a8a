"""The zero of a test's stretch: where tests of one rubber disagree near rest, it is the first thing to check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import least_squares

from plantar.soft.fit.laws import OTHERS, Floats
from plantar.soft.fit.search import FLOOR
from plantar.soft.fit.table import Stretched

NEAR = 0.3
"""Strain up to which a test determines its own zero."""
AT_REST = 0.13
"""Strain up to which a test determines the shear modulus at rest."""
ROWS = 3
"""Rows that a zero takes at least."""


def shear_at_rest(table: Stretched) -> dict[str, float]:
    """Shear modulus by each kind of test alone, from its rows near rest [Pa].

    Every isotropic law gives all of them the same: where they differ, no law fitted to one predicts the other.
    """
    found = {}
    for mode in table.modes:
        mine = (table.mode == mode) & (table.stretch > 1) & (table.stretch < 1 + AT_REST)
        if mine.any():
            found[mode] = float(np.median(table.stress[mine] / _neo_hookean(mode, table.stretch[mine])))
    return found


def own_zeros(table: Stretched) -> dict[str, float]:
    """Stretch offset of each kind of test, from its own rows near rest: the one that a Neo-Hookean law fits best.

    A slack or pre-stretched specimen, or a figure read from a wrong origin, shifts all stretches of a test. Rows in
    compression count as those in tension do: a test that goes through rest shows its zero best. A test with few rows
    near rest keeps its zero.
    """
    found = {}
    for mode in table.modes:
        mine = (table.mode == mode) & (np.abs(table.stretch - 1) < NEAR) & (table.stress != 0)
        if mine.sum() >= ROWS:
            found[mode] = _zero(mode, table.stretch[mine], table.stress[mine])
        else:
            found[mode] = 0.0
    return found


def from_own_zeros(table: Stretched) -> Stretched:
    """The table with each test's stretches counted from its own zero."""
    zeros = own_zeros(table)
    return replace(table, stretch=table.stretch + np.array([zeros[mode] for mode in table.mode]))


def _neo_hookean(mode: str, stretch: Floats) -> Floats:
    """Nominal stress of a Neo-Hookean law over its shear modulus."""
    free = OTHERS[mode][1]
    return stretch - stretch ** (2 * free - 1)


def _zero(mode: str, stretch: Floats, stress: Floats) -> float:
    size = np.abs(stress).max()
    scale = np.maximum(np.abs(stress), FLOOR * np.median(np.abs(stress)))

    def misfit(q: Floats) -> Floats:
        return (q[0] * size * _neo_hookean(mode, stretch + q[1]) - stress) / scale

    return float(least_squares(misfit, [1.0, 0.0]).x[1])
