"""Compiled loops over springs and beams, and the quaternions they need."""

from __future__ import annotations

import math

import numpy as np

from plantar._jit import njit


@njit()
def springs(x, pairs, stiffness, rest, exact, f, K, slot, flip):
    """Add forces and stiffness of springs; the sideways stiffness of a pushed spring is left out unless `exact`."""
    for e in range(len(pairs)):
        i, j = pairs[e, 0], pairs[e, 1]
        d = x[j] - x[i]
        length = math.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
        if length == 0.0:
            continue
        d = d / length
        tension = stiffness[e] * (length - rest[e])
        side = tension / length
        if side < 0.0 and not exact:
            side = 0.0
        for a in range(3):
            f[i, a] += tension * d[a]
            f[j, a] -= tension * d[a]
            for b in range(3):
                k = (stiffness[e] - side) * d[a] * d[b] + (side if a == b else 0.0)
                K[slot[e, 0], a, b] += k
                K[slot[e, 2], a, b] += k
                K[slot[e, 1], a, b] -= k


@njit()
def quat_matrix(q, R):
    """Rotation matrix of the unit quaternion w x y z."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@njit()
def turn(q, w):
    """Quaternion after the rotation vector `w`, given in the world: exp(w) q."""
    angle = math.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    s = 0.5 - angle**2 / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    c = math.cos(0.5 * angle)
    a, b, d = s * w[0], s * w[1], s * w[2]
    out = np.empty(4)
    out[0] = c * q[0] - a * q[1] - b * q[2] - d * q[3]
    out[1] = c * q[1] + a * q[0] + b * q[3] - d * q[2]
    out[2] = c * q[2] - a * q[3] + b * q[0] + d * q[1]
    out[3] = c * q[3] + a * q[2] - b * q[1] + d * q[0]
    return out / math.sqrt(np.sum(out * out))


@njit()
def log_rotation(R):
    """Rotation vector of a rotation matrix, below half a turn."""
    v = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    s = 0.5 * math.sqrt(np.sum(v * v))
    c = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    angle = math.atan2(s, c)
    if s < 1e-7:
        return 0.5 * v
    return v * (0.5 * angle / s)


@njit()
def _beam_frame(x, quat, block, pair, align, E, R1, R2):
    """Element frame from the chord and the mean of the end frames; R1, R2 become the ends seen from it."""
    Q, A1, A2 = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    quat_matrix(quat[pair[0]], Q)
    _mul(Q, align, A1)
    quat_matrix(quat[pair[1]], Q)
    _mul(Q, align, A2)
    d = x[block[2]] - x[block[0]]
    length = math.sqrt(np.sum(d * d))
    ex = d / length
    y = np.array([A1[0, 1] + A2[0, 1], A1[1, 1] + A2[1, 1], A1[2, 1] + A2[2, 1]])
    y = y - np.sum(y * ex) * ex
    y = y / math.sqrt(np.sum(y * y))
    E[:, 0], E[:, 1] = ex, y
    E[0, 2], E[1, 2], E[2, 2] = ex[1] * y[2] - ex[2] * y[1], ex[2] * y[0] - ex[0] * y[2], ex[0] * y[1] - ex[1] * y[0]
    for i in range(3):
        for j in range(3):
            R1[i, j] = E[0, i] * A1[0, j] + E[1, i] * A1[1, j] + E[2, i] * A1[2, j]
            R2[i, j] = E[0, i] * A2[0, j] + E[1, i] * A2[1, j] + E[2, i] * A2[2, j]
    return length


@njit()
def _mul(A, B, out):
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@njit()
def _local(x, quat, block, pair, rest, align, E, d):
    R1, R2 = np.empty((3, 3)), np.empty((3, 3))
    length = _beam_frame(x, quat, block, pair, align, E, R1, R2)
    d[:] = 0.0
    d[3:6] = log_rotation(R1)
    d[6] = length - rest
    d[9:12] = log_rotation(R2)
    return length


@njit()
def beams(x, quat, blocks, pairs, K0, rest, align, f, K, slot, flip):  # noqa: PLR0912  (one loop, compiled)
    """Add forces and stiffness of corotational beams.

    The chord and the mean of the end frames carry the element; in that frame it is a linear beam with stiffness
    K0 (12 x 12). Shear forces act over the current length, so that forces and moments balance exactly.
    """
    E, d, g = np.empty((3, 3)), np.empty(12), np.empty(12)
    T, B = np.empty((3, 3)), np.empty((3, 3))
    for e in range(len(blocks)):
        length = _local(x, quat, blocks[e], pairs[e], rest[e], align[e], E, d)
        for i in range(12):
            s = 0.0
            for j in range(12):
                s += K0[e, i, j] * d[j]
            g[i] = s
        # moments (M1, M2) need shear (M1 + M2)/length to balance in the deformed state
        for i in (1, 2, 7, 8):
            g[i] *= rest[e] / length
        for n in range(4):
            for i in range(3):
                f[blocks[e, n], i] -= E[i, 0] * g[3 * n] + E[i, 1] * g[3 * n + 1] + E[i, 2] * g[3 * n + 2]
        p = 0
        axial = g[6]
        for a in range(4):
            for c in range(a, 4):
                for i in range(3):
                    for j in range(3):
                        T[i, j] = (
                            E[i, 0] * K0[e, 3 * a, 3 * c + j]
                            + E[i, 1] * K0[e, 3 * a + 1, 3 * c + j]
                            + E[i, 2] * K0[e, 3 * a + 2, 3 * c + j]
                        )
                for i in range(3):
                    for j in range(3):
                        B[i, j] = T[i, 0] * E[j, 0] + T[i, 1] * E[j, 1] + T[i, 2] * E[j, 2]
                if axial > 0.0 and a % 2 == 0 and c % 2 == 0:
                    # string stiffness of a beam in tension; left out in compression to keep the matrix definite
                    sign = 1.0 if a == c else -1.0
                    for i in range(3):
                        for j in range(3):
                            B[i, j] += sign * axial / length * ((1.0 if i == j else 0.0) - E[i, 0] * E[j, 0])
                k = K[slot[e, p]]
                for i in range(3):
                    for j in range(3):
                        if flip[e, p]:
                            k[j, i] += B[i, j]
                        else:
                            k[i, j] += B[i, j]
                p += 1


@njit()
def beam_energy(x, quat, blocks, pairs, K0, rest, align):
    """Strain energy of all beams."""
    E, d = np.empty((3, 3)), np.empty(12)
    total = 0.0
    for e in range(len(blocks)):
        _local(x, quat, blocks[e], pairs[e], rest[e], align[e], E, d)
        for i in range(12):
            for j in range(12):
                total += 0.5 * d[i] * K0[e, i, j] * d[j]
    return total
