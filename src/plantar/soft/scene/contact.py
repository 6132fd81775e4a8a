"""Contact with Coulomb friction: Signorini's conditions by Lagrange multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plantar._checks import require
from plantar._config import Checked
from plantar.errors import InvalidInput
from plantar.soft.fem.parts import check_name
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.contact_near import NearContact
from plantar.soft.scene.contact_pairs import find_obstacle, find_surface, forbidden_pairs
from plantar.soft.scene.mapping import Barycentric
from plantar.soft.scene.obstacle import Obstacle
from plantar.soft.solve.state import State

if TYPE_CHECKING:
    from plantar.soft.scene.place import Placer
    from plantar.soft.scene.scene import Scene

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Contact(Checked):
    """Points of a body that may touch an obstacle, another body or the body itself."""

    name: str
    """Its name in the scene."""
    body: str
    """The body whose points touch."""
    points: str | np.ndarray | Sequence[Sequence[float]] | Barycentric = "boundary"
    """Which points: `boundary`, the name of a region or surface of the mesh or of a skin, places at rest (n, 3) [m], or
    nodes and weights."""
    against: Obstacle | str
    """An obstacle, the name of another soft body, or that of the body itself."""
    carrier: str | None = None
    """The rigid body or rigid region that carries the obstacle; None: it stays in the world."""
    friction: float = 0.0
    """Coulomb's coefficient."""
    margin: float | None = None
    """Distance at which a contact is prepared [m]; 1 % of the scene's size if None."""
    distance: float = 0.0
    """Gap that is kept between the points and the obstacle [m]: half the thickness of a skin."""
    depth: float | None = None
    """Points deeper than this inside a surface or body are not held [m]; 10 margins if None, any depth for others."""

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"contact {self.name!r}: "
        require(0 <= self.friction < float("inf"), f"{where}friction", self.friction, "a number not below 0")
        require(self.margin is None or self.margin > 0, f"{where}margin", self.margin, "a number above 0, in m")
        require(self.distance >= 0, f"{where}distance", self.distance, "a number not below 0, in m")
        require(
            isinstance(self.against, Obstacle | str), f"{where}against", self.against, "an obstacle or a body's name"
        )


class LiveContact:
    """A contact in a scene."""

    def __init__(self, contact: Contact, placer: Placer, scene: Scene):
        self.contact, self.name = contact, contact.name
        user = f"contact {contact.name!r}"
        owner = placer.body(contact.body, user)
        skin = scene.skins.get(contact.points) if isinstance(contact.points, str) else None
        if skin and skin.skin.body != contact.body:
            raise InvalidInput(f"{user}: skin {contact.points!r} is on body {skin.skin.body!r}, not {contact.body!r}")
        self.map, self.nodes = (skin.map, None) if skin else _points(contact, owner, placer, user)
        size = float(np.linalg.norm(np.ptp(scene.system.x0[~scene.system.rotational], axis=0)))
        self.margin = contact.margin if contact.margin is not None else 0.01 * (size or 1.0)
        self.depth = contact.depth if contact.depth is not None else 10 * self.margin
        self.placer, self.system = placer, scene.system
        self.friction = contact.friction
        self.per = 3 if contact.friction > 0 else 1
        self._prepare(owner, user)

    def _prepare(self, owner: Any, user: str) -> None:
        against, carrier = self.contact.against, self.contact.carrier
        self.forbidden = None
        if isinstance(against, Obstacle):
            if carrier is not None and carrier not in self.system.frame_name:
                raise InvalidInput(
                    f"{user}: carrier {carrier!r} is not rigid; rigid are {', '.join(self.system.frame_name) or 'none'}"
                )
            self.frame = None if carrier is None else self.system.frame_name[carrier]
            return
        other = self.placer.body(against, user)
        if not isinstance(other, SoftBody):
            raise InvalidInput(f"{user}: {against!r} has no surface; give an obstacle with carrier={against!r}")
        self.triangles = other.mesh.boundary
        self.offset = self.system.offset[against]
        if against == self.contact.body:
            rest = self.map.positions(self.system.x0, self.system.quat0)
            self.forbidden = forbidden_pairs(rest, self.nodes, other.mesh.nodes, self.triangles, self.margin)

    def detect(self, state: State, h: float = 0.0) -> NearContact | None:
        """The points near the obstacle, earlier if they come fast; None if there are none."""
        p = self.map.positions(state.x, state.quat)
        speed = float(np.abs(state.v).max()) * h
        reach = self.margin + self.contact.distance + min(speed, 10 * self.margin)
        if isinstance(self.contact.against, Obstacle):
            found = find_obstacle(self.contact.against, p, reach, self.depth, self.frame, self.system, state)
        else:
            found = find_surface(p, state.x, self.offset, self.triangles, reach, self.depth, self.forbidden)
        return NearContact(self, found) if len(found.point) else None


def _points(contact: Contact, owner: Any, placer: Placer, user: str) -> tuple[Any, np.ndarray | None]:
    """Map of the points, and their nodes where they are nodes."""
    points = contact.points
    if isinstance(points, str):
        if not isinstance(owner, SoftBody):
            raise InvalidInput(f"{user}: body {contact.body!r} has no surface {points!r}; give places of its points")
        mesh = owner.mesh
        known = points == "boundary" or points in mesh.surfaces
        nodes = np.unique(mesh.surface(points)) if known else mesh.region(points)
        return placer.nodes(contact.body, nodes), nodes
    return placer.map(contact.body, points, user, "extrapolate"), None
