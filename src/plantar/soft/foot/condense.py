"""A condensed solid foot: how its pads yield under loads, by finite elements at rest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array, eye_array, kron
from scipy.sparse.linalg import splu

from plantar.soft.fem.material import lame
from plantar.soft.foot.shape import SolidShape, solid_shape
from plantar.soft.mesh.mesh import Floats, Ints, Mesh

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot


@dataclass(frozen=True, eq=False)
class Condensed:
    """A foot reduced to its pads, the ankle held."""

    shape: SolidShape
    """The mesh it came from."""
    W: Floats
    """Compliance (3 pads, 3 pads) [m/N]: motion x, y, z of each pad under a unit force on another."""
    K: Floats
    """Its inverse, the stiffness between the pads, whose nodes stick to the ground [N/m]."""
    K_slip: Floats
    """Stiffness between the pads in z alone, their nodes free to slide sideways (pads, pads) [N/m]."""
    mass: float
    """Mass of the soft part [kg]."""
    inertia: Floats
    """Mass, centre (3) and inertia about it (6: xx yy zz xy xz yz) of the soft part, in the ankle's frame (10,)."""


def condense(foot: SolidFoot) -> Condensed:
    """Stiffness between a foot's pads: the sole's nodes move with their pads, all others find their balance."""
    return _condensed(foot, _content(foot.mesh_file))


def _content(mesh_file: str) -> bytes:
    """What a mesh file holds now, in few bytes: a foot names its file, which may be written anew."""
    try:
        return hashlib.sha256(Path(mesh_file).read_bytes()).digest() if mesh_file else b""
    except OSError:  # reading the mesh says what is wrong
        return b""


@lru_cache(maxsize=16)
def _condensed(foot: SolidFoot, content: bytes) -> Condensed:
    shape = solid_shape(foot)
    K = linear_stiffness(shape.mesh, foot.young, foot.poisson)
    sole, P = shape.ties()
    free = np.setdiff1d(np.arange(len(shape.mesh.nodes)), shape.mount)
    stick = _schur(K, _dofs(sole), _dofs(free), kron(P, eye_array(3)).tocsr())
    slip = _schur(K, 3 * sole + 2, _dofs(free), P)
    mass, inertia = _inertia(shape, foot.density)
    compliance = np.asarray(np.linalg.inv(stick), dtype=np.float64)
    return Condensed(shape, compliance, stick, slip, mass, inertia)


def _schur(K: csr_array, held: Ints, free: Ints, P: csr_array) -> Floats:
    """K = P^T K_hh P - P^T K_hi K_ii^-1 K_ih P: numbers `held` follow the pads by P, the other free ones balance."""
    inside = np.setdiff1d(free, held)
    rows = K[held]
    coupling = (rows[:, inside].T @ P).toarray()
    solver = splu(K[inside][:, inside].tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    stiffness = (P.T @ rows[:, held] @ P).toarray() - coupling.T @ solver.solve(coupling)
    return (stiffness + stiffness.T) / 2


def _dofs(nodes: Ints) -> Ints:
    return (3 * nodes[:, None] + np.arange(3)).ravel()


def linear_stiffness(mesh: Mesh, young: float, poisson: float) -> csr_array:
    """Stiffness of linear tetrahedra at rest (3 n, 3 n), by NumPy alone: it is needed once, not at every step."""
    lam, mu = lame(young, poisson)
    a, b, c, d = (mesh.nodes[mesh.tets[:, i]] for i in range(4))
    edges = np.stack([b - a, c - a, d - a], axis=1)  # (m, 3, 3), rows are edges
    inner = np.linalg.inv(edges)  # columns are the gradients of nodes 1, 2, 3
    G = np.concatenate([-inner.sum(axis=2)[:, None, :], inner.transpose(0, 2, 1)], axis=1)  # (m, 4, 3)
    outer = np.einsum("mai,mbj->maibj", G, G)
    dots = np.einsum("mak,mbk->mab", G, G)
    blocks = lam * outer + mu * outer.transpose(0, 1, 4, 3, 2)
    blocks += mu * np.einsum("mab,ij->maibj", dots, np.eye(3))
    values = (mesh.volumes[:, None, None, None, None] * blocks).reshape(len(mesh.tets), 12, 12)
    place = (3 * mesh.tets[:, :, None] + np.arange(3)).reshape(-1, 12)
    rows, columns = np.repeat(place, 12, axis=1).ravel(), np.tile(place, (1, 12)).ravel()
    size = 3 * len(mesh.nodes)
    return coo_array((values.ravel(), (rows, columns)), shape=(size, size)).tocsr()


def node_masses(mesh: Mesh, density: float) -> Floats:
    """A quarter of each element's mass on each of its nodes (n,) [kg]."""
    share = np.repeat(density * mesh.volumes / 4, 4)
    return np.asarray(np.bincount(mesh.tets.ravel(), share, minlength=len(mesh.nodes)), dtype=np.float64)


def _inertia(shape: SolidShape, density: float) -> tuple[float, Floats]:
    mass, place = node_masses(shape.mesh, density), shape.mesh.nodes
    total = float(mass.sum())
    centre = mass @ place / total
    r = place - centre
    second = np.einsum("n,ni,nj->ij", mass, r, r)
    matrix = np.trace(second) * np.eye(3) - second
    moments = [matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1], matrix[0, 2], matrix[1, 2]]
    return total, np.array([total, *centre, *moments])
