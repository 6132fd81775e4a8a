"""The foot that can be built: fields rounded to available increments, and the cost of rounding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from plantar._checks import require
from plantar._fields import field_rows
from plantar.design.space import SCALE, Space
from plantar.errors import InvalidInput

STEPS = {"Shore A": 5.0, "m": 0.0005, "rad": 0.0087266, "N/m": 100.0, "N m/rad": 0.05}
"""Steps by unit: sheet rubber in steps of 5 Shore A, half millimetres, half degrees; springs as makers list them."""
_UNIT = re.compile(r"\[([^\]]+)\]")


def step_of(space: Space, name: str, steps: Mapping[str, float]) -> float | None:
    """The step of a field: what was given for it, or that of its unit; None where it is not rounded."""
    if name in steps:
        return steps[name]
    docs = {row.name: row.doc for row in field_rows(space.foot)}
    text = docs.get(name) or docs.get(name.rpartition(".")[0], "")
    unit = _UNIT.search(text)
    return STEPS.get("Shore A" if text.startswith("Shore A") else unit[1] if unit else "")


def rounded(space: Space, values: Mapping[str, Any], steps: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Values rounded to their steps, inside their ranges; a step that leaves the range goes the other way.

    Args:
        space: The space.
        values: Values of a foot of it.
        steps: Steps by field, in the unit of the field; others follow from the unit (`STEPS`).

    Raises:
        InvalidInput: If a step is not a number above 0, or its field is not varied.
    """
    steps = steps or {}
    known = {dimension.name: dimension for dimension in space.dimensions}
    for name, step in steps.items():
        if name not in known:
            raise InvalidInput(f"step {name!r} is not a field that is varied: these are {', '.join(known)}")
        good = isinstance(step, int | float) and not isinstance(step, bool) and 0 < step < float("inf")
        require(good, f"step {name}", step, "a number above 0, in the unit of the field")
    found = dict(values)
    for name, value in values.items():
        dimension = known.get(name)
        step = None if dimension is None or dimension.kind != "float" else step_of(space, name, steps)
        if step is None or dimension is None or name == SCALE and name not in steps:
            continue
        near = sorted((round(value / step) + k for k in (-1, 0, 1)), key=lambda n: abs(n * step - value))
        inside = [n * step for n in near if dimension.low <= n * step <= dimension.high]
        # 12 digits, so that 3 * 0.0005 is 0.0015
        found[name] = float(f"{inside[0]:.12g}") if inside else value
    return found
