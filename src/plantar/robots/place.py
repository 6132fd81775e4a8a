"""A place on a robot where a foot is or goes."""

from __future__ import annotations

from dataclasses import dataclass

from plantar._notebook import Shown
from plantar.feet.foot import Foot

Extent = tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class Place(Shown):
    """The end of a leg: the link that carries the foot, and the sole."""

    name: str
    """`left` or `right`; on quadrupeds `left_front`, `right_front`, `left_hind`, `right_hind`."""
    body: str
    """The last rigid link of the leg, which carries the foot."""
    site: str
    """Site of that link in the middle of the sole and in its plane, x forward and z up in the standing posture."""
    extent: Extent
    """How far the sole reaches from the site: back, front, right, left, all positive [m]."""
    support: Extent | None = None
    """The same for the part of the sole that carries a standing robot: how far the centre of pressure of a soft foot
    moves back and front with the pitch of its ankle. Of rigid feet it is the extent; None for the robot's own [m]."""
    give: float = 0.0
    """How far a soft foot under half of the robot pitches for a moment about its middle; 0 of rigid ones
    [rad/(N m)]."""
    foot: Foot | None = None
    """The foot that was mounted; None for the robot's own."""
    prefix: str = ""
    """Prefix of the mounted foot's names, as `left/`; empty for the robot's own."""
    joints: tuple[str, ...] = ()
    """Joints of the leg, hip first."""
