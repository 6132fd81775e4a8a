"""Anderson mixing: makes iterations that converge at a steady pace converge fast."""

from __future__ import annotations

import numpy as np

SLOW = 0.3
"""Ratio of successive motions above which an iteration counts as slow; Newton's method is soon far below."""


class Mixer:
    """Keeps the last states and steps of an iteration, and proposes the step that their trend points to.

    Corotational elements with a tangent that leaves out the change of rotation, and loads that follow the surface,
    converge linearly; mixing finds the limit of such a sequence.

    Args:
        depth: Steps that are kept.
    """

    def __init__(self, depth: int = 6):
        self.depth = depth
        self.states: list[np.ndarray] = []
        self.steps: list[np.ndarray] = []
        self.moved: list[float] = []

    def forget(self, step: np.ndarray) -> np.ndarray:
        """Start over; returns the step unchanged."""
        self.states, self.steps, self.moved = [], [], []
        return step

    def mix(self, x: np.ndarray, step: np.ndarray, moved: float) -> np.ndarray:
        """The step to take from x, where the iteration itself proposes `step`."""
        self.states = [*self.states[-self.depth :], x.ravel().copy()]
        self.steps = [*self.steps[-self.depth :], step.ravel().copy()]
        self.moved = [*self.moved[-self.depth :], moved]
        if len(self.moved) < 4 or any(b < SLOW * a for a, b in zip(self.moved[-4:], self.moved[-3:], strict=False)):
            return step
        dx, dg = np.diff(self.states, axis=0), np.diff(self.steps, axis=0)
        weights = np.linalg.lstsq(dg.T, self.steps[-1], rcond=1e-8)[0]
        mixed = (self.steps[-1] - weights @ (dx + dg)).reshape(step.shape)
        # a proposal much longer than the iteration's own step is not a trend
        return mixed if np.abs(mixed).max() <= 50 * moved else step
