"""Products of rows of constraints, which are nearly empty, with motions, forces and the blocks of nodes.

Those of full arrays are compiled loops that pass over zeros: a library would multiply them all and, above a few
thousand numbers, wake threads whose waiting costs more processor time than the product.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from plantar._jit import njit
from plantar.soft.solve.blocks import Sparse


def without(D: Sparse, rows: np.ndarray) -> Sparse:
    """D without these rows and columns."""
    keep = diags_array((~rows).astype(float))
    return csr_array(keep @ D @ keep)


def nodes_a_row(H: Sparse) -> np.ndarray:
    """How many nodes each row has numbers for."""
    coo = H.tocoo()
    pairs = np.unique(coo.row.astype(np.int64) * H.shape[1] + coo.col // 3)
    return np.bincount(pairs // H.shape[1], minlength=H.shape[0])


def local(H: Sparse, inverse: np.ndarray) -> np.ndarray:
    """H D^-1 h^T of every row, with the blocks of the diagonal."""
    coo = H.tocoo()
    out = np.zeros(H.shape[0])
    if not coo.nnz:
        return out
    key = coo.row.astype(np.int64) * len(inverse) + coo.col // 3
    unique, where = np.unique(key, return_inverse=True)
    parts = np.zeros((len(unique), 3))
    np.add.at(parts, (where, coo.col % 3), coo.data)
    blocks = inverse[unique % len(inverse)]
    np.add.at(out, unique // len(inverse), np.einsum("na,nab,nb->n", parts, blocks, parts))
    return out


def on_nodes(H: Sparse, D: Sparse) -> tuple[np.ndarray, np.ndarray]:
    """Diagonal blocks of H^T D H, for the nodes that have any."""
    product = csr_array(H.T @ (D @ H)).tocoo()
    same = product.row // 3 == product.col // 3
    row, col, val = product.row[same], product.col[same], product.data[same]
    node, where = np.unique(row // 3, return_inverse=True)
    stiff = np.zeros((len(node), 3, 3))
    np.add.at(stiff, (where, row % 3, col % 3), val)
    return node.astype(np.int64), stiff


@njit()
def rows_times(H, X):
    """H X^T for rows H (k, n) with few numbers each and any rows X (m, n)."""
    out, at, few = np.empty((len(H), len(X))), np.empty(H.shape[1], dtype=np.int64), np.empty(H.shape[1])
    for i in range(len(H)):
        count = 0
        for c in range(H.shape[1]):
            if H[i, c] != 0.0:
                at[count], few[count] = c, H[i, c]
                count += 1
        for j in range(len(X)):
            total = 0.0
            for p in range(count):
                total += few[p] * X[j, at[p]]
            out[i, j] = total
    return out


@njit()
def add_rows(force, X, out):
    """Add force X to `out`, for forces (k) of which most are zero."""
    for i in range(len(force)):
        if force[i] != 0.0:
            for c in range(X.shape[1]):
                out[c] += force[i] * X[i, c]
    return out
