"""The rig of the windlass bench: a foot in the air or standing, and a bar that raises its toes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar.bench.press.rig import AWAY, PREFIX
from plantar.bench.windlass.toes import find_toes
from plantar.feet.contact import set_contact
from plantar.feet.foot import Foot
from plantar.feet.sensors import add_contact_force
from plantar.feet.slider import Slider, add_floor, friction_of


@dataclass(frozen=True, kw_only=True)
class WindlassRig(Checked):
    """A bar lies across under the toe tips and rises; the ankle is fixed or stands under a load.

    In the air the ankle is fixed in the world and nothing but the bar touches the foot. In stance
    the ankle moves on a vertical slider that carries the load, and the foot stands on a floor
    through which the bar comes up.
    """

    stand: float | None = None
    """Load on the ankle of the standing foot, without its own weight [N]; None: in the air."""
    friction: float = 0.0
    """Sliding friction of the sole on floor and bar; 0 makes a state independent of the path to it."""
    ankle_free: bool = True
    """Whether the ankle of the standing foot may pitch. Free, heel and front share the load as its
    place between them says; locked, nearly all of it goes down through the heel."""
    bar_x: float | None = None
    """Place of the bar from the ankle [m]; None puts it under the middle of the toe tips."""
    bar_radius: float = 0.005
    """Radius of the bar [m]."""
    slider_damping: float = 100.0
    """Damping of the slider [N s/m]."""
    pitch_damping: float = 1.0
    """Damping of a free ankle [N m s/rad]."""
    timestep: float = 0.002
    """Time step [s]."""
    gravity: float = 9.81
    """Gravity [m/s^2]."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(
            self.stand is None or 1e-3 <= self.stand <= 2000, "stand", self.stand, "a load of 0.001 to 2000 N, or None"
        )
        require(0 <= self.friction <= 10, "friction", self.friction, "a coefficient from 0 to 10")
        x = self.bar_x
        require(x is None or abs(x) <= 0.5, "bar_x", x, "a length in metres within +-0.5, or None")
        require_positive(self, "", ("bar_radius", "slider_damping", "pitch_damping", "timestep"))
        require(0 <= self.gravity < math.inf, "gravity", self.gravity, "0 or more m/s^2")

    @property
    def standing(self) -> bool:
        """Whether the foot stands on the floor."""
        return self.stand is not None

    def place(self, foot: Foot) -> float:
        """Where the bar is [m]."""
        if self.bar_x is not None:
            return self.bar_x
        tip = find_toes(foot).tip
        return (tip.rear + tip.front) / 2

    def spec(self, foot: Foot) -> mujoco.MjSpec:
        """Build the rig around `foot`; the floor is at height 0 and the bar is a mocap body.

        The load is the actuator `load`, with the force in newtons as its control.
        """
        slider = Slider(
            height=foot.sole_height,
            free=self.standing,
            damping=self.slider_damping,
            friction=self.friction,
            timestep=self.timestep,
            gravity=self.gravity,
        )
        spec = slider.spec(foot, sensors=True)
        if self.standing:
            if self.ankle_free:
                spec.body("slider").add_joint(name="pitch", axis=[0, 1, 0], damping=[self.pitch_damping, 0, 0])
            add_floor(spec, **friction_of(self.friction))
        bar = spec.worldbody.add_body(name="bar", mocap=True, pos=[self.place(foot), 0, AWAY])
        bar.add_geom(
            name="bar",
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            size=[self.bar_radius, 0.08, 0],
            quat=[math.sqrt(0.5), math.sqrt(0.5), 0, 0],
            rgba=[0.95, 0.62, 0.18, 1],
            **friction_of(self.friction),
        )
        add_contact_force(spec, "bar_force", "bar")
        set_contact(spec, foot, PREFIX)
        return spec
