"""The forces of yielding ground on the feet of one world, a loop over the points of their soles.

Compiled with `law.py` by Numba or Warp. Besides the arrays of `law.py`:

- `frames`: of each body, xmat (9), xpos (3), xipos (3), spin (3), velocity (3), point about which (3).
- `of`, `patch`: body and patch of each point; a patch is a connected piece of a sole.
- `points`: of each point, place (3), outward direction (3) and two half edges of its share of the sole (3, 3), in its
  body, its area, and the stiffest relief that the time step bears under it.
- `sums`: of each patch, moments of what touches (6), its modulus and its equivalent diameter.
- `total`: force and moment on each body, written.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from plantar.ground.soil.law import (
    ANCHOR,
    COHESION,
    DAMPING,
    DATUM,
    DEEP,
    FLOW,
    FORCE,
    FRICTION,
    GRIP,
    HELD,
    NEAR,
    PLACE,
    POWER,
    PRINT,
    SHEAR,
    STEP,
    STIFF,
    STORED,
    against,
    at_rest,
    leave,
    look,
    modulus,
    relief,
)

AREA, LIMIT, POINT = 12, 13, 14
"""Columns of `points`, and their number."""
MODULUS, WIDTH, SUMS = 6, 7, 8
"""Columns of `sums` after its moments, and their number."""
EDGE = 1.0e-3
"""A surface that faces down less than this does not carry."""


def turn(frames: Any, b: int, points: Any, i: int, first: int) -> tuple[float, float, float]:
    """A vector of a point in the frame of its body, in that of the world."""
    x, y, z = points[i, first], points[i, first + 1], points[i, first + 2]
    a = frames[b, 0] * x + frames[b, 1] * y + frames[b, 2] * z
    c = frames[b, 3] * x + frames[b, 4] * y + frames[b, 5] * z
    return a, c, frames[b, 6] * x + frames[b, 7] * y + frames[b, 8] * z


def find(
    soil: Any,
    frames: Any,
    of: Any,
    patch: Any,
    points: Any,
    corner: Any,
    shape: Any,
    surface: Any,
    deepest: Any,
    memory: Any,
    sums: Any,
) -> None:
    """Find which points touch, and the size of what touches in each patch."""
    for g in range(sums.shape[0]):
        for k in range(6):
            sums[g, k] = 0.0
    for i in range(of.shape[0]):
        b = of[i]
        x, y, z = turn(frames, b, points, i, 0)
        x, y, z = x + frames[b, 9], y + frames[b, 10], z + frames[b, 11]
        held = memory[i, HELD]
        if held == 0.0:
            # the ground is nowhere higher than it was, at 0
            if z >= 0.0:
                continue
            memory[i, DATUM] = look(corner, shape, surface, x, y)
            memory[i, DEEP] = look(corner, shape, deepest, x, y)
        nx, ny, nz = turn(frames, b, points, i, 3)
        if memory[i, DATUM] <= z or nz > -EDGE:
            continue
        into = (x - memory[i, PLACE]) * nx + (y - memory[i, PLACE + 1]) * ny + (z - memory[i, PLACE + 2]) * nz
        if held > 0.0 and memory[i, NEAR] + into <= 0.0:
            continue
        area = -nz * points[i, AREA]
        u, v = x - frames[0, 9], y - frames[0, 10]
        g = patch[i]
        sums[g, 0] += area
        sums[g, 1] += area * u
        sums[g, 2] += area * v
        sums[g, 3] += area * (u * u + area / 12.0)
        sums[g, 4] += area * u * v
        sums[g, 5] += area * (v * v + area / 12.0)
    for g in range(sums.shape[0]):
        area = sums[g, 0]
        if area > 0.0:
            u, v = sums[g, 1] / area, sums[g, 2] / area
            across, along, both = sums[g, 3] / area - u * u, sums[g, 5] / area - v * v, sums[g, 4] / area - u * v
            spread = max(across, 0.0) + max(along, 0.0) + 2.0 * sqrt(max(across * along - both * both, 0.0))
            # four times the area over the girth, of the ellipse with these moments: a disc has its diameter
            sums[g, WIDTH] = max(2.0 * area / (3.14159265 * sqrt(max(spread, 1.0e-18))), 1.0e-3)
            sums[g, MODULUS] = modulus(soil, sums[g, WIDTH])


def shorten(x: float, y: float, z: float, most: float) -> tuple[float, float, float]:
    """A vector that is no longer than `most`."""
    share = min(1.0, most / max(sqrt(x * x + y * y + z * z), 1.0e-15))
    return x * share, y * share, z * share


def press(
    soil: Any,
    passed: int,
    frames: Any,
    of: Any,
    patch: Any,
    points: Any,
    corner: Any,
    shape: Any,
    surface: Any,
    deepest: Any,
    memory: Any,
    sums: Any,
    total: Any,
) -> tuple[float, int]:
    """Forces and moments on bodies, the soil under every point brought up to date.

    `passed` is 1 if time has passed since the last call; if not, points were put where they are by hand. Returns the
    work done on the ground since then, and whether anything touches.
    """
    for b in range(total.shape[0]):
        for k in range(6):
            total[b, k] = 0.0
    find(soil, frames, of, patch, points, corner, shape, surface, deepest, memory, sums)
    work = float(0.0)  # noqa: UP018  (Warp changes no plain number in a loop)
    touching = int(0)  # noqa: UP018
    for i in range(of.shape[0]):
        b = of[i]
        x, y, z = turn(frames, b, points, i, 0)
        x, y, z = x + frames[b, 9], y + frames[b, 10], z + frames[b, 11]
        scale = sums[patch[i], MODULUS]
        done = point(soil, passed, frames, b, points, i, corner, shape, surface, deepest, memory, scale, x, y, z)
        work += done
        fx, fy, fz = memory[i, FORCE], memory[i, FORCE + 1], memory[i, FORCE + 2]
        if fx != 0.0 or fy != 0.0 or fz != 0.0:
            touching = 1
            x, y, z = x - frames[b, 12], y - frames[b, 13], z - frames[b, 14]
            total[b, 0] += fx
            total[b, 1] += fy
            total[b, 2] += fz
            total[b, 3] += y * fz - z * fy
            total[b, 4] += z * fx - x * fz
            total[b, 5] += x * fy - y * fx
    return work, touching


def lift(memory: Any, corner: Any, shape: Any, surface: Any, deepest: Any) -> None:
    """Let all points leave their soil."""
    for i in range(memory.shape[0]):
        memory[i, STORED] = 0.0
        if memory[i, HELD] > 0.0:
            leave(memory, i, corner, shape, surface, deepest)


def rest(memory: Any, i: int, x: float, y: float, z: float) -> None:
    """A point that presses nothing, at a place."""
    memory[i, STORED] = 0.0
    for k in range(3):
        memory[i, SHEAR + k] = 0.0
        memory[i, FORCE + k] = 0.0
    memory[i, PLACE] = x
    memory[i, PLACE + 1] = y
    memory[i, PLACE + 2] = z


def velocity(frames: Any, b: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Velocity of a place of a body."""
    x, y, z = x - frames[b, 21], y - frames[b, 22], z - frames[b, 23]
    vx = frames[b, 18] + frames[b, 16] * z - frames[b, 17] * y
    vy = frames[b, 19] + frames[b, 17] * x - frames[b, 15] * z
    return vx, vy, frames[b, 20] + frames[b, 15] * y - frames[b, 16] * x


