"""A system that moves in a few modes and uses a few elements; it replaces a scene's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from plantar._jit import njit
from plantar.soft.fem.pattern import build_pattern
from plantar.soft.fem.turning import rotation_vectors, spin_matrices, turned
from plantar.soft.mesh.mesh import Floats
from plantar.soft.solve.state import State
from plantar.soft.solve.system import FIXED, Group, System


class DenseFactor:
    """A small dense matrix, factorised."""

    def update(self, data: Floats) -> None:
        """Factorise."""
        self._factor = scipy.linalg.lu_factor(data, check_finite=False)

    def solve(self, b: Floats) -> Floats:
        """Solve for the rows of `b`."""
        return np.asarray(scipy.linalg.lu_solve(self._factor, b.T, check_finite=False)).T


class ReducedSystem(System):
    """The Galerkin projection of a system on modes, with some of its elements weighted to stand for all.

    Modes add up displacements of points and rotation vectors of frames, so that a shape depends on the amplitudes alone
    and not on the path to it. Spins are not added up: frames led round a circle would come back twisted.

    Args:
        full: The system of the whole scene.
        modes: Motion of the free numbers in each mode (dofs, m).
        groups: Elements to assemble, already weighted.
    """

    def __init__(self, full: System, modes: Floats, groups: list):
        self.__dict__.update(full.__dict__)
        self.full, self.large = full, False
        self.set_groups(groups)
        self.dofs = modes.shape[1]
        self.modes = np.zeros((self.size, 3, self.dofs))
        self.moving = self.kind != 1
        full.turn_arms(full.quat0)
        for m in range(self.dofs):
            self.modes[:, :, m] = full.expand(np.ascontiguousarray(modes[:, m]), np.zeros((self.size, 3)))
        self.vectors = self.modes[self.frame_block + 1].copy()
        self.loose = self.kind[self.frame_block] != FIXED
        self.factor = DenseFactor()
        self._mass: tuple[bytes, Floats] = (b"", np.zeros(0))

    def set_groups(self, groups: Sequence[Group]) -> None:
        """Take these elements, already weighted, and the blocks that they use."""
        self.groups = list(groups)
        self.pattern = build_pattern(self.size, [g.blocks for g in groups])
        for group in groups:
            group.place(self.pattern)
        self.K = np.zeros((len(self.pattern.row), 3, 3))
        self.row, self.col = self.pattern.row.astype(np.int32), self.pattern.col.astype(np.int32)
        used = np.unique(np.concatenate([g.blocks.ravel() for g in groups]))
        self.used = used.astype(np.int64)
        place = np.full(self.size, -1, dtype=np.int64)
        place[used] = np.arange(len(used))
        inner = np.flatnonzero((place[self.row] >= 0) & (place[self.col] >= 0))
        self.slots, self.place = inner.astype(np.int64), place

    def turn_arms(self, quat: Floats) -> None:
        """Arms of slaves in the world; spins of frames in the modes, and slaves, turn with them."""
        super().turn_arms(quat)
        if self.frames:
            self.modes[self.frame_block + 1] = spin_matrices(rotation_vectors(self.quat0, quat)) @ self.vectors
        s = self.slaves
        if len(s):
            t = self.master[s]
            turn = np.cross(self.modes[t + 1], self.arm[s][:, :, None], axis=1)
            self.modes[s] = self.modes[t] + turn

    def advance(self, x: Floats, quat: Floats, v: Floats, d: Floats) -> tuple[Floats, Floats, Floats]:
        """Motion of all blocks by `d`, adding up rotation vectors of frames instead of their spins."""
        before, spin = quat, self.frame_block + 1
        x, quat, v = super().advance(x, quat, v, d)
        free = np.flatnonzero(self.loose)
        if not len(free):
            return x, quat, v
        rest, spin = self.quat0[free], spin[free]
        vector = rotation_vectors(rest, before[free])
        J = spin_matrices(vector)
        v = v.copy()
        rates = np.linalg.solve(J, np.stack([d[spin], v[spin]], axis=2))
        vector += rates[:, :, 0]
        quat[free] = turned(rest, vector)
        v[spin] = np.einsum("fij,fj->fi", spin_matrices(vector), rates[:, :, 1])
        s = self.slaves
        if len(s):
            super().turn_arms(quat)
            x[s] = x[self.master[s]] + self.arm[s]
            v = self._carried_velocities(x, v)
        return x, quat, v

    def posed(self, amplitude: Floats) -> State:
        """The scene at rest with these amplitudes of the modes; the modes are left as they are there."""
        self.turn_arms(self.quat0)
        d = self.expand(np.ascontiguousarray(amplitude), np.zeros((self.size, 3)))
        state = State(0.0, *self.advance(self.x0, self.quat0, np.zeros((self.size, 3)), d))
        self.turn_arms(state.quat)
        return state

    def factorise(self, c_mass: Floats, c_stiffness: Floats, inertia: Floats) -> None:
        """Factorise the projection of c_mass M + c_stiffness K."""
        phi = self.modes[self.used]  # (u, 3, m)
        KP = np.zeros_like(phi)
        stiff_times(self.slots, self.row, self.col, self.place, self.K, c_stiffness, phi, KP)
        A = phi.reshape(-1, self.dofs).T @ KP.reshape(-1, self.dofs)
        A = A + self._mass_term(c_mass)
        for f, block in enumerate(self.frame_block):
            turn = self.modes[block + 1]
            A = A + c_mass[block + 1] * turn.T @ inertia[f] @ turn
        self.factor.update(A)

    def _mass_term(self, c_mass: Floats) -> Floats:
        """Projected mass; it changes with the time step and, hardly, with turning slaves, so it is kept."""
        key = c_mass.tobytes()
        if self._mass[0] != key:
            scaled = (c_mass * self.mass)[:, None, None] * self.modes
            self._mass = (key, self.modes.reshape(-1, self.dofs).T @ scaled.reshape(-1, self.dofs))
        return self._mass[1]

    def reduce(self, rows: Floats) -> Floats:
        """Rows of forces on all blocks (k, n, 3) as forces on the modes (k, m)."""
        return rows.reshape(len(rows), -1) @ self.modes.reshape(-1, self.dofs)

    def expand(self, reduced: Floats, out: Floats) -> Floats:
        """Motion of the modes as motion of all blocks; fixed blocks keep what `out` holds."""
        motion = (self.modes.reshape(-1, self.dofs) @ reduced).reshape(-1, 3)
        out[self.moving] = motion[self.moving]
        return out


@njit()
def stiff_times(slots, row, col, place, K, scale, phi, out):
    """Add scale K phi to `out`, over the used blocks, with the upper triangle of K."""
    count = phi.shape[2]
    for n in range(len(slots)):
        s = slots[n]
        i, j, c = place[row[s]], place[col[s]], scale[row[s]]
        for a in range(3):
            for b in range(3):
                k = c * K[s, a, b]
                if k != 0.0:
                    for m in range(count):
                        out[i, a, m] += k * phi[j, b, m]
                    if i != j:
                        for m in range(count):
                            out[j, b, m] += k * phi[i, a, m]
