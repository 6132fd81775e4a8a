"""What a body hands to the scene that assembles it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._folders import check_name as check_file_name
from plantar.errors import InvalidInput
from plantar.soft.fem.groups import Group


@dataclass(kw_only=True)
class Parts:
    """A body in blocks: points first, then position and orientation of its frames in turn."""

    points: np.ndarray
    """Rest positions of its points (n, 3)."""
    mass: np.ndarray
    """Mass of every point and, for frames, of the position block (n + frames)."""
    groups: list[Group] = field(default_factory=list)
    """Its elements."""
    frames: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    """Rest positions of its frames (m, 3)."""
    quat: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    """Rest orientations of its frames (m, 4), w x y z."""
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((0, 3, 3)))
    """Inertia of its frames about their origin, in their own axes (m, 3, 3)."""
    fixed: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Blocks that cannot move, counted in the body."""
    rigid: dict[str, np.ndarray] = field(default_factory=dict)
    """Points that move with a frame, by the frame's name."""

    @property
    def size(self) -> int:
        """Number of blocks."""
        return len(self.points) + 2 * len(self.frames)


def check_name(name: object) -> None:
    """Raise unless `name` can stand in a table and in the name of a file."""
    check_file_name("name", name)
    require("," not in str(name), "name", name, "a name without commas")


def check_graph(where: str, nodes: np.ndarray, edges: np.ndarray) -> None:
    """Raise unless nodes are places (n, 3) and edges pairs of their numbers (m, 2)."""
    require(nodes.ndim == 2 and nodes.shape[1] == 3, f"{where}nodes", nodes.shape, "an array (n, 3)")
    require(edges.ndim == 2 and edges.shape[1] == 2 and len(edges) > 0, f"{where}edges", edges.shape, "an array (m, 2)")
    ends = [int(edges.min()), int(edges.max())]
    ok = 0 <= ends[0] and ends[1] < len(nodes)
    require(ok, f"{where}edges", ends, f"node numbers from 0 to {len(nodes) - 1}")


def check_rayleigh(rayleigh: Sequence[float] | None) -> None:
    """Raise unless it is None or two numbers that are not negative."""
    if rayleigh is not None:
        ok = len(rayleigh) == 2 and all(0 <= r < float("inf") for r in rayleigh)
        require(ok, "rayleigh", rayleigh, "two numbers not below 0: 1/s on mass, s on stiffness")


def check_unique(things: Sequence[Any]) -> None:
    """Raise unless all parts of a scene have different names."""
    seen: set[str] = set()
    for thing in things:
        if thing.name in seen or thing.name == "world":
            raise InvalidInput(
                f"name {thing.name!r} is used twice or reserved: give every part of a scene its own name"
            )
        seen.add(thing.name)
