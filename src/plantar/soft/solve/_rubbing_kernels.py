"""Compiled sweeps over nodes that may touch: each is brought to balance under its own contact with friction."""

from __future__ import annotations

import math

import numpy as np

from plantar._jit import njit


@njit()
def sweeps(count, way, bound, W, inverse, diagonal, ptr, ind, val, s, delta, u, r, force):
    """Gauss-Seidel on the nodes that may touch, there and back, with all other nodes held.

    Args:
        count: Number of sweeps.
        way: Normal and tangents of each node (n, 3, 3).
        bound: Largest friction of each node.
        W: Compliance of each node in these directions (n, 3, 3).
        inverse: Inverse block on the diagonal of each node (n, 3, 3).
        diagonal: That block.
        ptr: Where the neighbours of each node begin.
        ind: Their numbers.
        val: Their blocks.
        s: Scale between numbers solved for and motion.
        delta: Gap and slip before (n, 3).
        u: Motion of the nodes (n, 3); changed.
        r: What is out of balance (n, 3); changed.
        force: Forces in these directions (n, 3); changed.
    """
    n = len(u)
    du, g, w, new = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for sweep in range(count):
        for q in range(n):
            j = q if sweep % 2 == 0 else n - 1 - q
            for c in range(3):
                du[c] = inverse[j, c, 0] * r[j, 0] + inverse[j, c, 1] * r[j, 1] + inverse[j, c, 2] * r[j, 2]
            for k in range(3):
                w[k] = delta[j, k]
                for c in range(3):
                    w[k] += s * way[j, k, c] * (u[j, c] + du[c])
                new[k] = force[j, k]
            _touch(W[j], w, bound[j], new)
            for c in range(3):
                g[c] = 0.0
                for k in range(3):
                    g[c] += s * way[j, k, c] * (new[k] - force[j, k])
            for c in range(3):
                force[j, c] = new[c]
                du[c] += inverse[j, c, 0] * g[0] + inverse[j, c, 1] * g[1] + inverse[j, c, 2] * g[2]
            for c in range(3):
                u[j, c] += du[c]
                r[j, c] += g[c]
                for k in range(3):
                    r[j, c] -= diagonal[j, c, k] * du[k]
            for p in range(ptr[j], ptr[j + 1]):
                i, block = ind[p], val[p]
                for c in range(3):
                    r[i, c] -= block[c, 0] * du[0] + block[c, 1] * du[1] + block[c, 2] * du[2]


@njit()
def _touch(W, w, most, force):
    """Forces of one contact whose friction is bounded, by projected steps; `w` goes with them."""
    rho = 1.0 / max(W[1, 1], W[2, 2])
    for _ in range(30):
        normal = max(force[0] - w[0] / W[0, 0], 0.0)
        d = normal - force[0]
        for k in range(3):
            w[k] += W[k, 0] * d
        bound = most if normal > 0.0 else 0.0
        a, b = force[1] - rho * w[1], force[2] - rho * w[2]
        size = math.sqrt(a * a + b * b)
        if size > bound:
            a, b = a * bound / size, b * bound / size
        e, f = a - force[1], b - force[2]
        for k in range(3):
            w[k] += W[k, 1] * e + W[k, 2] * f
        force[0], force[1], force[2] = normal, a, b
        if abs(d) + abs(e) + abs(f) <= 1e-12 * (abs(normal) + abs(a) + abs(b)):
            break
