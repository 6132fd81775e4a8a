"""A robot without the ground in its file."""

from __future__ import annotations

import mujoco

from plantar.robots.mount.references import make_ghost

_GEOM, _BODY = mujoco.mjtObj.mjOBJ_GEOM, mujoco.mjtObj.mjOBJ_BODY
_CONTACT = mujoco.mjtSensor.mjSENS_CONTACT
_WRAPS = (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER)
COLLISION_GROUP = 3
"""Geoms of this group and above are for collision, those below are visual, as in MuJoCo Menagerie."""


def without_ground(spec: mujoco.MjSpec) -> mujoco.MjSpec:
    """Remove planes, height fields and other geoms of the world from a spec, and release what refers to them.

    Geoms of bodies that are fixed to the world are ground too. Contact sensors of the ground sense whatever ground the
    robot is put on. A geom that another sensor reads, or that a tendon wraps around, stays as a ghost that neither
    collides nor is seen. Geoms that touched the ground only through a contact pair touch any
    ground.
    """
    ground = {g.name for g in _fixed_geoms(spec) if g.name}
    read = _turn_sensors(spec, ground) | _wrapped(spec)
    open_pairs(spec)
    for geom in _fixed_geoms(spec):
        if geom.name in read:
            make_ghost(geom)
        else:
            spec.delete(geom)
    return spec


def _fixed_geoms(spec: mujoco.MjSpec) -> list[mujoco.MjsGeom]:
    """Geoms of the world and of all bodies that are fixed to it; bodies that a user can move are not."""
    bodies, geoms = [spec.worldbody], []
    while bodies:
        body = bodies.pop()
        geoms += body.geoms
        bodies += [child for child in body.bodies if not (child.joints or child.mocap)]
    return geoms


def _wrapped(spec: mujoco.MjSpec) -> set[str]:
    """Names of geoms that tendons wrap around."""
    return {wrap.target.name for tendon in spec.tendons for wrap in tendon.path if wrap.type in _WRAPS}


def _turn_sensors(spec: mujoco.MjSpec, ground: set[str]) -> set[str]:
    """Let contact sensors name the world instead of its geoms, and return the geoms that others read."""
    read = set()
    for sensor in spec.sensors:
        for kind, field in (("objtype", "objname"), ("reftype", "refname")):
            name = getattr(sensor, field)
            if getattr(sensor, kind) != _GEOM or name not in ground:
                continue
            if sensor.type == _CONTACT:
                setattr(sensor, kind, _BODY)
                setattr(sensor, field, spec.worldbody.name)
            else:
                read.add(name)
    return read


def open_pairs(spec: mujoco.MjSpec) -> None:
    """Remove contact pairs with geoms of the world; their partners touch any ground, with the same friction."""
    ground = {g.name: g for g in _fixed_geoms(spec) if g.name}
    for pair in list(spec.pairs):
        sides = {pair.geomname1, pair.geomname2}
        under, over = sides & ground.keys(), sides - ground.keys()
        if not under:
            continue
        for geom in map(spec.geom, over):
            if geom.contype == 0 and geom.conaffinity == 0:
                geom.conaffinity = 1
                geom.condim, geom.friction = pair.condim, [pair.friction[0], *pair.friction[2:4]]
        for name in under:
            ground[name].contype |= 1
        spec.delete(pair)


def open_collision_groups(spec: mujoco.MjSpec) -> None:
    """Let ground touch the collision geoms of a robot that nothing can touch because its scene's pairs are missing."""
    parts = [*(g for body in spec.bodies[1:] for g in body.geoms), *spec.flexes]
    if spec.pairs or any(part.contype or part.conaffinity for part in parts):
        return
    for part in parts:
        if part.group >= COLLISION_GROUP:
            part.conaffinity = 1
