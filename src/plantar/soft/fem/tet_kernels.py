"""Compiled loops over tetrahedra: rest shape, energy, and forces and stiffness blocks of the corotational law."""

from __future__ import annotations

import math

import numpy as np

from plantar._jit import njit
from plantar.soft.fem.hyper_kernels import NEO_HOOKEAN, STABLE, SVK
from plantar.soft.fem.mat3 import cofactor3, det3, edge_frame, mul3, mul3_nt, mul3_tn, polar_rotation

NONE, EDGE, EDGE_POLAR, POLAR = 0, 1, 2, 3
"""Where a corotational element takes its rotation from."""
PAIRS = np.array([(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)])
"""The ten blocks of an element's symmetric matrix, in the order of its slots."""


@njit()
def rest_shape(X, tets, kind):
    """Rest volume, gradients of the shape functions and transposed rest frame of every tetrahedron."""
    m = len(tets)
    volume, gradient, frame = np.empty(m), np.empty((m, 4, 3)), np.zeros((m, 3, 3))
    D, C = np.empty((3, 3)), np.empty((3, 3))
    for e in range(m):
        for i in range(3):
            for k in range(3):
                D[k, i] = X[tets[e, i + 1], k] - X[tets[e, 0], k]
        d = det3(D)
        volume[e] = d / 6.0
        cofactor3(D, C)
        for k in range(3):
            total = 0.0
            for i in range(3):
                gradient[e, i + 1, k] = C[k, i] / d
                total += C[k, i] / d
            gradient[e, 0, k] = -total
        if kind == EDGE:
            edge_frame(X[tets[e, 0]], X[tets[e, 1]], X[tets[e, 2]], frame[e])
        elif kind == EDGE_POLAR:
            polar_rotation(D, frame[e], C)
    return volume, gradient, frame


@njit(fastmath={"contract", "nsz", "arcp"})
def corotational(  # noqa: PLR0912  (one loop, compiled)
    x, tets, volume, gradient, frame, lam, mu, kind, exact, f, K, slot, flip, rotation
):
    r"""Add forces -dW/dx and stiffness of corotational tetrahedra.

    With e = sym(R^T F) - I and s = lam tr(e) I + 2 mu e the force on node a is -V R s grad N_a. The stiffness
    block is V (lam b_a b_b^T + mu b_b b_a^T + mu b_a.b_b I) with b = R grad N, that is R K_0 R^T; with `exact`
    (polar rotation only) the change of R is added, so that it is the derivative of the force.
    """
    F, R, C, E = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    b, P = np.empty((4, 3)), np.empty((3, 3))
    for e in range(len(tets)):
        n0, n1, n2, n3 = tets[e, 0], tets[e, 1], tets[e, 2], tets[e, 3]
        g = gradient[e]
        for i in range(3):
            d1, d2, d3 = x[n1, i] - x[n0, i], x[n2, i] - x[n0, i], x[n3, i] - x[n0, i]
            for j in range(3):
                F[i, j] = d1 * g[1, j] + d2 * g[2, j] + d3 * g[3, j]
            E[i, 0], E[i, 1], E[i, 2] = d1, d2, d3
        if kind == POLAR:
            polar_rotation(F, R, C)
        elif kind == NONE:
            for i in range(3):
                for j in range(3):
                    R[i, j] = 1.0 if i == j else 0.0
        else:
            if kind == EDGE:
                edge_frame(x[n0], x[n1], x[n2], P)
            else:
                polar_rotation(E, P, C)
            Q = frame[e]
            for i in range(3):
                for j in range(3):
                    R[i, j] = P[i, 0] * Q[j, 0] + P[i, 1] * Q[j, 1] + P[i, 2] * Q[j, 2]
        rotation[e] = R
        # C = R^T F, then the first Piola-Kirchhoff stress P = R (2 mu sym(C) - 2 mu I + lam tr I)
        for i in range(3):
            for j in range(3):
                C[i, j] = R[0, i] * F[0, j] + R[1, i] * F[1, j] + R[2, i] * F[2, j]
        la, m = lam[e], mu[e]
        trace = C[0, 0] + C[1, 1] + C[2, 2] - 3.0
        s00 = 2.0 * m * (C[0, 0] - 1.0) + la * trace
        s11 = 2.0 * m * (C[1, 1] - 1.0) + la * trace
        s22 = 2.0 * m * (C[2, 2] - 1.0) + la * trace
        s01, s02, s12 = m * (C[0, 1] + C[1, 0]), m * (C[0, 2] + C[2, 0]), m * (C[1, 2] + C[2, 1])
        V = volume[e]
        for i in range(3):
            P[i, 0] = V * (R[i, 0] * s00 + R[i, 1] * s01 + R[i, 2] * s02)
            P[i, 1] = V * (R[i, 0] * s01 + R[i, 1] * s11 + R[i, 2] * s12)
            P[i, 2] = V * (R[i, 0] * s02 + R[i, 1] * s12 + R[i, 2] * s22)
        for a in range(4):
            n = tets[e, a]
            for i in range(3):
                f[n, i] -= P[i, 0] * g[a, 0] + P[i, 1] * g[a, 1] + P[i, 2] * g[a, 2]
                b[a, i] = R[i, 0] * g[a, 0] + R[i, 1] * g[a, 1] + R[i, 2] * g[a, 2]
        if exact and kind == POLAR:
            _exact_blocks(b, C, R, la, m, trace, V, K, slot[e], flip[e])
        else:
            _rotated_blocks(b, la * V, m * V, K, slot, flip, e)


