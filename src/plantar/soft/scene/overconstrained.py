"""Redundant bonds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plantar.errors import InvalidInput

if TYPE_CHECKING:
    from plantar.soft.solve.model import Model


def check_held(scene: Model) -> None:
    """Refuse rows that depend on each other before the first step."""
    held = [b for b in scene.bonds.values() if not np.isfinite(b.low).any()]
    if not held:
        return
    H = np.zeros((sum(b.rows for b in held), scene.system.size, 3))
    row, owner = 0, []
    for bond in held:
        bond.evaluate(scene.system.x0, scene.system.quat0, H[row : row + bond.rows])
        owner += [bond.name] * bond.rows
        row += bond.rows
    scene.system.turn_arms(scene.system.quat0)
    reduced = scene.system.reduce(H)
    left = reduced.copy()
    for i, r in enumerate(reduced):
        rest = r - left[:i].T @ (left[:i] @ r) if i else r
        rest = rest - left[:i].T @ (left[:i] @ rest) if i else rest
        size = float(np.linalg.norm(rest))
        if size <= 1e-9 * max(float(np.linalg.norm(r)), 1e-300) or not np.linalg.norm(r):
            raise InvalidInput(
                f"bond {owner[i]!r} is over-constrained: its row {i - owner.index(owner[i])} holds what others "
                "or fixed nodes already hold; remove one of them"
            )
        left[i] = rest / size
