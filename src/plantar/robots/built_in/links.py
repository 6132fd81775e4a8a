"""Robots of primitive geoms from a table of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from plantar.model.shape import lowest

Vector = tuple[float, float, float]
_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
_KINDS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
}
COLOURS = {"dark": (0.2, 0.22, 0.26, 1), "light": (0.82, 0.84, 0.86, 1), "accent": (0.85, 0.33, 0.1, 1)}
"""Colours of the links."""


class Solid(NamedTuple):
    """A geom of a link."""

    kind: str
    """box, sphere, capsule or cylinder."""
    size: Vector
    """Half sizes of a box; radius of a sphere; radius and half length along z of the others [m]."""
    centre: Vector
    """Centre in the link [m]."""
    mass: float
    """Mass [kg]."""
    colour: str = "dark"
    """Colour by name."""
    sole: bool = False
    """Whether it is part of a foot: it then touches other feet as well as the ground."""
    end: Vector | None = None
    """Of a capsule that is not upright: `centre` is its one end and this the other [m]."""


class Link(NamedTuple):
    """A link and the hinge at its origin; of two sides, the left one."""

    name: str
    parent: str
    origin: Vector
    """Hinge in the parent [m]."""
    axis: str
    """Axis of the hinge."""
    limits: tuple[float, float]
    """Range of the hinge [rad]."""
    torque: float
    """Largest torque of its motor [N m]."""
    solids: tuple[Solid, ...]


def mirrored(link: Link) -> Link:
    """The link of the right side: y is mirrored, and with it rotations about x and z."""
    low, high = link.limits
    flip = link.axis in ("x", "z")
    return link._replace(
        name=link.name.replace("left", "right"),
        parent=link.parent.replace("left", "right"),
        origin=_flipped(link.origin),
        limits=(-high, -low) if flip else (low, high),
        solids=tuple(s._replace(centre=_flipped(s.centre), end=s.end and _flipped(s.end)) for s in link.solids),
    )


def start(name: str, base: str, height: float, solids: Sequence[Solid]) -> mujoco.MjSpec:
    """A spec with a floating base that carries an inertial sensor."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    for colour, rgba in COLOURS.items():
        spec.add_material(name=colour, rgba=list(rgba), specular=0.3, shininess=0.3)
    body = spec.worldbody.add_body(name=base, pos=[0, 0, height])
    body.add_freejoint(name="floating_base")
    _add_solids(body, solids)
    body.add_site(name="imu", size=[0.01] * 3, group=4)
    site = mujoco.mjtObj.mjOBJ_SITE
    for sensor, kind in (("accelerometer", "ACCELEROMETER"), ("gyro", "GYRO"), ("orientation", "FRAMEQUAT")):
        number = getattr(mujoco.mjtSensor, f"mjSENS_{kind}")
        spec.add_sensor(name=f"imu_{sensor}", type=number, objtype=site, objname="imu")
    return spec


def add_link(
    spec: mujoco.MjSpec, link: Link, *, damping: float, armature: float, friction: float = 0.0
) -> mujoco.MjsBody:
    """Add a link with its hinge and motor, both named as the link."""
    body = spec.body(link.parent).add_body(name=link.name, pos=link.origin)
    joint = body.add_joint(name=f"{link.name}_joint", type=mujoco.mjtJoint.mjJNT_HINGE, axis=_AXES[link.axis])
    joint.limited, joint.range = True, link.limits
    joint.damping, joint.armature, joint.frictionloss = [damping, 0, 0], armature, friction
    _add_solids(body, link.solids)
    motor = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_motor()
    motor.ctrllimited, motor.ctrlrange = True, [-link.torque, link.torque]
    return body


def add_force_sensor(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, pos: Vector) -> None:
    """Add a six-axis sensor of what a link carries."""
    body.add_site(name=name, pos=pos, size=[0.01] * 3, group=4)
    for part, kind in (("force", mujoco.mjtSensor.mjSENS_FORCE), ("torque", mujoco.mjtSensor.mjSENS_TORQUE)):
        spec.add_sensor(name=f"{name}_{part}", type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=name)


def add_home(spec: mujoco.MjSpec, angles: Mapping[str, float]) -> None:
    """Add the keyframe `home`: hinges by the names of their links, the lowest sole on z = 0."""
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, angle in angles.items():
        data.qpos[model.joint(f"{name}_joint").qposadr[0]] = angle
    mujoco.mj_kinematics(model, data)
    soles = [g for g in range(model.ngeom) if model.geom_contype[g]]
    data.qpos[2] -= lowest(model, data, soles)
    spec.add_key(name="home", qpos=data.qpos.tolist())


def _add_solids(body: mujoco.MjsBody, solids: Sequence[Solid]) -> None:
    for i, solid in enumerate(solids):
        name = f"{body.name}_sole" if solid.sole else f"{body.name}_{i + 1}"
        geom = body.add_geom(name=name, type=_KINDS[solid.kind], size=solid.size, mass=solid.mass)
        if solid.end is None:
            geom.pos = solid.centre
        else:
            geom.fromto = [*solid.centre, *solid.end]
        geom.material = solid.colour
        # links touch the ground, feet also each other; neighbours overlap at their joints
        geom.contype, geom.conaffinity = int(solid.sole), 1


def _flipped(v: Vector) -> Vector:
    return (v[0], -v[1] if np.any(v[1]) else 0.0, v[2])
