"""Load a robot: from a name or a file to a `Robot` whose feet are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from plantar._arguments import checks_arguments
from plantar.errors import InvalidInput
from plantar.model.keyframes import free_address, posed, standing_key
from plantar.model.legs import Leg, find_base, find_legs, heading, named_legs, place_names
from plantar.model.shape import lowest, outlines
from plantar.model.tree import ancestors, collides
from plantar.robots.load.sources import read
from plantar.robots.names import free_name, name_everything
from plantar.robots.old_foot import touching
from plantar.robots.place import Place
from plantar.robots.robot import Robot, compiled
from plantar.robots.sole import Sole, find_sole

KEYFRAME = "home"
"""Name of the keyframe that is made for robots without one."""


@checks_arguments
def load(robot: str | Path | mujoco.MjSpec | Robot, *, ankles: Sequence[str] | None = None) -> Robot:
    """Load a robot and find its feet.

    Args:
        robot: A built-in name, a MuJoCo Menagerie name, the path of an MJCF or URDF file or of a folder with one,
            or a spec. Ground in a file is left out.
        ankles: Last bodies or joints of the legs; None finds them.

    Returns:
        The robot. Each foot has a site in the middle of its sole; a robot without keyframes has one named `home`,
        in the reference posture, facing x, its soles on z = 0.

    Raises:
        InvalidInput: If there is no such robot, MuJoCo cannot read it, its base is fixed, or fewer than two feet are
            found.
    """
    if isinstance(robot, Robot):
        return (
            robot if ankles is None else replace(load(robot.spec, ankles=ankles), name=robot.name, source=robot.source)
        )
    source = read(robot)
    spec, name = source.spec, source.name
    name_everything(spec)
    model = compiled(spec, name)
    spec.compiler.fusestatic = False  # it is done, and parts of feet must stay apart
    base = find_base(model, name)
    data, key = _stand(model, base)
    legs = named_legs(model, data, base, ankles, name) if ankles else find_legs(model, data, base)
    if key is not None and len(legs) < 2 and not ankles:
        key = None
        legs = find_legs(model, posed(model, data, model.qpos0), base)
    _check(legs, name, model)
    yaw, order = _arrange(model, data, base, legs)
    places = tuple(_mark(spec, model, data, legs[i], label, yaw) for i, label in order)
    places = _without_shared_joints(places)
    keyframe = _name_key(spec, key) if key is not None else _make_key(spec, model, base, legs, yaw)
    return Robot(name=name, spec=spec, base=model.body(base).name, places=places, keyframe=keyframe, source=source.path)


def _without_shared_joints(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Places whose legs begin where they branch: a waist below the base belongs to none of them."""
    shared = [j for j in places[0].joints if all(j in p.joints for p in places[1:])]
    return tuple(replace(p, joints=tuple(j for j in p.joints if j not in shared)) for p in places)


def _stand(model: mujoco.MjModel, base: int) -> tuple[mujoco.MjData, int | None]:
    key = standing_key(model, base)
    data = mujoco.MjData(model)
    return posed(model, data, model.qpos0 if key is None else model.key_qpos[key]), key


def _check(legs: Sequence[Leg], name: str, model: mujoco.MjModel) -> None:
    if len(legs) >= 2:
        return
    if not any(collides(model, g) for g in range(model.ngeom)) and not model.nflex:
        raise InvalidInput(
            f"robot {name!r} cannot stand: contype and conaffinity of all its geoms are 0; load the scene whose "
            "contact pairs let its soles touch the floor, or give its soles masks"
        )
    found = "no legs were found" if not legs else "one foot was found"
    raise InvalidInput(
        f"robot {name!r} cannot get feet, {found}: two or more limbs of two or more joints must reach the ground in "
        "its standing keyframe; if it has them, name their last links as ankles"
    )


