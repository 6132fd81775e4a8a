"""Forces on points of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked, Vector
from plantar.errors import InvalidInput
from plantar.soft.fem.parts import check_name
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.mapping import Barycentric, Outside
from plantar.soft.solve.state import State


@dataclass(frozen=True, kw_only=True, eq=False)
class Load(Checked):
    """A force shared evenly by points of a body; it keeps its direction."""

    name: str
    """Its name in the scene."""
    body: str
    """The body it acts on."""
    points: np.ndarray | Sequence[Sequence[float]] | Barycentric | str
    """Places at rest (n, 3) [m], nodes and weights, or the name of a region."""
    force: Vector
    """The whole force [N]."""
    outside: Outside = "error"
    """What to do with points outside the body."""

    def __post_init__(self) -> None:
        check_name(self.name)
        ok = np.shape(self.force) == (3,) and bool(np.isfinite(self.force).all())
        require(ok, f"load {self.name!r}: force", self.force, "three numbers, in N")


class LiveLoad:
    """A load at work; `force` may be changed between steps."""

    def __init__(self, load: Load, placer: Any, x: np.ndarray, quat: np.ndarray):
        self.name, self.force = load.name, np.asarray(load.force, dtype=float)
        user = f"load {load.name!r}"
        if isinstance(load.points, str):
            body = placer.body(load.body, user)
            if not isinstance(body, SoftBody):
                raise InvalidInput(f"{user}: body {load.body!r} has no region {load.points!r}; give places of points")
            self.map = placer.nodes(load.body, body.nodes(load.points))
        else:
            self.map = placer.map(load.body, load.points, user, load.outside)

    def add(self, state: State, F: np.ndarray) -> None:
        """Add the force to those on all blocks."""
        self.map.pull(np.tile(self.force / len(self.map), (len(self.map), 1)), state.quat, F)
