"""Reach and collisions of a leg for every cell of a map, as loops for Numba."""

from __future__ import annotations

import math

import numpy as np

from plantar.foothold._jit import compiled

OK, UNKNOWN, REACH, GROUND, LEGS = 0, 1, 2, 3, 4


@compiled
def envelope_loop(h, radius, cell, out):
    """Lowest height of the middle of a ball of `radius` over each cell that just touches the ground."""
    rows, columns = h.shape
    n = int(math.floor(radius / cell + 1e-9))
    for j in range(rows):
        for i in range(columns):
            out[j, i] = -np.inf
    for dj in range(-n, n + 1):
        for di in range(-n, n + 1):
            square = radius * radius - cell * cell * (dj * dj + di * di)
            if square < 0:
                continue
            lift = math.sqrt(square)
            for j in range(max(0, -dj), min(rows, rows - dj)):
                for i in range(max(0, -di), min(columns, columns - di)):
                    v = h[j + dj, i + di] + lift
                    # Written so that NaN loses: what is not seen is not hit.
                    out[j, i] = v if v > out[j, i] else out[j, i]


@compiled
def segment_hits(envelope, u0, v0, z0, u1, v1, z1, share, steps, top):
    """Whether a segment, in cells and metres, dips below an envelope in its first `share`, checked in `steps`."""
    u1, v1, z1 = u0 + share * (u1 - u0), v0 + share * (v1 - v0), z0 + share * (z1 - z0)
    if min(z0, z1) >= top:
        return False
    rows, columns = envelope.shape
    # Samples above the highest ground are passed over: the height is linear along the segment.
    first, last = 0, steps
    if z0 > top:
        first = max(int(steps * (z0 - top) / (z0 - z1)) - 1, 0)
    elif z1 > top:
        last = min(int(steps * (z0 - top) / (z0 - z1)) + 2, steps)
    for k in range(first, last + 1):
        t = k / steps
        u, v, z = u0 + t * (u1 - u0), v0 + t * (v1 - v0), z0 + t * (z1 - z0)
        if z >= top or u < 0 or v < 0 or u > columns - 1 or v > rows - 1:
            continue
        i, j = min(int(u), columns - 2), min(int(v), rows - 2)
        a, b = u - i, v - j
        level = (1 - b) * ((1 - a) * envelope[j, i] + a * envelope[j, i + 1])
        level += b * ((1 - a) * envelope[j + 1, i] + a * envelope[j + 1, i + 1])
        if z < level:
            return True
    return False


@compiled
def segment_distance2(p, q, r, s):
    """Square of the distance between segments p q and r s."""
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    ex, ey, ez = s[0] - r[0], s[1] - r[1], s[2] - r[2]
    wx, wy, wz = p[0] - r[0], p[1] - r[1], p[2] - r[2]
    a, e = dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez
    b, c = dx * ex + dy * ey + dz * ez, dx * wx + dy * wy + dz * wz
    f = ex * wx + ey * wy + ez * wz
    det = a * e - b * b
    t = min(max((b * f - c * e) / det, 0.0), 1.0) if det > 1e-12 * a * e else 0.0
    g = (b * t + f) / e
    if g < 0.0:
        g, t = 0.0, min(max(-c / a, 0.0), 1.0)
    elif g > 1.0:
        g, t = 1.0, min(max((b - c) / a, 0.0), 1.0)
    x, y, z = wx + t * dx - g * ex, wy + t * dy - g * ey, wz + t * dz - g * ez
    return x * x + y * y + z * z


@compiled
def place_leg(x, y, z, geometry, sides, hip, pose, leg):
    """Start of the thigh and knee in the map's frame, of a leg whose end is at x, y, z from the HFE, front left."""
    forward, d = geometry[0], geometry[3]
    a, b = geometry[4], geometry[5]
    r2 = y * y + z * z
    down = math.sqrt(r2 - d * d)
    # sine and cosine of the roll from the foot's place, without its angle
    cr, sr = (y * d - z * down) / r2, (y * down + z * d) / r2
    dist2 = x * x + down * down
    dist = math.sqrt(dist2)
    cl = min(max((a * a + dist2 - b * b) / (2 * a * dist), -1.0), 1.0)
    sl = math.sqrt(1 - cl * cl)
    # The thigh leads the line to the foot by the angle of cosine cl, backwards.
    sx, cx = x / dist, down / dist
    kx, kz = a * (sx * cl - cx * sl), a * (cx * cl + sx * sl)
    bx, by, bz, c, s = pose[0], pose[1], pose[2], pose[3], pose[4]
    for n in range(2):
        ahead, out, low = (0.0, geometry[1], 0.0) if n == 0 else (kx, geometry[2], kz)
        px = sides[0] * (forward + ahead) + hip[0]
        py = sides[1] * (out * cr + low * sr) + hip[1]
        leg[n, 0], leg[n, 1] = bx + c * px - s * py, by + s * px + c * py
        leg[n, 2] = bz + hip[2] + out * sr - low * cr


@compiled
def margin_at(x, y, z, geometry):
    """Distance from the end of reach of a leg whose end is at x, y, z from the HFE, front left."""
    d = geometry[3]
    far = math.sqrt(x * x + y * y + z * z)
    m = min(geometry[9] - far, far - geometry[8])
    m = min(m, math.sqrt(y * y + z * z) - d)
    return min(m, d - (y * geometry[14] + z * geometry[15]), y * geometry[12] + z * geometry[13] - d)


