"""The forces of a yielding ground with NumPy, for where Numba is not installed; `_tracks_loop` says what is what."""

from __future__ import annotations

import numpy as np

from plantar.ground.soil.tracks_loop import (
    ANCHOR,
    ANCHORED,
    DATUM,
    DEEPEST,
    EDGE,
    PLACE,
    SHEAR,
    SHEARED,
    SOFTEST,
    SQUEEZED,
)


def press_arrays(
    soil: np.ndarray,
    passed: bool,
    frames: np.ndarray,
    of: np.ndarray,
    place: np.ndarray,
    normal: np.ndarray,
    whole: np.ndarray,
    limit: np.ndarray,
    corner: np.ndarray,
    shape: np.ndarray,
    surface: np.ndarray,
    deepest: np.ndarray,
    memory: np.ndarray,
    pose: np.ndarray,
    stress: np.ndarray,
    total: np.ndarray,
) -> tuple[float, bool, bool]:
    """As `press_loop`, on whole arrays."""
    modulus, n, rebound, damping, stiffness, cohesion, friction, grip, h = soil
    frame = frames[of]
    spot = np.einsum("nij,nj->ni", frame[:, :9].reshape(-1, 3, 3), place) + frame[:, 9:12]
    facing = -np.einsum("ni,ni->n", frame[:, 6:9], normal)
    area = np.where(facing > EDGE, whole * facing, 0.0)
    speed = frame[:, 18:21] + np.cross(frame[:, 15:18], spot - frame[:, 21:])
    _look(spot, whole, corner, shape, surface, deepest, memory)
    moved, pushed = spot - memory[:, PLACE : PLACE + 3], np.abs(stress).sum(axis=1) > 0
    down, level = -stress[:, 2] * moved[:, 2], -(stress[:, :2] * moved[:, :2]).sum(axis=1)
    depth = memory[:, DATUM] - spot[:, 2]
    air = (area == 0) | ((depth <= 0) & (depth <= h * speed[:, 2]))
    work = float((down + level)[air].sum()) if passed else 0.0
    memory[air, SQUEEZED : SHEAR + 2], stress[air] = 0.0, 0.0
    i = np.flatnonzero(~air)
    held, area, depth, speed, moved = memory[i], area[i], depth[i], speed[i], moved[i]
    state = _squeeze((modulus, n, rebound, limit[i]), held, area, depth, spot[i, 2], down[i] if passed else None)
    datum, depth, deep, now, line, squeezed, down = state
    ahead = depth - h * speed[:, 2]
    top = modulus * deep**n
    virgin = modulus * np.maximum(ahead, 0.0) ** n
    later = np.where(ahead > deep, virgin, np.maximum(0.0, top - line * (deep - ahead)))
    push = later * np.maximum(0.0, 1 - damping * speed[:, 2])
    most = np.where(push > 0, (np.minimum(cohesion, now) + friction * now) / stiffness, 0.0)
    shear = _shortened(np.where(pushed[i, None], held[:, SHEAR : SHEAR + 2] + moved[:, :2], 0.0), most)
    sheared = area * stiffness * (shear**2).sum(axis=1) / 2
    if passed:
        store = np.maximum(0.0, held[:, SHEARED] + level[i])
        shear *= np.sqrt(np.minimum(1.0, store / np.maximum(sheared, 1e-300)))[:, None]
        sheared, level = np.minimum(sheared, store), level[i]
    else:
        level = np.maximum(0.0, sheared - held[:, SHEARED])
    memory[i, :PLACE] = np.column_stack([datum, deep, squeezed, sheared, shear])
    memory[:, PLACE : PLACE + 3] = spot
    lands = i[(held[:, ANCHORED] == 0) & (push > 0)]
    memory[lands, ANCHOR : ANCHOR + 2], memory[lands, ANCHORED] = spot[lands, :2], 1.0
    pose[lands, 9] = np.nan
    deeper = i[(deep > held[:, DEEPEST]) | (datum != held[:, DATUM])]
    pose[deeper, :9], pose[deeper, 9:] = frame[deeper, :9], spot[deeper]
    stress[i, :2] = -stiffness * _shortened(shear + h * speed[:, :2], most) * area[:, None]
    stress[i, 2] = push * area
    far = ((spot[:, :2] - memory[:, ANCHOR : ANCHOR + 2]) ** 2).sum(axis=1) > grip**2
    far |= air & (memory[:, DATUM] - spot[:, 2] < -grip)
    leaves = far & (memory[:, ANCHORED] > 0)
    memory[leaves, ANCHORED] = 2.0
    both = np.concatenate([stress, np.cross(spot - frame[:, 12:15], stress)], axis=1)
    total[:] = np.stack([np.bincount(of, both[:, k], len(total)) for k in range(6)], axis=1)
    return work + float((down + level).sum()), bool((push > 0).any()), bool(leaves.any())


