"""A robot at rest on a ground: its bounce, its creep, and the load of each contact."""

from __future__ import annotations

import math
from typing import NamedTuple

from plantar.ground.contact.ground import Ground
from plantar.ground.contact.reading import Contacts
from plantar.identify.stage import Stage
from plantar.table import Table

SLOPE = math.radians(10)
"""Slope on which creep is reported [rad]."""


class Bounce(NamedTuple):
    """Small vertical motion of the whole robot, its posture held, about its rest."""

    frequency: float
    """Undamped natural frequency [rad/s]."""
    ratio: float
    """Damping ratio."""

    @property
    def settling(self) -> float:
        """Time constant of the slower way in which it comes to rest [s]."""
        slow = self.ratio - math.sqrt(max(0.0, self.ratio**2 - 1))
        return 1 / (self.frequency * max(slow, 1e-3))


def bounce(stage: Stage, ground: Ground, height: float) -> Bounce:
    """Frequency and damping of the robot about `height`, contacts taken as they are there."""
    step = 1e-7
    above, below = stage.place(height + step).force.sum(), stage.place(height - step).force.sum()
    stiffness = max(float(below - above) / (2 * step), 1e-12)
    at_rest = stage.place(height)
    share = float((1 / at_rest.compliance).sum())
    mass = stage.model.body_subtreemass[stage.root] + share
    damping = ground.law(effective_mass=1.0).gains[1] * share
    return Bounce(math.sqrt(stiffness / mass), damping / (2 * math.sqrt(mass * stiffness)))


def creep_speed(stage: Stage, ground: Ground, contacts: Contacts) -> float:
    """Speed with which the stance would creep down a slope of 10 degrees [m/s].

    A contact that sticks gives the force `b v / R` along the ground: a viscous one, which holds nothing still. Where
    the slope is steeper than the friction, nothing sticks and the speed has no bound.
    """
    if ground.friction[0] < math.tan(SLOPE):
        return math.inf
    hold = ground.law(effective_mass=1.0).gains[1] * float((1 / contacts.friction_compliance).sum())
    return stage.weight * math.sin(SLOPE) / hold if hold > 0 else math.inf


def contact_rows(stage: Stage, contacts: Contacts) -> Table:
    """One row per contact: foot, geom, depth, force, fraction of the weight, inverse inertia."""
    model = stage.model
    rows = []
    for i, geom in enumerate(contacts.geom):
        body = int(model.geom_bodyid[geom])
        while body not in stage.feet:
            body = int(model.body_parentid[body])
        rows.append(
            {
                "foot": model.body(body).name,
                "geom": model.geom(int(geom)).name or f"geom {geom}",
                "depth": float(contacts.depth[i]),
                "force": float(contacts.force[i]),
                "share": float(contacts.force[i] / stage.weight),
                "inverse_inertia": float(contacts.inverse_inertia[i]),
            }
        )
    return Table(rows)
