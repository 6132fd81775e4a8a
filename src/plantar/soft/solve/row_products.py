"""Products of sparse rows with the blocks of nodes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

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
