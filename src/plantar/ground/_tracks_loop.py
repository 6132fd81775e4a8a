"""The forces of a yielding ground point by point, compiled where Numba is installed.

It computes what `Tracks._press` does with NumPy, in one pass over the points instead of some sixty calls.
"""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np


@cache
def compiled() -> Callable[..., Any] | None:
    """The loop, or None without Numba."""
    if os.environ.get("PLANTAR_NO_NUMBA") or importlib.util.find_spec("numba") is None:
        return None
    import numba  # noqa: PLC0415  (extras `soft` and `foothold` bring it)

    return numba.njit(cache=True, nogil=True)(press_loop)


def press_loop(  # noqa: PLR0912, PLR0915  (one loop: calls would cost what it saves)
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
    """Forces and moments on bodies, the state of columns and points brought up to date.

    Args:
        soil: modulus, n, rebound, damping, shear stiffness, cohesion, friction, time step.
        corner: x and y of the grid's corner, side of a column.
        shape: Rows and columns of the grid.
        frames: Of each body: xmat (9), xpos (3), xipos (3), spin (3), velocity (3), point about which (3).
        of: Body of each point.
        place: Points in their bodies.
        normal: Outward directions there.
        whole: Areas.
        surface: Heights of columns before they yield.
        deepest: Deepest sinkage of columns.
        column: Column of each point in the last step.
        memory: Of each point: pressure, line, shear (2), place (3), whether it touched, area.
        stress: Force on each point (n, 3).
        total: Force and moment on each body (b, 6), written.

    Returns:
        Work done on the ground since the last call, and whether anything touches.
    """
    modulus, power, rebound, damping, stiffness, cohesion, friction, h = soil
    n = len(of)
    spot, speed = np.empty((n, 3)), np.empty((n, 3))
    area, lowered, here = np.empty(n), np.empty(n), np.empty(n, np.int64)
    outside = len(surface) - 1
    for i in range(n):
        frame, p = frames[of[i]], place[i]
        facing = 0.0
        for a in range(3):
            spot[i, a] = frame[9 + a] + frame[3 * a] * p[0] + frame[3 * a + 1] * p[1] + frame[3 * a + 2] * p[2]
            facing -= frame[6 + a] * normal[i, a]
        area[i] = whole[i] * max(facing, 0.0)
        x, y, z = spot[i, 0] - frame[21], spot[i, 1] - frame[22], spot[i, 2] - frame[23]
        speed[i, 0] = frame[18] + frame[16] * z - frame[17] * y
        speed[i, 1] = frame[19] + frame[17] * x - frame[15] * z
        speed[i, 2] = frame[20] + frame[15] * y - frame[16] * x
        across = math.floor((spot[i, 0] - corner[0]) / corner[2])
        along = math.floor((spot[i, 1] - corner[1]) / corner[2])
        inside = 0 <= across < shape[1] and 0 <= along < shape[0]
        here[i] = along * shape[1] + across if inside else outside
        level = surface[here[i]]
        lowered[i] = level
        depth = level - spot[i, 2]
        if here[i] != column[i] and column[i] >= 0 and depth > 0:
            deep = max(deepest[here[i]], depth)
            line = modulus * max(deep, 1e-6) ** (power - 1) / rebound
            wanted = max(0.0, modulus * deep**power - line * (deep - depth))
            most = memory[i, 0] * math.sqrt(line / memory[i, 1])
            if wanted > most:
                kept = (most / modulus) ** (1 / power)
                old = deepest[here[i]]
                if old > kept:
                    back = modulus * max(old, 1e-6) ** (power - 1) / rebound
                    kept = min(old - (modulus * old**power - most) / back, depth)
                lowered[i] = level - max(depth - kept, 0.0)
    for i in range(n):
        surface[here[i]] = min(surface[here[i]], lowered[i])
    for i in range(n):
        if area[i] > 0:
            depth = surface[here[i]] - spot[i, 2]
            deepest[here[i]] = max(deepest[here[i]], depth)
    total[:] = 0.0
    work, any_touch = 0.0, False
    for i in range(n):
        depth, deep = surface[here[i]] - spot[i, 2], deepest[here[i]]
        top = modulus * deep**power
        line = modulus * max(deep, 1e-6) ** (power - 1) / rebound
        now = max(0.0, top - line * (deep - depth))
        ahead = depth - h * speed[i, 2]
        later = modulus * ahead**power if ahead > deep else max(0.0, top - line * (deep - ahead))
        push = later * max(0.0, 1 - damping * speed[i, 2])
        touches = push > 0 and depth > 0 and area[i] > 0
        strength = (min(cohesion, now) + friction * now) / stiffness if touches else 0.0
        moved = memory[i, 7] > 0
        if moved:
            for a in range(3):
                work -= stress[i, a] * (spot[i, a] - memory[i, 4 + a])
        sx, sy = memory[i, 2], memory[i, 3]
        if moved:
            sx, sy = sx + spot[i, 0] - memory[i, 4], sy + spot[i, 1] - memory[i, 5]
        share = min(1.0, strength / max(math.sqrt(sx * sx + sy * sy), 1e-15))
        sx, sy = sx * share, sy * share
        memory[i, 2], memory[i, 3] = sx, sy
        sx, sy = sx + h * speed[i, 0], sy + h * speed[i, 1]
        share = min(1.0, strength / max(math.sqrt(sx * sx + sy * sy), 1e-15))
        stress[i, 0], stress[i, 1] = -stiffness * sx * share * area[i], -stiffness * sy * share * area[i]
        stress[i, 2] = push * area[i] if touches else 0.0
        memory[i, 0], memory[i, 1], memory[i, 8] = now if touches else 0.0, line, area[i]
        memory[i, 7] = 1.0 if touches else 0.0
        for a in range(3):
            memory[i, 4 + a] = spot[i, a]
        column[i] = here[i]
        if touches:
            any_touch = True
            frame, b = frames[of[i]], of[i]
            x, y, z = spot[i, 0] - frame[12], spot[i, 1] - frame[13], spot[i, 2] - frame[14]
            fx, fy, fz = stress[i]
            total[b, 0] += fx
            total[b, 1] += fy
            total[b, 2] += fz
            total[b, 3] += y * fz - z * fy
            total[b, 4] += z * fx - x * fz
            total[b, 5] += x * fy - y * fx
    return work, any_touch
