"""Policies trained on soft feet: mjlab entities and tasks, training, evaluation and export.

Names that need PyTorch and mjlab are loaded on first use, so that a missing package gives one clear line.
"""

from __future__ import annotations

from typing import Any

from plantar.learn.config import LOCKED as LOCKED
from plantar.learn.config import TaskConfig as TaskConfig
from plantar.learn.config import TrainConfig as TrainConfig
from plantar.learn.controller import PolicyController as PolicyController
from plantar.learn.controller import PolicyMaker as PolicyMaker
from plantar.learn.drives import Drive as Drive
from plantar.learn.drives import drives_of as drives_of
from plantar.learn.errand import Pace as Pace
from plantar.learn.evaluation import EvaluateConfig as EvaluateConfig
from plantar.learn.evaluation import Evaluation as Evaluation
from plantar.learn.policy import Policy as Policy
from plantar.learn.subject import Subject as Subject
from plantar.learn.subject import subject_of as subject_of
from plantar.learn.versions import PINS as PINS
from plantar.learn.versions import load_learn as load_learn
from plantar.learn.versions import require_learn as require_learn
from plantar.learn.walks import evaluate as evaluate

_LATER = {
    "prepared": "plantar.learn.entity",
    "robot": "plantar.learn.entity",
    "task": "plantar.learn.tasks",
    "train": "plantar.learn.training",
    "export": "plantar.learn.exporting",
}


def __getattr__(name: str) -> Any:
    """Load what needs PyTorch and mjlab.

    Raises:
        MissingExtra: If one of them is not installed, or has a version incompatible with the others.
    """
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(load_learn(_LATER[name]), name)
