"""The card of a policy: what it observes, what it moves and what it was trained on, so that it can run anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plantar._files import to_json, write_text
from plantar.errors import InvalidInput
from plantar.learn.config import TaskConfig, TrainConfig
from plantar.learn.drives import Drive

if TYPE_CHECKING:
    from plantar.learn.subject import Subject
    from plantar.learn.worlds import Worlds

CARD = "card.json"
"""File of a card."""
SEEN = ("base_lin_vel", "base_ang_vel", "projected_gravity", "joint_pos", "joint_vel", "actions", "command", "foot")
"""Observations of a policy, in order; `foot` only if there is something to observe."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """Everything needed to run a policy without the training packages."""

    robot: str
    """The robot it was trained on."""
    feet: tuple[str, ...]
    """Kinds of feet it was trained on."""
    seen: tuple[str, ...]
    """Its observations, in order."""
    foot: int
    """Number of observations of its feet: 0, 1 for soft feet (stiffness), 2 if they have tendons (and whether these are
    there), or one for each kind."""
    drives: tuple[Drive, ...]
    """Servos of the joints it moves, in its order."""
    posture: dict[str, float]
    """Standing angle of each joint [rad]; actions are from there."""
    period: float
    """Time between two actions [s]."""
    timestep: float
    """Physics step it was trained with [s]."""
    task: TaskConfig
    """The task."""
    training: TrainConfig
    """The training."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Card:
        """A card from plain data.

        Raises:
            InvalidInput: If something is missing or of another kind.
        """
        try:
            plain = dict(data)
            return cls(
                **{
                    **plain,
                    "feet": tuple(plain["feet"]),
                    "seen": tuple(plain["seen"]),
                    "drives": tuple(Drive(**one) for one in plain["drives"]),
                    "task": TaskConfig(**plain["task"]),
                    "training": TrainConfig(**plain["training"]),
                }
            )
        except (KeyError, TypeError) as error:
            raise InvalidInput(f"this is not the card of a policy: {error}") from error

    def write(self, folder: str | Path) -> Path:
        """Write it as `card.json`."""
        return write_text(Path(folder) / CARD, to_json(asdict(self), indent=2) + "\n")


def read_card(text: str) -> Card:
    """A card from its text.

    Raises:
        InvalidInput: If it is not one.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"this is not the card of a policy: {error}") from error
    if not isinstance(data, dict):
        raise InvalidInput("this is not the card of a policy: give a JSON object")
    return Card.from_dict(data)


def card_of(
    worlds: Worlds,
    subjects: Sequence[Subject],
    kinds: Sequence[Any],
    task: TaskConfig,
    config: TrainConfig,
    robot: str,
) -> Card:
    """The card of a policy that is trained in these worlds."""
    manager = worlds.parts[0].observation_manager
    terms, sizes = manager.active_terms["actor"], manager.group_obs_term_dim["actor"]
    order = worlds.parts[0].action_manager.get_term("joint_pos").target_names
    by_joint = {drive.joint: drive for drive in subjects[0].drives}
    return Card(
        robot=robot,
        feet=tuple(kind if isinstance(kind, str) else f"{kind.name}:{kind.fidelity}" for kind in kinds),
        seen=tuple(terms),
        foot=int(dict(zip(terms, sizes, strict=True)).get("foot", (0,))[0]),
        drives=tuple(by_joint[name] for name in order),
        posture=subjects[0].posture,
        period=worlds.step_dt,
        timestep=worlds.parts[0].physics_dt,
        task=task,
        training=config,
    )
