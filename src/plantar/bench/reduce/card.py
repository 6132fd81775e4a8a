"""The error card of a light twin: every press, every quantity, and the two mechanisms."""

from __future__ import annotations

import math

import numpy as np

from plantar._rows import NOTHING
from plantar.bench.press.random_press import REGIONS
from plantar.bench.stiffness import secant, stiffness
from plantar.bench.windlass.windlass import windlass
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

LOADS = (0.0, 10.0, 20.0, 60.0, 100.0, 200.0, 400.0)
"""Loads of the stiffening comparison [N]."""
ANGLES = tuple(map(math.radians, (0.0, 5.0, 10.0, 20.0)))
"""Toe angles of the windlass comparison [rad]."""
PRESS = ("press", "load", "height", "x", "tilt", "shape", "radius", "flat", "y")


def error_rows(full: Table, twin: Table) -> list[Row]:
    """One row per press: forces of both feet and their errors as fractions of the load, rotations, deflection."""
    turns = [name for name in full.columns if name.startswith("rotation_")]
    rows = []
    for a, b in zip(full, twin, strict=True):
        row: Row = {name: a[name] for name in PRESS}
        for kind in ("force", "split"):
            for region in REGIONS:
                name = f"{kind}_{region}"
                row |= {f"{name}_full": a[name], f"{name}_twin": b[name]}
                row[f"{name}_error"] = (b[name] - a[name]) / a["load"]
        row |= {f"{name}_error": b[name] - a[name] for name in turns}
        row["rotation_error"] = max(abs(b[name] - a[name]) for name in turns)
        row["deflection_error"] = b["deflection"] - a["deflection"]
        row["tension_error"] = b["tension"] - a["tension"]
        row["settled_full"], row["settled_twin"] = a["settled"], b["settled"]
        row["settled"] = a["settled"] and b["settled"]
        rows.append(row)
    return rows


def summary_rows(card: Table) -> list[Row]:
    """Mean, 95th percentile and largest absolute error of each quantity, over all presses and those at rest.

    The rotation's mean and percentile are over all modules of all presses.
    """
    at_rest = np.array([row["settled"] for row in card], dtype=bool)
    turns = [c for c in card.columns if c.startswith("rotation_") and c[9].isdigit()]
    quantities = [(f"force {name}", [f"force_{name}_error"], "share of load") for name in REGIONS]
    quantities += [(f"split {name}", [f"split_{name}_error"], "share of load") for name in REGIONS]
    quantities += [("rotation", turns, "rad"), ("deflection", ["deflection_error"], "m")]
    rows = []
    for quantity, columns, unit in quantities:
        errors = np.abs(card.block(columns))
        rest = errors[at_rest] if at_rest.any() else np.full((1, 1), np.nan)
        rows.append(
            {
                "quantity": quantity,
                "unit": unit,
                "mean": float(errors.mean()),
                "p95": float(np.percentile(errors, 95)),
                "max": float(errors.max()),
                "mean_at_rest": float(rest.mean()),
                "p95_at_rest": float(np.percentile(rest, 95)),
                "max_at_rest": float(rest.max()),
            }
        )
    return rows


def mechanism_rows(full: SoftFoot, twin: SoftFoot, threads: int = 0) -> list[Row]:
    """Stiffness under a light and a heavy load, and what raising the toes in the air does, for both feet."""
    rows = []
    feet = {"full": full, "twin": twin}
    pressed = {name: stiffness(foot, loads=LOADS, threads=threads) for name, foot in feet.items()}
    for low, high in ((0.0, 20.0), (20.0, 100.0), (200.0, 400.0)):
        values = {name: secant(table, low, high) for name, table in pressed.items()}
        rows.append(_compared(f"stiffness {low:g} to {high:g} N", "N/m", values))
    raised = {name: windlass(foot, angles=ANGLES, threads=threads) for name, foot in feet.items()}
    for column, unit in (("arch_lift", "m"), ("tension", "N")):
        for i in (1, 3):
            values = {name: table[i][column] for name, table in raised.items()}
            rows.append(_compared(f"windlass {math.degrees(ANGLES[i]):.0f} degrees, {column}", unit, values))
    return rows


def _compared(quantity: str, unit: str, values: dict[str, float]) -> Row:
    """Both values, and the relative error; None where the full foot has nothing, as a tendon that is slack."""
    full, twin = values["full"], values["twin"]
    error = (twin - full) / full if abs(full) > NOTHING else None
    return {"quantity": quantity, "unit": unit, "full": full, "twin": twin, "error": error}
