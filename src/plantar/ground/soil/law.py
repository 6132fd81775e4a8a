"""The response of soil to a small piece of a sole: the law, written once for Numba on the CPU and Warp on a GPU.

Everything here is scalars and array elements, so that both compile it; `compiled.py` and `worlds.py` do. Arrays:

- `soil`: numbers of the ground, see `SOIL`; the coefficients of resistive force theory follow from `SHAPE` on.
- `memory`: a row for each point of a sole, see the columns below.
- `surface`, `deepest`: of each column of the grid, height before it yielded and deepest sinkage; one element more
  than the grid has columns stands for all that is outside.
- `corner`: x and y of the grid's corner, side of a column; `shape`: its rows and columns.
"""

from __future__ import annotations

from math import floor, sqrt
from typing import Any

from plantar.ground.laws.bekker import REFERENCE

SOIL = ("k_c", "k_phi", "m", "n", "rebound", "damping", "shear_stiffness", "cohesion", "friction", "grip")
"""First elements of `soil`, fields of `YieldingGround`; the time step follows."""
K_C, K_PHI, SIZE, POWER, REBOUND, DAMPING, STIFF, COHESION, FRICTION, GRIP, STEP = range(11)
SHAPE = 11
"""First of the 60 coefficients, in the order of `rft.basis`."""
DATUM, DEEP, NEAR, STORED, SHEAR, PLACE, ANCHOR, HELD, FLOW, FORCE, PRINT = 0, 1, 2, 3, 4, 7, 10, 12, 13, 16, 19
"""Columns of `memory`: height of a point's soil before it yielded, its deepest sinkage, how far it is squeezed along
the point's direction (below 0 there is a gap), stored energy [J], shear (3), place (3), where it met its soil (2),
whether it has any, the displacement by which it was recently pushed (3), force (3); whether its soil yielded, and
where: x, y, and two half edges of its share of the sole (6). Lengths in m, forces in N."""
MEMORY = 28
"""Number of these columns."""
SOFTEST = 0.525
"""Relief is at least this times (n + 1) as stiff as the secant of first loading: just less than all springs back."""
TRAILING = 0.3
"""Surfaces that move away from soil lose it over this range of the cosine between both."""
LEVEL = 0.9999
"""Cosine of what counts as level, or as straight down: it saves the polynomials while a robot stands."""
OVER = 0.5
"""Prints reach this fraction of a column further than a point's share of the sole, so that a foot that returns to its
print does not meet its edge."""


def polynomial(soil: Any, first: int, x1: float, x2: float, x3: float) -> float:
    """One of the three functions of resistive force theory, of 20 terms."""
    i = SHAPE + first
    low = soil[i] + soil[i + 1] * x1 + soil[i + 2] * x2 + soil[i + 3] * x3
    low = low + soil[i + 4] * x1 * x1 + soil[i + 5] * x2 * x2 + soil[i + 6] * x3 * x3
    low = low + soil[i + 7] * x1 * x2 + soil[i + 8] * x2 * x3 + soil[i + 9] * x3 * x1
    high = soil[i + 10] * x1 * x1 * x1 + soil[i + 11] * x2 * x2 * x2 + soil[i + 12] * x3 * x3 * x3
    high = high + x2 * (soil[i + 13] * x1 * x2 + soil[i + 14] * x1 * x1 + soil[i + 15] * x3 * x3)
    high = high + x3 * (soil[i + 16] * x2 * x2 + soil[i + 17] * x1 * x1 + soil[i + 18] * x1 * x3)
    return low + high + soil[i + 19] * x1 * x2 * x3


def against(soil: Any, nx: float, ny: float, nz: float, wx: float, wy: float, wz: float) -> float:
    """Pressure on a surface over that on a level one that is pushed straight down, at the same depth.

    Args:
        soil: Numbers of the ground.
        nx: Outward direction of the surface.
        ny: The same, y.
        nz: The same, z.
        wx: Recent displacement, of any length.
        wy: The same, y.
        wz: The same, z.
    """
    length = sqrt(wx * wx + wy * wy + wz * wz)
    if length < 1e-9:
        return 1.0
    x, y, z = wx / length, wy / length, wz / length
    side = 1.0 if nz <= 0.0 else -1.0
    into = nx * x + ny * y + nz * z
    if nz < -LEVEL and into > LEVEL:
        return 1.0
    fade = 1.0 if into >= 0.0 else max(0.0, 1.0 + into / TRAILING)
    x3 = max(into, 0.0) * side
    f1 = polynomial(soil, 0, -z, -side * nz, x3)
    f2 = polynomial(soil, 20, -z, -side * nz, x3)
    f3 = polynomial(soil, 40, -z, -side * nz, x3)
    return fade * max(0.0, f3 * nz - f1 * side - f2 * max(into, 0.0))


