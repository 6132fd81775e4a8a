"""Functions that a search of designs is tested on; in a module of their own, as processes import them."""

from __future__ import annotations

import math
from typing import Any


def zdt1(config: dict[str, Any], seed: int) -> dict[str, Any]:
    """Zitzler, Deb and Thiele's first problem; its front is b = 1 - sqrt(a), all other fields at 0."""
    first, *others = config["values"].values()
    g = 1 + 9 * sum(others) / len(others)
    return {"a": first, "b": g * (1 - math.sqrt(first / g)), "violation": 0.0, "reason": ""}


def bnh(config: dict[str, Any], seed: int) -> dict[str, Any]:
    """Binh and Korn's problem with its two limits, on 0 to 5."""
    x, y = config["values"].values()
    excess = max(0.0, (x - 5) ** 2 + y**2 - 25) + max(0.0, 7.7 - (x - 8) ** 2 - (y + 3) ** 2)
    record = {"a": 4 * x**2 + 4 * y**2, "b": (x - 5) ** 2 + (y - 5) ** 2, "violation": excess}
    return {**record, "reason": "outside of a circle" if excess else ""}
