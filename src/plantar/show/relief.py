"""Maps as shapes: a surface in bands of colour, by its height or by the cost of stepping there."""

from __future__ import annotations

import numpy as np

from plantar.show import shapes
from plantar.show.clip import Shape

BANDS = 12
"""Colours of a surface."""
LOW, MIDDLE, HIGH = np.array([0.16, 0.38, 0.62]), np.array([0.62, 0.74, 0.62]), np.array([0.93, 0.87, 0.62])
"""Colours from low to high that colour-blind readers can tell apart."""
UNKNOWN = np.array([0.55, 0.55, 0.58])
"""Colour of what has no value."""


def relief(
    name: str, x: np.ndarray, y: np.ndarray, heights: np.ndarray, values: np.ndarray | None = None
) -> tuple[Shape, ...]:
    """The surface over a grid, coloured in bands from low to high; cells that were not seen are holes.

    Args:
        name: Name of the shapes.
        x: Places of the columns [m].
        y: Places of the rows [m].
        heights: Heights (rows, columns) [m]; NaN: not seen.
        values: Values shown by colour (rows, columns); the heights by default. NaN is grey.
    """
    values = heights if values is None else values
    mesh = shapes.surface(x, y, heights)
    tint = shapes.surface(x, y, values).corners[:, 2]
    seen = np.isfinite(mesh.corners[mesh.faces]).all(axis=(1, 2))
    faces, level = mesh.faces[seen], tint[mesh.faces[seen]].mean(axis=1)
    known = level[np.isfinite(level)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    share = (level - low) / max(high - low, 1e-9)
    band = np.where(np.isfinite(share), np.clip(share * BANDS, 0, BANDS - 1), -1).astype(int)
    return tuple(_band(name, k, mesh, faces[band == k]) for k in np.unique(band))


def _band(name: str, k: int, mesh: shapes.Mesh, faces: np.ndarray) -> Shape:
    used, index = np.unique(faces, return_inverse=True)
    share = k / (BANDS - 1)
    mixed = LOW + (MIDDLE - LOW) * 2 * share if share < 0.5 else MIDDLE + (HIGH - MIDDLE) * (2 * share - 1)
    rgb = UNKNOWN if k < 0 else mixed
    return Shape(
        name=f"{name}/band {k}",
        corners=mesh.corners[used],
        faces=index.reshape(-1, 3),
        places=np.zeros((1, 1, 3)),
        turns=np.array([[[1.0, 0, 0, 0]]]),
        sizes=np.ones((1, 1, 3)),
        colours=np.array([[[*rgb, 1.0]]]),
        open=True,
    )
