"""Contacts that a fit to motions searches: their parameters, their bounds, and MuJoCo's defaults among them."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from plantar.ground.contact.ground import Ground
from plantar.ground.fit.motion_run import Floor
from plantar.ground.fit.motions import Motions

FRICTION = 0.18
"""Sliding friction of the contacts to which a fit is compared, the rest being MuJoCo's default."""


class ContactParameter(NamedTuple):
    """A parameter of the contact that is searched for."""

    name: str
    unit: str
    low: float
    high: float
    log: bool = True
    spread: float = 0.15
    """Standard deviation with which a search starts, as a fraction of the range."""

    def value(self, share: float) -> float:
        """What a place from 0 to 1 stands for."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))

    def share(self, value: float) -> float:
        """Place from 0 to 1 of a value."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def contact_space(motions: Motions, substeps: int, friction: float = FRICTION) -> tuple[ContactParameter, ...]:
    """What is searched for, and within which bounds.

    Lengths are in proportion to the body's side, as given for one of 104.8 mm; sliding friction is known within a
    factor of two. A hundredth of it moves a body further than any other parameter does: its spread is small.
    """
    least, scale = 2 * motions.dt / substeps, motions.scale / 0.1048
    return (
        ContactParameter("time_constant", "s", least, max(0.08, 4 * least)),
        ContactParameter("damping_ratio", "", 0.1, 3.0),
        ContactParameter("d0", "", 0.02, 0.95, False),
        ContactParameter("d_width", "", 0.4, 0.99, False),
        ContactParameter("width", "m", 2e-4 * scale, 0.02 * scale),
        ContactParameter("midpoint", "", 0.1, 0.9, False),
        ContactParameter("power", "", 1.0, 4.0, False),
        ContactParameter("sliding", "", friction / 2, friction * 2, spread=0.03),
        ContactParameter("torsional", "m", 1e-5 * scale, 0.05 * scale),
        ContactParameter("rolling", "m", 1e-6 * scale, 0.01 * scale),
        ContactParameter("impratio", "", 0.2, 30.0),
        ContactParameter("height", "m", -0.002 * scale, 0.002 * scale, False),
    )


def default_floor(friction: float = FRICTION, cone: Literal["pyramidal", "elliptic"] = "pyramidal") -> Floor:
    """MuJoCo's default contact with a sliding friction and a cone."""
    return Floor(ground=Ground(name=cone, friction=(friction, 0.005, 0.0001), cone=cone, impratio=1.0))


def places_of(floor: Floor, space: tuple[ContactParameter, ...]) -> np.ndarray:
    """Places from 0 to 1 of a floor's parameters, within the bounds."""
    ground = floor.ground
    names = ("time_constant", "damping_ratio", "d0", "d_width", "width", "midpoint", "power")
    values = dict(zip(names, (*ground.solref, *ground.solimp), strict=True))
    values |= dict(zip(("sliding", "torsional", "rolling"), ground.friction, strict=True))
    values |= {"impratio": ground.impratio, "height": floor.height}
    return np.clip([parameter.share(values[parameter.name]) for parameter in space], 0.0, 1.0)


def floor_at(places: np.ndarray, space: tuple[ContactParameter, ...]) -> Floor:
    """The floor that places from 0 to 1 stand for; its cone is elliptic."""
    v = {parameter.name: parameter.value(float(x)) for parameter, x in zip(space, places, strict=True)}
    ground = Ground(
        name="fitted to motions",
        solref=(v["time_constant"], v["damping_ratio"]),
        solimp=(v["d0"], v["d_width"], v["width"], v["midpoint"], v["power"]),
        friction=(v["sliding"], v["torsional"], v["rolling"]),
        condim=6,
        impratio=v["impratio"],
        note="plantar ground fit --motion",
    )
    return Floor(ground=ground, height=v["height"])
