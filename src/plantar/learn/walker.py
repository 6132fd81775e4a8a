"""The robot of a policy for `plantar.walk`: its motors as in training, its feet with the requested stiffness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mujoco

from plantar._extras import EXTRAS
from plantar.errors import InvalidInput
from plantar.learn.config import SLACK
from plantar.learn.drives import Drive
from plantar.learn.springs import stiffen
from plantar.learn.subject import drop_looks, foot_of
from plantar.learn.versions import load_learn
from plantar.robots import Robot, load, mount

OF_MJLAB = ("unitree_g1", "unitree_go1")
"""Robots shipped with mjlab."""


def is_of_mjlab(robot: Any) -> bool:
    """Whether mjlab's model of a robot is taken, and not Menagerie's."""
    return robot in OF_MJLAB and not EXTRAS["learn"].missing


def walker_of(robot: Any, kind: Any, drives: Sequence[Drive], *, looks: bool = True) -> Robot:
    """A robot on a foot, with the motors that a policy was trained with.

    mjlab's own robots are taken from mjlab if installed, otherwise from Menagerie.

    Args:
        robot: What `plantar.robots.load` takes, or a name of mjlab.
        kind: The foot, its name, `own` or `plate`.
        drives: The motors of the training.
        looks: Whether to keep visual geoms; their meshes take up most of the memory.

    Raises:
        InvalidInput: If the robot lacks a joint that is driven.
    """
    if is_of_mjlab(robot):
        robot = load_learn("plantar.learn.entity").spec_of(robot, looks)
    bare = load(robot)
    spec, foot = bare.spec.copy(), foot_of(kind, bare)
    if not looks:
        drop_looks(spec)
    for drive in drives:
        joint = spec.joint(drive.joint)
        if joint is None:
            raise InvalidInput(f"{bare.name} has no joint {drive.joint!r}, which the policy moves")
        joint.armature, joint.actfrclimited = drive.armature, mujoco.mjtLimited.mjLIMITED_TRUE
        joint.actfrcrange = [-drive.effort, drive.effort]
    bare = replace(bare, spec=spec)
    return bare if foot is None else mount(bare, foot)


def restrung(walker: Robot, factor: float, tendons: bool = True) -> Robot:
    """The same robot as in training: springs of its feet stiffer by a factor, tendons or none, the same integrator.

    Forces at landing depend on the integrator, so that it is the same whatever the feet and their stiffness.
    """
    spec = walker.spec.copy()
    stiffen(spec, walker, factor)
    for tendon in () if tendons else _tendons_of(spec, walker):
        if tendon.limited:
            tendon.range = [tendon.range[0], SLACK]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE  # stable with springs of any stiffness
    return replace(walker, spec=spec)


def cords_of(spec: mujoco.MjSpec, walker: Robot) -> list[Any]:
    """Tendons of mounted feet that stop them at a length."""
    return [tendon for tendon in _tendons_of(spec, walker) if _stops(tendon)]


def _tendons_of(spec: mujoco.MjSpec, walker: Robot) -> list[Any]:
    prefixes = tuple(place.prefix for place in walker.places if place.foot is not None)
    return [tendon for tendon in spec.tendons if tendon.name.startswith(prefixes)]


def _stops(tendon: mujoco.MjsTendon) -> bool:
    """Whether a tendon has a limit; unless it says so, that follows from its range."""
    if tendon.limited == mujoco.mjtLimited.mjLIMITED_AUTO:
        return bool(tendon.range[0] < tendon.range[1])
    return tendon.limited == mujoco.mjtLimited.mjLIMITED_TRUE
