"""The robot as its controller knows it: rigid feet, no contacts, and only the joints that walking uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.robot.lock import joints_to_lock
from plantar.walk.robot.skeleton import skeleton
from plantar.walk.robot.soles import Sole, carrying, heights, is_point, ordered

if TYPE_CHECKING:
    from plantar.robots import Place, Robot

_FREE = int(mujoco.mjtJoint.mjJNT_FREE)


class Legged:
    """The controller's model of a robot on legs.

    It is the robot's own MuJoCo model with the joints within soft feet, of the head and of the hands held rigid and
    without contacts, so that everything MuJoCo knows about a tree of bodies is at hand: mass matrix, bias forces,
    Jacobians. Joints are in the order of the model; generalised coordinates are those of MuJoCo, base first.

    Args:
        robot: The robot with its feet on.
        locked: Joints to hold rigid; None finds those of head and hands and those that move almost nothing.
    """

    def __init__(self, robot: Robot, locked: Sequence[str] | None = None):
        if len(robot.places) < 2:
            raise InvalidInput(f"robot {robot.name!r} has {len(robot.places)} feet: walking needs two or more")
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
        self.places = ordered(robot)
        """The places of its feet, in the order of `soles`."""
        self.model = skeleton(source, rigid, {place.site: self.middle(place) for place in self.places})
        self._index(robot, source)
        self.mass = float(self.model.body_subtreemass[self.base])
        self.gravity = float(-self.model.opt.gravity[2])
        self.nominal = self.model.qpos0.copy()
        self.nominal[:7] = source_base(robot, source)
        self.notes = open_loops(source, self.joints)
        """Notes for the user on what of the robot is left out."""
        # some models stand, or are zero, where a joint cannot be
        self.nominal[self.q_joint] = np.clip([posture[n] for n in self.joints], self.lower, self.upper)

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
        self.soles = tuple(self._sole(p, place) for p in self.places)
        self.is_leg = np.zeros(len(self.joints), bool)
        self.is_leg[[i for sole in self.soles for i in sole.joints]] = True

    def middle(self, place: Place) -> np.ndarray:
        """Where the controller's site of a foot is, from the place's own one and in its axes (3,) [m]."""
        if is_point(place):
            return np.array([0.0, 0.0, heights(self.robot, self.source, place)[0]])
        return np.array([carrying(place)[0], 0.0, 0.0])

    def _sole(self, p: Place, place: Mapping[str, int]) -> Sole:
        _, extent, outline = carrying(p)
        point = is_point(p)
        height, ankle = heights(self.robot, self.source, p) if point else (0.0, 0.0)
        return Sole(
            name=p.name,
            site=self.model.site(p.site).id,
            body=int(self.model.site(p.site).bodyid[0]),
            extent=(0.0, 0.0, 0.0, 0.0) if point else extent,
            outline=outline,
            joints=tuple(place[n] for n in p.joints if n in place),
            point=point,
            give=p.give,
            height=height,
            ankle=ankle,
        )

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.model.nv

    def place(self, qpos: np.ndarray) -> mujoco.MjData:
        """The robot in a position, in a separate state so that no other is changed."""
        data = mujoco.MjData(self.model)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        return data

    def points(self, data: mujoco.MjData) -> np.ndarray:
        """Middles of the soles in a state of the model (feet, 3) [m]."""
        return data.site_xpos[[sole.site for sole in self.soles]]


def standing_angles(robot: Robot, model: mujoco.MjModel) -> dict[str, float]:
    """Value of every hinge and slide in the robot's standing keyframe, or in its zero position if it has none."""
    qpos = _standing(robot, model)
    return {
        model.joint(j).name: float(qpos[model.jnt_qposadr[j]]) for j in range(model.njnt) if model.jnt_type[j] != _FREE
    }


def source_base(robot: Robot, model: mujoco.MjModel) -> np.ndarray:
    """Position and attitude of the base in the standing keyframe."""
    at = next((int(model.jnt_qposadr[j]) for j in range(model.njnt) if model.jnt_type[j] == _FREE), None)
    if at is None:
        raise InvalidInput(f"robot {robot.name!r} has no free joint: walking needs a base that can move")
    return _standing(robot, model)[at : at + 7].copy()


def _standing(robot: Robot, model: mujoco.MjModel) -> np.ndarray:
    """Position in the standing keyframe, or the zero position if there is none."""
    key = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, robot.keyframe) if robot.keyframe else -1
    return model.key_qpos[key] if key >= 0 else model.qpos0


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


def open_loops(model: mujoco.MjModel, joints: Sequence[str]) -> list[str]:
    """A note on equalities between joints that walking moves: as each of them gets a motor, they are left out."""
    tied = [e for e in range(model.neq) if model.eq_active0[e] and not moved_by(model, e).isdisjoint(joints)]
    if not tied:
        return []
    names = ", ".join(model.equality(e).name or f"equality {e}" for e in tied)
    return [f"equalities of the robot's joints are left out ({names}): each joint is driven by a motor of its own"]


def moved_by(model: mujoco.MjModel, equality: int) -> set[str]:
    """The joints that an equality ties to each other."""
    kind, ends = model.eq_type[equality], (int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality]))
    if kind == mujoco.mjtEq.mjEQ_JOINT:
        return {model.joint(j).name for j in ends if j >= 0}
    if int(kind) not in (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)):
        return set()
    if model.eq_objtype[equality] == mujoco.mjtObj.mjOBJ_SITE:
        ends = tuple(int(model.site_bodyid[end]) for end in ends)
    above: list[set[str]] = []
    for end in ends:
        body, found = end, set[str]()
        while body > 0:
            first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
            found |= {model.joint(j).name for j in range(first, first + count)}
            body = int(model.body_parentid[body])
        above.append(found)
    return above[0] ^ above[1]