def point(  # noqa: PLR0915  (elements are written one by one)
    soil: Any,
    passed: int,
    frames: Any,
    b: int,
    points: Any,
    i: int,
    corner: Any,
    shape: Any,
    surface: Any,
    deepest: Any,
    memory: Any,
    scale: float,
    x: float,
    y: float,
    z: float,
) -> float:
    """Bring the soil under one point up to date; its force goes into `memory`. Returns the work done on the soil."""
    area, limit, h, grip = points[i, AREA], points[i, LIMIT], soil[STEP], soil[GRIP]
    dx, dy, dz = x - memory[i, PLACE], y - memory[i, PLACE + 1], z - memory[i, PLACE + 2]
    done = -float(passed) * (memory[i, FORCE] * dx + memory[i, FORCE + 1] * dy + memory[i, FORCE + 2] * dz)
    held = memory[i, HELD]
    if held == 0.0 and z >= 0.0:
        rest(memory, i, x, y, z)
        return done
    ax, ay = x - memory[i, ANCHOR], y - memory[i, ANCHOR + 1]
    if held > 0.0 and ax * ax + ay * ay > grip * grip:
        # different soil, as it has slid away from its own
        leave(memory, i, corner, shape, surface, deepest)
        memory[i, DATUM] = look(corner, shape, surface, x, y)
        memory[i, DEEP] = look(corner, shape, deepest, x, y)
        room = memory[i, DATUM] - z - at_rest(soil, scale, memory[i, DEEP], limit)
        memory[i, NEAR] = min(memory[i, NEAR], room)
        memory[i, ANCHOR] = x
        memory[i, ANCHOR + 1] = y
    depth = memory[i, DATUM] - z
    nx, ny, nz = turn(frames, b, points, i, 3)
    vx, vy, vz = velocity(frames, b, x, y, z)
    into = dx * nx + dy * ny + dz * nz
    near = memory[i, NEAR] + into
    wx, wy = memory[i, FLOW] + dx, memory[i, FLOW + 1] + dy
    # soil that springs back and is pressed again has not been pushed anywhere
    wz = memory[i, FLOW + 2] - max(0.0, min(-dz, depth - memory[i, DEEP]))
    if held == 0.0:
        room = depth - at_rest(soil, scale, memory[i, DEEP], limit)
        if room <= 0.0:
            rest(memory, i, x, y, z)
            return done
        near = min(max(into, 0.0), room)
        wx, wy, wz = h * vx, h * vy, min(h * vz, 0.0)
        if passed == 0:
            wx, wy, wz = 0.0, 0.0, -grip
        memory[i, ANCHOR] = x
        memory[i, ANCHOR + 1] = y
        # no shear yet: what it moved in this step is taken off again below
        memory[i, SHEAR] = -dx
        memory[i, SHEAR + 1] = -dy
        memory[i, SHEAR + 2] = -dz
    elif near < -grip or depth < grip * min(nz, 0.0):
        leave(memory, i, corner, shape, surface, deepest)
        rest(memory, i, x, y, z)
        return done
    wx, wy, wz = shorten(wx, wy, wz, grip)
    memory[i, FLOW] = wx
    memory[i, FLOW + 1] = wy
    memory[i, FLOW + 2] = wz
    memory[i, HELD] = 1.0
    memory[i, NEAR] = near
    if near <= 0.0 and near + h * (vx * nx + vy * ny + vz * nz) <= 0.0:
        rest(memory, i, x, y, z)
        return done
    if depth > memory[i, DEEP] and nz < 0.0:
        memory[i, PRINT] = 1.0
        memory[i, PRINT + 1] = x
        memory[i, PRINT + 2] = y
        for k in range(2):
            ux, uy, uz = turn(frames, b, points, i, 6 + 3 * k)
            memory[i, PRINT + 3 + 3 * k] = ux
            memory[i, PRINT + 4 + 3 * k] = uy
            memory[i, PRINT + 5 + 3 * k] = uz
    share = scale * against(soil, nx, ny, nz, wx, wy, wz)
    line = relief(soil, scale, max(memory[i, DEEP], depth), limit)
    return answer(soil, passed, memory, i, area, depth, share, line, done, x, y, z, nx, ny, nz, vx, vy, vz)


