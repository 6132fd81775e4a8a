"""The forces of a yielding ground with NumPy, for where Numba is not installed; `_tracks_loop` says what is what."""

from __future__ import annotations

import numpy as np


def press_arrays(
    soil: np.ndarray,
    corner: np.ndarray,
    shape: np.ndarray,
    frames: np.ndarray,
    of: np.ndarray,
    place: np.ndarray,
    normal: np.ndarray,
    whole: np.ndarray,
    surface: np.ndarray,
    deepest: np.ndarray,
    column: np.ndarray,
    memory: np.ndarray,
    stress: np.ndarray,
    total: np.ndarray,
) -> tuple[float, bool]:
    """As `press_loop`, on whole arrays."""
    modulus, n, rebound, damping, stiffness, cohesion, friction, h = soil

    def virgin(depth: np.ndarray) -> np.ndarray:
        return modulus * np.maximum(depth, 0.0) ** n

    def lines(deep: np.ndarray) -> np.ndarray:
        return modulus * np.maximum(deep, 1e-6) ** (n - 1) / rebound

    frame = frames[of]
    spot = np.einsum("nij,nj->ni", frame[:, :9].reshape(-1, 3, 3), place) + frame[:, 9:12]
    area = whole * np.maximum(0.0, -np.einsum("ni,ni->n", frame[:, 6:9], normal))
    speed = frame[:, 18:21] + np.cross(frame[:, 15:18], spot - frame[:, 21:])
    cell = np.floor((spot[:, :2] - corner[:2]) / corner[2]).astype(int)
    inside = ((cell >= 0) & (cell < shape[::-1])).all(axis=1)
    here = np.where(inside, cell[:, 1] * shape[1] + cell[:, 0], len(surface) - 1)
    _scour(here, column, spot, surface, deepest, memory, virgin, lines, (modulus, n))
    depth = surface[here] - spot[:, 2]
    np.maximum.at(deepest, here, np.where(area > 0, depth, 0.0))
    deep = deepest[here]
    top, line = virgin(deep), lines(deep)
    now = np.maximum(0.0, top - line * (deep - depth))
    # the pressure at the end of the step: explicit springs would else give back more than they took
    ahead = depth - h * speed[:, 2]
    later = np.where(ahead > deep, virgin(ahead), np.maximum(0.0, top - line * (deep - ahead)))
    push = later * np.maximum(0.0, 1 - damping * speed[:, 2])
    touches = (push > 0) & (depth > 0) & (area > 0)
    moved = np.where(memory[:, 7:8] > 0, spot - memory[:, 4:7], 0.0)
    work = -float((stress * moved).sum())
    most = np.where(touches, (np.minimum(cohesion, now) + friction * now) / stiffness, 0.0)
    shear = _shortened(memory[:, 2:4] + moved[:, :2], most)
    stress[:, :2] = -stiffness * _shortened(shear + h * speed[:, :2], most) * area[:, None]
    stress[:, 2] = np.where(touches, push * area, 0.0)
    parts = (np.where(touches, now, 0.0), line, shear, spot, touches, area)
    memory[:] = np.column_stack(parts)
    column[:] = here
    both = np.concatenate([stress, np.cross(spot - frame[:, 12:15], stress)], axis=1)
    total[:] = np.stack([np.bincount(of, both[:, i], len(total)) for i in range(6)], axis=1)
    return work, bool(touches.any())


def _scour(here, column, spot, surface, deepest, memory, virgin, lines, soil) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Push aside what a point that slides into another column would be lifted by."""
    depth = surface[here] - spot[:, 2]
    new = np.flatnonzero((here != column) & (depth > 0) & (column >= 0))
    if not len(new):
        return
    at, sunk = here[new], depth[new]
    old = deepest[at]
    deep = np.maximum(old, sunk)
    line = lines(deep)
    wanted = np.maximum(0.0, virgin(deep) - line * (deep - sunk))
    most = memory[new, 0] * np.sqrt(line / memory[new, 1])
    # the depth on the column's own curve at which it presses no more than that
    kept = (most / soil[0]) ** (1 / soil[1])
    relieved = np.minimum(old - (virgin(old) - most) / lines(old), sunk)
    lower = np.where(wanted > most, np.maximum(sunk - np.where(old > kept, relieved, kept), 0.0), 0.0)
    np.minimum.at(surface, at, surface[at] - lower)


def _shortened(vectors: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Vectors (n, 2) that are no longer than `most`."""
    length = np.sqrt((vectors**2).sum(axis=1))
    return vectors * np.minimum(1.0, most / np.maximum(length, 1e-15))[:, None]
