"""The rig that presses a foot on a height field and pushes it sideways."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar._checks import check_constraint, require, require_positive
from plantar._config import Checked
from plantar.feet.foot import Foot
from plantar.feet.slider import PREFIX
from plantar.ground.terrain.elevation_map import ElevationMap

JOINTS = ("x", "y", "z", "roll", "pitch", "yaw")
"""Joints of the carrier, in the axes of the foot as it was put down."""
BASE = 0.2
"""Thickness of the ground below its lowest point [m]."""


@dataclass(frozen=True, kw_only=True)
class PushRig(Checked):
    """A leg's end that puts a foot down, loads it, and pushes it sideways until it slides.

    The leg holds its end upright by springs and lets it move by dampers; load and push are forces at the ankle.
    """

    friction: float = 0.8
    """Sliding friction between foot and ground; ANYmal's feet have 0.8 in the published models."""
    contact_solref: tuple[float, float] = (0.005, 1.0)
    """Time constant [s] and damping ratio of contact; at MuJoCo's default a light foot sinks in by centimetres."""
    contact_solimp: tuple[float, float, float, float, float] = (0.95, 0.99, 0.001, 0.5, 2.0)
    """Impedance of contact, in MuJoCo's terms."""
    tilt_stiffness: float = 100.0
    """Stiffness of the leg against roll, pitch and yaw of its end [N m/rad]; ANYmal's joint gain in those models."""
    tilt_damping: float = 2.0
    """Damping of the same [N m s/rad]."""
    slide_damping: float = 100.0
    """Damping of the leg's end along x and y [N s/m]."""
    lift_damping: float = 200.0
    """Damping of the leg's end along z [N s/m]."""
    carrier_mass: float = 1.0
    """Mass that moves with the ankle [kg]: about a shank's."""
    settle: float = 0.35
    """Time in which the load comes on and the foot comes to rest [s]; the load rises in its first half."""
    push: float = 0.75
    """Time in which the push grows [s]."""
    push_ratio: float = 1.5
    """Push at the end, as a multiple of the load."""
    timestep: float = 0.0025
    """Time step [s]."""
    sample: int = 10
    """Steps between two readings."""
    clearance: float = 0.001
    """Gap between sole and ground at the beginning [m]."""
    gravity: float = 9.81
    """Gravity [m/s^2]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        names = ("tilt_stiffness", "tilt_damping", "slide_damping", "lift_damping", "carrier_mass", "settle", "push")
        require_positive(self, "", (*names, "push_ratio", "timestep", "clearance"))
        check_constraint(self, "", "contact_")
        require(0 < self.friction <= 10, "friction", self.friction, "a number above 0, 10 at most")
        require(1e-4 <= self.timestep <= 0.005, "timestep", self.timestep, "a time in seconds from 1e-4 to 0.005")
        require(1 <= self.sample <= 1000, "sample", self.sample, "an integer from 1 to 1000")
        require(0 <= self.gravity <= 100, "gravity", self.gravity, "0 to 100 m/s^2")
        for name in ("settle", "push"):
            long = getattr(self, name) >= 2 * self.sample * self.timestep
            require(long, name, getattr(self, name), f"at least two readings, {2 * self.sample * self.timestep:g} s")

    @property
    def settle_samples(self) -> int:
        """Readings until the push begins."""
        return round(self.settle / self.timestep / self.sample)

    @property
    def push_samples(self) -> int:
        """Readings while the push grows."""
        return round(self.push / self.timestep / self.sample)

    @property
    def samples(self) -> int:
        """Readings of a press."""
        return self.settle_samples + self.push_samples

    def spec(self, foot: Foot, ground: ElevationMap, span: tuple[float, float] | None = None) -> mujoco.MjSpec:
        """Build the rig; the foot hangs on a mocap body, so that every world has its own place and yaw.

        Args:
            foot: Any foot.
            ground: What it stands on.
            span: Lowest and highest ground that the height field can hold [m]; those of `ground` if None.
        """
        spec = mujoco.MjSpec()
        spec.modelname = f"push {foot.name}"
        spec.compiler.degree = False
        option = spec.option
        option.timestep, option.gravity = self.timestep, [0, 0, -self.gravity]
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{foot.integrator.upper()}")
        option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
        self._add_carrier(spec, foot)
        self._add_ground(spec, ground, span)
        return spec

    def model(self, foot: Foot, ground: ElevationMap, span: tuple[float, float] | None = None) -> mujoco.MjModel:
        """Compile the rig; see `spec`."""
        model = self.spec(foot, ground, span).compile()
        # The compiler stretches heights to their own range.
        model.hfield_data[:] = field_data(ground, span).ravel()
        return model

    def _add_carrier(self, spec: mujoco.MjSpec, foot: Foot) -> None:
        place = spec.worldbody.add_body(name="place", mocap=True)
        carrier = place.add_body(name="carrier", mass=self.carrier_mass, inertia=[1e-3 * self.carrier_mass] * 3)
        carrier.explicitinertial = True
        axes = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1], "roll": [1, 0, 0], "pitch": [0, 1, 0], "yaw": [0, 0, 1]}
        slides = {"x": self.slide_damping, "y": self.slide_damping, "z": self.lift_damping}
        for name, axis in axes.items():
            kind = mujoco.mjtJoint.mjJNT_SLIDE if name in slides else mujoco.mjtJoint.mjJNT_HINGE
            stiffness = 0.0 if name in slides else self.tilt_stiffness
            damping = slides.get(name, self.tilt_damping)
            carrier.add_joint(name=name, type=kind, axis=axis, stiffness=[stiffness, 0, 0], damping=[damping, 0, 0])
        child = foot.spec()
        for sensor in list(child.sensors):
            child.delete(sensor)
        carrier.add_frame().attach_body(child.body("ankle"), PREFIX, "")
        for name in ("x", "y", "z"):
            motor = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            motor.set_to_motor()

    def _add_ground(self, spec: mujoco.MjSpec, ground: ElevationMap, span: tuple[float, float] | None) -> None:
        low, high = span_of(ground, span)
        rows, columns = ground.shape
        size = [(columns - 1) / 2 * ground.cell, (rows - 1) / 2 * ground.cell, high - low, BASE]
        data = field_data(ground, span).ravel()
        spec.add_hfield(name="ground", nrow=rows, ncol=columns, size=size, userdata=data)
        spec.worldbody.add_geom(
            name="ground",
            type=mujoco.mjtGeom.mjGEOM_HFIELD,
            hfieldname="ground",
            pos=[*ground.centre, low],
            friction=[self.friction, 0.005, 0.0001],
            # A ground with its own law: it overrides the soles', which catch more on the edges of its triangles
            # (a level field held a SoftFoot-Q by 0.75 to 0.93 times the load where friction is 0.6), and the shipped
            # scores were learned on it.
            priority=1,
            solref=list(self.contact_solref),
            solimp=list(self.contact_solimp),
        )


def span_of(ground: ElevationMap, span: tuple[float, float] | None) -> tuple[float, float]:
    """Lowest and highest point of a height field that holds a ground [m]."""
    low, high = (float(ground.heights.min()), float(ground.heights.max())) if span is None else span
    return low, max(high, low + 1e-3)


def field_data(ground: ElevationMap, span: tuple[float, float] | None) -> np.ndarray:
    """Heights from 0 to 1 over the span, as a height field holds them."""
    low, high = span_of(ground, span)
    return ((ground.heights - low) / (high - low)).astype(np.float32)


def footprint(model: mujoco.MjModel) -> tuple[float, float]:
    """Half length and half width of what can touch the ground, from the ankle [m]."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    reach = np.zeros(2)
    for g in range(model.ngeom):
        if not model.geom_contype[g] or model.geom_bodyid[g] == 0:
            continue
        frame, half = data.geom_xmat[g].reshape(3, 3), model.geom_aabb[g, 3:]
        middle = data.geom_xpos[g] + frame @ model.geom_aabb[g, :3]
        reach = np.maximum(reach, np.abs(middle[:2]) + (np.abs(frame) @ half)[:2])
    return float(reach[0]), float(reach[1])


def start_heights(
    ground: ElevationMap, half: tuple[float, float], x: np.ndarray, y: np.ndarray, yaw: np.ndarray
) -> np.ndarray:
    """Highest ground under rectangles around places (n,) [m]."""
    top = np.full(len(x), -math.inf)
    count = [max(2, math.ceil(2 * h / ground.cell) + 1) for h in half]
    c, s = np.cos(yaw), np.sin(yaw)
    for a in np.linspace(-half[0], half[0], count[0]):
        for b in np.linspace(-half[1], half[1], count[1]):
            top = np.fmax(top, ground.at(x + c * a - s * b, y + s * a + c * b))
    return top
