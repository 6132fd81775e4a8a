"""What mounting feet changed on a robot."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from plantar._fields import to_record
from plantar._notebook import Shown

Counts = dict[str, int]


@dataclass(frozen=True, kw_only=True)
class PlaceChange:
    """What was done to one leg."""

    place: str
    """Name of the place."""
    body: str
    """Link that carries the foot."""
    removed_geoms: tuple[str, ...]
    """Geoms of the old foot that were removed; those without a name by their kind and mesh."""
    link_mass: tuple[float, float]
    """Mass of the link before and after [kg]."""
    sole_mass: float
    """Mass taken off the link as its old sole [kg]."""
    how: str
    """How that mass was found."""
    foot_mass: float
    """Mass of the new foot [kg]."""
    extent: tuple[tuple[float, float], tuple[float, float]]
    """Length and width of the sole before and after [m]."""


@dataclass(frozen=True, kw_only=True)
class MountReport(Shown):
    """What mounting changed: before and after, lost and added."""

    robot: str
    """Name of the robot."""
    foot: str
    """Name of the foot."""
    offset: float
    """How far the foot's ankle sits in front of the robot's [m]."""
    pitch: float
    """How far the foot is turned from the sole it replaces, toes down [rad]."""
    solved: tuple[str, ...]
    """Which of offset and pitch were solved and not given."""
    balance: dict[str, float] = field(default_factory=dict)
    """Where the centre of mass, the support and the centre of pressure are in front of the robot's ankle, along the
    level [m]."""
    mass: tuple[float, float] = (0.0, 0.0)
    """Mass of the robot before and after [kg]."""
    height: tuple[float, float] = (0.0, 0.0)
    """Height of the base over the soles in the standing keyframe before and after [m]."""
    inertia: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    """Inertia about the centre of mass in the standing keyframe, xx yy zz, before and after [kg m^2]."""
    centre_of_mass: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    """Centre of mass from the base in the standing keyframe, in the world's axes, before and after [m]."""
    support: tuple[tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0))
    """Length and width of the whole stance before and after [m]."""
    keyframes: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By keyframe: how far the base was lifted, and how far the lowest sole is from the ground now [m]."""
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By kind of element: how many before and after."""
    lost: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By kind of element: names that were lost; apart from geoms of the old feet, none."""
    changed: tuple[str, ...] = ()
    """Elements that had to be changed, in words."""
    options: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Simulation options that were changed: before and after."""
    places: tuple[PlaceChange, ...] = ()
    """What was done to each leg."""
    notes: tuple[str, ...] = ()
    """What a user should know."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return to_record(self)

    @property
    def text(self) -> str:
        """The report for people."""
        lines = [
            f"{self.robot} on {self.foot}: ankle offset {1e3 * self.offset:+.1f} mm, pitch "
            f"{math.degrees(self.pitch):+.2f} degrees ({', '.join(self.solved) or 'none'} solved)",
            f"mass {self.mass[0]:.3f} -> {self.mass[1]:.3f} kg, base height {self.height[0]:.4f} -> "
            f"{self.height[1]:.4f} m, stance {_size(self.support[0])} -> {_size(self.support[1])}",
        ]
        for p in self.places:
            lines.append(
                f"  {p.place}: {p.body}, {_count(len(p.removed_geoms), 'old geom')} removed, "
                f"link {p.link_mass[0]:.3f} -> {p.link_mass[1]:.3f} kg ({p.how}), "
                f"foot {p.foot_mass:.3f} kg, sole {_size(p.extent[0])} -> "
                f"{_size(p.extent[1])}"
            )
        for name, (lift, gap) in self.keyframes.items():
            lines.append(f"  keyframe {name}: base {1e3 * lift:+.1f} mm, sole {1e3 * gap:+.3f} mm from the ground")
        lost = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in self.lost.items() if names)
        lines.append(f"  lost: {lost or 'nothing except the geoms of the old feet'}")
        lines += [f"  {line}" for line in (*self.changed, *self.notes)]
        lines += [f"  option {name}: {old} -> {new}" for name, (old, new) in self.options.items()]
        return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _size(size: tuple[float, float]) -> str:
    return f"{1e3 * size[0]:.0f} x {1e3 * size[1]:.0f} mm" if any(size) else "a point"
