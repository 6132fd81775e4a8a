"""Where a bench supports a foot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from plantar.feet.sole import Sole

PLACES = 6
"""Obstacle positions under a sole without modules; the SoftFoot has as many."""
REAR, FRONT = 0.12, 0.78
"""Supports of such a sole, as fractions of its length; those of the SoftFoot are about there."""


class Stations(NamedTuple):
    """Places along the undeformed foot, x from its origin [m], and the bodies that are there."""

    rear: float
    """Where the rear of the sole is supported."""
    front: float
    """Where the front of the sole is supported."""
    module_x: tuple[float, ...]
    """Places for an obstacle between them, rear first: the middles of modules, where there are modules."""
    bodies: tuple[str, ...]
    """Body over each of them, in the middle of the sole."""
    ends: tuple[float, float]
    """Rear and front end of the foot."""
    rear_body: str
    """Body over the rear support."""
    front_body: str
    """Suffix of the names of the bodies over the front support."""


def evenly_spaced(sole: Sole) -> Stations:
    """Supports near both ends of a sole and six places between them."""
    rear, front = sole.rear + REAR * sole.length, sole.rear + FRONT * sole.length
    places = tuple(rear + (front - rear) * (i + 0.5) / PLACES for i in range(PLACES))
    bodies = tuple(_body_at(sole, x) for x in places)
    return Stations(rear, front, places, bodies, (sole.rear, sole.front), _body_at(sole, rear), _body_at(sole, front))


def _body_at(sole: Sole, x: float) -> str:
    """The part of the sole over a place; of several, the one in the middle."""
    distance = [max(part.rear - x, x - part.front, 0.0) for part in sole.parts]
    nearest = [part.body for part, d in zip(sole.parts, distance, strict=True) if d <= min(distance) + 1e-9]
    return nearest[len(nearest) // 2]