def _look(spot, whole, corner, shape, surface, deepest, memory) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Points without soil see what the grid holds under them, the mean of four places of their share of the sole."""
    free = np.flatnonzero(memory[:, ANCHORED] == 0)
    quarter = np.sqrt(whole[free]) / 4
    memory[free, DATUM] = memory[free, DEEPEST] = 0.0
    for part in range(4):
        x, y = (spot[free, k] + (2 * side - 1) * quarter for k, side in enumerate((part % 2, part // 2)))
        cell = np.floor((np.stack([x, y], axis=1) - corner[:2]) / corner[2]).astype(int)
        inside = ((cell >= 0) & (cell < shape[::-1])).all(axis=1)
        here = np.where(inside, cell[:, 1] * shape[1] + cell[:, 0], len(surface) - 1)
        memory[free, DATUM] += surface[here] / 4
        memory[free, DEEPEST] += deepest[here] / 4


def _squeeze(soil, held, area, depth, height, down) -> tuple[np.ndarray, ...]:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """The soil under points at given depths, which holds no more than it had and the work `down`."""
    modulus, n, rebound, limit = soil

    def lines(deep: np.ndarray, limit: np.ndarray = limit) -> np.ndarray:
        secant = modulus * np.maximum(deep, 1e-9) ** (n - 1)
        return np.maximum(np.minimum(secant / rebound, limit), SOFTEST * (n + 1) * secant)

    old, datum = held[:, DEEPEST], held[:, DATUM].copy()
    deep = np.maximum(old, depth)
    line = lines(deep)
    now = np.maximum(0.0, modulus * deep**n - line * (deep - depth))
    squeezed = area * now**2 / (2 * line)
    if down is None:
        lost = modulus * (deep ** (n + 1) - old ** (n + 1)) / (n + 1)
        lost -= modulus**2 * (deep ** (2 * n) / line - old ** (2 * n) / lines(old)) / 2
        return datum, depth, deep, now, line, squeezed, squeezed - held[:, SQUEEZED] + area * lost
    over = np.flatnonzero(squeezed > held[:, SQUEEZED] + down)
    if len(over):
        most = np.maximum(held[over, SQUEEZED] + down[over], 0.0) / area[over]
        stiff, before = limit[over], old[over]
        fresh = (2 * most / (modulus * rebound)) ** (1 / (n + 1))
        fresh = np.minimum(fresh, (2 * most * stiff / modulus**2) ** (0.5 / n))
        fresh = np.maximum(fresh, (2 * most * SOFTEST * (n + 1) / modulus) ** (1 / (n + 1)))
        back = lines(before, stiff)
        relieved = before - (modulus * before**n - np.sqrt(2 * most * back)) / back
        deep[over] = np.maximum(fresh, before)
        depth = depth.copy()
        depth[over] = np.where(fresh >= before, fresh, relieved)
        line = lines(deep)
        now[over] = np.where(fresh >= before, modulus * fresh**n, np.sqrt(2 * most * back))
        datum[over] = height[over] + depth[over]
        squeezed = area * now**2 / (2 * line)
    return datum, depth, deep, now, line, squeezed, down


def _shortened(vectors: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Vectors (n, 2) that are no longer than `most`."""
    length = np.sqrt((vectors**2).sum(axis=1))
    return vectors * np.minimum(1.0, most / np.maximum(length, 1e-15))[:, None]
