"""Whether feet have room under a robot."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.robots.sole import Sole


def check_fit(robot: str, foot: Foot, soles: Sequence[tuple[str, Sole]]) -> None:
    """Refuse feet whose soles overlap in the standing posture.

    Raises:
        InvalidInput: If two do; the message says by how much.
    """
    for (one, a), (other, b) in combinations(soles, 2):
        gap = _gap(a.corners()[:, :2], b.corners()[:, :2])
        if gap < 0:
            length, width = (1e3 * (a.extent[i] + a.extent[i + 1]) for i in (0, 2))
            raise InvalidInput(
                f"foot {foot.name!r} of {length:.0f} x {width:.0f} mm is too big for the stance of {robot!r}: {one} "
                f"and {other} overlap by {-1e3 * gap:.0f} mm; give a smaller foot, or this one scaled down (scale)"
            )


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    """Distance between two convex outlines along the axis that separates them best; negative if they overlap [m]."""
    best = -np.inf
    for corners in (a, b):
        edges = np.roll(corners, -1, axis=0) - corners
        for edge in edges[np.linalg.norm(edges, axis=1) > 1e-9]:
            across = np.array([edge[1], -edge[0]]) / np.linalg.norm(edge)
            best = max(best, (b @ across).min() - (a @ across).max(), (a @ across).min() - (b @ across).max())
    return float(best) if np.isfinite(best) else float(np.linalg.norm(a[0] - b[0]))
