"""Observations and actions in the mirror, so that a policy learns from every step and from its mirror image."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from mjlab.envs import ManagerBasedRlEnv
from tensordict import TensorDict

from plantar.errors import PlantarError
from plantar.learn.mirror import ACROSS, Mirror, mirror_of
from plantar.learn.subject import Subject
from plantar.learn.worlds import Worlds

Part = tuple[list[int], list[float]]
"""Where each number of the mirror image comes from, and its sign."""

_VECTOR = ([0, 1, 2], ACROSS.tolist())
_TURN = ([0, 1, 2], (-ACROSS).tolist())
_THREE: dict[str, Part] = {
    "base_lin_vel": _VECTOR,
    "projected_gravity": _VECTOR,
    "base_ang_vel": _TURN,
    "command": ([0, 1, 2], [1.0, -1.0, -1.0]),
}
_JOINTS = ("joint_pos", "joint_vel", "actions")
_FEET = ("foot_height", "foot_air_time", "foot_contact", "foot_contact_forces")
_EITHER = ("foot",)
"""Terms of observations: three numbers, one for each joint, one or three for each foot, the same in the mirror."""


class Reflection:
    """Mirror images of observations and actions of some worlds, as rsl-rl's symmetry asks for.

    Args:
        worlds: The worlds.
        subjects: The robot on each kind of feet in them.

    Raises:
        InvalidInput: If the robot is not its own mirror image.
    """

    def __init__(self, worlds: Worlds, subjects: Sequence[Subject]):
        part, mirror, device = worlds.parts[0], mirror_of(subjects[0]), worlds.device
        self._actions = _tensors(_joints(part, mirror), device)
        manager = part.observation_manager
        self._groups = {
            group: _tensors(
                _joined(
                    [
                        _of_term(term, int(shape[0]), part, mirror)
                        for term, shape in zip(terms, manager.group_obs_term_dim[group], strict=True)
                    ]
                ),
                device,
            )
            for group, terms in manager.active_terms.items()
        }

    def __call__(
        self, env: Any = None, obs: TensorDict | None = None, actions: torch.Tensor | None = None
    ) -> tuple[TensorDict | None, torch.Tensor | None]:
        """What is given, followed by its mirror image."""
        seen = None if obs is None else TensorDict.cat([obs, self.seen(obs)])
        return seen, None if actions is None else torch.cat([actions, self.moved(actions)])

    def seen(self, obs: TensorDict) -> TensorDict:
        """The mirror image of observations."""
        groups = {name: _mirrored(obs[name], *own) for name, own in self._groups.items()}
        return TensorDict(groups, batch_size=obs.batch_size)

    def moved(self, actions: torch.Tensor) -> torch.Tensor:
        """The mirror image of actions."""
        return _mirrored(actions, *self._actions)


def _mirrored(values: torch.Tensor, order: torch.Tensor, signs: torch.Tensor) -> torch.Tensor:
    return values[:, order] * signs


def _tensors(part: Part, device: torch.device | str) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(part[0], device=device), torch.tensor(part[1], device=device)


def _joined(parts: Sequence[Part]) -> Part:
    order: list[int] = []
    signs: list[float] = []
    for places, own in parts:
        order += [len(signs) + place for place in places]
        signs += own
    return order, signs


def _of_term(term: str, width: int, part: ManagerBasedRlEnv, mirror: Mirror) -> Part:
    if term in _THREE:
        return _THREE[term]
    if term in _JOINTS:
        return _joints(part, mirror)
    if term in _EITHER:
        return list(range(width)), [1.0] * width
    if term in _FEET:
        return _feet(part, mirror, width)
    raise PlantarError(f"the mirror image of the observation {term!r} is not known")


def _joints(part: ManagerBasedRlEnv, mirror: Mirror) -> Part:
    names = list(part.action_manager.get_term("joint_pos").target_names)
    partners = [mirror.joints[name] for name in names]
    return [names.index(partner) for partner, _ in partners], [sign for _, sign in partners]


def _feet(part: ManagerBasedRlEnv, mirror: Mirror, width: int) -> Part:
    """One number or a vector for each foot, in the order of the sensors."""
    names = list(part.scene["feet_ground_contact"].primary_names)
    each = width // len(names)
    order = [each * names.index(mirror.feet[name]) + k for name in names for k in range(each)]
    return order, (ACROSS.tolist() if each == len(ACROSS) else [1.0] * each) * len(names)
