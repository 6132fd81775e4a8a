"""The card of a policy: what it observes, what it moves and what it was trained on, so that it can run anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plantar import feet as registry
from plantar._checks import check_at_least, require, require_choice, require_positive
from plantar._config import Checked, Positive, check_fields
from plantar._files import to_json, write_text
from plantar._read import parse_json, reason
from plantar.errors import InvalidInput
from plantar.feet import Foot
from plantar.learn.config import TaskConfig, TrainConfig
from plantar.learn.drives import Drive
from plantar.learn.subject import OWN, PLATE

if TYPE_CHECKING:
    from plantar.learn.subject import Subject
    from plantar.learn.worlds import Worlds

CARD = "card.json"
"""File of a card."""
SEEN = ("base_lin_vel", "base_ang_vel", "projected_gravity", "joint_pos", "joint_vel", "actions", "command", "foot")
"""Observations of a policy, in order; `foot` only if there is something to observe."""


def label(kind: Foot | str | None) -> str:
    """A foot in a word."""
    return OWN if kind is None else kind if isinstance(kind, str) else f"{kind.name}:{kind.fidelity}"


@dataclass(frozen=True, kw_only=True)
class Card(Checked, prefix="card."):
    """Everything needed to run a policy without the training packages."""

    robot: str
    """The robot it was trained on."""
    feet: tuple[str, ...]
    """Kinds of feet it was trained on, each in a word."""
    described: tuple[dict[str, Any] | None, ...] = ()
    """Their descriptions (`Foot.to_dict`), None for `own` and `plate`; old cards have none."""
    seen: tuple[str, ...]
    """Its observations, in order."""
    foot: int
    """Number of observations of its feet: 0, 1 for soft feet (stiffness), 2 if they have tendons (and whether these are
    there), or one for each kind."""
    drives: tuple[Drive, ...]
    """Servos of the joints it moves, in its order."""
    posture: dict[str, float]
    """Standing angle of each joint [rad]; actions are from there."""
    period: Positive
    """Time between two actions [s]."""
    timestep: Positive
    """Physics step it was trained with [s]."""
    task: TaskConfig
    """The task."""
    training: TrainConfig
    """The training."""

    def __post_init__(self) -> None:
        """Check the servos, and that the parts go together."""
        for name in self.seen:
            require_choice("card.seen", name, SEEN)
        for drive in self.drives:
            check_fields(drive)
            require_positive(drive, f"card.drives.{drive.joint}.", ("stiffness", "effort", "share"))
            check_at_least(drive, f"card.drives.{drive.joint}.", ("damping", "armature"))
        moved = [drive.joint for drive in self.drives]
        require(len(set(moved)) == len(moved) > 0, "card.drives", moved, "one or more joints, each once")
        missing = next((name for name in moved if name not in self.posture), None)
        require(missing is None, "card.posture", sorted(self.posture), f"an angle of {missing} too")
        kinds = len(self.feet)
        require(kinds > 0, "card.feet", self.feet, "one kind or more")
        told = self.foot == kinds if kinds > 1 else 0 <= self.foot <= 2
        require(told, "card.foot", self.foot, "0, 1 or 2, or one number for each of several kinds of feet")
        require(len(self.described) in (0, kinds), "card.described", len(self.described), "as many as there are feet")

    @property
    def width(self) -> int:
        """Numbers that its policy observes."""
        sizes = {"joint_pos": len(self.drives), "joint_vel": len(self.drives), "actions": len(self.drives)}
        return sum({**sizes, "foot": self.foot}.get(name, 3) for name in self.seen)

    @property
    def worn(self) -> tuple[Foot | str, ...]:
        """The feet of its training, `own` and `plate` as words.

        Raises:
            InvalidInput: If one of them is not known here.
        """
        return tuple(
            name if name in (OWN, PLATE) else registry.get(name) if record is None else _foot(name, record)
            for name, record in zip(self.feet, self.described or [None] * len(self.feet), strict=True)
        )

    @property
    def unfelt(self) -> bool:
        """Whether the policy walks on soft feet without being told their stiffness: it was trained on several kinds."""
        return len(self.feet) > 1 and not {OWN, PLATE}.issuperset(self.feet)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "this") -> Card:
        """A card from plain data.

        Raises:
            InvalidInput: If something is missing, of another kind or not allowed; the message begins with `where`.
        """
        try:
            plain = dict(data)
            return cls(
                **{
                    **plain,
                    "drives": tuple(Drive(**one) for one in plain["drives"]),
                    "task": TaskConfig(**plain["task"]),
                    "training": TrainConfig(**plain["training"]),
                }
            )
        except (KeyError, TypeError, InvalidInput) as error:
            raise InvalidInput(f"{where} is not the card of a policy: {reason(error)}") from error

    def write(self, folder: str | Path) -> Path:
        """Write it as `card.json`."""
        return write_text(Path(folder) / CARD, to_json(asdict(self), indent=2) + "\n")


def _foot(name: str, record: dict[str, Any]) -> Foot:
    return registry.parse(to_json(record), f"the card's {name!r}")


def read_card(text: str, where: str = "this") -> Card:
    """A card from its text.

    Raises:
        InvalidInput: If it is not one; the message begins with `where`.
    """
    try:
        data = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where} is not the card of a policy: {reason(error)}") from error
    if not isinstance(data, dict):
        raise InvalidInput(f"{where} is not the card of a policy: give a JSON object")
    return Card.from_dict(data, where)


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
    worn = [None if kind == PLATE else subject.foot for kind, subject in zip(kinds, subjects, strict=True)]
    return Card(
        robot=robot,
        feet=tuple(map(label, kinds)),
        described=tuple(None if foot is None else foot.to_dict() for foot in worn),
        seen=tuple(terms),
        foot=int(dict(zip(terms, sizes, strict=True)).get("foot", (0,))[0]),
        drives=tuple(by_joint[name] for name in order),
        posture=subjects[0].posture,
        period=worlds.step_dt,
        timestep=worlds.parts[0].physics_dt,
        task=task,
        training=config,
    )
