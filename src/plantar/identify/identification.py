"""What an identification found, and how well it was checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

from plantar._notebook import Shown
from plantar.ground.contact.ground import Ground
from plantar.identify.stand import Standing
from plantar.table import Table


class Status(Enum):
    """How far the commanded depth is confirmed; the text is the advice."""

    INVERSE = "met in inverse dynamics with the posture held level; use a stand to check it in simulation"
    STOOD = "met in a simulated stand that keeps its posture and attitude"
    MISSED = "the commanded depth is not met: check the contacts, or choose another depth"


@dataclass(frozen=True, kw_only=True)
class Identification(Shown):
    """A ground for a robot and a depth."""

    robot: str
    """Name of the robot."""
    feet: tuple[str, ...]
    """Bodies that carry it."""
    depth: float
    """Commanded depth [m]."""
    damping_ratio: float
    """Commanded damping ratio of the solver's reference."""
    ground: Ground
    """The parameters."""
    weight: float
    """Weight of the robot [N]."""
    contacts: Table
    """Contacts at rest with the posture held level: foot, geom, depth, force, share, inverse_inertia."""
    swept_depth: float
    """Depth at which inverse dynamics balances the weight with the posture held level [m]."""
    bounce_ratio: float
    """Damping ratio of the whole robot bouncing on the ground with its posture held."""
    creep: float
    """Speed with which it would creep down a slope of 10 degrees, from the friction rows [m/s]."""
    standing: Standing | None
    """The simulated stand, if there was one."""
    crept: float | None
    """Speed on the slope in simulation [m/s]."""
    status: Status
    """How far the depth is confirmed."""

    @property
    def reached(self) -> float:
        """The depth that was reached: by the stand if there was one, else in inverse dynamics [m]."""
        return self.standing.depth if self.standing else self.swept_depth

    def text(self) -> str:
        """The result for people."""
        inertia = self.contacts.column("inverse_inertia")
        lines = [
            f"{self.robot} on {', '.join(self.feet)}: {len(self.contacts)} contacts carry {self.weight:.2f} N; "
            f"the solver takes {inertia.min():.4g} to {inertia.max():.4g} 1/kg for a contact's inverse inertia",
            f"solref   {self.ground.solref[0]:.6g} {self.ground.solref[1]:.6g}",
            "solimp   " + " ".join(f"{x:.6g}" for x in self.ground.solimp),
            f"options  cone {self.ground.cone}, impratio {self.ground.impratio:g}, priority {self.ground.priority}",
            f"depth    commanded {1e3 * self.depth:.4g} mm, inverse dynamics {1e3 * self.swept_depth:.4f} mm"
            + self._stood_text(),
            f"damping  ratio {self.damping_ratio:g} of the reference; {self.bounce_ratio:.3g} of the whole robot",
            f"creep    {_speed(self.creep)} down a slope of 10 degrees"
            + (f", {_speed(self.crept)} in simulation" if self.crept is not None else ""),
            self.status.value,
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        standing = self.standing
        return {
            "robot": self.robot,
            "feet": list(self.feet),
            "depth": self.depth,
            "damping_ratio": self.damping_ratio,
            "ground": self.ground.to_dict(),
            "weight": self.weight,
            "contacts": list(self.contacts),
            "swept_depth": self.swept_depth,
            "stood_depth": standing.depth if standing else None,
            "bounce_ratio": self.bounce_ratio,
            "creep": self.creep,
            "crept": self.crept,
            "status": self.status.value,
        }

    def _stood_text(self) -> str:
        return f", stand {1e3 * self.standing.depth:.4f} mm" if self.standing else ""


def _speed(value: float) -> str:
    return f"{1e3 * value:.3g} mm/s" if math.isfinite(value) else "unbounded"
