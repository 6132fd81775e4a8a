"""Hyperelastic laws fitted to stress-stretch tables, with intervals, and a choice among them by held-out error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar._notebook import Shown
from plantar.errors import InvalidInput
from plantar.soft.fit.laws import LAWS, Floats, Law, drucker_range
from plantar.soft.fit.search import best_constants, interval, model, residuals
from plantar.soft.fit.table import Stretched

EQUAL = 0.05
"""Held-out errors that differ by less than this, relative, are taken as equal."""
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
    left_out: dict[str, float]
    """The same of each kind of test, told by the others alone; empty where there is only one kind."""
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
            **{f"{mode}_left_out_percent": 100 * error for mode, error in self.left_out.items()},
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

    Of laws whose errors are equal to within `EQUAL`, that with the fewest constants comes first.

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
        constants = best_constants(law, table)
        low, high = interval(law, table, constants, draws, seed)
        held, groups = [], _groups(table)
        for k in range(groups.max() + 1):
            seen, out = table.part(groups != k), table.part(groups == k)
            # residuals count by the scale of the whole table, or parts with small stresses would decide
            held.append(residuals(law, best_constants(law, seen), out, table))
        kinds = table.modes if len(table.modes) > 1 else []
        least, most = min(0.5, float(table.stretch.min())), max(2.0, float(table.stretch.max()))
        stable = drucker_range(law, constants, least, most)
        found.append(
            LawFit(
                law=law,
                constants=constants,
                low=low,
                high=high,
                error=_rms(residuals(law, constants, table, table)),
                held_out=_rms(np.concatenate(held)),
                left_out={mode: _rms(left) for mode, left in zip(kinds, held, strict=False)},
                stable=stable,
                stable_in_data=all(_covers(stable[mode], table, mode) for mode in table.modes),
            )
        )
        if progress:
            progress(1)
    if not found:
        raise InvalidInput(f"no law can be fitted to {len(table.stretch)} rows: give more than 2 per constant")
    return _ordered(found)


def _ordered(fits: list[LawFit]) -> list[LawFit]:
    """Best first: of laws that tell held-out rows about as well as the best, the one with the fewest constants."""
    ordered = sorted(fits, key=lambda fit: (not fit.stable_in_data, fit.held_out))
    first = ordered[0]
    equal = [
        fit
        for fit in ordered
        if fit.stable_in_data == first.stable_in_data and fit.held_out <= (1 + EQUAL) * first.held_out
    ]
    chosen = min(equal, key=lambda fit: len(fit.constants))
    return [chosen, *(fit for fit in ordered if fit is not chosen)]


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


def told_errors(fit: LawFit, table: Stretched) -> list[dict[str, object]]:
    """How well a fitted law tells rows that it was not fitted to, a row for each kind of test.

    Args:
        fit: The fit.
        table: Rows of the same rubber, of any kind of test.
    """
    out = []
    for mode in table.modes:
        part = table.part(table.mode == mode)
        left, off = residuals(fit.law, fit.constants, part, part), model(fit.law, fit.constants, part) - part.stress
        out.append({
            "law": fit.law.name,
            "mode": mode,
            "rows": len(left),
            "error_percent": 100 * _rms(left),
            "largest_percent": 100 * float(np.abs(left).max()),
            "of_peak_percent": 100 * _rms(off) / float(np.abs(part.stress).max()),
        })  # fmt: skip
    return out


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
