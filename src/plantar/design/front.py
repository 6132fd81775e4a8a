"""Which feet are worth considering: those on the Pareto front, and the one at its knee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plantar.design.evaluate import VIOLATION

Rows = Sequence[Mapping[str, Any]]


def usable(rows: Rows) -> list[Mapping[str, Any]]:
    """The rows whose feet were built and meet all limits."""
    return [row for row in rows if row[VIOLATION] <= 0]


def losses(rows: Rows, signs: Mapping[str, float]) -> np.ndarray:
    """Values to minimise (rows, goals)."""
    return np.array([[sign * row[label] for label, sign in signs.items()] for row in rows], float).reshape(
        -1, len(signs)
    )


def front_of(rows: Rows, signs: Mapping[str, float]) -> list[Mapping[str, Any]]:
    """The usable rows that no other usable row beats in one goal without losing in another, each once."""
    good = usable(rows)
    values = losses(good, signs)
    found, seen = [], set()
    for row, own in zip(good, values, strict=True):
        beaten = (values <= own).all(axis=1) & (values < own).any(axis=1)
        if not beaten.any() and tuple(own) not in seen:
            seen.add(tuple(own))
            found.append(row)
    return found


def ranked(rows: Rows, signs: Mapping[str, float]) -> list[Mapping[str, Any]]:
    """All usable rows, front after front; within a front those nearest to its knee first."""
    left, found = usable(rows), []
    while left:
        layer = front_of(left, signs)
        found += sorted(layer, key=_distance_in(layer, signs))
        names = {id(row) for row in layer}
        left = [row for row in left if id(row) not in names and not _same(row, layer, signs)]
    return found


def bend_of(front: Rows, signs: Mapping[str, float], tried: Rows | None = None) -> Mapping[str, Any]:
    """The row of a front nearest to the best of every goal.

    Args:
        front: The front.
        signs: By goal 1 if less is better, -1 if more is.
        tried: Feet whose spread is one unit of each goal; None takes the front alone.
    """
    return min(front, key=_distance_in(front, signs, tried))


def _distance_in(front: Rows, signs: Mapping[str, float], tried: Rows | None = None) -> Any:
    values = losses(front, signs)
    low, span = values.min(axis=0), np.ptp(losses(usable(tried or front), signs), axis=0)
    span = np.where(span > 0, span, 1.0)

    def distance(row: Mapping[str, Any]) -> tuple[float, int]:
        return float(np.linalg.norm((losses([row], signs)[0] - low) / span)), row["trial"]

    return distance


def _same(row: Mapping[str, Any], layer: Rows, signs: Mapping[str, float]) -> bool:
    own = losses([row], signs)[0]
    return bool((losses(layer, signs) == own).all(axis=1).any())
