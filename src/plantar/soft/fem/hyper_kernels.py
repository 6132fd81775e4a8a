"""Compiled loops over tetrahedra: nodal forces and stiffness blocks of hyperelastic laws."""

from __future__ import annotations

import math

import numpy as np

from plantar._jit import njit
from plantar.soft.fem.mat3 import cofactor3, mul3_nt

NEO_HOOKEAN, STABLE, SVK = 0, 1, 2
"""Hyperelastic laws."""


@njit(fastmath={"contract", "nsz", "arcp"})
def hyperelastic(x, tets, volume, gradient, lam, mu, law, f, K, slot, flip):  # noqa: PLR0912  (one loop, compiled)
    r"""Add forces and exact stiffness of hyperelastic tetrahedra.

    * Neo-Hookean: W = mu/2 (I1 - 3) - mu ln J + lam/2 (ln J)^2
    * stable Neo-Hookean: W = mu/2 (I1 - 3) + lam'/2 (J - 1 - mu/lam')^2 with lam' = lam + mu
    * St. Venant-Kirchhoff: W = lam/2 tr(E)^2 + mu tr(E^2), E = (F^T F - I)/2
    """
    F, C, P = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    c, fg = np.empty((4, 3)), np.empty((4, 3))
    E, S = np.empty((3, 3)), np.empty((3, 3))
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
        if law == SVK:
            _svk_stress(F, la, m, E, S, P)
            for a in range(4):
                for i in range(3):
                    fg[a, i] = F[i, 0] * g[a, 0] + F[i, 1] * g[a, 1] + F[i, 2] * g[a, 2]
        else:
            # W = mu/2 I1 + h(J): P = mu F + h' C, and C grad N_a is all the stiffness needs
            if law == NEO_HOOKEAN:
                if not J > 0.0:
                    return
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


@njit()
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


@njit()
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


@njit()
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
