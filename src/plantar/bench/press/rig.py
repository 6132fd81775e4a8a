"""The press: a foot on a vertical slider over two supports and an obstacle."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import mujoco

from plantar._checks import check_constraint, require, require_choice, require_positive
from plantar._fields import from_record
from plantar.errors import InvalidInput
from plantar.feet.sensors import add_contact_force
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.feet.softfoot_q.softfoot_q import SoftFootQ

Shape = Literal["cylinder", "box", "sphere"]
BenchFoot = SoftFoot | SoftFootQ
"""Feet with a sole of modules, which a press can take."""
PREFIX = "foot/"
"""Prefix of the foot's names inside a rig."""
SUPPORTS = ("heel_support", "obstacle", "metatarsus_support")
"""Bodies that the foot presses on, from heel to toe."""
LONG_STEP = 0.005
"""With steps longer than this [s] a sole may come down past the axis of a cylinder in one step; what the cylinder
stands on then collides as well, inside its outline, and keeps the sole from going through."""
AWAY = -0.5
"""Height at which an obstacle that is not used waits [m]."""


@dataclass(frozen=True, kw_only=True)
class PressRig:
    """The bench of Crotti et al. (2024), Fig. 4, with its unknowns as fields.

    The tops of both supports are at height 0; the obstacle's top is at the trial's height. x is
    from the ankle.
    """

    heel_support: float | None = None
    """Place of the heel support [m]; None puts it under the middle of the heel."""
    metatarsus_support: float | None = None
    """Place of the metatarsus support [m]; None puts it under the metatarsal joint."""
    heel_shift: float = 0.0
    """Moves the heel support forward [m]."""
    metatarsus_shift: float = 0.0
    """Moves the metatarsus support forward [m]."""
    obstacle_shift: float = 0.0
    """Moves the obstacle forward of the middle of its module [m]."""
    obstacle_y: float = 0.0
    """Moves the obstacle to the left [m]."""
    tilt: float = math.radians(2.5)
    """Pitch of the foot on the slider, front down [rad]; the paper's is unknown, 1 to 5 degrees."""
    shape: Shape = "cylinder"
    """Shape of the obstacle; cylinders lie across the sole. One that is wider than the sole is built as a capsule,
    whose side is the same: MuJoCo's general collider, which a cylinder needs, keeps many feet from ever resting."""
    support_shape: Shape = "box"
    """Shape of the two supports."""
    radius: float = 0.005
    """Radius of the obstacle, or its half length along the sole if it is a box [m]."""
    support_radius: float = 0.006
    """Radius of the supports, or their half length along the sole if they are boxes [m]."""
    obstacle_width: float | None = None
    """Half width of the obstacle across the sole [m]; None is wider than any foot."""
    flat: bool = False
    """True puts a floor at height 0 in place of the supports."""
    friction: float = 0.0
    """Sliding friction between sole and bench; 0 makes forces independent of the path."""
    contact_solref: tuple[float, float] = (0.005, 1.0)
    """Time constant [s] and damping ratio of contact. MuJoCo scales contact with the touching parts'
    mass: at its default of 0.02 the light modules sink in by more than a millimetre."""
    contact_solimp: tuple[float, float, float, float, float] = (0.99, 0.995, 0.001, 0.5, 2.0)
    """Impedance of contact, in MuJoCo's terms."""
    clearance: float = 0.002
    """Gap between sole and obstacle before the load goes on [m]."""
    slider_damping: float = 100.0
    """Damping of the slider [N s/m]."""
    timestep: float = 0.002
    """Time step [s]."""
    gravity: float = 9.81
    """Gravity [m/s^2]."""

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("shape", "support_shape"):
            require_choice(name, getattr(self, name), ("cylinder", "box", "sphere"))
        require_positive(self, "", ("radius", "support_radius", "clearance", "slider_damping", "timestep"))
        for name in ("radius", "support_radius", "clearance"):
            require(getattr(self, name) <= 0.1, name, getattr(self, name), "a length in metres, 0.1 at most")
        require(1e-5 <= self.timestep <= 0.05, "timestep", self.timestep, "a time in seconds from 1e-5 to 0.05")
        require(0 <= self.friction <= 10, "friction", self.friction, "0 to 10")
        require(0 <= self.gravity <= 100, "gravity", self.gravity, "0 to 100 m/s^2")
        check_constraint(self, "", "contact_")
        width = self.obstacle_width
        require(width is None or width > 0, "obstacle_width", width, "a length in metres above 0")
        require(abs(self.tilt) <= math.radians(30), "tilt", self.tilt, "an angle in radians within +-0.52 (30 degrees)")
        for name in ("heel_shift", "metatarsus_shift", "obstacle_shift", "obstacle_y"):
            require(abs(getattr(self, name)) <= 0.1, name, getattr(self, name), "a length in metres within +-0.1")
        for name in ("heel_support", "metatarsus_support", "obstacle_width"):
            value = getattr(self, name)
            require(value is None or abs(value) <= 0.5, name, value, "a length in metres within +-0.5")

    def heel_x(self, foot: BenchFoot) -> float:
        """Where the heel support is [m]."""
        base = foot.stations.rear if self.heel_support is None else self.heel_support
        return base + self.heel_shift

    def metatarsus_x(self, foot: BenchFoot) -> float:
        """Where the metatarsus support is [m]."""
        base = foot.stations.front if self.metatarsus_support is None else self.metatarsus_support
        return base + self.metatarsus_shift

    def obstacle_x(self, foot: BenchFoot, position: int) -> float:
        """Where the obstacle is when it stands under module `position` (1 is next to the heel) [m]."""
        places = foot.stations.module_x
        require(1 <= position <= len(places), "position", position, f"a module from 1 to {len(places)} of this foot")
        return places[position - 1] + self.obstacle_shift

    def start_height(self, foot: BenchFoot, height: float) -> float:
        """Height of the ankle from which the foot comes down [m]."""
        reach = foot.sole_height
        # A tilted foot reaches lower at one of its ends.
        drop = max(-x * math.sin(-self.tilt) for x in foot.stations.ends)
        return max(height, 0.0) + reach + max(drop, 0.0) + self.clearance

    def spec(self, foot: BenchFoot, child: mujoco.MjSpec | None = None) -> mujoco.MjSpec:
        """Build the rig around `foot`; the obstacle is a mocap body and the load an actuator.

        Args:
            foot: The foot, whose geometry places supports and obstacle.
            child: A model to press in its place, with its ankle at the origin.
        """
        spec = mujoco.MjSpec()
        spec.modelname = f"press {foot.name}"
        spec.compiler.degree = False
        spec.option.timestep = self.timestep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.gravity = [0, 0, -self.gravity]
        self._add_slider(spec, foot.spec(sensors=True) if child is None else child)
        self._add_bench(spec, foot)
        for body in SUPPORTS:
            if spec.body(body) is not None:
                add_contact_force(spec, f"{body}_force", body)
        return spec

    def _add_slider(self, spec: mujoco.MjSpec, child: mujoco.MjSpec) -> None:
        slider = spec.worldbody.add_body(name="slider")
        slider.add_joint(
            name="slider",
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=[0, 0, 1],
            damping=[self.slider_damping, 0, 0],
        )
        frame = slider.add_frame(quat=[math.cos(self.tilt / 2), 0, math.sin(self.tilt / 2), 0])
        spec.attach(child, frame=frame, prefix=PREFIX)
        spec.add_actuator(name="load", trntype=mujoco.mjtTrn.mjTRN_JOINT, target="slider", gear=[-1, 0, 0, 0, 0, 0])

    def _add_bench(self, spec: mujoco.MjSpec, foot: BenchFoot) -> None:
        # The bench decides how they touch: its geoms have priority over the sole's.
        touch = {
            "friction": [self.friction, 0.0, 0.0],
            "condim": 3 if self.friction else 1,
            "priority": 1,
            "solref": list(self.contact_solref),
            "solimp": list(self.contact_solimp),
        }
        obstacle = spec.worldbody.add_body(name="obstacle", mocap=True, pos=[0, 0, AWAY])
        width = 0.08 if self.obstacle_width is None else self.obstacle_width
        across, caught = self.obstacle_width is None, self.timestep > LONG_STEP
        _add_block(obstacle, self.shape, self.radius, width, touch, [0.95, 0.62, 0.18, 1], across, caught)
        if self.flat:
            floor = spec.worldbody.add_geom(
                name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.5, 0.3, 0.05], **touch
            )
            floor.rgba = [0.75, 0.78, 0.82, 1]
            return
        for name, x in (("heel_support", self.heel_x(foot)), ("metatarsus_support", self.metatarsus_x(foot))):
            body = spec.worldbody.add_body(name=name, pos=[x, 0, 0])
            blue = [0.35, 0.55, 0.75, 1]
            _add_block(body, self.support_shape, self.support_radius, 0.08, touch, blue, True, caught)


