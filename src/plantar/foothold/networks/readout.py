"""Interpretation of a network's output: class, cost and probability of every cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar.foothold.classes import to_classes
from plantar.foothold.cost import INFEASIBLE, WORST

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Reading:
    """Predicted maps (n, rows, columns)."""

    classes: Array
    """Cost class, uint8."""
    cost: Array
    """Cost to choose by, 0 to 255, float32."""
    feasible: Array
    """Cells that may be chosen."""

    def __len__(self) -> int:
        return len(self.cost)


def read_costs(out: Array, edges: Array, threshold: float = 0.5) -> Reading:
    """Read cost and probability (n, 2 + heads, rows, columns), the output of our network.

    The cost to choose by is the expected cost: the cost if it is a foothold, 255 if not, each with its
    probability. Cells below `threshold` are not chosen at all.
    """
    cost = np.clip(255 * out[:, 0], 0, WORST)
    with np.errstate(over="ignore"):
        chance = 1 / (1 + np.exp(-out[:, 1]))
    classes = np.where(chance > 0.5, to_classes(cost, edges), len(edges) - 1).astype(np.uint8)
    expected = chance * cost + (1 - chance) * INFEASIBLE
    return Reading(classes, expected.astype(np.float32), chance > threshold)


def read_classes(q: Array, costs: Array, *, expected: bool = False) -> Reading:
    """Read probabilities or scores of classes (n, classes, rows, columns), the output of the paper's networks.

    The class is the likeliest one, its cost the mean cost of the class; the last class holds the cells that are not
    footholds and is not chosen.

    Args:
        q: Probabilities; for `expected` they must sum to 1.
        costs: Mean cost of each class.
        expected: Whether the cost to choose by is the mean over the classes instead, which the paper does not do.
    """
    classes = q.argmax(axis=1).astype(np.uint8)
    values = np.asarray(costs, np.float32)
    cost = np.einsum("ncij,c->nij", q, values) if expected else values[classes]
    return Reading(classes, cost.astype(np.float32), classes < len(values) - 1)
