"""The foot that can be built: fields rounded to available increments, and the cost of rounding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from plantar._checks import require
from plantar._fields import field_rows
from plantar.design.dimension import Dimension
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
    """Values rounded to their steps, one field after the other, inside their ranges and what can be built.

    A step that leaves the range or ends at a foot that cannot be built goes the other way; where neither way is left,
    the value stays. Integers are rounded if a step is given for them.

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
        kind = known[name].kind
        require(kind != "choice", f"step {name}", step, f"no step, as {name} is one of {known[name].values}")
        require(kind != "int" or step == int(step), f"step {name}", step, f"an integer, as {name} is one")
    found = dict(values)
    for name, value in values.items():
        dimension = known.get(name)
        if dimension is None or (dimension.kind != "float" or name == SCALE) and name not in steps:
            continue
        step = step_of(space, name, steps)
        if step is not None:
            near = (one for one in _near(dimension, value, step) if space.why_not({**found, name: one}) is None)
            found[name] = next(near, value)
    return found


def _near(dimension: Dimension, value: float, step: float) -> list[Any]:
    """Multiples of a step beside a value that lie in the range, the nearest first."""
    near = sorted((round(value / step) + k for k in (-1, 0, 1)), key=lambda n: abs(n * step - value))
    whole = dimension.kind == "int"
    # 12 digits, so that 3 * 0.0005 is 0.0015
    multiples = [n * int(step) if whole else float(f"{n * step:.12g}") for n in near]
    return [one for one in multiples if dimension.low <= one <= dimension.high]
