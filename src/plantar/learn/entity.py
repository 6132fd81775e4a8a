"""Robots as mjlab entities: any that Plantar can mount feet on, and mjlab's own with their motors."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path

import mujoco
from mjlab.actuator import BuiltinPositionActuatorCfg
from mjlab.asset_zoo.robots import get_g1_robot_cfg, get_go1_robot_cfg
from mjlab.entity import EntityArticulationInfoCfg, EntityCfg
from mjlab.utils.string import resolve_expr

from plantar.errors import InvalidInput
from plantar.feet import Foot
from plantar.learn.drives import Drive
from plantar.learn.subject import Subject, drop_looks, subject_of
from plantar.robots import Robot

ZOO: dict[str, Callable[[], EntityCfg]] = {"unitree_g1": get_g1_robot_cfg, "unitree_go1": get_go1_robot_cfg}
"""Robots shipped with mjlab, with their motors, gains and postures; these names take precedence."""
SOFT_LIMIT = 0.9
"""Fraction of a joint's range that a policy may use without penalty."""


def robot(
    robot: Robot | str | Path | mujoco.MjSpec | EntityCfg, foot: Foot | str | None = None, *, joints: str = "all"
) -> EntityCfg:
    """An mjlab entity of a robot on feet.

    Args:
        robot: A name of mjlab (`unitree_g1`, `unitree_go1`), an mjlab entity, or what `plantar.robots.load` takes.
        foot: Its feet: a foot, a name as `softfoot:fast`, `plate`, or None or `own` for those it has.
        joints: Joints that a policy moves: `all` that have motors, or those of the `legs`.

    Raises:
        InvalidInput: If the foot does not fit the robot, or the robot has no motors that a policy could drive.
    """
    return entity_of(prepared(robot, foot, joints=joints))


def prepared(
    robot: Robot | str | Path | mujoco.MjSpec | EntityCfg,
    foot: Foot | str | None = None,
    *,
    visuals: bool = False,
    joints: str = "all",
) -> Subject:
    """A robot prepared for training; mjlab's own robots keep their servos."""
    if isinstance(robot, str) and robot in ZOO:
        robot = ZOO[robot]()
    if isinstance(robot, EntityCfg):
        return subject_of(_spec_of(robot, visuals), foot, drives=_drives_of(robot), visuals=visuals, joints=joints)
    return subject_of(robot, foot, visuals=visuals, joints=joints)


def spec_of(name: str, visuals: bool = True) -> mujoco.MjSpec:
    """A robot from mjlab, standing in its keyframe, without its servos, and optionally without visual geoms."""
    return _spec_of(ZOO[name](), visuals)


def entity_of(subject: Subject) -> EntityCfg:
    """The mjlab entity of a subject; the spec is copied each time one is built."""
    spec = subject.spec
    return EntityCfg(
        init_state=EntityCfg.InitialStateCfg(
            pos=subject.root[:3],  # type: ignore[arg-type]
            rot=subject.root[3:],  # type: ignore[arg-type]
            joint_pos={exactly(name): angle for name, angle in subject.posture.items()} | {".*": 0.0},
            joint_vel={".*": 0.0},
        ),
        spec_fn=spec.copy,
        articulation=EntityArticulationInfoCfg(
            actuators=tuple(_servo(drive) for drive in subject.drives), soft_joint_pos_limit_factor=SOFT_LIMIT
        ),
    )


def _servo(drive: Drive) -> BuiltinPositionActuatorCfg:
    return BuiltinPositionActuatorCfg(
        target_names_expr=(exactly(drive.joint),),
        stiffness=drive.stiffness,
        damping=drive.damping,
        effort_limit=drive.effort,
        armature=drive.armature,
    )


def exactly(name: str) -> str:
    """A regular expression that matches this name alone."""
    return f"^{re.escape(name)}$"


def _spec_of(cfg: EntityCfg, visuals: bool) -> mujoco.MjSpec:
    """The spec of an mjlab entity with its own contact and its posture as a keyframe."""
    spec = cfg.spec_fn()
    for edit in (*cfg.geoms, *cfg.collisions):
        edit.edit_spec(spec)
    if not visuals:
        drop_looks(spec)
    for key in list(spec.keys):
        spec.delete(key)
    state = copy.deepcopy(cfg.init_state)
    if state.joint_pos is None:
        raise InvalidInput("an mjlab entity without joint_pos in its init_state has no posture to stand in: give one")
    names = tuple(joint.name for joint in spec.joints if joint.type != mujoco.mjtJoint.mjJNT_FREE)
    angles = resolve_expr(state.joint_pos, names, 0.0)
    spec.add_key(name="home", qpos=[*state.pos, *state.rot, *angles])
    return spec


def _drives_of(cfg: EntityCfg) -> list[Drive]:
    """The servos of an mjlab entity, in the order of its joints."""
    spec, found = cfg.spec_fn(), {}
    names = tuple(joint.name for joint in spec.joints if joint.type != mujoco.mjtJoint.mjJNT_FREE)
    for servo in cfg.articulation.actuators if cfg.articulation else ():
        if not isinstance(servo, BuiltinPositionActuatorCfg) or servo.effort_limit is None:
            raise InvalidInput(
                f"{type(servo).__name__} of an mjlab entity is not a position servo with an effort limit"
            )
        values = resolve_expr({expression: True for expression in servo.target_names_expr}, names, False)
        for name in (n for n, mine in zip(names, values, strict=True) if mine):
            found[name] = Drive(
                joint=name,
                stiffness=servo.stiffness,
                damping=servo.damping,
                effort=servo.effort_limit,
                armature=servo.armature or 0.0,
            )
    return [found[name] for name in names if name in found]
