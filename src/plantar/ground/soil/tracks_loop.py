"""The forces of a yielding ground as one loop over points, compiled with Numba where it is installed."""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

DATUM, DEEPEST, SQUEEZED, SHEARED, SHEAR, PLACE, ANCHOR, ANCHORED = 0, 1, 2, 3, 4, 6, 9, 11
"""Columns of a point's memory: height of its soil before it yielded [m], deepest sinkage [m], stored energies [J],
shear displacement (2) [m], place (3) [m], where it met its soil (2) [m], whether it has any."""
MEMORY = 12
"""Number of these columns."""
SOFTEST = 0.525
"""Relief is at least this times (n + 1) as stiff as the secant of first loading: just less than all springs back."""
EDGE = 1e-3
"""Surface that is steeper than this does not press: its share that looks down."""


@cache
def compiled() -> Callable[..., Any] | None:
    """The loop, or None without Numba."""
    if os.environ.get("PLANTAR_NO_NUMBA") or importlib.util.find_spec("numba") is None:
        return None
    import numba  # noqa: PLC0415  (extras `soft` and `foothold` bring it)

    return numba.njit(cache=True, nogil=True)(press_loop)


def press_loop(  # noqa: PLR0912, PLR0915  (one loop: calls would cost what it saves)
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
    """Forces and moments on bodies, the soil under every point brought up to date.

    Args:
        soil: modulus, n, rebound, damping, shear stiffness, cohesion, friction, grip, time step.
        passed: Whether time has passed since the last call; if not, points were put where they are by hand.
        frames: Of each body: xmat (9), xpos (3), xipos (3), spin (3), velocity (3), point about which (3).
        of: Body of each point.
        place: Points in their bodies.
        normal: Outward directions there.
        whole: Areas.
        limit: Stiffest relief that the time step bears under each point [Pa/m].
        corner: x and y of the grid's corner, side of a column.
        shape: Rows and columns of the grid.
        surface: Heights of columns before they yielded; read only.
        deepest: Deepest sinkage of columns; read only.
        memory: Of each point, see `MEMORY`.
        pose: Of each point, xmat of its body (9) and its place (3) when its soil last gave way; not a number if it has
            not yet.
        stress: Force on each point (n, 3).
        total: Force and moment on each body (b, 6), written.

    Returns:
        Work done on the ground since the last call, whether anything touches, and whether a point leaves its soil.
    """
    modulus, power, rebound, damping, stiffness, cohesion, friction, grip, h = soil
    total[:] = 0.0
    work, any_touch, any_leaves = 0.0, False, False
    spot, speed = np.empty(3), np.empty(3)
    for i in range(len(of)):
        frame, p, own, b = frames[of[i]], place[i], memory[i], of[i]
        facing = 0.0
        for a in range(3):
            spot[a] = frame[9 + a] + frame[3 * a] * p[0] + frame[3 * a + 1] * p[1] + frame[3 * a + 2] * p[2]
            facing -= frame[6 + a] * normal[i, a]
        area = whole[i] * facing if facing > EDGE else 0.0
        x, y, z = spot[0] - frame[21], spot[1] - frame[22], spot[2] - frame[23]
        speed[0] = frame[18] + frame[16] * z - frame[17] * y
        speed[1] = frame[19] + frame[17] * x - frame[15] * z
        speed[2] = frame[20] + frame[15] * y - frame[16] * x
        anchored = own[11] > 0
        if not anchored:
            own[0], own[1] = 0.0, 0.0
            quarter = math.sqrt(whole[i]) / 4
            for part in range(4):
                x, y = spot[0] + (2 * (part % 2) - 1) * quarter, spot[1] + (2 * (part // 2) - 1) * quarter
                across, along = math.floor((x - corner[0]) / corner[2]), math.floor((y - corner[1]) / corner[2])
                inside = 0 <= across < shape[1] and 0 <= along < shape[0]
                here = along * shape[1] + across if inside else len(surface) - 1
                own[0] += surface[here] / 4
                own[1] += deepest[here] / 4
        datum, old, lowered = own[0], own[1], False
        pushed = stress[i, 0] != 0.0 or stress[i, 1] != 0.0 or stress[i, 2] != 0.0
        dx, dy, dz = spot[0] - own[6], spot[1] - own[7], spot[2] - own[8]
        depth = datum - spot[2]
        down, level = -stress[i, 2] * dz, -(stress[i, 0] * dx + stress[i, 1] * dy)
        if area == 0.0 or (depth <= 0.0 and depth <= h * speed[2]):
            # in the air: nothing presses, nothing is stored
            if passed:
                work += down + level
            own[2], own[3], own[4], own[5] = 0.0, 0.0, 0.0, 0.0
            stress[i, 0], stress[i, 1], stress[i, 2] = 0.0, 0.0, 0.0
            own[6], own[7], own[8] = spot[0], spot[1], spot[2]
            far = (spot[0] - own[9]) ** 2 + (spot[1] - own[10]) ** 2 > grip * grip or depth < -grip
            if anchored and far:
                any_leaves = True
                own[11] = 2.0
            continue
        deep = max(old, depth)
        secant = modulus * max(deep, 1e-9) ** (power - 1)
        line = max(min(secant / rebound, limit[i]), SOFTEST * (power + 1) * secant)
        now = max(0.0, modulus * deep**power - line * (deep - depth))
        squeezed = area * now * now / (2 * line)
        most = own[2] + down
        if not passed:
            before = modulus * max(old, 1e-9) ** (power - 1)
            back = max(min(before / rebound, limit[i]), SOFTEST * (power + 1) * before)
            lost = modulus * (deep ** (power + 1) - old ** (power + 1)) / (power + 1)
            lost -= modulus**2 * (deep ** (2 * power) / line - old ** (2 * power) / back) / 2
            down = squeezed - own[2] + area * lost
        elif squeezed > most:
            # what would hold more than was put in gives way, until it holds that
            most = max(most, 0.0) / area
            fresh = (2 * most / (modulus * rebound)) ** (1 / (power + 1))
            fresh = min(fresh, (2 * most * limit[i] / modulus**2) ** (0.5 / power))
            fresh = max(fresh, (2 * most * SOFTEST * (power + 1) / modulus) ** (1 / (power + 1)))
            deep = max(fresh, old)
            secant = modulus * max(deep, 1e-9) ** (power - 1)
            line = max(min(secant / rebound, limit[i]), SOFTEST * (power + 1) * secant)
            if fresh >= old:
                depth, now = fresh, modulus * fresh**power
            else:
                now = math.sqrt(2 * most * line)
                depth = old - (modulus * old**power - now) / line
            datum, lowered = spot[2] + depth, True
            squeezed = area * now * now / (2 * line)
        ahead = depth - h * speed[2]
        top = modulus * deep**power
        later = modulus * ahead**power if ahead > deep else max(0.0, top - line * (deep - ahead))
        push = later * max(0.0, 1 - damping * speed[2])
        strength = (min(cohesion, now) + friction * now) / stiffness if push > 0 else 0.0
        sx, sy = own[4] + dx, own[5] + dy
        if not pushed:
            sx, sy = 0.0, 0.0
        length = math.sqrt(sx * sx + sy * sy)
        share = min(1.0, strength / max(length, 1e-15))
        sheared = area * stiffness * (share * length) ** 2 / 2
        if not passed:
            level = max(0.0, sheared - own[3])
        elif sheared > own[3] + level:
            share *= math.sqrt(max(0.0, own[3] + level) / max(sheared, 1e-300))
            sheared = area * stiffness * (share * length) ** 2 / 2
        sx, sy = sx * share, sy * share
        work += down + level
        own[0], own[1], own[2], own[3], own[4], own[5] = datum, deep, squeezed, sheared, sx, sy
        own[6], own[7], own[8] = spot[0], spot[1], spot[2]
        if not anchored and push > 0:
            own[9], own[10], own[11] = spot[0], spot[1], 1.0
            pose[i, 9] = math.nan
        if deep > old or lowered:
            pose[i, :9] = frame[:9]
            pose[i, 9:] = spot
        if own[11] > 0 and (spot[0] - own[9]) ** 2 + (spot[1] - own[10]) ** 2 > grip * grip:
            any_leaves = True
            own[11] = 2.0
        sx, sy = sx + h * speed[0], sy + h * speed[1]
        share = min(1.0, strength / max(math.sqrt(sx * sx + sy * sy), 1e-15))
        fx, fy, fz = -stiffness * sx * share * area, -stiffness * sy * share * area, push * area
        stress[i, 0], stress[i, 1], stress[i, 2] = fx, fy, fz
        if push > 0:
            any_touch = True
            x, y, z = spot[0] - frame[12], spot[1] - frame[13], spot[2] - frame[14]
            total[b, 0] += fx
            total[b, 1] += fy
            total[b, 2] += fz
            total[b, 3] += y * fz - z * fy
            total[b, 4] += z * fx - x * fz
            total[b, 5] += x * fy - y * fx
    return work, any_touch, any_leaves
