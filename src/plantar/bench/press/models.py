"""How far two models of the same presses are apart."""

from __future__ import annotations

import numpy as np

from plantar._checks import require
from plantar.table import Row, Table

FORCES = ("force_heel", "force_module", "force_metatarsus", "force_total")
"""Columns that are compared as parts of the load."""


def compare(simulated: Table, planar: Table) -> dict[str, float]:
    """Largest difference of each force over all trials [% of the load]."""
    table = differences(simulated, planar)
    return {name: float(np.abs(table.column(name)).max()) for name in FORCES}


def differences(simulated: Table, planar: Table) -> Table:
    """Planar model less simulation, trial by trial.

    Args:
        simulated: Table of `plantar.bench.press`.
        planar: Table of the same trials by the planar model.

    Returns:
        Forces in % of the load, or of load and weight where the load is 0, and `rotation`: the largest
        difference of a module's pitch [rad].

    Raises:
        InvalidInput: If the tables are not of the same trials.
    """
    keys = ("load", "height", "position")
    same = len(simulated) == len(planar) and bool(np.all(simulated.block(keys) == planar.block(keys)))
    require(same, "planar", planar, f"a table of the same {len(simulated)} trials as the simulation")
    return Table(_difference(a, b) for a, b in zip(simulated, planar, strict=True))


def _difference(simulated: Row, planar: Row) -> Row:
    row: Row = {key: planar[key] for key in ("trial", "load", "height", "position")}
    scale = planar["load"] or planar["weight"]
    row |= {name: 100 * (planar[name] - simulated[name]) / scale for name in FORCES}
    turns = [planar[name] - simulated[name] for name in planar if name.startswith("rotation_")]
    row["rotation"] = float(np.abs(turns).max())
    return row
