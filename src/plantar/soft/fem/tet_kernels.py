"""Compiled loops over tetrahedra: nodal forces and stiffness blocks of the corotational and hyperelastic laws."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from plantar.soft.fem.mat3 import cofactor3, det3, edge_frame, mul3, mul3_nt, mul3_tn, polar_rotation

NONE, EDGE, EDGE_POLAR, POLAR = 0, 1, 2, 3
"""Where a corotational element takes its rotation from."""
NEO_HOOKEAN, STABLE, SVK = 0, 1, 2
"""Hyperelastic laws."""
PAIRS = np.array([(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)])
"""The ten blocks of an element's symmetric matrix, in the order of its slots."""


@njit(cache=True)
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


@njit(cache=True, fastmath={"contract", "nsz", "arcp"})
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
            _rotated_blocks(b, la * V, m * V, K, slot[e], flip[e])


@njit(cache=True, fastmath={"contract", "nsz", "arcp"})
def _rotated_blocks(b, la, m, K, slot, flip):
    p = 0
    for a in range(4):
        for c in range(a, 4):
            k = K[slot[p]]
            dot = m * (b[a, 0] * b[c, 0] + b[a, 1] * b[c, 1] + b[a, 2] * b[c, 2])
            # the block of (c, a) is the transpose of that of (a, c)
            u, w = (la, m) if not flip[p] else (m, la)
            for i in range(3):
                for j in range(3):
                    k[i, j] += u * b[a, i] * b[c, j] + w * b[c, i] * b[a, j]
                k[i, i] += dot
            p += 1


@njit(cache=True)
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


@njit(cache=True)
def _cross_matrix(a, A):
    A[0, 1], A[0, 2], A[1, 2] = -a[2], a[1], -a[0]
    A[1, 0], A[2, 0], A[2, 1] = a[2], -a[1], a[0]


@njit(cache=True, fastmath={"contract", "nsz", "arcp"})
def hyperelastic(x, tets, volume, gradient, lam, mu, law, f, K, slot, flip):  # noqa: PLR0912  (one loop, compiled)
    r"""Add forces and exact stiffness of hyperelastic tetrahedra; returns the least det F.

    * Neo-Hookean: W = mu/2 (I1 - 3) - mu ln J + lam/2 (ln J)^2
    * stable Neo-Hookean: W = mu/2 (I1 - 3) + lam'/2 (J - 1 - mu/lam')^2 with lam' = lam + mu
    * St. Venant-Kirchhoff: W = lam/2 tr(E)^2 + mu tr(E^2), E = (F^T F - I)/2
    """
    F, C, P = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    c, fg = np.empty((4, 3)), np.empty((4, 3))
    E, S = np.empty((3, 3)), np.empty((3, 3))
    least = math.inf
    for e in range(len(tets)):
        n0, n1, n2, n3 = tets[e, 0], tets[e, 1], tets[e, 2], tets[e, 3]
        g = gradient[e]
        for i in range(3):
            d1, d2, d3 = x[n1, i] - x[n0, i], x[n2, i] - x[n0, i], x[n3, i] - x[n0, i]
            for j in range(3):
                F[i, j] = d1 * g[1, j] + d2 * g[2, j] + d3 * g[3, j]
        la, m, V = lam[e], mu[e], volume[e]
        h1 = h2 = 0.0
        cofactor3(F, C)
        J = F[0, 0] * C[0, 0] + F[0, 1] * C[0, 1] + F[0, 2] * C[0, 2]
        least = min(least, J)
        if law == SVK:
            _svk_stress(F, la, m, E, S, P)
            for a in range(4):
                for i in range(3):
                    fg[a, i] = F[i, 0] * g[a, 0] + F[i, 1] * g[a, 1] + F[i, 2] * g[a, 2]
        else:
            # W = mu/2 I1 + h(J): P = mu F + h' C, and C grad N_a is all the stiffness needs
            if law == NEO_HOOKEAN:
                if not J > 0.0:
                    return J
                log = math.log(J)
                h1, h2 = (la * log - m) / J, (la * (1.0 - log) + m) / (J * J)
            else:
                h1, h2 = (la + m) * (J - 1.0) - m, la + m
            for i in range(3):
                for j in range(3):
                    P[i, j] = m * F[i, j] + h1 * C[i, j]
            for a in range(4):
                for i in range(3):
                    c[a, i] = C[i, 0] * g[a, 0] + C[i, 1] * g[a, 1] + C[i, 2] * g[a, 2]
        for a in range(4):
            n = tets[e, a]
            for i in range(3):
                f[n, i] -= V * (P[i, 0] * g[a, 0] + P[i, 1] * g[a, 1] + P[i, 2] * g[a, 2])
        if law == SVK:
            _svk_blocks(F, S, g, fg, V, la, m, K, slot[e], flip[e])
        else:
            _isotropic_blocks(F, g, c, V, m, h1, h2, K, slot[e], flip[e])
    return least


