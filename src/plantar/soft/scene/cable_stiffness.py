"""Stiffness of taut cables: a segment under tension resists being turned.

Elements with the exact tangent of a hyperelastic law lose stiffness where a cable compresses them. Without the
stiffness that the cable's own tension gives back, a step overshoots and the body swings forever.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plantar._jit import njit
from plantar.soft.fem.pattern import Pattern
from plantar.soft.scene.cable import LiveCable
from plantar.soft.solve.state import State

LEFT = 0.25
"""Fraction of a segment that is left after a step in which it counts as shutting."""


class CableGroup:
    """Segments of cables as elements with T/l (I - u u^T) between their ends, and no force of their own.

    Segments that a step would shut pull with T/l along themselves too, less the nearer their ends come: a pull that is
    the same over the whole step would send the ends past each other, and back again in the next.

    Terms on frames (beams, rigid bodies) are left out: those parts turn by themselves.

    Args:
        cables: Cables at work.
    """

    def __init__(self, cables: Sequence[LiveCable]):
        self.cables = list(cables)
        self.tension = np.zeros(len(self.cables))
        pairs: list[tuple[int, int]] = []
        weight: list[float] = []
        segment: list[int] = []
        owner: list[int] = []
        for number, cable in enumerate(self.cables):
            for terms in _segments(cable):
                for i, a in terms.items():
                    for j, b in terms.items():
                        if j >= i:
                            pairs.append((i, j))
                            weight.append(a * b)
                            segment.append(len(owner))
                owner.append(number)
        self.owner = np.array(owner, dtype=np.int64)
        self.closed = np.array([cable.closed for cable in self.cables])[self.owner]
        self.shutting = np.zeros(len(owner), dtype=bool)
        self.blocks = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        self.weight, self.segment = np.array(weight), np.array(segment, dtype=np.int64)

    def place(self, pattern: Pattern) -> None:
        """Find where the blocks go."""
        blocks = self.blocks.astype(np.int64)
        self.slot, _ = pattern.slots(blocks[:, 0], blocks[:, 1])

    def add(self, x: np.ndarray, quat: np.ndarray, f: np.ndarray, K: np.ndarray, exact: bool) -> None:
        """Add stiffness."""
        if self.tension.any():
            d, tension = self._ends(x, quat), self.tension[self.owner]
            _add(d, self.closed, tension, self.shutting, self.weight, self.segment, self.slot, K)

    def shut_by(self, state: State, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Which segments lose most of their length from a state to these places, or go past zero."""
        d, after = self._ends(state.x, state.quat), self._ends(x, quat)
        return np.einsum("ij,ij->i", d, after) < LEFT * np.einsum("ij,ij->i", d, d)

    def _ends(self, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        return np.concatenate([cable.ends(x, quat) for cable in self.cables])

    def energy(self, x: np.ndarray, quat: np.ndarray) -> float:
        """None: cables do not stretch."""
        return 0.0


def _segments(cable: LiveCable) -> list[dict[int, float]]:
    """Weights of the blocks in the vector along every segment."""
    ends = [_terms(cable, i) for i in range(len(cable.map))]
    found = [{i: w for i, w in ends[0].items()}] if cable.anchored else []
    for a, b in zip(ends, ends[1:], strict=False):
        found.append({i: b.get(i, 0.0) - a.get(i, 0.0) for i in sorted({*a, *b})})
    return found


def _terms(cable: LiveCable, point: int) -> dict[int, float]:
    span = slice(int(cable.map.start[point]), int(cable.map.start[point + 1]))
    terms: dict[int, float] = {}
    for block, weight, frame in zip(cable.map.block[span], cable.map.weight[span], cable.map.frame[span], strict=True):
        if frame < 0:
            terms[int(block)] = terms.get(int(block), 0.0) + float(weight)
    return terms


@njit()
def _add(d, closed, tension, shutting, weight, segment, slot, K):
    """Add weight x T/l (I - u u^T) to the blocks."""
    for n in range(len(slot)):
        s = segment[n]
        x, y, z = d[s, 0], d[s, 1], d[s, 2]
        square = x * x + y * y + z * z + closed[s] * closed[s]
        if not (square > 0.0 and tension[s] > 0.0):
            continue
        c = weight[n] * tension[s] / np.sqrt(square)
        k = K[slot[n]]
        for a in range(3):
            for b in range(3):
                if not shutting[s]:
                    k[a, b] -= c * d[s, a] * d[s, b] / square
            k[a, a] += c
