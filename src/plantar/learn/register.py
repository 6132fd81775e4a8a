"""Plantar's tasks for mjlab's own `train`, `play` and `list-envs`; mjlab imports this module by its entry point.

A robot is mounted when its task is first requested, so that starting mjlab costs nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from plantar import learn
from plantar.learn.config import TERRAINS, TaskConfig

ROBOTS = {
    "Unitree-G1": ("unitree_g1", "softfoot:fast"),
    "Unitree-Go1": ("unitree_go1", "softfoot_q:fast"),
    "Biped": ("biped", "softfoot:fast"),
}
"""Robots with tasks, and their feet: those of mjlab and a built-in one."""


class Later:
    """A configuration that is made when mjlab takes its copy of it."""

    def __init__(self, make: Callable[[], Any]):
        self.make = make

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.make()


def names() -> list[str]:
    """Names of the tasks."""
    return [f"Plantar-{terrain.title()}-{word}" for word in ROBOTS for terrain in TERRAINS]


def make(robot: str, foot: str, terrain: Any, *, play: bool) -> Any:
    """The environment of a task."""
    subject = learn.prepared(robot, foot, visuals=play)
    return learn.task(subject, TaskConfig(terrain=terrain), play=play)


def learner(word: str) -> Any:
    """The settings of rsl-rl for a task, as mjlab's own for its G1."""
    found = importlib.import_module("mjlab.tasks.velocity.config.g1.rl_cfg").unitree_g1_ppo_runner_cfg()
    found.experiment_name, found.logger = f"plantar_{word.lower()}", "tensorboard"
    return found


def register() -> None:
    """Register the tasks with mjlab."""
    registry = importlib.import_module("mjlab.tasks.registry")
    runner = importlib.import_module("mjlab.rl").MjlabOnPolicyRunner
    for word, (robot, foot) in ROBOTS.items():
        for terrain in TERRAINS:
            name = f"Plantar-{terrain.title()}-{word}"
            if name not in registry.list_tasks():
                made = [Later(lambda r=robot, f=foot, t=terrain, p=p: make(r, f, t, play=p)) for p in (False, True)]
                registry.register_mjlab_task(name, *made, Later(lambda w=word: learner(w)), runner)


register()
