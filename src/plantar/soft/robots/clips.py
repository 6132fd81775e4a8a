"""Soft robots as clips."""

from __future__ import annotations

import itertools

from plantar.progress import Progress
from plantar.show.clip import Clip
from plantar.soft.robots.robot import SoftRobot
from plantar.soft.robots.run import run, steps_of
from plantar.soft.scene.clips import SceneFilm


def robot_clip(robot: SoftRobot, duration: float | None = None) -> Clip:
    """Run a soft robot's demonstration and film it.

    Args:
        robot: The robot.
        duration: Simulated time [s]; the whole demonstration if not given.

    Raises:
        InvalidInput: If nothing of it can be seen.
    """
    scene, steps, count = robot.scene(), steps_of(robot, duration), itertools.count(1)
    film = SceneFilm(scene)
    film.take()
    with Progress(steps, f"soft robot {robot.name}") as bar:
        run(
            robot,
            duration=duration,
            scene=scene,
            shots=2,
            progress=bar.advance,
            on_step=lambda _: film.take_at(next(count), steps),
        )
    return film.clip(f"soft robot {robot.name}")
