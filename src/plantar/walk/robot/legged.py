"""The robot as its controller knows it: rigid feet, no contacts, and only the joints that walking uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.robot.lock import joints_to_lock
from plantar.walk.robot.skeleton import skeleton

if TYPE_CHECKING:
    from plantar.robots import Place, Robot

_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
Extent = tuple[float, float, float, float]
TIPPED = 1.5
"""How much further than within a few degrees of pitch the pressure point of a soft foot can go when it tips."""


@dataclass(frozen=True, kw_only=True)
class Sole:
    """One foot of the robot as the controller knows it."""

    name: str
    """Name of the place, as `left`."""
    site: int
    """Number of the site in the middle of what carries."""
    body: int
    """Number of the link that carries it."""
    extent: tuple[float, float, float, float]
    """Back, front, right and left end of what carries, from its middle; back and right are negative [m]."""
    outline: tuple[float, float, float, float]
    """The same of the whole sole [m]."""
    joints: tuple[int, ...]
    """Places of the leg's joints among the robot's joints, hip to ankle."""


class Legged:
    """The controller's model of a robot on legs.

    It is the robot's own MuJoCo model with the joints within soft feet, of the head and of the hands held rigid and
    without contacts, so that everything MuJoCo knows about a tree of bodies is at hand: mass matrix, bias forces,
    Jacobians. Joints are in the order of the model; generalised coordinates are those of MuJoCo, base first.

    Args:
        robot: The robot with its feet on.
        locked: Joints to hold rigid; None finds those of head and hands and those that move next to nothing.
    """

    def __init__(self, robot: Robot, locked: Sequence[str] | None = None):
        if len(robot.places) != 2:
            raise InvalidInput(f"robot {robot.name!r} has {len(robot.places)} feet: walking is for robots with two")
        self._build(robot, {place.site: carrying(place)[0] for place in robot.places}, locked)

    def _build(self, robot: Robot, middles: Mapping[str, float], locked: Sequence[str] | None = None) -> None:
        """Make the model with soft feet, head and hands rigid, and find everything in it.

        Args:
            robot: The robot.
            middles: How far ahead of each place's site its middle is [m].
            locked: Joints to hold rigid; None finds them.
        """
        source = robot.model()
        legs = [name for place in robot.places for name in place.joints]
        posture = standing_angles(robot, source)
        soft = joints_below_feet(robot, source)
        held = [n for n in (joints_to_lock(source, legs) if locked is None else locked) if n not in soft]
        self.robot = robot
        self.source = source
        """The robot as it is, compiled."""
        self.locked: dict[str, float] = {name: posture[name] for name in held}
        """Joints of the robot that are held rigid, and where."""
        rigid = {**self.locked, **{name: posture[name] for name in soft}}
        self.model = skeleton(source, rigid, middles)
        self.data = mujoco.MjData(self.model)
        self._index(robot, source)
        self.mass = float(self.model.body_subtreemass[self.base])
        self.gravity = float(-self.model.opt.gravity[2])
        self.nominal = self.model.qpos0.copy()
        self.nominal[:7] = source_base(robot, source)
        self.nominal[self.q_joint] = [posture[n] for n in self.joints]

    def _index(self, robot: Robot, source: mujoco.MjModel) -> None:
        """Find base, joints, limits and soles."""
        m = self.model
        free = [j for j in range(m.njnt) if m.jnt_type[j] == _FREE]
        if len(free) != 1 or m.jnt_dofadr[free[0]] != 0:
            raise InvalidInput(f"robot {robot.name!r} has {len(free)} free joints: walking needs one, of its base")
        self.base = int(m.jnt_bodyid[free[0]])
        scalar = [j for j in range(m.njnt) if m.jnt_type[j] != _FREE]
        self.joints = tuple(m.joint(j).name for j in scalar)
        self.q_joint = m.jnt_qposadr[scalar].copy()
        self.v_joint = m.jnt_dofadr[scalar].copy()
        limited = m.jnt_limited[scalar].astype(bool)
        if len(scalar) != m.nv - 6:
            raise InvalidInput(
                f"robot {robot.name!r} has ball joints outside of its feet: walking needs hinges and slides"
            )
        self.lower = np.where(limited, m.jnt_range[scalar, 0], -np.inf)
        self.upper = np.where(limited, m.jnt_range[scalar, 1], np.inf)
        self.torque_limit = torque_limits(source, self.joints)
        self.friction = m.dof_frictionloss[self.v_joint].copy()
        self.damping = m.dof_damping[self.v_joint].copy()
        place = {name: i for i, name in enumerate(self.joints)}
        self.soles = tuple(
            Sole(
                name=p.name,
                site=m.site(p.site).id,
                body=int(m.site(p.site).bodyid[0]),
                extent=carrying(p)[1],
                outline=carrying(p)[2],
                joints=tuple(place[n] for n in p.joints if n in place),
            )
            for p in robot.places
        )
        self.is_leg = np.zeros(len(self.joints), bool)
        self.is_leg[[i for sole in self.soles for i in sole.joints]] = True

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.model.nv

    def place(self, qpos: np.ndarray) -> None:
        """Put the robot's own scratch data in a position."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)


