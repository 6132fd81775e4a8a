"""The ball foot: a sphere at the end of a shank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mujoco

from plantar._checks import check_at_least, require, require_positive
from plantar.errors import InvalidInput
from plantar.feet.defaults import collider, visual
from plantar.feet.foot import Foot
from plantar.feet.inertia import set_mass, solid_rod, solid_sphere, start_spec
from plantar.feet.stations import Stations

_SPHERE, _CYLINDER = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CYLINDER


@dataclass(frozen=True, kw_only=True)
class BallFoot(Foot):
    """A rubber sphere on a shank, as on most quadrupeds.

    The default ball has the radius of ANYmal's foot. The origin is the top of the shank, where a
    leg ends; the ball's centre is `shank_length` below it. Bodies: `ankle` (the shank) and `ball`.
    """

    name: ClassVar[str] = "ball"
    title: ClassVar[str] = "Ball foot"
    derivation: ClassVar[tuple[str, ...]] = (
        "Ball and shank are uniform solids that share the mass by volume; their inertias follow.",
        "A sphere touches the ground; the shank collides as a cylinder.",
    )

    radius: float = 0.030
    """Radius of the ball [m]."""
    shank_length: float = 0.100
    """From the top of the shank to the centre of the ball [m]."""
    shank_radius: float = 0.012
    """Radius of the shank [m]."""
    mass: float = 0.150
    """Mass of ball and shank, shared by volume [kg]."""
    friction: float = 1.0
    """Sliding friction of the ball; MuJoCo takes the larger of two touching geoms."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        super().__post_init__()
        require_positive(self, "", ("radius", "shank_length", "shank_radius", "mass"))
        check_at_least(self, "", ("friction",))
        slim = self.shank_radius <= self.radius
        require(slim, "shank_radius", self.shank_radius, f"at most radius = {self.radius:g} m")
        require(self.shank_length > self.radius, "shank_length", self.shank_length, f"over radius = {self.radius:g} m")

    @property
    def sole_height(self) -> float:
        """Height of the ankle above the ground when the shank is upright [m]."""
        return self.shank_length + self.radius

    @property
    def contact_bodies(self) -> tuple[str, ...]:
        """The one body that touches the ground."""
        return ("ball",)

    @property
    def stations(self) -> Stations:
        """A ball has none."""
        raise InvalidInput("foot 'ball' touches at one point and cannot lie on two supports: press it on a floor")

    def build(self) -> mujoco.MjSpec:
        """Build the foot; its origin is the top of the shank."""
        spec, ankle = start_spec(self.name, self.friction)
        rod = self.shank_length - self.radius
        volumes = 4 / 3 * self.radius**3, self.shank_radius**2 * rod
        mass = self.mass / sum(volumes)
        shank = solid_rod(mass * volumes[1], self.shank_radius, rod, (0, 0, -rod / 2))
        set_mass(ankle, shank)
        line = [0, 0, -rod, 0, 0, 0]
        collider(spec, ankle, _CYLINDER, "ankle_collision", fromto=line, size=[self.shank_radius, 0, 0])
        visual(spec, ankle, _CYLINDER, "frame", fromto=line, size=[self.shank_radius, 0, 0])
        collar = [0, 0, -rod - 0.5 * self.radius, 0, 0, -rod + 0.3 * self.shank_radius]
        visual(spec, ankle, _CYLINDER, "heel", fromto=collar, size=[1.3 * self.shank_radius, 0, 0])
        cap = [0, 0, -0.5 * self.shank_radius, 0, 0, 0]
        visual(spec, ankle, _CYLINDER, "steel", fromto=cap, size=[1.25 * self.shank_radius, 0, 0])

        ball = ankle.add_body(name="ball", pos=[0, 0, -self.shank_length])
        set_mass(ball, solid_sphere(mass * volumes[0], self.radius, (0, 0, 0)))
        collider(spec, ball, _SPHERE, "ball_collision", size=[self.radius, 0, 0])
        visual(spec, ball, _SPHERE, "rubber", size=[self.radius, 0, 0])
        return spec
