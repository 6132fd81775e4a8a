"""What a comparison leaves out, and what in it looks wrong."""

from __future__ import annotations

import numpy as np

from plantar.bench.compare.measured import rotation_columns
from plantar.table import Table

BODIES = ("heel", "module", "metatarsus")
"""The three parts of the foot on whose supports forces are measured."""


def relative_errors(errors: Table, body: str) -> np.ndarray:
    """Absolute values of the relative errors of `body` over the trials in which they are defined."""
    values = errors.block([f"relative_{body}"])[:, 0]
    return np.abs(values[np.isfinite(values)])


def notes_on(errors: Table, measured: Table, simulated: Table, rotations: list[str], least_force: float) -> list[str]:
    """What was left out of a comparison or looks wrong, a sentence each."""
    notes = []
    for b in (*BODIES, "total"):
        undefined = len(errors) - len(relative_errors(errors, b))
        if undefined:
            what = "is not above 0" if least_force == 0 else f"is not above {least_force:g} N"
            notes.append(
                f"{b}: {undefined} of {len(errors)} relative errors are undefined, as the measured force {what};"
                " they are left out of the means"
            )
    lost = [c for c in rotation_columns(measured.columns) if c not in rotations]
    if lost:
        notes.append(f"{', '.join(lost)}: measured but not simulated, left out")
    unsettled = sum(not row["settled"] for row in errors)
    if unsettled:
        notes.append(f"{unsettled} simulated trials had not settled at the end")
    notes += _weight_note(errors, simulated) + _sign_note(measured, simulated, rotations)
    return notes


def _weight_note(errors: Table, simulated: Table) -> list[str]:
    """Say so if the measured loads seem to count the foot's weight differently."""
    if "weight" not in simulated.columns:
        return []
    gap, weight = float(errors.column("absolute_total").mean()), float(simulated.column("weight").mean())
    if weight == 0 or abs(abs(gap) - weight) > 0.25 * weight:
        return []
    return [
        f"the simulated total is {gap:+.2f} N off on average, about the foot's weight ({weight:.2f} N):"
        " check that `load` leaves the foot's weight out and that the sensors carry it"
    ]


def _sign_note(measured: Table, simulated: Table, rotations: list[str]) -> list[str]:
    """Say so if measured rotations run against the simulated ones."""
    opposite = []
    for name in rotations:
        m, s = measured.column(name), simulated.column(name)
        if len(m) > 2 and m.std() > 0 and s.std() > 0 and np.corrcoef(m, s)[0, 1] < -0.5:
            opposite.append(name)
    if not opposite:
        return []
    return [f"{', '.join(opposite)}: measured and simulated run in opposite directions; positive is front down"]