@njit(cache=True)
def _isotropic_blocks(F, g, c, V, m, h1, h2, K, slot, flip):
    """V (mu g_a.g_b I + h'' c_a c_b^T - h' [F (g_a x g_b)]), the last being a cross matrix."""
    p = 0
    for a in range(4):
        for d in range(a, 4):
            dot = V * m * (g[a, 0] * g[d, 0] + g[a, 1] * g[d, 1] + g[a, 2] * g[d, 2])
            wx = g[a, 1] * g[d, 2] - g[a, 2] * g[d, 1]
            wy = g[a, 2] * g[d, 0] - g[a, 0] * g[d, 2]
            wz = g[a, 0] * g[d, 1] - g[a, 1] * g[d, 0]
            q = V * h1 if flip[p] else -V * h1
            vx = q * (F[0, 0] * wx + F[0, 1] * wy + F[0, 2] * wz)
            vy = q * (F[1, 0] * wx + F[1, 1] * wy + F[1, 2] * wz)
            vz = q * (F[2, 0] * wx + F[2, 1] * wy + F[2, 2] * wz)
            k = K[slot[p]]
            h = V * h2
            for i in range(3):
                for j in range(3):
                    k[i, j] += h * (c[a, i] * c[d, j] if not flip[p] else c[d, i] * c[a, j])
                k[i, i] += dot
            k[0, 1] -= vz
            k[0, 2] += vy
            k[1, 0] += vz
            k[1, 2] -= vx
            k[2, 0] -= vy
            k[2, 1] += vx
            p += 1


@njit(cache=True)
def _svk_stress(F, la, m, E, S, P):
    for i in range(3):
        for j in range(3):
            E[i, j] = 0.5 * (F[0, i] * F[0, j] + F[1, i] * F[1, j] + F[2, i] * F[2, j] - (1.0 if i == j else 0.0))
    trace = la * (E[0, 0] + E[1, 1] + E[2, 2])
    for i in range(3):
        for j in range(3):
            S[i, j] = 2.0 * m * E[i, j] + (trace if i == j else 0.0)
    for i in range(3):
        for j in range(3):
            P[i, j] = F[i, 0] * S[0, j] + F[i, 1] * S[1, j] + F[i, 2] * S[2, j]


@njit(cache=True)
def _svk_blocks(F, S, g, fg, V, la, m, K, slot, flip):
    """V (g_a.S g_b I + lam f_a f_b^T + mu f_b f_a^T + mu g_a.g_b F F^T) with f = F g."""
    B = np.empty((3, 3))
    mul3_nt(F, F, B)
    p = 0
    for a in range(4):
        for d in range(a, 4):
            initial = 0.0
            for i in range(3):
                for j in range(3):
                    initial += g[a, i] * S[i, j] * g[d, j]
            dot = g[a, 0] * g[d, 0] + g[a, 1] * g[d, 1] + g[a, 2] * g[d, 2]
            k = K[slot[p]]
            u, w = (la, m) if not flip[p] else (m, la)
            for i in range(3):
                for j in range(3):
                    k[i, j] += V * (u * fg[a, i] * fg[d, j] + w * fg[d, i] * fg[a, j] + m * dot * B[i, j])
                k[i, i] += V * initial
            p += 1


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
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
