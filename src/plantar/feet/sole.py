"""What a sole is: its outline from above, and its parts from heel to toe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.feet.contact import ROUND, footprint

if TYPE_CHECKING:
    from plantar.feet.foot import Foot


@dataclass(frozen=True)
class SolePart:
    """One body of a sole in the undeformed foot."""

    body: str
    """Its name."""
    rear: float
    """Its rear end, x from the ankle [m]."""
    front: float
    """Its front end, x from the ankle [m]."""
    area: float
    """What it covers, seen from below [m^2]."""


@dataclass(frozen=True)
class Sole:
    """The sole of an undeformed foot, measured on its colliders."""

    rear: float
    """Rear end, x from the ankle [m]."""
    front: float
    """Front end, x from the ankle [m]."""
    right: float
    """Right edge, y from the ankle [m]."""
    left: float
    """Left edge, y from the ankle [m]."""
    height: float
    """Height of the ankle above the lowest point [m]."""
    parts: tuple[SolePart, ...]
    """Bodies that touch the ground, from heel to toe, right to left."""

    @property
    def length(self) -> float:
        """From heel to toe [m]."""
        return self.front - self.rear

    @property
    def width(self) -> float:
        """At the widest [m]."""
        return self.left - self.right

    @property
    def middle(self) -> tuple[float, float]:
        """Middle of the outline, (x, y) from the ankle [m]."""
        return (self.rear + self.front) / 2, (self.right + self.left) / 2


@lru_cache(maxsize=128)
def measure(foot: Foot) -> Sole:
    """Measure the sole of a foot on its colliders.

    Raises:
        InvalidInput: If nothing of its contact bodies collides.
    """
    model = foot.build().compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    parts, corners = [], []
    for body in foot.contact_bodies:
        geoms = touching_geoms(model, model.body(body).id)
        if not geoms:
            continue
        boxes = np.array([footprint(model, data, g) for g in geoms])
        low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        size = boxes[:, 1] - boxes[:, 0]
        discs = np.isin(model.geom_type[geoms], ROUND)
        area = float((size[:, 0] * size[:, 1] * np.where(discs, np.pi / 4, 1.0)).sum())
        parts.append(SolePart(body, float(low[0]), float(high[0]), area))
        corners.append((low, high))
    if not parts:
        raise InvalidInput(f"foot {foot.name!r} has no sole: none of its contact bodies has a geom that collides")
    low, high = np.min([c[0] for c in corners], axis=0), np.max([c[1] for c in corners], axis=0)
    order = sorted(range(len(parts)), key=lambda i: (round(parts[i].rear, 6), float(corners[i][0][1])))
    ends = (float(low[0]), float(high[0]), float(low[1]), float(high[1]), -float(low[2]))
    return Sole(*ends, parts=tuple(parts[i] for i in order))


def contact_bodies(model: mujoco.MjModel, foot: str) -> tuple[str, ...]:
    """Bodies of a compiled foot that collide, its ankle only if there is no other, from heel to toe.

    Raises:
        InvalidInput: If the model of the foot of that name has no ankle, or one of them has no name.
    """
    _check_root(model, foot)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    names = [model.body(b).name for b in range(1, model.nbody) if touching_geoms(model, b)]
    if "" in names:
        raise InvalidInput(f"foot {foot!r} has a body that collides and has no name: name it in build()")
    lower = [name for name in names if name != "ankle"] or names
    return tuple(sorted(lower, key=lambda name: (round(float(data.body(name).xpos[0]), 6), name)))


def _check_root(model: mujoco.MjModel, foot: str) -> None:
    roots = [b for b in range(1, model.nbody) if model.body_parentid[b] == 0]
    names = [model.body(b).name for b in roots]
    if names != ["ankle"] or model.body_jntnum[roots[0]]:
        found = ", ".join(repr(name) for name in names) or "none"
        why = "with a joint" if names == ["ankle"] else f"but {found}"
        raise InvalidInput(f"foot {foot!r} has not one root body 'ankle' without a joint, {why}: see docs/own_foot.md")


def touching_geoms(model: mujoco.MjModel, number: int) -> list[int]:
    """Geoms of a body that collide."""
    first, count = int(model.body_geomadr[number]), int(model.body_geomnum[number])
    geoms = range(first, first + count) if count else ()
    return [g for g in geoms if model.geom_contype[g] or model.geom_conaffinity[g]]
