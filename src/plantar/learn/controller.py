"""An exported policy as a controller of `plantar.walk`: `--mode FILE.onnx`."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, Foot
from plantar.learn.card import Card, label
from plantar.learn.config import LOCKED
from plantar.learn.errand import Errand
from plantar.learn.policy import Policy
from plantar.learn.springs import springs_of
from plantar.learn.subject import OWN, PLATE, foot_of
from plantar.robots import Robot
from plantar.walk.control.controllers import FILES, Setting
from plantar.walk.control.protocol import Command, Observation
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Stance

SHIPPED = Path(__file__).parent / "policies"
"""Policies shipped with Plantar, each with a card beside it."""


class PolicyController:
    """Walks by a policy: its inputs come from the observation, its outputs become servo targets.

    Args:
        policy: The policy.
        setting: The robot and the walk.
        told: What the policy observes about the feet.

    Raises:
        InvalidInput: If the robot's joints or the observations differ from those in training.
    """

    def __init__(self, policy: Policy, setting: Setting, told: tuple[float, ...]):
        card, lg = policy.card, setting.legged
        if len(told) != card.foot:
            raise InvalidInput(f"the policy observes {card.foot} numbers about its feet, {len(told)} were given")
        moved = [drive.joint for drive in card.drives]
        if sorted(moved) != sorted(lg.joints):
            odd = sorted(set(moved) ^ set(lg.joints))[0]
            raise InvalidInput(f"the policy was trained on {card.robot!r}: joint {odd!r} is not in both robots")
        self.policy, self.legged, self._told = policy, lg, np.array(told)
        place = [lg.joints.index(name) for name in moved]
        self._place, self._q, self._v = place, lg.q_joint[place], lg.v_joint[place]
        self._rest = np.array([card.posture[name] for name in moved])
        self._scale = np.array([drive.scale for drive in card.drives])
        self.stiffness, self.damping = np.zeros(len(place)), np.zeros(len(place))
        self.stiffness[place] = [drive.stiffness for drive in card.drives]
        self.damping[place] = [drive.damping for drive in card.drives]
        self._still = np.zeros(len(place))
        self.stance = _stance(lg, card)
        self.plan = Errand(lg, self.stance, setting.gait, setting.tuning, card.task)
        self.reset(None)

    def reset(self, observation: Observation | None) -> None:
        """Start over: the last action is forgotten."""
        now = observation.time if observation is not None else 0.0
        self.plan.reset(now)
        self._next, self._last, self._target = now, np.zeros(len(self._scale)), np.zeros(len(self._scale))

    @property
    def done(self) -> bool:
        """Whether the walk is over."""
        return self.plan.done

    def see(self, observation: Observation, command: np.ndarray) -> np.ndarray:
        """Observations of the policy: base velocities in its own axes, gravity, joints, last action, command, feet."""
        turn, qpos, qvel = np.zeros(9), observation.qpos, observation.qvel
        mujoco.mju_quat2Mat(turn, qpos[3:7])
        turn = turn.reshape(3, 3)
        parts = {
            "base_lin_vel": turn.T @ qvel[:3],
            "base_ang_vel": qvel[3:6],
            "projected_gravity": -turn[2],
            "joint_pos": qpos[self._q] - self._rest,
            "joint_vel": qvel[self._v],
            "actions": self._last,
            "command": command,
            "foot": self._told,
        }
        return np.concatenate([parts[name] for name in self.policy.card.seen])

    def act(self, observation: Observation) -> Command:
        """Servo targets; the policy is evaluated at its training rate."""
        command = self.plan.command(observation)
        if observation.time >= self._next - 1e-9:
            self._next += self.policy.card.period
            self._last = self.policy(self.see(observation, command))
            self._target[self._place] = self._rest + self._scale * self._last
        return Command(torque=self._still, position=self._target, velocity=self._still)


def _stance(legged: Legged, card: Card) -> Stance:
    """The robot as it stood in training, its lowest sole on the ground."""
    qpos = legged.nominal.copy()
    qpos[legged.q_joint] = [card.posture[name] for name in legged.joints]
    points = legged.points(legged.place(qpos))
    qpos[:2] -= np.mean(points[:, :2], axis=0)
    qpos[2] -= min(z - sole.height for (_, _, z), sole in zip(points, legged.soles, strict=True))
    height = float(legged.place(qpos).subtree_com[legged.base][2])
    width = float(np.ptp(points[:, 1]))
    return Stance(qpos=qpos, com_height=height, leg=height, width=width, attitude=qpos[3:7].copy())


@dataclass(frozen=True, kw_only=True)
class PolicyMaker:
    """Makes the controllers of a policy, one for each walk."""

    policy: Policy
    """The policy; walks share it."""
    stiffness: float = 1.0
    """Factor on the stiffness of soft feet that it observes."""
    tendons: bool = True
    """Whether it observes that soft feet have their tendons."""

    def legged(self, robot: Robot) -> Legged:
        """The robot with all joints held except those the policy moves."""
        moved, model = {drive.joint for drive in self.policy.card.drives}, robot.model()
        free = int(mujoco.mjtJoint.mjJNT_FREE)
        hinges = [model.joint(j).name for j in range(model.njnt) if model.jnt_type[j] != free]
        return Legged(robot, locked=[name for name in hinges if name not in moved])

    def __call__(self, setting: Setting) -> PolicyController:
        """A controller for one walk."""
        return PolicyController(self.policy, setting, self.told(setting.legged))

    def told(self, legged: Legged) -> tuple[float, ...]:
        """What the policy observes: stiffness and tendons of soft feet (rigid ones as locked), or the kind of feet.

        Raises:
            InvalidInput: If it was trained on several kinds of feet and these are none of them, or could be two.
        """
        card, foot = self.policy.card, legged.robot.places[0].foot
        if card.foot and len(card.feet) > 1:
            at = _kind_of(foot, legged.robot, card)
            return tuple(float(i == at) for i in range(card.foot))
        factor = min(self.stiffness, LOCKED) if springs_of(legged.robot).soft else LOCKED
        return (math.log(factor) / math.log(LOCKED), float(self.tendons))[: card.foot]


def _kind_of(foot: Foot | None, robot: Robot, card: Card) -> int:
    """Which of the feet of its training these are: the same, else those of the same build, else of the same name."""
    known = [foot_of(kind, robot) for kind in card.worn]
    alike = (lambda one: one, label, lambda one: one and one.name)
    for key in alike:
        found = [i for i, one in enumerate(known) if key(one) == key(foot)]
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidInput(
                f"the policy was trained on {' and '.join(card.feet[i] for i in found)}, and {label(foot)!r} may be "
                "either: give one of them"
            )
    name = OWN if foot is None else PLATE if foot.name == FlatFoot.name else foot.name
    raise InvalidInput(f"the policy was not trained on {name!r}: it knows {', '.join(card.feet)}")


def of_file(path: str) -> PolicyMaker:
    """The maker of a mode given by a policy: `FILE.onnx`, or one shipped with Plantar, such as `g1_softfoot.onnx`.

    Raises:
        InvalidInput: If it is not a policy of `plantar learn export`.
        MissingExtra: If ONNX Runtime is not installed.
    """
    file = found_file(path)
    return PolicyMaker(policy=_policy(str(file), file.stat().st_mtime_ns))


def found_file(path: str | Path) -> Path:
    """The file of a policy: the user's, or one shipped with Plantar.

    Raises:
        InvalidInput: If there is none; the message lists those shipped with Plantar.
    """
    for file in (Path(path), SHIPPED / path):
        if file.is_file():
            return file.resolve()
    known = ", ".join(sorted(file.name for file in SHIPPED.glob("*.onnx")))
    raise InvalidInput(f"{str(path)!r} is not a file: give a policy.onnx from `plantar learn train`, or one of {known}")


@functools.lru_cache(maxsize=4)
def _policy(path: str, changed: int) -> Policy:
    """A policy, read once in each process unless its file changes."""
    return Policy(path)


FILES["onnx"] = of_file