def modulus(soil: Any, width: float) -> float:
    """Pressure over depth to the n-th under a sole of an equivalent diameter."""
    return 2.0 * soil[K_C] / width + soil[K_PHI] * (width / REFERENCE) ** soil[SIZE]


def relief(soil: Any, scale: float, deep: float, limit: float) -> float:
    """Stiffness of soil that is relieved and pressed again [Pa/m]."""
    secant = scale * max(deep, 1.0e-9) ** (soil[POWER] - 1.0)
    return max(min(secant / soil[REBOUND], limit), SOFTEST * (soil[POWER] + 1.0) * secant)


def at_rest(soil: Any, scale: float, deep: float, limit: float) -> float:
    """Depth at which soil that was pressed to `deep` stops pushing back."""
    if deep <= 0.0:
        return 0.0
    return deep - scale * deep ** soil[POWER] / relief(soil, scale, deep, limit)


def column(shape: Any, along: int, across: int) -> int:
    """Number of a column; one after the last outside of the grid."""
    if across < 0 or across >= shape[1] or along < 0 or along >= shape[0]:
        return shape[0] * shape[1]
    return along * shape[1] + across


def look(corner: Any, shape: Any, grid: Any, x: float, y: float) -> float:
    """What a grid holds at a place, between the middles of four columns."""
    u, v = (x - corner[0]) / corner[2] - 0.5, (y - corner[1]) / corner[2] - 0.5
    across, along = int(floor(u)), int(floor(v))
    u, v = u - floor(u), v - floor(v)
    low = (1.0 - u) * grid[column(shape, along, across)] + u * grid[column(shape, along, across + 1)]
    high = (1.0 - u) * grid[column(shape, along + 1, across)] + u * grid[column(shape, along + 1, across + 1)]
    return (1.0 - v) * low + v * high


def leave(memory: Any, i: int, corner: Any, shape: Any, surface: Any, deepest: Any) -> None:
    """Let a point leave its soil: its print goes into the columns whose middle lies in its share of the sole.

    The share is the parallelogram of two half edges u and v about a place. Where there is another print, the lower
    floor stays.
    """
    memory[i, HELD] = 0.0
    ux, uy, vx, vy = memory[i, PRINT + 3], memory[i, PRINT + 4], memory[i, PRINT + 6], memory[i, PRINT + 7]
    turn = ux * vy - uy * vx
    if memory[i, PRINT] == 0.0 or abs(turn) < 1.0e-9:
        return
    memory[i, PRINT] = 0.0
    datum, cell = memory[i, DATUM], corner[2]
    x, y = memory[i, PRINT + 1] - corner[0], memory[i, PRINT + 2] - corner[1]
    long, broad = 1.0 + OVER * cell / sqrt(ux * ux + uy * uy), 1.0 + OVER * cell / sqrt(vx * vx + vy * vy)
    wide, high = long * abs(ux) + broad * abs(vx), long * abs(uy) + broad * abs(vy)
    left, right = max(int(floor((x - wide) / cell)), 0), min(int(floor((x + wide) / cell)) + 1, shape[1])
    low, top = max(int(floor((y - high) / cell)), 0), min(int(floor((y + high) / cell)) + 1, shape[0])
    for row in range(low, top):
        for across in range(left, right):
            px, py = (float(across) + 0.5) * cell - x, (float(row) + 0.5) * cell - y
            s, t = (px * vy - py * vx) / turn, (ux * py - uy * px) / turn
            here = row * shape[1] + across
            lower = memory[i, DEEP] - min(max(s, -1.0), 1.0) * memory[i, PRINT + 5]
            lower = lower - min(max(t, -1.0), 1.0) * memory[i, PRINT + 8]
            floor_here = surface[here] - deepest[here]
            if abs(s) <= long and abs(t) <= broad and lower > 0.0 and datum - lower < floor_here:
                surface[here] = datum
                deepest[here] = lower
