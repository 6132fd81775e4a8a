"""Skins: other representations of a body that follow its mechanics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar.soft.fem.parts import check_name
from plantar.soft.scene.mapping import Barycentric, Outside
from plantar.soft.solve.state import State


@dataclass(frozen=True, kw_only=True, eq=False)
class Skin(Checked):
    """A surface that follows a body: a fine one for display, a coarse one for contact."""

    name: str
    """Its name in the scene."""
    body: str
    """The body that carries it, of any kind."""
    nodes: np.ndarray | Sequence[Sequence[float]] | Barycentric
    """Vertices at rest (n, 3) [m], or nodes and weights."""
    triangles: np.ndarray | Sequence[Sequence[int]] = ()
    """Triangles (m, 3); none for a cloud of points."""
    outside: Outside = "extrapolate"
    """What to do with vertices outside the body."""

    def __post_init__(self) -> None:
        check_name(self.name)
        if len(self.triangles):
            shape = np.shape(self.triangles)
            require(len(shape) == 2 and shape[1] == 3, f"skin {self.name!r}: triangles", shape, "an array (m, 3)")


class LiveSkin:
    """A skin at work."""

    def __init__(self, skin: Skin, placer: Any):
        self.skin, self.name = skin, skin.name
        self.map = placer.map(skin.body, skin.nodes, f"skin {skin.name!r}", skin.outside)
        self.triangles = np.asarray(skin.triangles, dtype=np.int64).reshape(-1, 3)

    def positions(self, state: State) -> np.ndarray:
        """Places of its vertices: p = J(q)."""
        return self.map.positions(state.x, state.quat)
