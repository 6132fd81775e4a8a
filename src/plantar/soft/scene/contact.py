"""Contact with Coulomb friction: Signorini's conditions by Lagrange multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.soft.fem.parts import check_name
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.contact_pairs import Found, contact_rows, find_obstacle, find_surface, forbidden_pairs
from plantar.soft.scene.mapping import Barycentric
from plantar.soft.scene.obstacle import Obstacle
from plantar.soft.solve.state import State

if TYPE_CHECKING:
    from plantar.soft.scene.place import Placer
    from plantar.soft.scene.scene import Scene

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Contact:
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


@dataclass(frozen=True, kw_only=True)
class Touch:
    """A contact with a force."""

    contact: str
    """Name of the contact."""
    point: int
    """Number of the point among those of the contact."""
    position: tuple[float, float, float]
    """Where it is [m]."""
    normal: tuple[float, float, float]
    """Direction away from the obstacle."""
    force: tuple[float, float, float]
    """Force on the body [N]."""
    gap: float
    """Gap before the step [m]."""


class LiveContact:
    """A contact at work in a scene."""

    def __init__(self, contact: Contact, placer: Placer, scene: Scene):
        self.contact, self.name = contact, contact.name
        user = f"contact {contact.name!r}"
        owner = placer.body(contact.body, user)
        skin = scene.skins.get(contact.points) if isinstance(contact.points, str) else None
        self.map, self.nodes = (skin.map, None) if skin else _points(contact, owner, placer, user)
        size = float(np.linalg.norm(np.ptp(scene.system.x0[~scene.system.rotational], axis=0)))
        self.margin = contact.margin if contact.margin is not None else 0.01 * (size or 1.0)
        self.depth = contact.depth if contact.depth is not None else 10 * self.margin
        self.placer, self.system = placer, scene.system
        self.friction = contact.friction
        self.per = 3 if contact.friction > 0 else 1
        self.found: Found | None = None
        self.anchor: Floats | None = None
        self.memory: dict[int, np.ndarray] = {}
        self.rows = 0
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

    def detect(self, state: State, h: float = 0.0) -> bool:
        """Find the points near the obstacle, earlier if they come fast; whether there are any."""
        p = self.map.positions(state.x, state.quat)
        speed = float(np.abs(state.v).max()) * h
        reach = self.margin + self.contact.distance + min(speed, 10 * self.margin)
        if isinstance(self.contact.against, Obstacle):
            self.found = find_obstacle(self.contact.against, p, reach, self.depth, self.frame, self.system, state)
        else:
            self.found = find_surface(p, state.x, self.offset, self.triangles, reach, self.depth, self.forbidden)
        self.rows = self.per * len(self.found.point)
        return self.rows > 0

    def evaluate(self, state: State, H: Floats) -> Floats:
        """Gaps, and their derivatives into `H`; with friction two rows of slip after each."""
        found = self.found
        assert found is not None
        directions = self._directions(found.normal)
        m = self.map
        block, centre = -1, np.zeros(3)
        if found.frame is not None:
            block = int(self.system.frame_block[found.frame])
            centre = state.x[block]
        contact_rows(
            found.point,
            found.position,
            found.gap,
            directions,
            found.blocks,
            found.weights,
            m.start,
            m.block,
            m.weight,
            m.frame,
            m.arm,
            state.quat,
            block,
            centre,
            H,
        )
        value = np.zeros((len(found.point), self.per))
        value[:, 0] = found.gap - self.contact.distance
        if self.anchor is not None and self.per == 3:
            slip = found.position - self.anchor[found.point]
            value[:, 1:] = np.einsum("ic,ikc->ik", slip, directions[:, 1:])
        self.directions = directions
        return value.ravel()

    def after_impact(self, delta: Floats) -> None:
        """Let only the slip after a gap has closed count: before, there is no friction."""
        if self.per == 1 or self.found is None:
            return
        part = delta.reshape(-1, 3)
        before = self.found.gap - self.contact.distance
        closing = (before > 0) & (part[:, 0] < 0)
        share = np.where(closing, part[:, 0] / np.where(closing, part[:, 0] - before, 1.0), 1.0)
        part[:, 1:] *= share[:, None]

    def _directions(self, normal: Floats) -> Floats:
        """Normal and, with friction, two tangents of every contact (n, 1 or 3, 3)."""
        if self.per == 1:
            return normal[:, None]
        helper = np.where(np.abs(normal[:, :1]) < 0.9, np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]))
        first = helper - np.einsum("ij,ij->i", helper, normal)[:, None] * normal
        first /= np.linalg.norm(first, axis=1)[:, None]
        return np.asarray(np.stack([normal, first, np.cross(normal, first)], axis=1), dtype=float)

    def limits(self) -> tuple[Floats, Floats, Floats]:
        """Least and largest force and friction of the rows."""
        if self.per == 1:
            return np.zeros(self.rows), np.full(self.rows, np.inf), np.full(self.rows, -1.0)
        n = self.rows // 3
        low, high = np.tile([0.0, -np.inf, -np.inf], n), np.full(self.rows, np.inf)
        return low, high, np.tile([self.friction, -2.0, -2.0], n)

    def guess(self) -> Floats:
        """Forces of the same points in the last step."""
        if self.found is None or not self.rows:
            return np.zeros(0)
        zero = np.zeros(self.per)
        return np.concatenate([self.memory.get(int(p), zero) for p in self.found.point])

    def store(self, force: Floats) -> list[Touch]:
        """Keep the forces and report those that are not zero."""
        assert self.found is not None
        parts = force.reshape(-1, self.per)
        self.memory = {int(p): f.copy() for p, f in zip(self.found.point, parts, strict=True)}
        pushed = np.einsum("ik,ikc->ic", parts, self.directions)
        f = self.found
        return [
            Touch(
                contact=self.name,
                point=int(f.point[i]),
                position=tuple(f.position[i]),
                normal=tuple(f.normal[i]),
                force=tuple(pushed[i]),
                gap=float(f.gap[i]),
            )
            for i in np.flatnonzero(parts[:, 0] > 0)
        ]

    def reset(self) -> None:
        """Forget forces."""
        self.memory, self.found, self.anchor = {}, None, None


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
