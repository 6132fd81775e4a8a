"""A robot prepared for training: a light spec without motors, and what a task must know about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import mujoco

from plantar._arguments import checks_arguments
from plantar._checks import require_choice
from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, Foot, SoftFoot, SoftFootQ, get
from plantar.feet.contact import set_contact
from plantar.learn.config import JOINTS
from plantar.learn.drives import BIPED, Drive, drives_of
from plantar.learn.springs import Springs, springs_of
from plantar.learn.tolerances import Tolerance, tolerances
from plantar.model.keyframes import posed
from plantar.model.tree import ancestors, below, collides, geoms_of
from plantar.robots import Robot, load, mount
from plantar.robots.mount.link_mass import bake
from plantar.walk.robot.lock import lock_joints

SEPARATOR = "-"
"""Separator between the name of a place and the names in its foot: mjlab splits names at slashes."""
OWN, PLATE = "own", "plate"
"""Words for the robot's own feet, and for a rigid plate of the outline, height and mass of a soft foot."""
IMU = "plantar_imu"
"""Site at the origin of the base, where its velocities are measured."""
_TOUCH_GROUP, _SEEN_GROUP = 3, 2
_SCALAR = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A robot on certain feet, ready to be trained."""

    name: str
    """Name of the robot."""
    foot: Foot | None
    """Its feet; None if they are its own."""
    spec: mujoco.MjSpec = field(repr=False)
    """The robot without ground, motors and keyframes, with sensors on its base; use `spec.copy()` before editing."""
    base: str
    """Body with the free joint."""
    trunk: str
    """Heaviest link that is not in a leg; it should stay upright."""
    drives: tuple[Drive, ...] = field(repr=False)
    """Servos of all joints that a policy moves."""
    passive: tuple[str, ...] = field(repr=False)
    """All other joints: those of soft feet above all."""
    springs: Springs = field(repr=False)
    """What gives way in the feet."""
    cords: tuple[str, ...] = field(repr=False)
    """Tendons of the feet that stop them at a length."""
    places: tuple[str, ...]
    """Names of the feet, left before right."""
    bodies: tuple[str, ...] = field(repr=False)
    """Links that carry them."""
    sites: tuple[str, ...] = field(repr=False)
    """Sites in the middle of the soles."""
    soles: tuple[str, ...] = field(repr=False)
    """Geoms that touch the ground."""
    aloft: tuple[str, ...] = field(repr=False)
    """Links that collide and are not meant to touch the ground: all but feet and the links that carry them."""
    prefixes: tuple[str, ...] = field(repr=False)
    """Prefixes of the names of mounted feet."""
    posture: dict[str, float] = field(repr=False)
    """Angle of each driven joint in the standing posture [rad]."""
    root: tuple[float, ...] = field(repr=False)
    """Position [m] and quaternion of the base there."""
    tolerances: dict[str, Tolerance] = field(repr=False)
    """How far each driven joint may be from it."""
    mass: float
    """Mass of the robot [kg]."""

    @property
    def soft(self) -> bool:
        """Whether its feet have springs whose stiffness can be drawn for each world."""
        return self.springs.soft


def foot_of(foot: Foot | str | None, robot: Robot) -> Foot | None:
    """A foot by its name; `own` is None, `plate` a rigid plate like a SoftFoot, on quadrupeds like a SoftFoot-Q."""
    if foot is None or foot == OWN:
        return None
    if foot == PLATE:
        return FlatFoot.like(SoftFoot() if len(robot.places) <= BIPED else SoftFootQ())
    return get(foot) if isinstance(foot, str) else foot


@checks_arguments
def subject_of(
    robot: Robot | str | Path | mujoco.MjSpec,
    foot: Foot | str | None = None,
    *,
    drives: Sequence[Drive] | None = None,
    visuals: bool = False,
    joints: str = "all",
    offset: float | None = None,
    pitch: float | None = None,
) -> Subject:
    """Prepare a robot for training.

    Args:
        robot: The robot, or what `plantar.robots.load` takes.
        foot: Its feet: a foot, a name as `softfoot:fast`, `plate`, or None or `own` for those it has.
        drives: Servos of its joints; None derives them from its motors' torque limits.
        visuals: Whether to keep visual geoms; without them most robots need no mesh files.
        joints: `all` that have servos, or those of the `legs`: the others are held rigid as the robot stands.
        offset: As for `plantar.robots.mount` [m].
        pitch: As for `plantar.robots.mount` [rad].

    Raises:
        InvalidInput: If the foot does not fit the robot, or the robot has no motors that a policy could drive.
    """
    bare = load(robot)
    wanted = foot_of(foot, bare)
    require_choice("joints", joints, JOINTS)
    servos = tuple(drives) if drives is not None else drives_of(bare.model(), bare.name, len(bare.places))
    given = servos if joints == "all" else _of_legs(servos, bare)
    mounted = bare if wanted is None else mount(bare, wanted, offset=offset, pitch=pitch, separator=SEPARATOR)
    walker = _with_named_geoms(mounted)
    model = walker.model()
    feet = _feet_bodies(walker, model)
    driven = {drive.joint for drive in given}
    _check_joints({drive.joint for drive in servos}, model, walker.name)
    data = posed(model, mujoco.MjData(model), model.key(walker.keyframe).qpos)
    hinges = [model.joint(j).name for j in range(model.njnt) if model.jnt_type[j] != int(mujoco.mjtJoint.mjJNT_FREE)]
    held = {} if joints == "all" else _held(model, data, walker, feet)
    soles = _soles(walker, model, feet)
    spec = _light(walker, model, visuals, held, soles)
    prefixes = tuple(place.prefix for place in walker.places if place.foot is not None)
    return Subject(
        name=walker.name,
        foot=wanted,
        spec=spec,
        base=walker.base,
        trunk=_trunk(walker, model),
        drives=given,
        passive=tuple(name for name in hinges if name not in driven and name not in held),
        springs=springs_of(walker, driven),
        cords=_cords(model, prefixes),
        places=tuple(place.name for place in walker.places),
        bodies=tuple(place.body for place in walker.places),
        sites=tuple(place.site for place in walker.places),
        soles=soles,
        aloft=_aloft(model, feet),
        prefixes=prefixes,
        posture={name: _angle(data, name) for name in hinges if name in driven},
        root=tuple(float(v) for v in data.joint(_free(model, walker.base)).qpos),
        tolerances=tolerances(model, data, walker, [drive.joint for drive in given]),
        mass=float(model.body_subtreemass[model.body(walker.base).id]),
    )


def _with_named_geoms(walker: Robot) -> Robot:
    """The robot with a name for every geom: tasks find soles by their names."""
    spec = walker.spec.copy()
    taken = {geom.name for geom in spec.geoms}
    for body in spec.bodies:
        for number, geom in enumerate(geom for geom in body.geoms if not geom.name):
            name = f"{body.name}_geom{number}"
            while name in taken:
                name += "_"
            geom.name = name
            taken.add(name)
    return replace(walker, spec=spec)


def _angle(data: mujoco.MjData, joint: str) -> float:
    """Value of a joint [rad, m]."""
    return float(data.joint(joint).qpos[0])


def _held(model: mujoco.MjModel, data: mujoco.MjData, walker: Robot, feet: Sequence[int]) -> dict[str, float]:
    """Joints outside of legs and feet, with or without motors, and where they are."""
    legs = {name for place in walker.places for name in place.joints}
    scalar = [j for j in range(model.njnt) if model.jnt_type[j] in _SCALAR and model.jnt_bodyid[j] not in feet]
    return {name: _angle(data, name) for name in (model.joint(j).name for j in scalar) if name not in legs}


def _of_legs(drives: Sequence[Drive], robot: Robot) -> tuple[Drive, ...]:
    legs = {name for place in robot.places for name in place.joints}
    found = tuple(drive for drive in drives if drive.joint in legs)
    if not found:
        raise InvalidInput(f"no joint in a leg of {robot.name} has a servo: give joints = 'all'")
    return found


def _check_joints(driven: set[str], model: mujoco.MjModel, name: str) -> None:
    there = {model.joint(j).name for j in range(model.njnt)}
    if missing := sorted(driven - there):
        raise InvalidInput(f"{name} has no joint {missing[0]!r}: drives may name {', '.join(sorted(there)[:6])}, ...")


def _light(
    walker: Robot, model: mujoco.MjModel, visuals: bool, held: Mapping[str, float], soles: Sequence[str]
) -> mujoco.MjSpec:
    """The spec without motors, keyframes and sensors except a velocity task's, with contact for mjlab's cones.

    Joints of `held` become rigid at these values.
    """
    spec = walker.spec.copy()
    bake(spec, model)
    for group in (spec.keys, spec.sensors, spec.actuators):
        for item in list(group):
            spec.delete(item)
    spec.nkey = 0  # files that MuJoCo wrote ask for room, which it fills with empty keyframes
    for group in (spec.equalities, spec.tendons) if held else ():
        for item in list(group):
            if held.keys() & _joints_named_by(item):
                spec.delete(item)
    lock_joints(spec, model, held)
    if not visuals:
        drop_looks(spec)
    for geom in spec.geoms:
        if geom.group < _SEEN_GROUP:  # rays that look for the ground must not find the robot
            geom.group = _TOUCH_GROUP if geom.contype or geom.conaffinity else _SEEN_GROUP
    spec.option = mujoco.MjSpec().option  # mjlab sets its own
    _add_sensors(spec, walker.base)
    _add_contact(spec, walker, soles)
    return spec


def _joints_named_by(item: mujoco.MjsEquality | mujoco.MjsTendon) -> set[str]:
    """Joints that an equality or a tendon couples."""
    if isinstance(item, mujoco.MjsEquality):
        return {item.name1, item.name2} if item.type == mujoco.mjtEq.mjEQ_JOINT else set()
    return {wrap.target.name for wrap in item.path if wrap.type == mujoco.mjtWrap.mjWRAP_JOINT}


def drop_looks(spec: mujoco.MjSpec) -> None:
    """Remove geoms that touch nothing and guide no tendon, of links whose mass is given, and unused meshes."""
    pulleys = {wrap.target.name for tendon in spec.tendons for wrap in tendon.path if wrap.target is not None}
    for body in spec.bodies:
        idle = [g for g in body.geoms if not (g.contype or g.conaffinity or g.name in pulleys)]
        for geom in idle if body.explicitinertial else ():
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in [mesh for mesh in spec.meshes if mesh.name not in used]:
        spec.delete(mesh)


def _add_sensors(spec: mujoco.MjSpec, base: str) -> None:
    spec.body(base).add_site(name=IMU, size=[0.005] * 3, group=5)
    kinds, kind = mujoco.mjtSensor, mujoco.mjtObj
    for name, sensor in (("imu_lin_vel", kinds.mjSENS_VELOCIMETER), ("imu_ang_vel", kinds.mjSENS_GYRO)):
        spec.add_sensor(name=name, type=sensor, objtype=kind.mjOBJ_SITE, objname=IMU)
    spec.add_sensor(name="root_angmom", type=kinds.mjSENS_SUBTREEANGMOM, objtype=kind.mjOBJ_BODY, objname=base)


def _add_contact(spec: mujoco.MjSpec, walker: Robot, soles: Sequence[str]) -> None:
    """Contact of the soles for the friction cone of mjlab; their friction is that of every contact they make."""
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_PYRAMIDAL, 1.0
    for name in soles:
        spec.geom(name).priority = 1  # otherwise the larger friction would hold, which is the floor's
    for place in walker.places:
        if place.foot is not None:
            set_contact(spec, place.foot, place.prefix)


def _feet_bodies(walker: Robot, model: mujoco.MjModel) -> list[int]:
    """All bodies of the feet: the links that carry them and what hangs below."""
    return [b for place in walker.places for b in (model.body(place.body).id, *below(model, model.body(place.body).id))]


def _soles(walker: Robot, model: mujoco.MjModel, feet: Sequence[int]) -> tuple[str, ...]:
    """Names of the geoms that stand on the ground."""
    bodies = list(feet)
    if walker.places[0].foot is not None:
        bodies = [model.body(p.prefix + name).id for p in walker.places if p.foot for name in p.foot.contact_bodies]
    return tuple(model.geom(g).name for g in geoms_of(model, bodies) if collides(model, g))


def _aloft(model: mujoco.MjModel, feet: Sequence[int]) -> tuple[str, ...]:
    bodies = (b for b in range(1, model.nbody) if b not in feet)
    return tuple(model.body(b).name for b in bodies if any(collides(model, g) for g in geoms_of(model, [b])))


def _cords(model: mujoco.MjModel, prefixes: Sequence[str]) -> tuple[str, ...]:
    names = (model.tendon(t).name for t in range(model.ntendon) if model.tendon_limited[t])
    return tuple(name for name in names if name.startswith(tuple(prefixes)))


def _trunk(walker: Robot, model: mujoco.MjModel) -> str:
    base = model.body(walker.base).id
    legs: set[int] = set()
    for body in _feet_bodies(walker, model):
        legs.update([body, *(b for b in ancestors(model, body) if b != base)])
    rest = [b for b in (base, *below(model, base)) if b not in legs]
    return model.body(max(rest, key=lambda b: float(model.body_mass[b]))).name


def _free(model: mujoco.MjModel, base: str) -> str:
    return model.joint(int(model.body_jntadr[model.body(base).id])).name
