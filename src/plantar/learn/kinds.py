"""Kinds of feet in one training: which go together, and what is drawn of them."""

from __future__ import annotations

from collections.abc import Sequence

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.feet import Foot, get
from plantar.learn.card import label
from plantar.learn.config import TaskConfig
from plantar.learn.subject import OWN, PLATE, Subject


def kind_of(foot: Foot | str | None) -> Foot | str:
    """A kind of feet as a foot, or as one of the words `own` and `plate`."""
    word = OWN if foot is None else foot
    return get(word) if isinstance(word, str) and word not in (OWN, PLATE) else word


def check_kinds(kinds: Sequence[Foot | str], subjects: Sequence[Subject], task: TaskConfig) -> None:
    """Raise unless a policy can be trained on these feet together, and they have all that the task draws.

    Raises:
        InvalidInput: If the robot moves other joints with some of them, two are the same, or they do not have what a
            field of the task is about.
    """
    moved = [[drive.joint for drive in one.drives] for one in subjects]
    if any(joints != moved[0] for joints in moved[1:]):
        raise InvalidInput("feet cannot be mixed: the robot has different motors with them")
    words = ", ".join(map(label, kinds))
    twice = any(one.foot == other.foot for i, one in enumerate(subjects) for other in subjects[:i])
    require(not twice, "feet", words, "every kind of feet once")
    usual, alone = TaskConfig(), len(subjects) == 1
    has = {"stiffness": subjects[0].soft, "locked": subjects[0].soft, "tendons": bool(subjects[0].cords)}
    for name, there in has.items():
        value = getattr(task, name)
        why = "one kind of feet, as nothing is drawn of several" if not alone else f"feet that have it: {words} do not"
        if value != getattr(usual, name):
            require(alone and there, f"task.{name}", value, why)
