"""A quadruped of the size of ANYmal C: 45 kg, 12 torque-controlled hinges, ball feet, primitive geoms."""

from __future__ import annotations

import mujoco

from plantar.robots.built_in.links import Link, Solid, Vector, add_home, add_link, mirrored, start

BASE = (
    Solid("box", (0.29, 0.12, 0.09), (0.0, 0.0, 0.05), 17.2, "light"),
    Solid("box", (0.06, 0.07, 0.09), (0.41, 0.0, 0.0), 1.0, "accent"),
    Solid("box", (0.06, 0.07, 0.09), (-0.41, 0.0, 0.0), 1.0, "dark"),
)
"""Trunk, face and hatch: 19.2 kg."""
FOOT_RADIUS = 0.030
"""Radius of the feet [m]."""
DAMPING, ARMATURE, FRICTION = 1.0, 0.05, 0.1
"""Of every hinge [N m s/rad, kg m^2, N m]."""
HIP, KNEE = 0.4, -0.8
"""Pitch of hip and knee of the front legs in the keyframe `home`; the hind legs mirror them [rad]."""
TORQUE = 80.0
"""Of every motor [N m]."""

FRONT_LEG = (
    Link("left_front_hip", "base", (0.2999, 0.104, 0.0), "x", (-0.72, 0.49), TORQUE,
         (Solid("capsule", (0.055, 0, 0), (0.0, 0.0, 0.0), 2.781, end=(0.0599, 0.06, 0.0)),)),
    Link("left_front_thigh", "left_front_hip", (0.0599, 0.0838, 0.0), "y", (-2.0, 2.0), TORQUE,
         (Solid("capsule", (0.045, 0, 0), (0.0, 0.06, 0.0), 3.071, "light", end=(0.0, 0.0753, -0.26)),)),
    Link("left_front_shank", "left_front_thigh", (0.0, 0.1003, -0.285), "y", (-2.6, 2.6), TORQUE,
         (Solid("capsule", (0.02, 0, 0), (0.0, 0.0, 0.0), 0.438, end=(0.083, 0.012, -0.298)),
          Solid("sphere", (FOOT_RADIUS, 0, 0), (0.088, 0.013, -0.3155), 0.15, "accent", sole=True))),
)  # fmt: skip
"""Offsets, masses and the foot of ANYmal C as in MuJoCo Menagerie (ANYbotics, BSD-3), rounded; shapes are our own."""


def quadruped() -> mujoco.MjSpec:
    """A quadruped of the size of ANYmal C: 45 kg, a free base, three hinges with motors per leg, ball feet.

    In the keyframe `home` its knees point inwards and its feet touch z = 0. Links touch the ground but not each other,
    except for the feet. Sensors: `imu_*` in the base.
    """
    spec = start("quadruped", "base", 0.6, BASE)
    hind = tuple(_backwards(link) for link in FRONT_LEG)
    for leg in (FRONT_LEG, tuple(map(mirrored, FRONT_LEG)), hind, tuple(map(mirrored, hind))):
        for link in leg:
            add_link(spec, link, damping=DAMPING, armature=ARMATURE, friction=FRICTION)
    home = {}
    for end, sign in (("front", 1), ("hind", -1)):
        for side in ("left", "right"):
            home[f"{side}_{end}_thigh"], home[f"{side}_{end}_shank"] = sign * HIP, sign * KNEE
    add_home(spec, home)
    return spec


def _backwards(link: Link) -> Link:
    """A front link as a hind one: x is mirrored."""
    (x, y, z), (low, high) = link.origin, link.limits
    return link._replace(
        name=link.name.replace("front", "hind"),
        parent=link.parent.replace("front", "hind"),
        origin=(-x, y, z),
        limits=(-high, -low) if link.axis == "y" else (low, high),
        solids=tuple(s._replace(centre=_turned(s.centre), end=s.end and _turned(s.end)) for s in link.solids),
    )


def _turned(v: Vector) -> Vector:
    return (-v[0], v[1], v[2])
