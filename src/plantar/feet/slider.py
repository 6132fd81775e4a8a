"""A foot on a vertical slider that carries a load: the start of every press."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco

from plantar._config import Checked
from plantar.feet.contact import set_contact
from plantar.feet.foot import Foot

PREFIX = "foot/"
"""Prefix of the foot's names on a slider."""
DAMPING = 100.0
"""Damping of a slider [N s/m]; slow compared with any motion of a foot, fast compared with a press."""
FLOOR = (0.75, 0.78, 0.82, 1.0)
_SLIDE, _PLANE = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtGeom.mjGEOM_PLANE


@dataclass(frozen=True, kw_only=True)
class Slider(Checked):
    """How the ankle of a foot is held, and its contact with what it is pressed on.

    The slider is the body and joint `slider`, z up from the ground at height 0; the load is the actuator `load`, with
    the force in newtons as its control, downwards.
    """

    height: float = 0.0
    """Height of the ankle when the joint is at 0 [m]."""
    tilt: float = 0.0
    """Pitch of the foot, front down [rad]."""
    free: bool = True
    """False holds the ankle in the world, without joint and load."""
    damping: float = DAMPING
    """Damping of the joint [N s/m]."""
    mass: float = 0.0
    """Mass that slides with the ankle [kg]."""
    friction: float | None = None
    """Sliding friction of the sole; None leaves the foot's own, 0 makes contacts without friction."""
    timestep: float = 0.002
    """Time step [s]."""
    gravity: float = 9.81
    """Gravity [m/s^2]."""

    def spec(self, foot: Foot, child: mujoco.MjSpec | None = None, *, sensors: bool = False) -> mujoco.MjSpec:
        """Put a foot on the slider; the caller adds what it is pressed on and then calls `set_contact`.

        Args:
            foot: The foot.
            child: A model to use in its place, with its ankle at the origin.
            sensors: Whether each part of the sole has a force sensor.
        """
        spec = mujoco.MjSpec()
        spec.modelname = f"press {foot.name}"
        spec.compiler.degree = False
        option = spec.option
        option.timestep, option.gravity = self.timestep, [0, 0, -self.gravity]
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{foot.integrator.upper()}")
        option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        foot.set_options(spec)
        body = spec.worldbody.add_body(name="slider", pos=[0, 0, self.height])
        if self.mass:
            body.mass, body.inertia, body.explicitinertial = self.mass, [self.mass] * 3, True
        if self.free:
            body.add_joint(name="slider", type=_SLIDE, axis=[0, 0, 1], damping=[self.damping, 0, 0])
            spec.add_actuator(name="load", trntype=mujoco.mjtTrn.mjTRN_JOINT, target="slider", gear=[-1, 0, 0, 0, 0, 0])
        held: mujoco.MjSpec = foot.spec(sensors=sensors) if child is None else child
        if self.friction is not None:
            for geom in [g for g in held.geoms if g.contype or g.conaffinity]:
                geom.friction, geom.condim = friction_of(self.friction)["friction"], 3 if self.friction else 1
        frame = body.add_frame(quat=[math.cos(self.tilt / 2), 0, math.sin(self.tilt / 2), 0])
        spec.attach(held, frame=frame, prefix=PREFIX)
        return spec

    def on_floor(self, foot: Foot, *, sensors: bool = False) -> mujoco.MjSpec:
        """The foot over a level floor at height 0, with its contact set."""
        spec = self.spec(foot, sensors=sensors)
        add_floor(spec, **({} if self.friction is None else friction_of(self.friction)))
        set_contact(spec, foot, PREFIX)
        return spec


def friction_of(sliding: float) -> dict[str, Any]:
    """Fields of a geom that touches with this sliding friction and no other, or with none."""
    return {"friction": [sliding, 0.0, 0.0], "condim": 3 if sliding else 1}


def add_floor(spec: mujoco.MjSpec, **fields: Any) -> mujoco.MjsGeom:
    """Add the plane `floor` at height 0."""
    return spec.worldbody.add_geom(name="floor", type=_PLANE, size=[0.5, 0.3, 0.05], rgba=list(FLOOR), **fields)
