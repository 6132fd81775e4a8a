"""Rigid feet by complementarity: no gap with force, no force with gap, friction within its cone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar._config import Checked


@dataclass(frozen=True, kw_only=True)
class RigidContact(Checked):
    """Signorini's law with Coulomb friction, 0 <= force, 0 <= gap, force * gap = 0; impacts are plastic."""

    friction: float = 0.8
    """Largest tangential over normal force."""
    sweeps: int = 200
    """Largest number of Gauss-Seidel sweeps of a step."""
    tolerance: float = 1e-10
    """Change of an impulse, over the largest, at which sweeping ends."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(np.isfinite(self.friction) and self.friction >= 0, "friction", self.friction, "0 or above")
        require(self.sweeps >= 1, "sweeps", self.sweeps, "an integer from 1")

    def complementarity(self, force: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """How far force and gap are from Signorini's law: |min(force, gap)|, zero if it holds."""
        return np.abs(np.minimum(force, gap))

    def impulses(self, compliance: np.ndarray, velocity: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """Impulses with which the contacts' velocities after a step obey the law.

        Args:
            compliance: Velocities of the contacts by impulses, rows along and across for each contact.
            velocity: Their velocities without impulses; across counts upward.
            start: Impulses to start from.
        """
        stuck = np.linalg.solve(compliance, -velocity)
        if (stuck[1::2] >= 0).all() and (np.abs(stuck[::2]) <= self.friction * stuck[1::2]).all():
            return stuck
        impulse = np.zeros(len(velocity)) if start is None else start.copy()
        for _ in range(self.sweeps):
            before = impulse.copy()
            for i in range(0, len(velocity), 2):
                across = i + 1
                left = velocity[across] + compliance[across] @ impulse
                impulse[across] = max(0.0, impulse[across] - left / compliance[across, across])
                left = velocity[i] + compliance[i] @ impulse
                limit = self.friction * impulse[across]
                impulse[i] = np.clip(impulse[i] - left / compliance[i, i], -limit, limit)
            if np.abs(impulse - before).max() <= self.tolerance * max(np.abs(impulse).max(), 1e-300):
                break
        return impulse
