"""Points of a contact that are near what they may touch: their rows in one linearisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plantar.soft.fem.turning import rotation_matrix
from plantar.soft.scene.contact_pairs import Found, contact_rows, frames

if TYPE_CHECKING:
    from plantar.soft.scene.contact import LiveContact
    from plantar.soft.solve.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Touch:
    """A contact with a force."""

    contact: str
    """Name of the contact."""
    point: int
    """Number of the point among those of the contact."""
    position: tuple[float, float, float]
    """Where it is [m]."""
    normal: tuple[float, float, float]
    """Direction away from the obstacle."""
    force: tuple[float, float, float]
    """Force on the body [N]."""
    gap: float
    """Gap before the step [m]."""


class NearContact:
    """What a contact found near a state; it keeps nothing from step to step."""

    def __init__(self, live: LiveContact, found: Found):
        self.live, self.found, self.name = live, found, live.name
        self.per = live.per
        self.rows = self.per * len(found.point)
        self.directions = self._directions(found.normal)

    def evaluate(self, state: State, H: Floats, start: State | None) -> Floats:
        """Gaps, and their derivatives into `H`; with friction two rows of slip after each."""
        found, m = self.found, self.live.map
        block, centre = -1, np.zeros(3)
        if found.frame is not None:
            block = int(self.live.system.frame_block[found.frame])
            centre = state.x[block]
        contact_rows(
            found.point,
            found.position,
            found.gap,
            self.directions,
            found.blocks,
            found.weights,
            m.start,
            m.block,
            m.weight,
            m.frame,
            m.arm,
            state.quat,
            block,
            centre,
            H,
        )
        return self.values(state, start)

    def values(self, state: State, start: State | None) -> Floats:
        """Gaps and, with friction, slips since `start` over what the points touch."""
        found = self.found
        value = np.zeros((len(found.point), self.per))
        value[:, 0] = found.gap - self.live.contact.distance
        if start is not None and self.per == 3:
            before = self.live.map.positions(start.x, start.quat)[found.point]
            slip = found.position - before - self._carried(state, start)
            value[:, 1:] = np.einsum("ic,ikc->ik", slip, self.directions[:, 1:])
        return value.ravel()

    def _carried(self, state: State, start: State) -> Floats:
        """Motion since `start` of the places that the points touch now (n, 3); none of an obstacle that stays."""
        found = self.found
        if found.frame is not None:
            block = self.live.system.frame_block[found.frame]
            turn = rotation_matrix(start.quat[found.frame]) @ rotation_matrix(state.quat[found.frame]).T
            touched = found.position - found.gap[:, None] * found.normal
            return touched - start.x[block] - (touched - state.x[block]) @ turn.T
        moved = state.x[found.blocks] - start.x[found.blocks]
        return np.einsum("ik,ikc->ic", found.weights, moved)

    def closes(self, force: Floats) -> bool:
        """Whether a gap was closed within the step in which these forces act, and rubs."""
        before = self.found.gap - self.live.contact.distance
        return self.per == 3 and bool(((before > 0) & (force.reshape(-1, 3)[:, 0] > 0)).any())

    def after_impact(self, delta: Floats) -> None:
        """Let only the slip after a gap has closed count: before, there is no friction."""
        if self.per == 1:
            return
        part = delta.reshape(-1, 3)
        before = self.found.gap - self.live.contact.distance
        closing = (before > 0) & (part[:, 0] < 0)
        share = np.where(closing, part[:, 0] / np.where(closing, part[:, 0] - before, 1.0), 1.0)
        part[:, 1:] *= share[:, None]

    def _directions(self, normal: Floats) -> Floats:
        """Normal and, with friction, two tangents of every contact (n, 1 or 3, 3)."""
        return frames(normal) if self.per == 3 else normal[:, None]

    def limits(self) -> tuple[Floats, Floats, Floats]:
        """Least and largest force and friction of the rows."""
        if self.per == 1:
            return np.zeros(self.rows), np.full(self.rows, np.inf), np.full(self.rows, -1.0)
        n = self.rows // 3
        low, high = np.tile([0.0, -np.inf, -np.inf], n), np.full(self.rows, np.inf)
        return low, high, np.tile([self.live.friction, -2.0, -2.0], n)

    def guess(self, memory: tuple[Floats, Floats] | None) -> Floats:
        """Forces of the same points in the last step."""
        out = np.zeros((len(self.found.point), self.per))
        if memory is not None and len(memory[0]):
            points, forces = memory
            at = np.minimum(np.searchsorted(points, self.found.point), len(points) - 1)
            known = points[at] == self.found.point
            out[known] = forces[at[known]]
        return out.ravel()

    def touches(self, force: Floats) -> list[Touch]:
        """Those with a force."""
        parts = force.reshape(-1, self.per)
        pushed = np.einsum("ik,ikc->ic", parts, self.directions)
        f = self.found
        return [
            Touch(
                contact=self.name,
                point=int(f.point[i]),
                position=tuple(f.position[i]),
                normal=tuple(f.normal[i]),
                force=tuple(pushed[i]),
                gap=float(f.gap[i]),
            )
            for i in np.flatnonzero(parts[:, 0] > 0)
        ]
