"""Orientations of frames: matrices, and rotation vectors, which can be added up where spins cannot."""

from __future__ import annotations

import numpy as np

from plantar._jit import njit
from plantar.soft.fem.beam_kernels import quat_matrix
from plantar.soft.mesh.mesh import Floats


def rotation_vectors(rest: Floats, now: Floats) -> Floats:
    """Rotation vectors (m, 3) of now rest^-1, for quaternions w x y z (m, 4)."""
    w = np.einsum("mk,mk->m", now, rest)
    v = -now[:, :1] * rest[:, 1:] + rest[:, :1] * now[:, 1:] + np.cross(rest[:, 1:], now[:, 1:])
    sign = np.where(w < 0, -1.0, 1.0)
    w, v = sign * w, sign[:, None] * v
    size = np.linalg.norm(v, axis=1)
    factor = np.where(size < 1e-12, 2.0, 2 * np.arctan2(size, w) / np.maximum(size, 1e-300))
    return factor[:, None] * v


def turned(rest: Floats, vectors: Floats) -> Floats:
    """Quaternions (m, 4) after the rotation vectors (m, 3): exp(vector) rest."""
    angle = np.linalg.norm(vectors, axis=1)
    half = 0.5 * np.sinc(angle / (2 * np.pi))[:, None] * vectors
    w, (p, q) = np.cos(0.5 * angle)[:, None], (rest[:, :1], rest[:, 1:])
    out = np.concatenate([w * p - (half * q).sum(axis=1, keepdims=True), w * q + p * half + np.cross(half, q)], axis=1)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def spin_matrices(vectors: Floats) -> Floats:
    """Matrices J (m, 3, 3) that make the spin in the world of the rate of a rotation vector: w = J d(vector)/dt."""
    angle = np.linalg.norm(vectors, axis=1)
    x, y, z = vectors.T
    o = np.zeros_like(x)
    cross = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)
    small = angle < 1e-4
    a = np.where(small, 1.0, angle)
    first = np.where(small, 0.5, (1 - np.cos(a)) / a**2)
    second = np.where(small, 1 / 6, (a - np.sin(a)) / a**3)
    return np.eye(3) + first[:, None, None] * cross + second[:, None, None] * (cross @ cross)


def rotation_matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a quaternion w x y z."""
    return rotation_matrices(np.asarray(q, dtype=float)[None])[0]


@njit()
def rotation_matrices(q):
    """Rotation matrices (m, 3, 3) of unit quaternions (m, 4)."""
    out = np.empty((len(q), 3, 3))
    for i in range(len(q)):
        quat_matrix(q[i], out[i])
    return out