@njit(fastmath={"contract", "nsz", "arcp"})
def _rotated_blocks(b, la, m, K, slot, flip, e):
    p = 0
    for a in range(4):
        x, y, z = b[a, 0], b[a, 1], b[a, 2]
        for c in range(a, 4):
            s = slot[e, p]
            # the block of (c, a) is the transpose of that of (a, c)
            u, w = (la, m) if not flip[e, p] else (m, la)
            dot = m * (x * b[c, 0] + y * b[c, 1] + z * b[c, 2])
            ux, uy, uz, wx, wy, wz = u * x, u * y, u * z, w * x, w * y, w * z
            p0, p1, p2 = b[c, 0], b[c, 1], b[c, 2]
            K[s, 0, 0] += ux * p0 + wx * p0 + dot
            K[s, 0, 1] += ux * p1 + wy * p0
            K[s, 0, 2] += ux * p2 + wz * p0
            K[s, 1, 0] += uy * p0 + wx * p1
            K[s, 1, 1] += uy * p1 + wy * p1 + dot
            K[s, 1, 2] += uy * p2 + wz * p1
            K[s, 2, 0] += uz * p0 + wx * p2
            K[s, 2, 1] += uz * p1 + wy * p2
            K[s, 2, 2] += uz * p2 + wz * p2 + dot
            p += 1


@njit()
def _exact_blocks(b, S, R, la, m, trace, V, K, slot, flip):
    r"""Blocks with the change of the rotation.

    dP = 2 mu dF + lam (R:dF) R + (lam tr(S - I) - 2 mu) dR with dR = R [w], w = (tr(S) I - S)^-1 2 axl(R^T dF).
    For dF = v grad N_c^T this gives dR grad N_a in closed form, where b = R grad N.
    """
    G, cofactor = np.empty((3, 3)), np.empty((3, 3))
    t = S[0, 0] + S[1, 1] + S[2, 2]
    for i in range(3):
        for j in range(3):
            G[i, j] = -0.5 * (S[i, j] + S[j, i])
        G[i, i] += t
    cofactor3(G, cofactor)
    d = det3(G)
    # in the world frame: Q = R (tr(S) I - S)^-1 R^T
    Q, T = np.empty((3, 3)), np.empty((3, 3))
    mul3(R, cofactor, T)
    mul3_nt(T, R, Q)
    for i in range(3):
        for j in range(3):
            Q[i, j] /= d
    factor = V * (la * trace - 2.0 * m)
    p = 0
    A, B, change = np.zeros((3, 3)), np.zeros((3, 3)), np.empty((3, 3))
    for a in range(4):
        _cross_matrix(b[a], A)
        mul3(A, Q, T)
        for c in range(a, 4):
            _cross_matrix(b[c], B)
            # dR grad N_a = w x b_a = -[b_a] w and w = Q (b_c x v), 2 axl(v b_c^T) = b_c x v
            mul3(T, B, change)
            dot = b[a, 0] * b[c, 0] + b[a, 1] * b[c, 1] + b[a, 2] * b[c, 2]
            k = K[slot[p]]
            for i in range(3):
                for j in range(3):
                    value = V * la * b[a, i] * b[c, j] - factor * change[i, j]
                    if i == j:
                        value += 2.0 * m * V * dot
                    if flip[p]:
                        k[j, i] += value
                    else:
                        k[i, j] += value
            p += 1


@njit()
def _cross_matrix(a, A):
    A[0, 1], A[0, 2], A[1, 2] = -a[2], a[1], -a[0]
    A[1, 0], A[2, 0], A[2, 1] = a[2], -a[1], a[0]


@njit()
def tet_energy(x, tets, volume, gradient, frame, lam, mu, kind, law):
    """Strain energy of every tetrahedron; `law` below 0 is corotational."""
    W = np.empty(len(tets))
    F, R, C = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for e in range(len(tets)):
        F[:, :] = 0.0
        for a in range(4):
            for i in range(3):
                for j in range(3):
                    F[i, j] += x[tets[e, a], i] * gradient[e, a, j]
        la, m = lam[e], mu[e]
        I1 = np.sum(F * F)
        if law == NEO_HOOKEAN:
            log = math.log(det3(F)) if det3(F) > 0.0 else math.nan
            W[e] = 0.5 * m * (I1 - 3.0) - m * log + 0.5 * la * log * log
        elif law == STABLE:
            s = la + m
            W[e] = 0.5 * m * (I1 - 3.0) + 0.5 * s * ((det3(F) - 1.0 - m / s) ** 2 - (m / s) ** 2)
        elif law == SVK:
            mul3_tn(F, F, C)
            E = 0.5 * (C - np.eye(3))
            W[e] = 0.5 * la * np.trace(E) ** 2 + m * np.sum(E * E)
        else:
            if kind == POLAR:
                polar_rotation(F, R, C)
            elif kind == NONE:
                R[:, :] = np.eye(3)
            else:
                _frame_rotation(x, tets[e], frame[e], kind, R, C)
            mul3_tn(R, F, C)
            S = 0.5 * (C + C.T) - np.eye(3)
            W[e] = 0.5 * la * np.trace(S) ** 2 + m * np.sum(S * S)
        W[e] *= volume[e]
    return W


@njit()
def _frame_rotation(x, tet, rest, kind, R, C):
    P, D = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for k in range(3):
            D[k, i] = x[tet[i + 1], k] - x[tet[0], k]
    if kind == EDGE:
        edge_frame(x[tet[0]], x[tet[1]], x[tet[2]], P)
    else:
        polar_rotation(D, P, C)
    mul3_nt(P, rest, R)


@njit()
def least_det(x, tets, volume):
    """Least det F of all tetrahedra."""
    least = math.inf
    D = np.empty((3, 3))
    for e in range(len(tets)):
        for i in range(3):
            for k in range(3):
                D[k, i] = x[tets[e, i + 1], k] - x[tets[e, 0], k]
        least = min(least, det3(D) / (6.0 * volume[e]))
    return least
