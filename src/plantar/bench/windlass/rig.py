"""The rig of the windlass bench: a foot in the air or standing, and a bar that raises its toes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco

from plantar._checks import check_constraint, require, require_positive
from plantar.bench.press.rig import AWAY, PREFIX
from plantar.feet.sensors import add_contact_force
from plantar.feet.softfoot.layout import chain_layout
from plantar.feet.softfoot.softfoot import SoftFoot

CONTACT_SOLREF, CONTACT_SOLIMP = (0.02, 1.0), (0.99, 0.995, 0.001, 0.5, 2.0)
"""Contact under a whole foot. MuJoCo scales contact with the mass of what touches: with its defaults
the light modules sink in by as much as an arch lifts; much stiffer ones never come to rest on a bar."""


@dataclass(frozen=True, kw_only=True)
class WindlassRig:
    """A bar lies across under the toe tips and rises; the ankle is fixed or stands under a load.

    In the air the ankle is fixed in the world and nothing but the bar touches the foot. In stance
    the ankle moves on a vertical slider that carries the load, and the foot stands on a floor
    through which the bar comes up.
    """

    stand: float | None = None
    """Load on the ankle of the standing foot, without its own weight [N]; None: in the air."""
    friction: float = 0.0
    """Sliding friction of the floor; 0 makes a state independent of the path to it."""
    ankle_free: bool = True
    """Whether the ankle of the standing foot may pitch. Free, heel and front share the load as its
    place between them says; locked, nearly all of it goes down through the heel."""
    bar_x: float | None = None
    """Place of the bar from the ankle [m]; None puts it under the middle of the toe tips."""
    bar_radius: float = 0.005
    """Radius of the bar [m]; it has no friction."""
    contact_solref: tuple[float, float] = CONTACT_SOLREF
    """Time constant [s] and damping ratio of contact with bar and floor."""
    contact_solimp: tuple[float, float, float, float, float] = CONTACT_SOLIMP
    """Impedance of contact, in MuJoCo's terms."""
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
            self.stand is None or 0 < self.stand <= 2000, "stand", self.stand, "a load above 0, 2000 N at most, or None"
        )
        require(0 <= self.friction <= 10, "friction", self.friction, "a coefficient from 0 to 10")
        x = self.bar_x
        require(x is None or abs(x) <= 0.5, "bar_x", x, "a length in metres within +-0.5, or None")
        require_positive(self, "", ("bar_radius", "slider_damping", "pitch_damping", "timestep"))
        require(0 <= self.gravity < math.inf, "gravity", self.gravity, "0 or more m/s^2")
        check_constraint(self, "", "contact_")

    @property
    def standing(self) -> bool:
        """Whether the foot stands on the floor."""
        return self.stand is not None

    def place(self, foot: SoftFoot) -> float:
        """Where the bar is [m]."""
        layout = chain_layout(foot)
        return layout.origins[-1] + layout.links[-1].centre if self.bar_x is None else self.bar_x

    def spec(self, foot: SoftFoot) -> mujoco.MjSpec:
        """Build the rig around `foot`; the floor is at height 0 and the bar is a mocap body.

        The load is the actuator `load`, with the force in newtons as its control.
        """
        spec = mujoco.MjSpec()
        spec.modelname = f"windlass {foot.name}"
        spec.compiler.degree = False
        spec.option.timestep = self.timestep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.gravity = [0, 0, -self.gravity]
        carrier = spec.worldbody.add_body(name="slider", pos=[0, 0, foot.sole_height])
        spec.attach(foot.spec(sensors=True), frame=carrier.add_frame(), prefix=PREFIX)
        if self.standing:
            self._add_stance(spec, carrier)
        self._add_bar(spec, foot)
        return spec

    def _add_stance(self, spec: mujoco.MjSpec, carrier: mujoco.MjsBody) -> None:
        slide = mujoco.mjtJoint.mjJNT_SLIDE
        carrier.add_joint(name="slider", type=slide, axis=[0, 0, 1], damping=[self.slider_damping, 0, 0])
        if self.ankle_free:
            carrier.add_joint(name="pitch", axis=[0, 1, 0], damping=[self.pitch_damping, 0, 0])
        spec.add_actuator(name="load", trntype=mujoco.mjtTrn.mjTRN_JOINT, target="slider", gear=[-1, 0, 0, 0, 0, 0])
        spec.worldbody.add_geom(
            name="floor",
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[0.5, 0.3, 0.05],
            friction=[self.friction, 0, 0],
            condim=3 if self.friction else 1,
            priority=1,
            solref=list(self.contact_solref),
            solimp=list(self.contact_solimp),
            rgba=[0.75, 0.78, 0.82, 1],
        )

    def _add_bar(self, spec: mujoco.MjSpec, foot: SoftFoot) -> None:
        bar = spec.worldbody.add_body(name="bar", mocap=True, pos=[self.place(foot), 0, AWAY])
        bar.add_geom(
            name="bar",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[self.bar_radius, 0.08, 0],
            quat=[math.sqrt(0.5), math.sqrt(0.5), 0, 0],
            condim=1,
            priority=2,
            solref=list(self.contact_solref),
            solimp=list(self.contact_solimp),
            rgba=[0.95, 0.62, 0.18, 1],
        )
        add_contact_force(spec, "bar_force", "bar")
