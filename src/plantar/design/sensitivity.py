"""The effect of each field: how much of the variance of a measure it explains, alone and together with another.

A polynomial of second order in orthonormal Legendre polynomials (contrasts for choices) is fitted to the feet that were
tried; the squares of its coefficients are then the shares of the variance over the whole space that belong to each
field and each pair (polynomial chaos; B. Sudret, Reliability Engineering and System Safety 93, 2008). A ridge term,
chosen by leaving one foot out at a time, keeps few feet from explaining too much; the same leaving out says how much of
the spread the polynomial predicts, and where that is little, the fractions mean nothing and are reported as such.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plantar.design.dimension import Dimension
from plantar.design.front import usable
from plantar.design.space import Space

RIDGES = tuple(10.0**k for k in range(-6, 3))
"""Ridge terms to choose from."""
TRUSTED = 0.5
"""Effects are reported if the polynomial predicts at least this fraction of the variance of held-out feet."""
MOST_VALUES = 1000
"""An integer with more values than this is taken for a number."""
FEWEST = 8
"""Smallest number of feet for a fit."""


def sensitivity(space: Space, rows: Sequence[Mapping[str, Any]], label: str) -> list[dict[str, Any]]:
    """One row per field and pair of fields: the share of the variance of a measure over the space that it explains.

    Args:
        space: The space that was searched; fields that do not always count are at the middle where they do not.
        rows: Feet that were tried.
        label: Column of the measure.

    Returns:
        Rows `measure`, `field`, `with` (empty for a field alone), `share`, `slope` (change of the measure from the low
        to the high end, other fields averaged; of a field that is a number), `predicted` (share of the spread of feet
        left out that is predicted, the same in all rows) and `trusted`. None where there are too few feet.
    """
    good = [row for row in usable(rows) if math.isfinite(row[label])]
    y = np.array([row[label] for row in good])
    if len(good) < FEWEST or np.ptp(y) == 0:
        return []
    columns, owners = _design_matrix(space, good)
    coefficients, predicted = _fit(columns, y)
    total = float(np.sum(coefficients[1:] ** 2)) or 1.0
    found: dict[tuple[int, ...], float] = {}
    for owner, c in zip(owners, coefficients, strict=True):
        if owner:
            found[owner] = found.get(owner, 0.0) + float(c**2) / total
    out = []
    for owner, share in sorted(found.items(), key=lambda item: -item[1]):
        first, *other = (space.dimensions[i] for i in owner)
        slope = None
        if not other and first.kind != "choice":
            at = [k for k, one in enumerate(owners) if one == owner]
            low, high = functions(first, np.array([0.0, 1.0]))
            slope = float(coefficients[at] @ (high - low))
        about = {"measure": label, "field": first.name, "with": other[0].name if other else "", "share": share}
        out.append({**about, "slope": slope, "predicted": predicted, "trusted": predicted >= TRUSTED})
    return out


def _design_matrix(space: Space, rows: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Columns of the polynomial, and the fields that each belongs to; the first is the constant."""
    basis = [_basis(dimension, rows) for dimension in space.dimensions]
    columns: list[np.ndarray] = [np.ones(len(rows))]
    owners: list[tuple[int, ...]] = [()]
    for i, own in enumerate(basis):
        columns += list(own.T)
        owners += [(i,)] * own.shape[1]
    for i, j in itertools.combinations(range(len(basis)), 2):
        for a in (0,) if space.dimensions[i].kind != "choice" else range(basis[i].shape[1]):
            for b in (0,) if space.dimensions[j].kind != "choice" else range(basis[j].shape[1]):
                columns.append(basis[i][:, a] * basis[j][:, b])
                owners.append((i, j))
    return np.stack(columns, axis=1), owners


def _basis(dimension: Dimension, rows: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Orthonormal functions of one field at each row (rows, functions), the straight one first."""
    there = [row.get(dimension.name) for row in rows]
    if dimension.kind == "choice":
        k = len(dimension.values)
        # columns of a basis of what sums to 0, each with mean square 1 over the values
        contrasts = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, : k - 1]]))[0][:, 1:] * math.sqrt(k)
        return np.array([np.zeros(k - 1) if v is None else contrasts[dimension.number_of(v)] for v in there])
    return functions(dimension, np.array([0.5 if v is None else dimension.place(v) for v in there]))


def functions(dimension: Dimension, places: np.ndarray) -> np.ndarray:
    """Orthonormal functions of a number at places from 0 to 1 (places, functions), the straight one first.

    They are Legendre's over a range, and their like over the values of an integer, whose ends weigh more: of 4 and 5
    both lie at an end, and the mean square of Legendre's first is 3 in place of 1.
    """
    x = 2 * places - 1
    powers = np.stack([np.ones_like(x), x, x**2], axis=1)
    count = round(dimension.high) - round(dimension.low) + 1 if dimension.kind == "int" else MOST_VALUES + 1
    if count > MOST_VALUES:
        return np.stack([math.sqrt(3) * x, math.sqrt(5) * (3 * x**2 - 1) / 2], axis=1)
    values = np.arange(round(dimension.low), round(dimension.high) + 1)
    own = 2 * np.array([dimension.place(int(v)) for v in values]) - 1
    degree = min(2, count - 1)
    triangle = np.linalg.qr(np.stack([np.ones_like(own), own, own**2], axis=1)[:, : degree + 1])[1]
    triangle *= np.sign(np.diag(triangle))[:, None] / math.sqrt(count)
    return np.linalg.solve(triangle.T, powers[:, : degree + 1].T).T[:, 1:]


def _fit(columns: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Coefficients with the ridge that predicts left-out rows best, and the share of their spread it predicts."""
    mean, span = float(y.mean()), float(y.std())
    target = (y - mean) / span
    best: tuple[float, np.ndarray] | None = None
    penalty = np.diag([0.0] + [1.0] * (columns.shape[1] - 1))
    for ridge in RIDGES:
        gram = columns.T @ columns + ridge * len(y) * penalty
        solved = np.linalg.pinv(gram) @ columns.T
        hat = np.einsum("ij,ji->i", columns, solved)
        errors = (target - columns @ (solved @ target)) / np.maximum(1 - hat, 1e-9)
        score = float(np.mean(errors**2))
        if best is None or score < best[0]:
            best = score, solved @ target
    assert best is not None
    score, coefficients = best
    coefficients = coefficients * span
    coefficients[0] += mean
    return coefficients, max(0.0, 1 - score * len(y) / (len(y) - 1))