def _arrange(
    model: mujoco.MjModel, data: mujoco.MjData, base: int, legs: Sequence[Leg]
) -> tuple[float, list[tuple[int, str]]]:
    """Direction of forward, and the legs' numbers and names, left before right, front before hind."""
    middles = np.array([_points(model, data, leg).mean(axis=0)[:2] for leg in legs])
    middles -= middles.mean(axis=0)
    links = [[model.body(b).name for b in (leg.body, *ancestors(model, leg.body))] for leg in legs]
    along = _yaw_of_base(model, data, base)
    yaw = along + heading(middles @ np.array([[np.cos(along), -np.sin(along)], [np.sin(along), np.cos(along)]]), links)
    turned = middles @ np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    names = place_names(turned)
    order = sorted(range(len(legs)), key=lambda i: (-round(turned[i, 0], 2) if len(legs) > 2 else 0, -turned[i, 1]))
    return yaw, [(i, names[i]) for i in order]


def _yaw_of_base(model: mujoco.MjModel, data: mujoco.MjData, base: int) -> float:
    """Direction in the world of the base's axis that is closest to x in the reference posture [rad]."""
    reference = np.zeros(9)
    mujoco.mju_quat2Mat(reference, model.qpos0[free_address(model, base) + 3 :][:4])
    ahead = reference.reshape(3, 3)[0]
    axis = int(np.argmax(np.abs(ahead)))
    x, y = np.sign(ahead[axis]) * data.xmat[base].reshape(3, 3)[:2, axis]
    return float(np.arctan2(y, x))


def _points(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg) -> np.ndarray:
    """Points of what touches the ground; the last link's origin if nothing of it collides."""
    geoms = touching(model, data, leg)
    return outlines(model, data, geoms) if geoms else data.xpos[leg.body][None]


def own_sole(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg, yaw: float) -> Sole:
    """The sole of a robot's own foot."""
    return find_sole(_points(model, data, leg), yaw)


def _mark(spec: mujoco.MjSpec, model: mujoco.MjModel, data: mujoco.MjData, leg: Leg, label: str, yaw: float) -> Place:
    """Add the site of a sole."""
    sole = own_sole(model, data, leg, yaw)
    body = model.body(leg.body).name
    site = free_name(f"{label}_sole", {s.name for s in spec.sites})
    add_site(spec, model, data, body, site, sole.middle, sole.axes)
    joints = tuple(model.joint(j).name for j in leg.joints)
    return Place(name=label, body=body, site=site, extent=sole.extent, joints=joints)


def add_site(
    spec: mujoco.MjSpec,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    body: str,
    name: str,
    position: np.ndarray,
    axes: np.ndarray,
) -> None:
    """Add a site to a body, given in the world."""
    pos, quat = to_body(data, model.body(body).id, position, axes)
    spec.body(body).add_site(name=name, pos=pos, quat=quat, size=[0.005] * 3, group=4)


def to_body(data: mujoco.MjData, body: int, position: np.ndarray, axes: np.ndarray) -> tuple[list[float], list[float]]:
    """Position and quaternion in a body of a frame given in the world."""
    frame = data.xmat[body].reshape(3, 3)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, (frame.T @ axes).flatten())
    return (frame.T @ (position - data.xpos[body])).tolist(), quat.tolist()


def _name_key(spec: mujoco.MjSpec, key: int) -> str:
    if not spec.keys[key].name:
        spec.keys[key].name = free_name(KEYFRAME, {k.name for k in spec.keys})
    return spec.keys[key].name


def _make_key(spec: mujoco.MjSpec, model: mujoco.MjModel, base: int, legs: Sequence[Leg], yaw: float) -> str:
    """The reference posture, turned to face x, its lowest sole on z = 0."""
    qpos, at = model.qpos0.copy(), free_address(model, base)
    turned, turn = np.zeros(4), np.array([np.cos(yaw / 2), 0, 0, -np.sin(yaw / 2)])
    mujoco.mju_mulQuat(turned, turn, qpos[at + 3 : at + 7])
    qpos[at + 3 : at + 7] = turned
    qpos[at : at + 2] = 0
    data = posed(model, mujoco.MjData(model), qpos)
    qpos[at + 2] -= lowest(model, data, [g for leg in legs for g in leg.geoms])
    name = free_name(KEYFRAME, {k.name for k in spec.keys})
    spec.add_key(name=name, qpos=qpos.tolist())
    return name
