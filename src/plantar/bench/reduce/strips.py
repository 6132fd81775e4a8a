"""How many strips a twin needs for the obstacles it is meant for: the fewest whose errors are small enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plantar.bench.press.random_press import REGIONS, Press, run_presses
from plantar.bench.reduce.card import error_rows
from plantar.bench.reduce.fit import fit
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

FORCE_MEAN, FORCE_P95, ROTATION = 0.02, 0.05, 0.03
"""What is small enough: mean and 95th percentile of a region's force error as fractions of the load, and the
rotation error of the worst module that 95 % of the presses keep [rad]."""
STRIPS = (1, 3, 5)
"""What is tried; two strips have no middle one for a stone under the middle of the sole."""


def choose_strips(
    twin: SoftFoot, presses: Sequence[Press], truth: Table, *, threads: int = 0
) -> tuple[SoftFoot, Row, list[Row]]:
    """Fit the twin with as few strips as suffice.

    Args:
        twin: The twin; it keeps at least the strips it has.
        presses: What it is meant for.
        truth: The same presses of the full foot.
        threads: Threads to use; 0 takes all cores.

    Returns:
        The twin, what was fitted, and a row for each number of strips that was tried.
    """
    tried: list[tuple[float, SoftFoot, Row]] = []
    rows: list[Row] = []
    for count in _counts(twin):
        found, fitted = fit(replace(twin, fast=replace(twin.fast, strips=count)), presses, truth, threads=threads)
        errors = _errors(found, presses, truth, threads)
        worst = max(errors[name] / most for name, most in _MOST.items())
        tried.append((worst, found, {"strips": count, **fitted}))
        rows.append({"strips": count, **errors, "good_enough": worst <= 1})
        if worst <= 1:
            break
    _, best, fitted = min(tried, key=lambda one: max(one[0], 1.0))
    return best, fitted, rows


_MOST = {"force_mean": FORCE_MEAN, "force_p95": FORCE_P95, "rotation_p95": ROTATION}


def _counts(twin: SoftFoot) -> list[int]:
    if twin.fidelity != "fast":
        return [twin.fast.strips]
    least = twin.fast.strips
    return sorted({least, *(n for n in STRIPS if least < n <= twin.chains)})


def _errors(twin: SoftFoot, presses: Sequence[Press], truth: Table, threads: int) -> Row:
    card = Table(error_rows(truth, run_presses(twin, presses, threads=threads)))
    force = np.abs(card.block([f"force_{name}_error" for name in REGIONS]))
    return {
        "force_mean": float(force.mean(axis=0).max()),
        "force_p95": float(np.percentile(force, 95, axis=0).max()),
        "rotation_p95": float(np.percentile(card.column("rotation_error"), 95)),
    }
