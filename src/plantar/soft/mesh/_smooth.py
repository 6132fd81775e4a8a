"""Better shaped elements: nodes move towards their neighbours where no element gets worse for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plantar.soft.mesh.mesh import Floats, Ints
from plantar.soft.mesh.quality import EDGES, mean_ratio

Shape = Callable[[Floats], Floats]


def smoothed(
    nodes: Floats,
    tets: Ints,
    on_surface: np.ndarray,
    shape: Shape,
    spacing: float,
    passes: int,
    fixed: np.ndarray | None = None,
) -> Floats:
    """Nodes after some passes; those on the surface slide along it, `fixed` ones stay."""
    pairs = np.unique(np.sort(tets[:, EDGES].reshape(-1, 2), axis=1), axis=0)
    # a node of the surface follows its neighbours on the surface only
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    pairs = pairs[~on_surface[pairs[:, 0]] | on_surface[pairs[:, 1]]]
    count = np.bincount(pairs[:, 0], minlength=len(nodes))
    for _ in range(passes):
        target = np.stack([np.bincount(pairs[:, 0], nodes[pairs[:, 1], i], len(nodes)) for i in range(3)], axis=1)
        moved = nodes + 0.5 * (target / np.maximum(count, 1)[:, None] - nodes)
        moved[on_surface] = _project(moved[on_surface], shape, spacing)
        if fixed is not None:
            moved[fixed] = nodes[fixed]
        nodes = _keep_good(nodes, moved, tets)
    return nodes


def _project(points: Floats, shape: Shape, spacing: float) -> Floats:
    """Points moved along the gradient to where the shape is 0."""
    step = 1e-4 * spacing
    for _ in range(3):
        value = shape(points)
        slope = np.stack([(shape(points + step * e) - value) / step for e in np.eye(3)], axis=1)
        squared = np.einsum("ij,ij->i", slope, slope)
        points = points - (value / np.where(squared > 1e-12, squared, np.inf))[:, None] * slope
    return points


def _keep_good(nodes: Floats, moved: Floats, tets: Ints) -> Floats:
    """The moved nodes, except those that would make a poor element worse."""
    before = mean_ratio(nodes, tets)
    stay = np.zeros(len(nodes), bool)
    for _ in range(20):
        now = np.where(stay[:, None], nodes, moved)
        worse = mean_ratio(now, tets) < np.minimum(before, 0.55)
        free = tets[worse & ~stay[tets].all(axis=1)]
        if not free.size:
            return now
        stay[free] = True
    return np.where(stay[:, None], nodes, moved) if not _any_worse(nodes, moved, stay, tets, before) else nodes


def _any_worse(nodes: Floats, moved: Floats, stay: np.ndarray, tets: Ints, before: Floats) -> bool:
    now = np.where(stay[:, None], nodes, moved)
    return bool((mean_ratio(now, tets) < np.minimum(before, 0.55)).any())
