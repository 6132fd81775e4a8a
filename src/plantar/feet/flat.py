"""The flat foot: one rigid plate under the ankle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import mujoco

from plantar._checks import check_at_least, require, require_choice, require_positive
from plantar.feet.defaults import collider, visual
from plantar.feet.foot import Foot
from plantar.feet.inertia import set_mass, solid_box, start_spec
from plantar.feet.softfoot.tendon import Point
from plantar.feet.sole import touching_geoms

_BOX, _CAPSULE, _CYLINDER = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER


@dataclass(frozen=True, kw_only=True)
class FlatFoot(Foot):
    """A rigid plate, as on most humanoids.

    By default the plate has the length, the ankle position and the mass of the default
    SoftFoot, so that a robot can be given one or the other with nothing else changed. Bodies: `ankle`
    and `sole`.
    """

    name: ClassVar[str] = "flat"
    title: ClassVar[str] = "Flat foot"
    derivation: ClassVar[tuple[str, ...]] = (
        "The sole is a uniform solid plate; its inertia follows from its size and mass.",
        "One box, or two capsules along the sides, touch the ground.",
    )

    length: float = 0.265
    """Length of the sole, heel to toe [m]."""
    width: float = 0.100
    """Width of the sole [m]."""
    thickness: float = 0.020
    """Thickness of the plate [m]."""
    ankle_height: float = 0.0957
    """Height of the ankle above the ground [m]."""
    ankle_offset: Point = (-0.041, 0.0)
    """Ankle from the middle of the sole, (x, y) [m]; x < 0: nearer to the heel."""
    mass: float = 0.937
    """Mass, spread evenly in the plate [kg]."""
    collider: Literal["box", "capsule"] = "box"
    """`box` touches with its corners; `capsule` with two rods along the sides."""
    friction: float = 1.0
    """Sliding friction of the sole; MuJoCo takes the larger of two touching geoms."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        super().__post_init__()
        require_choice("collider", self.collider, ("box", "capsule"))
        require_positive(self, "", ("length", "width", "thickness", "ankle_height", "mass"))
        check_at_least(self, "", ("friction",))
        shorter = min(self.length, self.width)
        thin = self.collider == "box" or self.thickness < shorter
        require(thin, "thickness", self.thickness, f"less than the shorter side, {shorter:g} m, for capsules")

    @property
    def sole_height(self) -> float:
        """Height of the ankle above the ground [m]."""
        return self.ankle_height

    @property
    def contact_bodies(self) -> tuple[str, ...]:
        """The one body that touches the ground."""
        return ("sole",)

    @classmethod
    def like(cls, foot: Foot) -> FlatFoot:
        """A rigid plate of the outline, height, mass, friction and contact of another foot, as a control."""
        sole, (x, y), model = foot.sole, foot.sole.middle, foot.model()
        touching = [g for part in sole.parts for g in touching_geoms(model, model.body(part.body).id)]
        return cls(
            length=sole.length,
            width=sole.width,
            thickness=min(cls.thickness, foot.sole_height / 2),  # below the ankle of small feet, too
            ankle_height=foot.sole_height,
            ankle_offset=(-x, -y),
            mass=float(model.body_mass.sum()),
            friction=float(model.geom_friction[touching, 0].max()),
            contact=foot.contact,
        )

    def build(self) -> mujoco.MjSpec:
        """Build the foot; its origin is the ankle."""
        spec, ankle = start_spec(self.name, self.friction)
        x, y = self.ankle_offset
        sole = ankle.add_body(name="sole", pos=[-x, -y, self.thickness / 2 - self.ankle_height])
        half = (self.length / 2, self.width / 2, self.thickness / 2)
        set_mass(sole, solid_box(self.mass, half, (0, 0, 0)))
        self._add_colliders(spec, sole)
        self._draw(spec, ankle, sole)
        return spec

    def _add_colliders(self, spec: mujoco.MjSpec, sole: mujoco.MjsBody) -> None:
        length, width, radius = self.length / 2, self.width / 2, self.thickness / 2
        if self.collider == "box":
            collider(spec, sole, _BOX, "sole_collision", size=[length, width, radius])
            return
        for end, y in (("", width - radius), ("_right", radius - width)):
            line = [radius - length, y, 0, length - radius, y, 0]
            collider(spec, sole, _CAPSULE, f"sole_collision{end}", fromto=line, size=[radius, 0, 0])

    def _draw(self, spec: mujoco.MjSpec, ankle: mujoco.MjsBody, sole: mujoco.MjsBody) -> None:
        length, width, half = self.length / 2, self.width / 2, self.thickness / 2
        pad = 0.4 * half
        visual(spec, sole, _BOX, "rubber", size=[length, width, pad], pos=[0, 0, pad - half])
        visual(spec, sole, _BOX, "frame", size=[0.98 * length, 0.98 * width, half - pad], pos=[0, 0, pad])
        for x in (-0.8 * length, 0.8 * length):
            visual(spec, sole, _BOX, "heel", size=[0.14 * length, 0.9 * width, 0.02 * half], pos=[x, 0, half])
        radius, top = 0.22 * min(self.length, self.width), self.thickness - self.ankle_height
        if top < 0:
            visual(spec, ankle, _CYLINDER, "cube", fromto=[0, 0, top, 0, 0, 0], size=[radius, 0, 0])
        shaft = [0, -1.4 * radius, 0, 0, 1.4 * radius, 0]
        visual(spec, ankle, _CYLINDER, "steel", fromto=shaft, size=[0.7 * radius, 0, 0])
