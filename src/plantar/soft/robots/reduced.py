"""A soft robot reduced: trained by shaking its actuators and by its demonstration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plantar.soft.reduction.card import ReductionCard, reduction_card
from plantar.soft.reduction.reduce import Reduction, record, reduce_scene
from plantar.soft.reduction.snapshots import amplitudes, combinations, shake
from plantar.soft.robots.robot import SoftRobot
from plantar.soft.robots.run import run
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.state import State

Progress = Callable[[int], object]


def reduce_robot(
    robot: SoftRobot, *, modes: int | None = None, samples: int = 10, seed: int = 0, progress: Progress | None = None
) -> Reduction:
    """Watch a robot while its actuators are shaken, and during its demonstration; keep what matters.

    Args:
        robot: The robot.
        modes: Most modes; the robot's own choice if not given.
        samples: Combinations of actuators.
        seed: Seed of the combinations.
        progress: Called with 1 after each step that is watched.
    """
    states: list[State] = []
    if robot.shaken:
        scene = robot.scene()
        most = {name: robot.shaken * value for name, value in amplitudes(scene).items()}
        states += shake(scene, samples=samples, amplitude=most, seed=seed, progress=progress)
    run(robot, on_step=record(states), progress=progress)
    return reduce_scene(
        robot.scene(),
        states,
        modes=robot.modes if modes is None else modes,
        tolerance=1e-8,
        carrier=robot.carrier,
        train=60,
    )


def robot_cards(
    robot: SoftRobot, reduction: Reduction, *, seconds: float | None = None, progress: Progress | None = None
) -> list[ReductionCard]:
    """The demonstration, which was seen in training, and a combination of actuators that was not.

    Where the inverse drives the demonstration there are two cards of it: the reduced scene with its own inverse, which
    among redundant actuators may choose others, and with what the inverse of the whole scene chose.
    """
    cards = [demonstration_card(robot, reduction, seconds=seconds, progress=progress)]
    steps = _steps(robot, seconds)
    if robot.scene().goals:
        follow = _Follow(robot)
        cards.append(reduction_card(robot.scene, reduction, follow, steps, run="same commands", progress=progress))
    if robot.shaken:
        most = {name: robot.shaken * value for name, value in amplitudes(robot.scene()).items()}
        sequence = _Replay(robot, most)
        cards.append(
            reduction_card(robot.scene, reduction, sequence, len(sequence), run="unseen commands", progress=progress)
        )
    return cards


def demonstration_card(
    robot: SoftRobot, reduction: Reduction, *, seconds: float | None = None, progress: Progress | None = None
) -> ReductionCard:
    """The whole and the reduced robot in its demonstration, side by side."""

    def act(scene: Scene, k: int) -> None:
        robot.act(scene, k * robot.dt)

    return reduction_card(robot.scene, reduction, act, _steps(robot, seconds), run="demonstration", progress=progress)


def _steps(robot: SoftRobot, seconds: float | None) -> int:
    return round((robot.duration if seconds is None else min(seconds, robot.duration)) / robot.dt)


class _Follow:
    """The demonstration in one scene, and what its actuators did in the next."""

    def __init__(self, robot: SoftRobot):
        self.robot = robot
        self.given: dict[str, float] | None = None

    def __call__(self, scene: Scene, k: int) -> None:
        if self.given is None:
            self.robot.act(scene, k * self.robot.dt)
            strokes = scene.strokes()
            by_effort = {n: scene.configs[n].drive in ("force", "pressure") for n in scene.actuators}
            self.given = {n: scene.efforts[n] if by_effort[n] else strokes[n] for n in scene.actuators}
        else:
            scene.step(self.given)
            self.given = None


class _Replay:
    """Commands of a shake with another seed, one per step."""

    def __init__(self, robot: SoftRobot, most: dict[str, float]):
        goals = combinations(4, len(most), seed=1)
        path = np.vstack([np.zeros(len(most)), goals])
        shares = [path[i] + (path[i + 1] - path[i]) * k / 8 for i in range(4) for k in range(1, 9)]
        self.rows = [{n: float(s * most[n]) for n, s in zip(most, share, strict=True)} for share in shares]

    def __len__(self) -> int:
        return len(self.rows)

    def __call__(self, scene: Scene, k: int) -> None:
        scene.step(self.rows[k])
