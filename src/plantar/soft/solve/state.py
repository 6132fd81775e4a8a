"""Positions and velocities of all blocks of a scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class State:
    """What changes from step to step."""

    time: float
    """Simulated time [s]."""
    x: np.ndarray
    """Positions of all blocks (n, 3) [m]; rows of orientation blocks are unused."""
    quat: np.ndarray
    """Orientations of all frames (m, 4), w x y z."""
    v: np.ndarray
    """Velocities of all blocks (n, 3) [m/s]; of orientation blocks, angular velocities in the world [rad/s]."""

    def copy(self) -> State:
        """A state of its own."""
        return State(self.time, self.x.copy(), self.quat.copy(), self.v.copy())
