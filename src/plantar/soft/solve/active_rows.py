"""Rows of constraints that take part in a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar.soft.solve.complementarity import Rows


@dataclass
class ActiveRows:
    """Rows of one linearisation on all blocks."""

    stack: np.ndarray
    """Room for the known forces, then the derivatives of the rows (1 + k, blocks, 3)."""
    value: np.ndarray
    """Values of the rows (k)."""
    loads: np.ndarray | None
    """Forces per unit effort where friction of cables makes them differ from the derivatives."""
    rows: Rows
    """Limits and friction."""
    names: list[tuple[str, int]]
    """Owner and number of rows, in order."""
