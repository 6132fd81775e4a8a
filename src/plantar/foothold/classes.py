"""Costs as classes: ranges that each hold a fraction of all cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from plantar._arguments import checks_arguments
from plantar._checks import require


@checks_arguments
def class_edges(costs: ArrayLike, share: float = 0.05) -> np.ndarray:
    """Upper ends of cost ranges, filled in ascending order until each holds more than `share` of all cells.

    As in the paper: cells are added to a range in the order of their cost until it holds more than the share;
    its right end is the cost of the last one, and the next range begins there. A range contains its right end,
    so that equal costs are never split: many infeasible cells, all at 255, are one class.

    Args:
        costs: Costs of all cells of a training set, any shape.
        share: Fraction of all cells in a class.

    Returns:
        Rising right ends; class k holds costs above edge k - 1 up to edge k.
    """
    values = np.sort(np.asarray(costs, dtype=float).ravel())
    require(values.size > 0 and bool(np.isfinite(values).all()), "costs", values.size, "finite costs, at least one")
    require(0 < share <= 1, "share", share, "a fraction above 0, 1 at most")
    least = int(np.floor(share * values.size)) + 1
    edges, start = [], 0
    while start < values.size:
        edge = values[min(start + least, values.size) - 1]
        edges.append(edge)
        start = int(np.searchsorted(values, edge, side="right"))
    return np.array(edges)


@checks_arguments
def to_classes(costs: ArrayLike, edges: ArrayLike) -> np.ndarray:
    """Class of every cost (uint8); those above the last edge belong to the last class."""
    ends = np.asarray(edges, dtype=float)
    require(ends.ndim == 1 and len(ends) > 0, "edges", ends.shape, "a list of one or more")
    found = np.searchsorted(ends, np.asarray(costs, dtype=float), side="left")
    return np.minimum(found, len(ends) - 1).astype(np.uint8)


@checks_arguments
def class_costs(costs: ArrayLike, edges: ArrayLike) -> np.ndarray:
    """Mean cost of each class, to turn classes back into costs; the range's end where a class is empty."""
    values, ends = np.asarray(costs, dtype=float).ravel(), np.asarray(edges, dtype=float)
    found = to_classes(values, ends)
    counts = np.bincount(found, minlength=len(ends))
    sums = np.bincount(found, weights=values, minlength=len(ends))
    return np.where(counts > 0, sums / np.maximum(counts, 1), ends)


@checks_arguments
def class_weights(classes: ArrayLike, count: int) -> np.ndarray:
    """Weights that make all classes count the same, of mean 1 over the cells; 0 for a class that does not occur."""
    given = np.asarray(classes).ravel()
    ok = given.dtype.kind in "iu" and given.size > 0 and given.min() >= 0
    require(bool(ok), "classes", classes, "numbers of classes, 0 or more")
    require(count > 0, "count", count, "how many classes there are")
    found = np.bincount(given, minlength=count).astype(float)
    there = found > 0
    return np.where(there, found.sum() / (there.sum() * np.maximum(found, 1)), 0.0)
