"""All bodies of a scene as one system of blocks: assembly, reduction to what can move, factorisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.fem.groups import Group
from plantar.soft.fem.parts import Parts
from plantar.soft.fem.pattern import build_pattern, damp, multiply, scalar_pattern
from plantar.soft.fem.turning import rotation_matrices, rotation_matrix
from plantar.soft.solve import rigid_kernels
from plantar.soft.solve.blocks import BlockMatrix, BlockPattern
from plantar.soft.solve.factor import Backend, Factor, make_factor
from plantar.soft.solve.small import SmallFactor, make_plan

LARGE = 30_000
"""Free numbers from which `auto` solves by multigrid instead of a factorisation."""
FREE, FIXED, SLAVE = 0, 1, 2
"""What a block can do: move, stay, follow a frame."""


class System:
    """Blocks of three numbers and what acts between them.

    Args:
        bodies: Bodies with a `build` method.
        rayleigh: Damping on mass and stiffness of bodies that define none.
        backend: Sparse library.
    """

    def __init__(self, bodies: Sequence[Any], rayleigh: tuple[float, float], backend: Backend):
        self.bodies = {body.name: body for body in bodies}
        self.offset: dict[str, int] = {}
        self.first_frame: dict[str, int] = {}
        self.parts: dict[str, Parts] = {}
        self.frame_name: dict[str, int] = {}
        blocks = frames = 0
        for body in bodies:
            self.offset[body.name], self.first_frame[body.name] = blocks, frames
            parts = self.parts[body.name] = body.build(blocks, frames)
            if len(parts.frames) == 1 and not len(parts.points):
                self.frame_name[body.name] = frames
            blocks, frames = blocks + parts.size, frames + len(parts.frames)
        self._new_frames(blocks, frames)
        self._fill_blocks(bodies, rayleigh)
        self.backend: Backend = backend
        self.set_groups([g for parts in self.parts.values() for g in parts.groups])

    def set_groups(self, groups: Sequence[Group]) -> None:
        """Take these elements: makes the patterns and analyses the matrix."""
        self.groups = list(groups)
        self.pattern = build_pattern(self.size, [g.blocks for g in self.groups])
        for group in self.groups:
            group.place(self.pattern)
        self.K = np.zeros((len(self.pattern.row), 3, 3))
        self.row, self.col = self.pattern.row.astype(np.int32), self.pattern.col.astype(np.int32)
        self._reduced_pattern()
        self.large = self.backend == "multigrid" or (self.backend == "auto" and self.dofs >= LARGE)
        self.factor: Factor = make_factor(self.indptr, self.indices, "auto" if self.large else self.backend)
        blocks = (len(self.free), self.reduced_row, self.reduced_col, self.at)
        if self.backend == "auto" and (plan := make_plan(*blocks)) is not None:
            self.factor = SmallFactor(plan, self.factor)
        self._blocks: BlockPattern | None = None

    def _new_frames(self, blocks: int, frames: int) -> None:
        """Frames of rigid regions that no rigid body carries."""
        made: list[np.ndarray] = []
        for parts in self.parts.values():
            for name, nodes in parts.rigid.items():
                if name not in self.frame_name:
                    if name in self.offset:
                        raise InvalidInput(f"rigid region {name!r}: body {name!r} is not rigid; give another name")
                    self.frame_name[name] = frames + len(made)
                    made.append(parts.points[nodes].mean(axis=0))
        self.extra = np.array(made).reshape(-1, 3)
        self.size, self.frames = blocks + 2 * len(made), frames + len(made)
        self.extra_offset = blocks

    def _fill_blocks(self, bodies: Sequence[Any], rayleigh: tuple[float, float]) -> None:
        n, m = self.size, self.frames
        self.x0, self.mass = np.zeros((n, 3)), np.zeros(n)
        self.quat0, self.inertia = np.tile([1.0, 0.0, 0.0, 0.0], (m, 1)), np.zeros((m, 3, 3))
        self.alpha, self.beta = np.full(n, float(rayleigh[0])), np.full(n, float(rayleigh[1]))
        self.frame_block = np.zeros(m, dtype=np.int64)
        self.kind = np.zeros(n, dtype=np.int8)
        self.body_of = np.zeros(n, dtype=np.int32)
        for index, body in enumerate(bodies):
            parts, at, frame = self.parts[body.name], self.offset[body.name], self.first_frame[body.name]
            p, k = len(parts.points), len(parts.frames)
            place = at + p + 2 * np.arange(k)
            self.x0[at : at + p], self.mass[at : at + p] = parts.points, parts.mass[:p]
            self.x0[place], self.mass[place] = parts.frames, parts.mass[p:]
            span = slice(frame, frame + k)
            self.frame_block[span], self.quat0[span], self.inertia[span] = place, parts.quat, parts.inertia
            self.kind[at + parts.fixed] = FIXED
            self.body_of[at : at + parts.size] = index
            if body.rayleigh is not None:
                self.alpha[at : at + parts.size], self.beta[at : at + parts.size] = body.rayleigh
        made = self.extra_offset + 2 * np.arange(len(self.extra))
        self.x0[made] = self.extra
        self.frame_block[m - len(self.extra) :] = made
        self.body_of[self.extra_offset :] = -1
        self._bind_slaves()
        self.rotational = np.zeros(n, dtype=bool)
        self.rotational[self.frame_block + 1] = True

    def _bind_slaves(self) -> None:
        self.master = np.zeros(self.size, dtype=np.int64)
        self.local_arm = np.zeros((self.size, 3))
        self.master_frame = np.full(self.size, -1)
        for body, parts in self.parts.items():
            for name, nodes in parts.rigid.items():
                frame, blocks = self.frame_name[name], self.offset[body] + nodes
                clash = self.kind[blocks] != FREE
                if clash.any():
                    raise InvalidInput(
                        f"body {body!r}: node {int(nodes[clash][0])} of rigid region {name!r} is fixed or in another "
                        "rigid region: over-constrained; take it out of one of them"
                    )
                self.kind[blocks], self.master[blocks] = SLAVE, self.frame_block[frame]
                self.master_frame[blocks] = frame
                arm = self.x0[blocks] - self.x0[self.frame_block[frame]]
                self.local_arm[blocks] = arm @ rotation_matrix(self.quat0[frame])
        self.slaves = np.flatnonzero(self.kind == SLAVE)
        self.arm = np.zeros((self.size, 3))
        # a slave of a fixed rigid body is fixed as well
        fixed = self.slaves[self.kind[self.master[self.slaves]] == FIXED]
        self.kind[fixed] = FIXED
        self.slaves = np.flatnonzero(self.kind == SLAVE)
        self.carried = fixed

    def _reduced_pattern(self) -> None:
        free = np.flatnonzero(self.kind == FREE)
        self.free = free
        self.number = np.full(self.size, -1, dtype=np.int64)
        self.number[free] = np.arange(len(free))
        if not len(free):
            raise InvalidInput("nothing in this scene can move: leave some nodes free")
        plan = rigid_kernels.plan(
            self.kind, self.number, self.master, self.row.astype(np.int64), self.col.astype(np.int64)
        )
        self.simple, self.simple_slot, self.terms, row, col = plan
        self.indptr, self.indices, self.at = scalar_pattern(len(free), row, col)
        self.reduced_row, self.reduced_col = row, col
        self.data = np.zeros(len(self.indices))
        self.diagonal = np.searchsorted(row * len(free) + col, np.arange(len(free)) * (len(free) + 1))
        self.reduced_diagonal = row == col
        self.dofs = 3 * len(free)

    def assemble(self, x: np.ndarray, quat: np.ndarray, f: np.ndarray, exact: bool = False) -> None:
        """Internal forces into `f` and stiffness into `K`."""
        self.K.fill(0.0)
        f.fill(0.0)
        for group in self.groups:
            group.add(x, quat, f, self.K, exact)

    def turn_arms(self, quat: np.ndarray) -> None:
        """Arms of slaves and inertia of frames in the world."""
        if len(self.slaves):
            rigid_kernels.world_arms(self.slaves, self.master_frame, self.local_arm, quat, self.arm)

    def world_inertia(self, quat: np.ndarray) -> np.ndarray:
        """Inertia of all frames in the world."""
        R = rotation_matrices(quat)
        return R @ self.inertia @ R.transpose(0, 2, 1)

    def factorise(self, c_mass: np.ndarray, c_stiffness: np.ndarray, inertia: np.ndarray) -> None:
        """Factorise A = c_mass M + c_stiffness K for the free blocks."""
        self._fill(c_mass, c_stiffness, inertia)
        self.factor.update(self.data)

    def matrix(self, c_mass: np.ndarray, c_stiffness: np.ndarray, inertia: np.ndarray) -> BlockMatrix:
        """A = c_mass M + c_stiffness K for the free blocks, not factorised."""
        self._fill(c_mass, c_stiffness, inertia)
        if self._blocks is None:
            self._blocks = BlockPattern(self.reduced_row, self.reduced_col, self.at, len(self.free))
        return self._blocks.matrix(self.data)

    def _fill(self, c_mass: np.ndarray, c_stiffness: np.ndarray, inertia: np.ndarray) -> None:
        self.data.fill(0.0)
        where, mass = (self.data, self.at, self.reduced_diagonal), c_mass * self.mass
        values = (self.row, self.col, self.K, c_stiffness, mass)
        rigid_kernels.fill(*where, self.simple, self.simple_slot, *values)
        if len(self.terms):
            rigid_kernels.fill_slaves(*where, self.terms, *values, self.arm)
        if self.frames:
            rigid_kernels.fill_inertia(
                self.data, self.at, self.diagonal, self.number, self.frame_block, inertia, c_mass
            )

    def multiply(self, v: np.ndarray, scale: np.ndarray, out: np.ndarray) -> None:
        """Out += scale K v."""
        multiply(self.row, self.col, self.K, v, scale, out)

    def damp(self, v: np.ndarray, h: float, out: np.ndarray) -> None:
        """Out -= alpha M v + (h + beta) K v: what backward Euler adds to the forces."""
        damp(self.row, self.col, self.K, v, self.alpha, self.mass, self.beta, h, out)

    def reduce(self, rows: np.ndarray) -> np.ndarray:
        """Rows of forces on all blocks (k, n, 3) as forces on the free numbers (k, dofs)."""
        out = np.empty((len(rows), len(self.free), 3))
        rigid_kernels.gather(rows, self.free, self.slaves, self.master, self.number, self.arm, out)
        return out.reshape(len(rows), -1)

    def expand(self, reduced: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Motion of the free numbers as motion of all blocks; fixed blocks keep what `out` holds."""
        rigid_kernels.spread(reduced.reshape(-1, 3), self.free, self.slaves, self.master, self.arm, out)
        return out

    def advance(
        self, x: np.ndarray, quat: np.ndarray, v: np.ndarray, d: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places, orientations and velocities after motion `d`; slaves go with their frame."""
        x, quat = x.copy(), quat.copy()
        rigid_kernels.advance(
            x, quat, d, self.rotational, self.frame_block, self.slaves, self.master, self.master_frame, self.local_arm
        )
        return x, quat, self._carried_velocities(x, v)

    def _carried_velocities(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Velocities of slaves from those of their frames: changes added up step by step would keep old arms."""
        s = self.slaves
        if not len(s):
            return v
        t, out = self.master[s], v.copy()
        out[s] = v[t] + np.cross(v[t + 1], x[s] - x[t])
        return out

    def blocks_of(self, body: str) -> slice:
        """Blocks of a body."""
        return slice(self.offset[body], self.offset[body] + self.parts[body].size)

    def names(self) -> Mapping[str, int]:
        """Bodies and their first blocks."""
        return self.offset
