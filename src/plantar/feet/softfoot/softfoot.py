"""The SoftFoot: arches, and a sole of chains of rolling modules with bands and tendons."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import mujoco
import numpy as np

from plantar._checks import (
    check_at_least,
    check_constraint,
    check_metres,
    require,
    require_choice,
    require_positive,
)
from plantar.feet.foot import Foot
from plantar.feet.parts import Parts
from plantar.feet.readings import rod_residuals
from plantar.feet.softfoot.band_tendons import band_lengths
from plantar.feet.softfoot.bands import Band
from plantar.feet.softfoot.build import build_softfoot
from plantar.feet.softfoot.derivation import CITATIONS, DERIVATION
from plantar.feet.softfoot.fast import Fast
from plantar.feet.softfoot.fast_build import build_fast
from plantar.feet.softfoot.layout import chain_layout
from plantar.feet.softfoot.tendon import Point, Tendon
from plantar.feet.stations import Stations

HalfSize = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class SoftFoot(Foot):
    """A parametric model of the adaptive foot of Piazza, Catalano et al.

    Two open chains start at the ankle: the posterior arch, the heel and the sole chains up to the
    toes; and the anterior arch. A position-only constraint at the metatarsal joint of each chain
    closes the loop. Lengths are of the straight foot; points (x, z) are from the ankle unless a
    field says otherwise.
    """

    name: ClassVar[str] = "softfoot"
    title: ClassVar[str] = "SoftFoot"
    derivation: ClassVar[tuple[str, ...]] = DERIVATION
    citations: ClassVar[tuple[str, ...]] = CITATIONS
    fidelities: ClassVar[tuple[str, ...]] = ("full", "hinge", "fast")

    side: Literal["left", "right"] = "left"
    """Which foot it is; chain 1 is on the medial side of either."""
    chains: int = 5
    """Parallel chains, 1 to 5."""
    chain_spacing: float = 0.0185
    """Lateral distance between chains [m]."""
    chain_offsets: tuple[float, ...] | None = None
    """Lateral place of each chain, lateral side positive [m]; None spaces them evenly."""
    modules: int = 6
    """Modules between heel and metatarsus; the last one is the reverse module."""
    toe_modules: int = 2
    """Modules in front of the metatarsus; the last one is the toe tip."""
    pitch: float = 0.022
    """Distance from a module to the next [m]."""
    coupling_length: float = 0.013
    """Distance between the two hinges of a coupling, twice the rolling radius [m]."""
    reverse_length: float = 0.0103
    """From the rear to the front hinge of the reverse module [m]."""
    metatarsus_length: float = 0.019
    """From the rear to the front hinge of the metatarsus [m]."""
    tip_length: float = 0.019
    """From the hinge of the toe tip to the end of the tendon [m]."""
    heel_joint: Point = (-0.053, -0.07274)
    """Joint between posterior arch and heel [m]."""
    chain_start: Point = (0.0045, -0.012)
    """First hinge of a chain, from the heel joint [m]."""
    metatarsal_joint: Point = (0.0095, 0.012)
    """Joint with the anterior arch, from the rear hinge of the metatarsus [m]."""
    coupling: Literal["rolling", "hinge"] = "rolling"
    """`rolling` ties two hinges 1:1 as a Rolamite pair; `hinge` is one hinge at its middle."""
    flexion_limit: float = math.radians(90)
    """Rotation of a coupling towards the sole before it stops [rad]."""
    extension_limit: float = math.radians(20)
    """Rotation of a coupling away from the sole before it stops [rad]."""
    armature: float = 0.001
    """Rotor-like inertia of every hinge, for numerical stability [kg m^2]."""
    heel_stiffness: float = 0.001
    """Stiffness of the heel joint [N m/rad]."""
    arch_damping: float = 0.001
    """Damping of the heel and of the arch joint [N m s/rad]."""
    band_model: Literal["joint", "tendon"] = "joint"
    """`joint` carries the bands to the hinges; `tendon` builds each coupling's band, or gives one of a single hinge
    the linear and cubic stiffness of its band."""
    band: Band = Band()
    """The elastic bands of every coupling."""
    tendon: Tendon = Tendon()
    """The plantar tendon of every chain."""
    collider: Literal["box", "capsule"] = "box"
    """Shape that touches the ground."""
    module_half_size: HalfSize = (0.010, 0.0068, 0.0105)
    """Half length, width and height of a module's collider [m]."""
    reverse_half_size: HalfSize = (0.012, 0.0068, 0.010)
    """Half sizes of the reverse module's collider [m]."""
    metatarsus_half_size: HalfSize = (0.016, 0.0068, 0.010)
    """Half sizes of the metatarsus' collider [m]."""
    tip_half_size: HalfSize = (0.014, 0.0068, 0.011)
    """Half sizes of the toe tip's collider [m]."""
    heel_half_size: HalfSize = (0.0229, 0.01072, 0.0126)
    """Half length, width for each chain, and height of the heel's collider [m]: the heel of five chains is 107 mm wide,
    and ends where the released meshes do; the paper's 9 cm are the width of the chains."""
    heel_centre: Point = (-0.01539, -0.00995)
    """Centre of the heel's collider, from the heel joint [m]."""
    toe_lift: float = 0.0002
    """How much higher than the other modules' the underside of the first toe module is [m]; on flat ground the
    metatarsus then carries without its neighbour, which saves a third of the contacts."""
    ankle_half: float = 0.033
    """Half side of the ankle cube of the prototype [m]; narrower where there is less room between the rails."""
    rail_radius: float = 0.005
    """Radius of the arches' side rails [m]; the prototype's are plates of about that thickness."""
    rail_bulge: Point = (-0.012, 0.014)
    """How far the rails of the posterior and the anterior arch bow forward at half way [m]."""
    heel_pitch: float = 0.0
    """Pitch of the heel's collider in the straight foot, front down [rad]."""
    friction: float = 1.0
    """Sliding friction of the sole; MuJoCo takes the larger of two touching geoms."""
    loop_solref: tuple[float, float] = (0.005, 1.0)
    """Time constant [s] and damping ratio of the loop closures."""
    loop_solimp: tuple[float, float, float, float, float] = (0.99, 0.995, 0.001, 0.5, 2.0)
    """Impedance of the loop closures."""
    coupling_solref: tuple[float, float] = (0.02, 1.0)
    """Time constant [s] and damping ratio of the rolling constraints."""
    coupling_solimp: tuple[float, float, float, float, float] = (0.85, 0.95, 0.01, 0.5, 2.0)
    """Impedance of the rolling constraints."""
    parts: Parts = field(default_factory=Parts)
    """Masses and inertias of the rigid parts."""
    fast: Fast = Fast()
    """Parameters of the light builds, `fidelity="hinge"` and `"fast"`."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        super().__post_init__()
        require_choice("side", self.side, ("left", "right"))
        require_choice("coupling", self.coupling, ("rolling", "hinge"))
        require_choice("band_model", self.band_model, ("joint", "tendon"))
        require_choice("collider", self.collider, ("box", "capsule"))
        require(self.chains in range(1, 6), "chains", self.chains, "an integer from 1 to 5")
        require(self.modules in range(1, 41), "modules", self.modules, "an integer from 1 to 40")
        require(self.toe_modules in range(1, 21), "toe_modules", self.toe_modules, "an integer from 1 to 20")
        lengths = ("chain_spacing", "pitch", "coupling_length", "reverse_length", "metatarsus_length", "tip_length")
        lengths += ("ankle_half", "rail_radius")
        require_positive(self, "", (*lengths, "armature"))
        for name in (
            *lengths,
            "rail_bulge",
            "toe_lift",
            "heel_joint",
            "chain_start",
            "metatarsal_joint",
            "heel_centre",
        ):
            check_metres(self, "", name)
        check_at_least(self, "", ("heel_stiffness", "arch_damping", "friction"))
        for name in ("loop_", "coupling_"):
            check_constraint(self, "", name)
        self._check_shape()
        self._check_couplings()

    def _check_shape(self) -> None:
        require(self.heel_joint[1] < 0, "heel_joint", self.heel_joint, "a point (x, z) below the ankle, z < 0")
        for name in ("module", "reverse", "metatarsus", "tip", "heel"):
            size = getattr(self, f"{name}_half_size")
            require(min(size) > 0, f"{name}_half_size", size, "three lengths above 0")
            check_metres(self, "", f"{name}_half_size")
        limit = math.pi / 2
        require(abs(self.heel_pitch) < limit, "heel_pitch", self.heel_pitch, "an angle in radians within +-pi/2")
        height = self.sole_height
        allowed = f"less than the height of the ankle above the ground, {height:.4g} m"
        require(self.ankle_half < height, "ankle_half", self.ankle_half, allowed)
        if self.chain_offsets is not None:
            offsets, allowed = self.chain_offsets, f"one number for each of the {self.chains} chains"
            require(len(offsets) == self.chains, "chain_offsets", offsets, allowed)
            rising = all(a < b for a, b in zip(offsets, offsets[1:], strict=False))
            require(rising, "chain_offsets", offsets, "rising numbers, from the medial chain to the lateral one")

    def _check_couplings(self) -> None:
        d, offset = self.coupling_length, self.band.exit_offset
        require(d < self.pitch, "coupling_length", d, f"less than pitch = {self.pitch:g} m")
        require(2 * offset < d, "band.exit_offset", offset, f"less than half of coupling_length = {d:g} m")
        for name in ("flexion_limit", "extension_limit"):
            value = getattr(self, name)
            require(0 < value <= math.pi, name, value, "an angle in radians above 0, pi at most")
        if self.band_model == "tendon":
            _, length, natural = band_lengths(self.band, d)
            most = self.band.axial_stiffness * length * offset
            allowed = f"less than {most:.3g} N m/rad, where the band's length without force is 0"
            require(natural > 0, "band.stiffness", self.band.hinge_stiffness, allowed)

    @classmethod
    def published(cls) -> SoftFoot:
        """The released twin, parameter for parameter.

        Values are those of the model file of Crotti et al. (2024). It differs from the default
        foot in its tendon, which hangs slack by 1.96 mm and passes 3.8 mm below every hinge, in its
        extension limit (18 degrees; the paper says 20), in its softer loop closures, in a chain
        that stands half a millimetre off, in details of its pulleys, in its wider heel and narrower modules, and in
        its contact, which is MuJoCo's default.
        """
        tendon = Tendon(
            slack=0.286 - 0.2840428,
            rest_length=0.2840428,
            metatarsal_arm=0.0038,
            start=(-0.01369381, 0.00234082),
            heel_roller=(-0.03108613, -0.0125117),
            heel_exit=(0.00456461, -0.01217228),
            heel_exit_guide=(0.00409644, -0.01661984),
            reverse_exit=0.010,
            metatarsus_exit=0.018,
        )
        return cls(
            chain_offsets=(-0.037, -0.018, 0.0, 0.0185, 0.037),
            heel_joint=(-0.053, -0.0727411),
            chain_start=(0.0045, -0.012),
            metatarsal_joint=(0.00949965, 0.01200019),
            flexion_limit=2 * 0.785398163,
            extension_limit=2 * 0.157079633,
            module_half_size=(0.010, 0.0055, 0.0105),
            reverse_half_size=(0.012, 0.0055, 0.010),
            metatarsus_half_size=(0.016, 0.0055, 0.010),
            tip_half_size=(0.014, 0.0055, 0.011),
            heel_half_size=(0.026, 0.0116, 0.0126),
            heel_centre=(-0.01228932, -0.0099485),
            toe_lift=0.0,
            contact=None,
            heel_pitch=-0.0010327,
            band=Band(stiffness=0.8),
            tendon=tendon,
            loop_solref=(0.02, 1.0),
            loop_solimp=(0.95, 0.99, 0.001, 0.5, 2.0),
        )

    @property
    def sole_height(self) -> float:
        """Height of the ankle above the ground in the straight foot [m]."""
        length, _, height = self.heel_half_size
        # Capsules are not pitched.
        pitch = self.heel_pitch if self.collider == "box" else 0.0
        heel = self.heel_joint[1] + self.heel_centre[1] - height * math.cos(pitch) - length * abs(math.sin(pitch))
        chain = chain_layout(self)
        return -min(heel, chain.height - max(link.half_size[2] - link.lift for link in chain.links))

    @property
    def contact_bodies(self) -> tuple[str, ...]:
        """Heel first, then every chain's modules from heel to toe."""
        links = chain_layout(self).links
        return ("heel", *(f"chain{c}_{link.name}" for c in range(1, self.built_chains + 1) for link in links))

    @property
    def built_chains(self) -> int:
        """Chains in the built model; fewer than `chains` where `fidelity="fast"` merges them."""
        return min(self.fast.strips, self.chains) if self.fidelity == "fast" else self.chains

    @property
    def stations(self) -> Stations:
        """Where a bench supports and lifts the foot: heel, metatarsal joint, and the modules between them."""
        chain = chain_layout(self)
        middles = tuple(x + link.centre for x, link in zip(chain.origins, chain.links, strict=True))[: self.modules]
        bodies = tuple(f"chain{(self.built_chains + 1) // 2}_module{k}" for k in range(1, self.modules + 1))
        ends = (self.heel_joint[0] - 0.05, chain.origins[-1] + 0.03)
        rear = self.heel_joint[0] + self.heel_centre[0]
        return Stations(rear, chain.metatarsal_joint[0], middles, bodies, ends, "heel", "metatarsus")

    def build(self) -> mujoco.MjSpec:
        """Build the foot; see the class for its frame and bodies."""
        return build_softfoot(self) if self.fidelity == "full" else build_fast(self)

    def contact_areas(self) -> dict[str, float]:
        """By body, the area of the module, or of all modules that it stands for [m^2]."""
        length, width, _ = self.heel_half_size
        merged = self.chains / self.built_chains
        areas = {"heel": 4 * length * width * self.chains}
        for c in range(1, self.built_chains + 1):
            for link in chain_layout(self).links:
                areas[f"chain{c}_{link.name}"] = 4 * link.half_size[0] * link.half_size[1] * merged
        return areas

    @property
    def tension_sensors(self) -> tuple[str, ...]:
        """One for each chain that is built, if it has tendons."""
        there = self.tendon.present and not self.rigid
        return tuple(f"tendon{c}_tension" for c in range(1, self.built_chains + 1)) if there else ()

    @property
    def tension_share(self) -> float:
        """A merged chain has the tension of all those it stands for."""
        return self.built_chains / self.chains

    def residuals(self, model: mujoco.MjModel, sensors: np.ndarray, prefix: str = "") -> list[float]:
        """Gap of each chain's loop; of a light build, by how much each rod is too long or too short [m]."""
        if self.fidelity == "full" or self.rigid:
            return super().residuals(model, sensors, prefix)
        return list(rod_residuals(model, sensors, prefix))

    def without_tendons(self) -> SoftFoot:
        """The same foot with its plantar tendons removed."""
        return replace(self, tendon=replace(self.tendon, present=False))
