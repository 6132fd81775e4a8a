"""Units of the columns of the benches' tables, for the heads of reports."""

from __future__ import annotations

COLUMN_UNITS = {
    "force_*_error": "of the load",
    "split_*_error": "of the load",
    "rotation_*": "rad",
    "toe_angle*": "rad",
    "taut_from_angle": "rad",
    "tilt": "rad",
    "load": "N",
    "weight": "N",
    "toe_force*": "N",
    "force_*": "N",
    "*_force": "N",
    "tension*": "N",
    "stiffness*": "N/m",
    "*_stiffness": "N/m",
    "from_*_N": "N/m",
    "height": "m",
    "x": "m",
    "y": "m",
    "radius": "m",
    "residual": "m",
    "deflection": "m",
    "arch_*": "m",
    "highest_lift": "m",
    "lift_at_last": "m",
    "heel_to_metatarsus": "m",
    "shortening*": "m",
    "ankle_rise": "m",
}
"""Unit of a column by its name or pattern; the first that fits counts."""
