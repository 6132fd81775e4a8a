"""The SoftFoot-Q: two arches over a sole of chains, for the legs of quadrupeds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import mujoco

from plantar._checks import (
    check_at_least,
    check_constraint,
    check_metres,
    require,
    require_choice,
    require_positive,
)
from plantar._config import Checked
from plantar.feet.foot import Foot
from plantar.feet.softfoot_q.build import build_softfootq
from plantar.feet.softfoot_q.derivation import CITATIONS, DERIVATION
from plantar.feet.softfoot_q.layout import layout
from plantar.feet.softfoot_q.parts import PartsQ
from plantar.feet.stations import Stations

Impedance = tuple[float, float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class FastQ(Checked, prefix="fast."):
    """Parameters of the fast twin, `fidelity="fast"`."""

    strips: int = 1
    """Chains that are built; neighbours are merged."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(self.strips in range(1, 7), "fast.strips", self.strips, "an integer from 1 to 6")


@dataclass(frozen=True, kw_only=True)
class SoftFootQ(Foot):
    """A parametric model of the adaptive foot for quadrupeds by Catalano, Pollayil, Grioli et al.

    From the ankle base (A) two arch links (B) hang on one axis; a roll link (C) at the end of each turns
    about the length of the foot; chains of pinned links with pads (D) run from roll link to roll link. Loads
    open the arches until the chains are taut: flat ground finds a stiff sole, a bump lifts the chains and
    closes the arches. In the zero pose the chains are straight. The origin is where the leg ends; lengths
    are of the straight foot.
    """

    name: ClassVar[str] = "softfoot_q"
    title: ClassVar[str] = "SoftFoot-Q"
    derivation: ClassVar[tuple[str, ...]] = DERIVATION
    citations: ClassVar[tuple[str, ...]] = CITATIONS
    fidelities: ClassVar[tuple[str, ...]] = ("full", "hinge", "fast")

    chains: int = 4
    """Parallel chains, 1 to 6; the published description has 3, the paper's foot 4."""
    chain_spacing: float = 0.0145
    """Lateral distance between chains [m]; four of them fill the published width of 56 mm."""
    link_width: float = 0.0125
    """Width of an outer link and its pad [m]; masses of the links are in proportion."""
    links: int = 9
    """Links of a chain, odd: inner and outer ones in turn, inner ones at both ends."""
    pitch: float = 0.0127
    """Distance between pins [m]; half-inch chain."""
    link_length: float = 0.0245
    """Length of a link and of a pad over all [m]."""
    inner_height: float = 0.0118
    """Height of an inner link [m]."""
    pad_depth: float = 0.0151
    """From the pins down to the underside of a pad [m]."""
    ankle_drop: float = 0.022
    """From the end of the leg down to the axis of the arches [m]."""
    roll_drop: float = 0.028
    """From the axis of the arches down to the roll hinges [m]."""
    roll_tilt: float = 0.1047
    """Tilt of the roll hinges, outer ends up [rad]."""
    insertion: tuple[float, float] = (-0.0021, -0.01185)
    """First pin of a chain on the front roll link, (x, z) in the link's tilted axes [m]."""
    arch_limit: float = math.radians(30)
    """Largest turn of an arch link [rad]."""
    roll_limit: float = math.radians(45)
    """Largest turn of a roll link [rad]."""
    link_limit: float = math.radians(45)
    """Largest turn between two links [rad]."""
    arch_stiffness: float = 5.0
    """Spring between the arches, acting on both against the sum of their turns [N m/rad]."""
    arch_rest: float = 0.03
    """Sum of the turns at which that spring is free [rad]; above 0 the unloaded chains hang slack."""
    arch_damping: float = 0.02
    """Damping of the arch hinges [N m s/rad]."""
    roll_damping: float = 0.002
    """Damping of the roll hinges [N m s/rad]."""
    link_damping: float = 0.002
    """Damping of the pins [N m s/rad]."""
    link_stiffness: float = 0.02
    """Stiffness of the pins, of the rubber pads that meet when a chain bends [N m/rad]."""
    link_friction: float = 0.0001
    """Dry friction of a pin [N m]; the fast twin leaves it out."""
    play_length: float = 0.0001
    """Play of a pin along the chain [m]: a chain lengthens by that for each pin before it is taut."""
    play_twist: float = math.radians(2)
    """Play of a pin about the chain's length, both ways [rad]."""
    play_yaw: float = math.radians(1)
    """Play of a pin about the vertical, both ways [rad]."""
    play_stiffness: float = 0.5
    """Stiffness that centres twist and yaw inside their play [N m/rad]."""
    collider: Literal["rod", "box"] = "rod"
    """What touches under a pad: `rod` is a cylinder with rounded ends across the sole, with two contacts on
    a floor; `box` is a block of the pad's size, with four, whose edges keep a frictionless foot from resting."""
    roll_width: float = 0.051
    """Width of a roll link [m]."""
    tip_reach: float = 0.0215
    """From the roll hinge's middle out to the end of the foot [m]."""
    tip_drop: float = 0.0253
    """From the roll hinge down to the underside of the roll link [m]."""
    tip_radius: float = 0.008
    """Radius of the rounded ends of the foot [m]; smaller on roll links that are smaller than it."""
    ankle_radius: float = 0.009
    """Radius of the ankle base [m]."""
    arch_radius: float = 0.006
    """Half thickness of an arch link [m]."""
    armature: float = 0.0001
    """Rotor-like inertia of every hinge, for numerical stability [kg m^2]."""
    friction: float = 1.0
    """Sliding friction of the sole; MuJoCo takes the larger of two touching geoms."""
    loop_solref: tuple[float, float] = (0.005, 1.0)
    """Time constant [s] and damping ratio of the loop closures, and of play at its end."""
    loop_solimp: Impedance = (0.995, 0.999, 0.001, 0.5, 2.0)
    """Impedance of the loop closures, and of play at its end."""
    parts: PartsQ = field(default_factory=PartsQ)
    """Masses and inertias of the rigid parts."""
    fast: FastQ = FastQ()
    """Parameters of the fast twin."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        super().__post_init__()
        require(self.chains in range(1, 7), "chains", self.chains, "an integer from 1 to 6")
        require(self.links in range(3, 26, 2), "links", self.links, "an odd integer from 3 to 25")
        lengths = ("chain_spacing", "link_width", "pitch", "link_length", "inner_height", "pad_depth", "roll_drop")
        lengths += ("ankle_drop", "roll_width", "tip_reach", "tip_drop", "tip_radius", "ankle_radius", "arch_radius")
        require_positive(self, "", (*lengths, "armature"))
        for name in (*lengths, "insertion", "play_length"):
            check_metres(self, "", name)
        amounts = (
            "arch_stiffness",
            "arch_damping",
            "roll_damping",
            "link_damping",
            "link_stiffness",
            "link_friction",
            "friction",
        )
        check_at_least(self, "", (*amounts, "play_length", "play_twist", "play_yaw", "play_stiffness"))
        check_constraint(self, "", "loop_")
        self._check_angles()
        require_choice("collider", self.collider, ("rod", "box"))
        require(self.insertion[1] < 0, "insertion", self.insertion, "a point (x, z) below the roll hinge, z < 0")
        require(
            self.pad_depth > self.inner_height / 2,
            "pad_depth",
            self.pad_depth,
            f"more than half of inner_height = {self.inner_height:g} m",
        )
        wide = self.chains == 1 or self.link_width <= self.chain_spacing
        require(wide, "link_width", self.link_width, f"at most chain_spacing = {self.chain_spacing:g} m")

    def _check_angles(self) -> None:
        for name in ("arch_limit", "roll_limit", "link_limit"):
            value = getattr(self, name)
            require(0 < value <= math.pi / 2, name, value, "an angle in radians above 0, pi/2 at most")
        for name, most in (("roll_tilt", 0.8), ("arch_rest", 0.5), ("play_twist", 0.5), ("play_yaw", 0.5)):
            value = getattr(self, name)
            require(abs(value) <= most, name, value, f"an angle in radians, {most:g} at most")

    @classmethod
    def three_chains(cls) -> SoftFootQ:
        """The variant with three full-width chains, as the published description has it."""
        return cls(chains=3, chain_spacing=0.01915, link_width=0.017)

    @property
    def sole_height(self) -> float:
        """Height of the leg's end above the ground in the straight foot [m]."""
        pads, tips = self.pad_depth - layout(self).pins[1], self.roll_drop + self.tip_drop
        return self.ankle_drop + max(pads, tips)

    @property
    def length(self) -> float:
        """Length of the straight foot over all [m]."""
        return 2 * (layout(self).roll[0] + self.tip_reach)

    @property
    def width(self) -> float:
        """Width of the sole over all [m]."""
        return max((self.chains - 1) * self.chain_spacing + self.link_width, self.roll_width)

    @property
    def built_chains(self) -> int:
        """Chains in the built model; fewer than `chains` where `fidelity="fast"` merges them."""
        return min(self.fast.strips, self.chains) if self.fidelity == "fast" else self.chains

    @property
    def contact_bodies(self) -> tuple[str, ...]:
        """Back roll link first, then every chain's links from back to front, then the front roll link."""
        links = layout(self).links
        sole = (f"chain{c}_{link.name}" for c in range(1, self.built_chains + 1) for link in links)
        return ("back_roll", *sole, "front_roll")

    @property
    def stations(self) -> Stations:
        """Where a bench supports and lifts the foot: roll links at the ends, and every link."""
        where = layout(self)
        tip = where.roll[0] + self.tip_reach / 2
        chain = (self.built_chains + 1) // 2
        bodies = tuple(f"chain{chain}_{link.name}" for link in where.links)
        middles = tuple(x + link.length / 2 for x, link in zip(where.origins, where.links, strict=True))
        return Stations(-tip, tip, middles, bodies, (-self.length / 2, self.length / 2), "back_roll", "front_roll")

    def build(self) -> mujoco.MjSpec:
        """Build the foot; see the class for its frame and parts."""
        return build_softfootq(self)

    def scaled(self, factor: float) -> SoftFootQ:
        """The foot built larger or smaller; the masses of its links are given for a width that does not scale."""
        foot = super().scaled(factor)
        links = {name: getattr(foot.parts, name).scaled(1 / factor) for name in ("inner", "outer")}
        return replace(foot, parts=replace(foot.parts, **links))

    def contact_areas(self) -> dict[str, float]:
        """By body, the area of the pad, or of all pads that it stands for; of a roll link its rounded end [m^2]."""
        pad = self.link_length * self.link_width * self.chains / self.built_chains
        return {body: pad if "link" in body else self.tip_reach * self.roll_width for body in self.contact_bodies}

    @property
    def tension_sensors(self) -> tuple[str, ...]:
        """One for each chain that is built; a chain without play has none."""
        there = self.play_length > 0 and not self.rigid
        return tuple(f"chain{c}_tension" for c in range(1, self.built_chains + 1)) if there else ()

    @property
    def tension_share(self) -> float:
        """A merged chain has the tension of all those it stands for."""
        return self.built_chains / self.chains