def carrying(place: Place) -> tuple[float, Extent, Extent]:
    """Where the middle of what carries is ahead of a place's site, and its ends and the whole sole's from there [m].

    A soft foot carries between heel and metatarsus; tipped further it still does on toes and heel edge, so that the
    pressure point may go somewhat beyond what a few degrees of pitch give, but not beyond the sole.
    """
    back, front, right, left = place.extent
    rear, fore = (place.support or place.extent)[:2]
    middle, half = (fore - rear) / 2, (fore + rear) / 2
    outline = (-back - middle, front - middle, -right, left)
    if place.foot is None or place.support is None or half > 0.9 * (back + front) / 2:
        return middle, (-half, half, -right, left), outline
    half = min(TIPPED * half, -outline[0], outline[1])
    return middle, (-half, half, -right, left), outline


def standing_angles(robot: Robot, model: mujoco.MjModel) -> dict[str, float]:
    """Value of every hinge and slide in the robot's standing keyframe, or in its zero position if it has none."""
    key = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, robot.keyframe) if robot.keyframe else -1
    qpos = model.key_qpos[key] if key >= 0 else model.qpos0
    return {
        model.joint(j).name: float(qpos[model.jnt_qposadr[j]]) for j in range(model.njnt) if model.jnt_type[j] != _FREE
    }


def source_base(robot: Robot, model: mujoco.MjModel) -> np.ndarray:
    """Position and attitude of the base in the standing keyframe."""
    key = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, robot.keyframe) if robot.keyframe else -1
    qpos = model.key_qpos[key] if key >= 0 else model.qpos0
    at = next((int(model.jnt_qposadr[j]) for j in range(model.njnt) if model.jnt_type[j] == _FREE), None)
    if at is None:
        raise InvalidInput(f"robot {robot.name!r} has no free joint: walking needs a base that can move")
    return qpos[at : at + 7].copy()


def torque_limits(model: mujoco.MjModel, joints: Sequence[str]) -> np.ndarray:
    """Largest torque of each joint: of the joint, or of its motor; infinite where the model says nothing [N m]."""
    limits: Mapping[str, list[float]] = {name: [np.inf] for name in joints}
    for name in joints:
        j = model.joint(name).id
        if model.jnt_actfrclimited[j]:
            limits[name].append(float(model.jnt_actfrcrange[j, 1]))
    for a in range(model.nu):
        if model.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_JOINT:
            continue
        name, gear = model.joint(model.actuator_trnid[a, 0]).name, abs(float(model.actuator_gear[a, 0]))
        if name not in limits:
            continue
        if model.actuator_forcelimited[a]:
            limits[name].append(float(model.actuator_forcerange[a, 1]) * gear)
        # the range of a motor's control is one of force; that of a servo is one of angle
        if model.actuator_ctrllimited[a] and model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_NONE:
            limits[name].append(float(model.actuator_ctrlrange[a, 1] * model.actuator_gainprm[a, 0]) * gear)
    return np.array([min(values) for values in limits.values()])


def joints_below_feet(robot: Robot, model: mujoco.MjModel) -> list[str]:
    """Joints below the links that carry feet."""
    carriers = {model.body(place.body).id for place in robot.places}
    names = []
    for j in range(model.njnt):
        body = int(model.body_parentid[model.jnt_bodyid[j]])
        while body and body not in carriers:
            body = int(model.body_parentid[body])
        if body:
            names.append(model.joint(j).name)
    return names