def answer(
    soil: Any,
    passed: int,
    memory: Any,
    i: int,
    area: float,
    depth: float,
    scale: float,
    line: float,
    done: float,
    x: float,
    y: float,
    z: float,
    nx: float,
    ny: float,
    nz: float,
    vx: float,
    vy: float,
    vz: float,
) -> float:
    """Squeeze and shear the soil under a point that presses; its force at the end of the step. Returns the work."""
    h = soil[STEP]
    dx, dy, dz = x - memory[i, PLACE], y - memory[i, PLACE + 1], z - memory[i, PLACE + 2]
    deep = max(memory[i, DEEP], depth)
    # a sole feels how deep its soil was pressed, a wall how deep it is
    felt = max(depth + (deep - depth) * nz * nz, 0.0)
    most = scale * felt ** soil[POWER]
    near = memory[i, NEAR]
    push = min(line * max(near, 0.0), most)
    if push > 0.0:
        near = push / line
    sx, sy, sz = memory[i, SHEAR] + dx, memory[i, SHEAR + 1] + dy, memory[i, SHEAR + 2] + dz
    out = sx * nx + sy * ny + sz * nz
    bound = (min(soil[COHESION], push) + soil[FRICTION] * push) / soil[STIFF]
    sx, sy, sz = shorten(sx - out * nx, sy - out * ny, sz - out * nz, bound)
    stored = area * (push * push / line + soil[STIFF] * (sx * sx + sy * sy + sz * sz)) / 2.0
    allowed = max(memory[i, STORED] + done, 0.0)
    if passed == 0:
        into = min(max(dx * nx + dy * ny + dz * nz, 0.0), deep)
        done = max(stored - memory[i, STORED], area * push * into / 2.0)
    elif stored > allowed:
        # what would hold more energy than was put in yields
        ratio = sqrt(allowed / max(stored, 1.0e-30))
        near = near * ratio
        sx, sy, sz = sx * ratio, sy * ratio, sz * ratio
        stored = allowed
    rest(memory, i, x, y, z)
    memory[i, DEEP] = deep
    memory[i, NEAR] = near
    memory[i, STORED] = stored
    memory[i, SHEAR] = sx
    memory[i, SHEAR + 1] = sy
    memory[i, SHEAR + 2] = sz
    fast = vx * nx + vy * ny + vz * nz
    if depth - h * vz > felt:
        most = scale * (depth - h * vz) ** soil[POWER]
    push = min(line * max(near + h * fast, 0.0), most) * max(0.0, 1.0 + soil[DAMPING] * fast)
    bound = (min(soil[COHESION], push) + soil[FRICTION] * push) / soil[STIFF]
    sx, sy, sz = shorten(sx + h * (vx - fast * nx), sy + h * (vy - fast * ny), sz + h * (vz - fast * nz), bound)
    memory[i, FORCE] = -area * (push * nx + soil[STIFF] * sx)
    memory[i, FORCE + 1] = -area * (push * ny + soil[STIFF] * sy)
    memory[i, FORCE + 2] = -area * (push * nz + soil[STIFF] * sz)
    return done
