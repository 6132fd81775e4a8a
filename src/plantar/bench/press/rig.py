"""The press: a foot on a vertical slider over two supports and an obstacle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import mujoco

from plantar._checks import require, require_choice, require_positive
from plantar._config import Checked
from plantar._fields import from_record
from plantar._read import read_json, reading
from plantar.feet.contact import set_contact
from plantar.feet.foot import Foot
from plantar.feet.sensors import add_contact_force
from plantar.feet.slider import PREFIX, Slider, add_floor, friction_of
from plantar.ground.contact.ground import Ground

Shape = Literal["cylinder", "box", "sphere"]
SUPPORTS = ("heel_support", "obstacle", "metatarsus_support")
"""Bodies that the foot presses on, from heel to toe."""
LONG_STEP = 0.005
"""With steps longer than this [s] a sole may come down past the axis of a cylinder in one step; what the cylinder
stands on then collides as well, inside its outline, and keeps the sole from going through."""
AWAY = -0.5
"""Height at which an obstacle that is not used waits [m]."""


@dataclass(frozen=True, kw_only=True)
class PressRig(Checked):
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
    ground_stiffness: float | None = None
    """Pressure per metre of depth of what the foot is pressed on, in series with its sole [N/m^3]; None: rigid."""
    ground: Ground | None = None
    """A ground law for everything the foot is pressed on; it overrides the contact of the sole."""
    clearance: float = 0.002
    """Gap between sole and obstacle before the load is applied [m]."""
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
        stiff = self.ground_stiffness
        require(stiff is None or stiff > 0, "ground_stiffness", stiff, "a number above 0 [N/m^3], or None")
        width = self.obstacle_width
        require(width is None or width > 0, "obstacle_width", width, "a length in metres above 0")
        require(abs(self.tilt) <= math.radians(30), "tilt", self.tilt, "an angle in radians within +-0.52 (30 degrees)")
        for name in ("heel_shift", "metatarsus_shift", "obstacle_shift", "obstacle_y"):
            require(abs(getattr(self, name)) <= 0.1, name, getattr(self, name), "a length in metres within +-0.1")
        for name in ("heel_support", "metatarsus_support", "obstacle_width"):
            value = getattr(self, name)
            require(value is None or abs(value) <= 0.5, name, value, "a length in metres within +-0.5")

    def heel_x(self, foot: Foot) -> float:
        """Where the heel support is [m]."""
        base = foot.stations.rear if self.heel_support is None else self.heel_support
        return base + self.heel_shift

    def metatarsus_x(self, foot: Foot) -> float:
        """Where the metatarsus support is [m]."""
        base = foot.stations.front if self.metatarsus_support is None else self.metatarsus_support
        return base + self.metatarsus_shift

    def obstacle_x(self, foot: Foot, position: int) -> float:
        """Where the obstacle is when it stands under module `position` (1 is next to the heel) [m]."""
        places = foot.stations.module_x
        require(1 <= position <= len(places), "position", position, f"a module from 1 to {len(places)} of this foot")
        return places[position - 1] + self.obstacle_shift

    def start_height(self, foot: Foot, height: float) -> float:
        """Height of the ankle from which the foot comes down [m]."""
        reach = foot.sole_height
        # A tilted foot reaches lower at one of its ends.
        drop = max(-x * math.sin(-self.tilt) for x in foot.stations.ends)
        return max(height, 0.0) + reach + max(drop, 0.0) + self.clearance

    def spec(self, foot: Foot, child: mujoco.MjSpec | None = None) -> mujoco.MjSpec:
        """Build the rig around `foot`; the obstacle is a mocap body and the load an actuator.

        Args:
            foot: The foot, whose geometry places supports and obstacle.
            child: A model to use in its place, with its ankle at the origin.
        """
        slider = Slider(
            tilt=self.tilt,
            damping=self.slider_damping,
            friction=self.friction,
            timestep=self.timestep,
            gravity=self.gravity,
        )
        spec = slider.spec(foot, child, sensors=self.flat)
        self._add_bench(spec, foot)
        set_contact(spec, foot, PREFIX, ground_stiffness=self.ground_stiffness)
        for body in SUPPORTS:
            if spec.body(body) is not None:
                add_contact_force(spec, f"{body}_force", body)
        return spec

    def _add_bench(self, spec: mujoco.MjSpec, foot: Foot) -> None:
        touch = friction_of(self.friction)
        if self.ground is not None:
            ground = self.ground
            touch |= {"priority": ground.priority, "solref": list(ground.solref), "solimp": list(ground.solimp)}
        obstacle = spec.worldbody.add_body(name="obstacle", mocap=True, pos=[0, 0, AWAY])
        width = 0.08 if self.obstacle_width is None else self.obstacle_width
        spans_sole, post_collides = self.obstacle_width is None, self.timestep > LONG_STEP
        orange, blue = [0.95, 0.62, 0.18, 1], [0.35, 0.55, 0.75, 1]
        _add_block(obstacle, self.shape, self.radius, width, touch, orange, spans_sole, post_collides)
        if self.flat:
            add_floor(spec, **touch)
            return
        for name, x in (("heel_support", self.heel_x(foot)), ("metatarsus_support", self.metatarsus_x(foot))):
            body = spec.worldbody.add_body(name=name, pos=[x, 0, 0])
            _add_block(body, self.support_shape, self.support_radius, 0.08, touch, blue, True, post_collides)


def _add_block(
    body: mujoco.MjsBody,
    shape: Shape,
    r: float,
    width: float,
    touch: dict[str, object],
    rgba: list[float],
    spans_sole: bool,
    post_collides: bool,
) -> None:
    """Add a block whose top is at the body's origin, and the post it stands on.

    Args:
        body: Where it goes.
        shape: Its shape.
        r: Its radius, or its half length along the sole if it is a box [m].
        width: Its half width [m].
        touch: How it touches.
        rgba: Its colour.
        spans_sole: Whether it is wider than any sole.
        post_collides: Whether the post of such a cylinder collides too.
    """
    lying = mujoco.mjtGeom.mjGEOM_CAPSULE if spans_sole else mujoco.mjtGeom.mjGEOM_CYLINDER
    kind, size = {
        "cylinder": (lying, [r, width, 0]),
        "box": (mujoco.mjtGeom.mjGEOM_BOX, [r, width, 0.005]),
        "sphere": (mujoco.mjtGeom.mjGEOM_SPHERE, [r, 0, 0]),
    }[shape]
    depth = 0.005 if shape == "box" else r
    quat = [math.sqrt(0.5), math.sqrt(0.5), 0, 0] if shape == "cylinder" else [1, 0, 0, 0]
    body.add_geom(name=f"{body.name}_block", type=kind, size=size, pos=[0, 0, -depth], quat=quat, rgba=rgba, **touch)
    solid = spans_sole and post_collides and shape == "cylinder"
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.8 * r, width if solid else min(width, 0.03), 0.02],
        pos=[0, 0, -depth - 0.02],
        rgba=[0.55, 0.57, 0.6, 1],
        **(touch if solid else {"contype": 0, "conaffinity": 0}),
    )


def load_rig(path: str | Path) -> PressRig:
    """Read a rig from JSON, as written by `plantar bench calibrate`; it is data and never runs code.

    Raises:
        InvalidInput: If the file cannot be read or holds no rig.
    """
    with reading(path, "rig", "give the rig.json of a calibration"):
        record = read_json(path)
    return from_record(PressRig, record)