@compiled
def stand_loop(ends, geometry, sides, hips, pose, out, stands):
    """Thigh and shank (n, 2, 2, 3) of legs whose ends are at `ends` in the map's frame, and whether they reach."""
    bx, by, bz, c, s = pose[0], pose[1], pose[2], pose[3], pose[4]
    leg = np.zeros((3, 3))
    for k in range(len(ends)):
        wx, wy, wz = ends[k, 0] - bx, ends[k, 1] - by, ends[k, 2] - bz
        x = sides[k, 0] * (c * wx + s * wy - hips[k, 0]) - geometry[0]
        y = sides[k, 1] * (c * wy - s * wx - hips[k, 1])
        z = wz - hips[k, 2]
        stands[k] = margin_at(x, y, z, geometry) >= 0
        if stands[k]:
            place_leg(x, y, z, geometry, sides[k], hips[k], pose, leg)
            leg[2] = ends[k]
            out[k, 0, 0], out[k, 0, 1], out[k, 1, 0], out[k, 1, 1] = leg[0], leg[1], leg[1], leg[2]


@compiled
def reach_loop(h, known, geometry, sides, hip, pose, grid, thigh_env, shank_env, others, gap2, margin, reason):  # noqa: PLR0912
    """Margin [m] and reason of every cell.

    Args:
        h: Heights.
        known: Terrain cost, NaN where there is none.
        geometry: hip_forward, thigh_out, knee_out, foot_out, thigh, shank, roll low and high, inner and outer
            reach, foot height, share of the shank that is checked, cosine and sine of the two roll limits.
        sides: 1 front or -1 hind, 1 left or -1 right.
        hip: HAA hinge in the base's frame.
        pose: Base x, y, z, cosine and sine of its yaw.
        grid: Origin x, y and cell.
        thigh_env: Envelope of the ground for the thigh.
        shank_env: Envelope of the ground for the shank.
        others: Segments of other legs (n, 2, 3).
        gap2: Square of the least distance of thigh and shank from each of them (n, 2).
        margin: Filled with margins.
        reason: Filled with reasons.
    """
    rows, columns = h.shape
    forward, a, b, lift, share = geometry[0], geometry[4], geometry[5], geometry[10], geometry[11]
    front, left = sides[0], sides[1]
    bx, by, bz, c, s = pose[0], pose[1], pose[2], pose[3], pose[4]
    ox, oy, cell = grid[0], grid[1], grid[2]
    thigh_top, shank_top = thigh_env.max(), shank_env.max()
    thigh_steps, shank_steps = int(2 * a / cell) + 2, int(2 * b / cell) + 2
    middle = np.zeros((len(others), 3))
    size = np.zeros(len(others))
    for k in range(len(others)):
        for m in range(3):
            middle[k, m] = (others[k, 0, m] + others[k, 1, m]) / 2
            size[k] += ((others[k, 1, m] - others[k, 0, m]) / 2) ** 2
        size[k] = math.sqrt(size[k])
    leg = np.zeros((3, 3))
    for j in range(rows):
        for i in range(columns):
            margin[j, i] = np.nan
            reason[j, i] = UNKNOWN
            if not np.isfinite(known[j, i]):
                continue
            wx, wy, wz = ox + i * cell - bx, oy + j * cell - by, h[j, i] + lift - bz
            x = front * (c * wx + s * wy - hip[0]) - forward
            y = left * (c * wy - s * wx - hip[1])
            z = wz - hip[2]
            m = margin_at(x, y, z, geometry)
            margin[j, i] = m
            if m < 0:
                reason[j, i] = REACH
                continue
            reason[j, i] = OK
            place_leg(x, y, z, geometry, sides, hip, pose, leg)
            leg[2, 0], leg[2, 1], leg[2, 2] = ox + i * cell, oy + j * cell, h[j, i] + lift
            u0, v0 = (leg[0, 0] - ox) / cell, (leg[0, 1] - oy) / cell
            u1, v1 = (leg[1, 0] - ox) / cell, (leg[1, 1] - oy) / cell
            if segment_hits(
                thigh_env, u0, v0, leg[0, 2], u1, v1, leg[1, 2], 1.0, thigh_steps, thigh_top
            ) or segment_hits(
                shank_env, u1, v1, leg[1, 2], float(i), float(j), leg[2, 2], share, shank_steps, shank_top
            ):
                reason[j, i] = GROUND
                continue
            for k in range(len(others)):
                for n in range(2):
                    near, half = 0.0, 0.0
                    for q in range(3):
                        near += ((leg[n, q] + leg[n + 1, q]) / 2 - middle[k, q]) ** 2
                        half += ((leg[n + 1, q] - leg[n, q]) / 2) ** 2
                    limit = size[k] + math.sqrt(half) + math.sqrt(gap2[k, n])
                    if near > limit * limit:
                        continue
                    if segment_distance2(leg[n], leg[n + 1], others[k, 0], others[k, 1]) < gap2[k, n]:
                        reason[j, i] = LEGS
                        break
                if reason[j, i] == LEGS:
                    break