def _add_block(
    body: mujoco.MjsBody,
    shape: Shape,
    r: float,
    width: float,
    touch: dict[str, object],
    rgba: list[float],
    across: bool,
    caught: bool,
) -> None:
    """Add a block whose top is at the body's origin, and the post it stands on.

    Args:
        body: Where it goes.
        shape: Its shape.
        r: Its radius, or its half length along the sole if it is a box [m].
        width: Its half width [m].
        touch: How it touches.
        rgba: Its colour.
        across: Whether it is wider than any sole.
        caught: Whether the post of such a cylinder collides too.
    """
    lying = mujoco.mjtGeom.mjGEOM_CAPSULE if across else mujoco.mjtGeom.mjGEOM_CYLINDER
    kind, size = {
        "cylinder": (lying, [r, width, 0]),
        "box": (mujoco.mjtGeom.mjGEOM_BOX, [r, width, 0.005]),
        "sphere": (mujoco.mjtGeom.mjGEOM_SPHERE, [r, 0, 0]),
    }[shape]
    depth = 0.005 if shape == "box" else r
    quat = [math.sqrt(0.5), math.sqrt(0.5), 0, 0] if shape == "cylinder" else [1, 0, 0, 0]
    body.add_geom(name=f"{body.name}_block", type=kind, size=size, pos=[0, 0, -depth], quat=quat, rgba=rgba, **touch)
    solid = across and caught and shape == "cylinder"
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.8 * r, width if solid else min(width, 0.03), 0.02],
        pos=[0, 0, -depth - 0.02],
        rgba=[0.55, 0.57, 0.6, 1],
        **(touch if solid else {"contype": 0, "conaffinity": 0}),
    )


def load_rig(path: str | Path) -> PressRig:
    """Read a rig from JSON, as `plantar bench calibrate` writes it; it is data, no code in it is run.

    Raises:
        InvalidInput: If the file cannot be read or holds no rig.
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise InvalidInput(f"{path} cannot be read ({reason}): give the rig.json of a calibration") from error
    return from_record(PressRig, record)
