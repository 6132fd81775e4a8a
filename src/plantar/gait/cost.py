"""Costs that a gait can minimise: heat in the motors, mechanical work, or electrical energy."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

Cost = Literal["thermal", "work", "electrical"]
"""Thermal losses; positive work of each motor, without recovery; total electrical power drawn, heat included, where
one motor's braking may drive another but the battery recovers nothing."""

COSTS: tuple[Cost, ...] = get_args(Cost)


def slacks(cost: str, legs: int) -> int:
    """How many powers count only where they are positive; each needs a separate unknown."""
    return {"thermal": 0, "work": 2 * legs, "electrical": 1}[cost]


def powers(cost: str, torque: Any, speed: Any, factor: Any, total: Any) -> Any:
    """The powers of which the positive parts count, by NumPy or CasADi; `total` sums over the motors."""
    power = torque * speed
    return power if cost == "work" else total(power + factor * torque**2)


def drawn(cost: str, torque: np.ndarray, speed: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Power that counts, of many states at once (states, motors)."""
    if cost == "thermal":
        return (factor * torque**2).sum(axis=-1)
    found = powers(cost, torque, speed, factor, lambda p: p.sum(axis=-1, keepdims=True))
    return np.fmax(found, 0.0).sum(axis=-1)
