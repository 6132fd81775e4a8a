"""Where a bench takes hold of a foot."""

from __future__ import annotations

from typing import NamedTuple


class Stations(NamedTuple):
    """Places along the straight foot, x from its origin [m], and the bodies that are there."""

    rear: float
    """Where the rear of the sole is supported."""
    front: float
    """Where the front of the sole is supported."""
    modules: tuple[float, ...]
    """Middle of each module between them, rear first."""
    bodies: tuple[str, ...]
    """Body of each module in the middle chain."""
    ends: tuple[float, float]
    """Rear and front end of the foot."""
    rear_body: str
    """Body over the rear support."""
    front_body: str
    """How the names of the bodies over the front support end."""
