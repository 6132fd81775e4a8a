"""Compiled algebra of 3 x 3 matrices: product, determinant, inverse, polar rotation, edge frame."""

from __future__ import annotations

import math

import numpy as np

from plantar._jit import njit

EPS_DET = 1e-8
"""Below this share of its scale a determinant counts as zero or negative in the polar decomposition."""


@njit()
def det3(A):
    """Determinant of a 3 x 3 matrix."""
    return (
        A[0, 0] * (A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1])
        - A[0, 1] * (A[1, 0] * A[2, 2] - A[1, 2] * A[2, 0])
        + A[0, 2] * (A[1, 0] * A[2, 1] - A[1, 1] * A[2, 0])
    )


@njit()
def cofactor3(A, C):
    """Cofactor matrix C = det(A) A^-T."""
    C[0, 0] = A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1]
    C[0, 1] = A[1, 2] * A[2, 0] - A[1, 0] * A[2, 2]
    C[0, 2] = A[1, 0] * A[2, 1] - A[1, 1] * A[2, 0]
    C[1, 0] = A[2, 1] * A[0, 2] - A[2, 2] * A[0, 1]
    C[1, 1] = A[2, 2] * A[0, 0] - A[2, 0] * A[0, 2]
    C[1, 2] = A[2, 0] * A[0, 1] - A[2, 1] * A[0, 0]
    C[2, 0] = A[0, 1] * A[1, 2] - A[0, 2] * A[1, 1]
    C[2, 1] = A[0, 2] * A[1, 0] - A[0, 0] * A[1, 2]
    C[2, 2] = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]


@njit()
def mul3(A, B, out):
    """Product A B."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@njit()
def mul3_nt(A, B, out):
    """Product A B^T."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[j, 0] + A[i, 1] * B[j, 1] + A[i, 2] * B[j, 2]


@njit()
def mul3_tn(A, B, out):
    """Product A^T B."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[0, i] * B[0, j] + A[1, i] * B[1, j] + A[2, i] * B[2, j]


@njit()
def edge_frame(x0, x1, x2, R):
    """Columns of R: unit edge x0-x1, the normal to it in the plane of x2, and their cross product."""
    ax, ay, az = x1[0] - x0[0], x1[1] - x0[1], x1[2] - x0[2]
    bx, by, bz = x2[0] - x0[0], x2[1] - x0[1], x2[2] - x0[2]
    s = 1.0 / math.sqrt(ax * ax + ay * ay + az * az)
    ax, ay, az = ax * s, ay * s, az * s
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    s = 1.0 / math.sqrt(cx * cx + cy * cy + cz * cz)
    cx, cy, cz = cx * s, cy * s, cz * s
    R[0, 0], R[1, 0], R[2, 0] = ax, ay, az
    R[0, 1], R[1, 1], R[2, 1] = cy * az - cz * ay, cz * ax - cx * az, cx * ay - cy * ax
    R[0, 2], R[1, 2], R[2, 2] = cx, cy, cz


@njit()
def polar_rotation(F, R, C):
    """Rotation R of F = R S.

    Newton's iteration (Higham) where det F > 0; where the element is inverted or flat, the proper rotation
    nearest to F from the eigenvectors of F^T F. C is work space.
    """
    scale = 0.0
    for i in range(3):
        for j in range(3):
            scale = max(scale, abs(F[i, j]))
    d = det3(F)
    if not d > EPS_DET * scale**3:
        polar_by_eigenvectors(F, R)
        return
    R[:, :] = F
    for _ in range(30):
        cofactor3(R, C)
        d = R[0, 0] * C[0, 0] + R[0, 1] * C[0, 1] + R[0, 2] * C[0, 2]
        # scaling by det^(-1/3) brings far matrices near in one step
        g = d ** (-1.0 / 3.0)
        a, b = 0.5 * g, 0.5 / (g * d)
        change = 0.0
        for i in range(3):
            for j in range(3):
                new = a * R[i, j] + b * C[i, j]
                change = max(change, abs(new - R[i, j]))
                R[i, j] = new
        if change < 1e-15 or (change < 1e-8 and _last_step(R, C)):
            return


@njit()
def _last_step(R, C):
    """One more unscaled step: convergence is quadratic, so 1e-8 becomes 1e-16."""
    cofactor3(R, C)
    d = R[0, 0] * C[0, 0] + R[0, 1] * C[0, 1] + R[0, 2] * C[0, 2]
    for i in range(3):
        for j in range(3):
            R[i, j] = 0.5 * (R[i, j] + C[i, j] / d)
    return True


@njit()
def polar_by_eigenvectors(F, R):
    """Proper rotation nearest to F, also where F is singular or inverted."""
    S = np.empty((3, 3))
    mul3_tn(F, F, S)
    values, V = _eigenvectors(S)
    if det3(V) < 0.0:
        V[:, 0] = -V[:, 0]
    U = np.empty((3, 3))
    third = _unit(_apply(F, V[:, 2]), np.array([1.0, 0.0, 0.0]))
    U[:, 2] = third
    second = _apply(F, V[:, 1])
    second = second - np.sum(second * third) * third
    other = np.array([third[1], third[2], third[0]])
    other = other - np.sum(other * third) * third
    if np.sum(other * other) < 1e-12:
        other = np.array([1.0, -1.0, 0.0])
    U[:, 1] = _unit(second, other) if values[1] > 1e-24 * max(values[2], 1e-300) else _unit(other, other)
    U[0, 0] = U[1, 1] * U[2, 2] - U[2, 1] * U[1, 2]
    U[1, 0] = U[2, 1] * U[0, 2] - U[0, 1] * U[2, 2]
    U[2, 0] = U[0, 1] * U[1, 2] - U[1, 1] * U[0, 2]
    mul3_nt(U, V, R)


@njit()
def _eigenvectors(S):
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix, by Jacobi's rotations."""
    A, V = S.copy(), np.eye(3)
    for _ in range(30):
        for p in range(2):
            for q in range(p + 1, 3):
                if A[p, q] == 0.0:
                    continue
                t = 0.5 * math.atan2(2.0 * A[p, q], A[q, q] - A[p, p])
                c, s = math.cos(t), math.sin(t)
                for k in range(3):
                    a, b = A[k, p], A[k, q]
                    A[k, p], A[k, q] = c * a - s * b, s * a + c * b
                for k in range(3):
                    a, b = A[p, k], A[q, k]
                    A[p, k], A[q, k] = c * a - s * b, s * a + c * b
                    a, b = V[k, p], V[k, q]
                    V[k, p], V[k, q] = c * a - s * b, s * a + c * b
        if abs(A[0, 1]) + abs(A[0, 2]) + abs(A[1, 2]) <= 1e-300 + 1e-17 * (A[0, 0] + A[1, 1] + A[2, 2]):
            break
    order = np.argsort(np.array([A[0, 0], A[1, 1], A[2, 2]]))
    values, vectors = np.empty(3), np.empty((3, 3))
    for k in range(3):
        values[k] = A[order[k], order[k]]
        for i in range(3):
            vectors[i, k] = V[i, order[k]]
    return values, vectors


@njit()
def _apply(A, v):
    """Product of a matrix and a vector that need not be contiguous."""
    out = np.zeros(3)
    for i in range(3):
        for j in range(3):
            out[i] += A[i, j] * v[j]
    return out


@njit()
def _unit(a, fallback):
    n = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return a / n if n > 0.0 else fallback / math.sqrt(np.sum(fallback * fallback))
