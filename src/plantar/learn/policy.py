"""A trained policy in plain MuJoCo: what it sees comes from the state, what it says becomes targets of servos."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from plantar.errors import InvalidInput, MissingExtra
from plantar.learn.card import Card, read_card

KEY = "plantar_card"
"""Name of the card among the metadata of an ONNX file."""


def _runtime() -> Any:
    try:
        import onnxruntime  # noqa: PLC0415  (extra)
    except ImportError as error:
        raise MissingExtra("a policy needs onnxruntime: install with `pip install 'plantar[foothold]'`") from error
    return onnxruntime


class Policy:
    """A policy that was exported to ONNX, with its card.

    Raises:
        MissingExtra: If ONNX Runtime is not installed.
        InvalidInput: If the file is not a policy of `plantar learn export`.
    """

    def __init__(self, path: str | Path):
        onnxruntime = _runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime raises many kinds
            raise InvalidInput(f"{str(path)!r} is not a policy: {' '.join(str(error).split())[:120]}") from error
        text = self._session.get_modelmeta().custom_metadata_map.get(KEY)
        if text is None:
            raise InvalidInput(f"{str(path)!r} has no card: export it with `plantar learn export`")
        self.card: Card = read_card(text)
        self._input = self._session.get_inputs()[0].name

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        """Actions for what is seen (numbers,)."""
        (out, *_) = self._session.run(None, {self._input: np.asarray(seen, dtype=np.float32)[None]})
        return np.asarray(out)[0]


class Pilot:
    """A policy at the controls of one robot in plain MuJoCo.

    Args:
        policy: The policy.
        model: The robot in its scene, its joints driven by position servos named as they are.
        base: Body with the free joint.
        told: What it is told of the feet.

    Raises:
        InvalidInput: If the robot lacks a joint that the policy moves, or as much is not told as it was in training.
    """

    def __init__(self, policy: Policy, model: mujoco.MjModel, base: str, told: tuple[float, ...] = ()):
        card = policy.card
        if len(told) != card.foot:
            raise InvalidInput(f"the policy is told {card.foot} numbers of its feet, {len(told)} were given")
        self.policy, self.model, self.told = policy, model, np.array(told)
        names = [drive.joint for drive in card.drives]
        there = {model.joint(j).name for j in range(model.njnt)}
        if missing := [name for name in names if name not in there]:
            raise InvalidInput(f"the robot has no joint {missing[0]!r}, which the policy moves")
        joints = [model.joint(name).id for name in names]
        self._q, self._v = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
        self._servos = [model.actuator(name).id for name in names]
        self._scale = np.array([drive.scale for drive in card.drives])
        self._rest = np.array([card.posture[name] for name in names])
        self._free = int(model.jnt_dofadr[model.body_jntadr[model.body(base).id]])
        self._base = model.body(base).id
        self.reset()

    def reset(self) -> None:
        """Forget the last action."""
        self._last = np.zeros(len(self._scale))

    def see(self, data: mujoco.MjData, command: np.ndarray) -> np.ndarray:
        """What the policy sees: velocities of the base in its own axes, gravity, joints, last action, command, feet."""
        turn = data.xmat[self._base].reshape(3, 3)
        at = self._free
        parts: dict[str, Any] = {
            "base_lin_vel": turn.T @ data.qvel[at : at + 3],
            "base_ang_vel": data.qvel[at + 3 : at + 6],
            "projected_gravity": turn.T @ [0, 0, -1],
            "joint_pos": data.qpos[self._q] - self._rest,
            "joint_vel": data.qvel[self._v],
            "actions": self._last,
            "command": command,
            "foot": self.told,
        }
        return np.concatenate([np.asarray(parts[name], dtype=float) for name in self.policy.card.seen])

    def act(self, data: mujoco.MjData, command: np.ndarray) -> np.ndarray:
        """Set the targets of the servos for a command (forward, left [m/s], yaw rate [rad/s]); returns the action."""
        self._last = self.policy(self.see(data, command))
        data.ctrl[self._servos] = self._rest + self._scale * self._last
        return self._last
