"""Pictures of robots."""

from __future__ import annotations

import logging
from pathlib import Path

import mujoco

from plantar.robots.export.text import add_floor
from plantar.robots.robot import Robot

log = logging.getLogger("plantar")


def draw(robot: Robot, path: Path, camera: str = "corner", size: tuple[int, int] = (720, 720)) -> Path | None:
    """Draw a robot in its standing keyframe; None, with a line in the log, if it cannot be drawn here."""
    try:
        from plantar.show.picture import render  # noqa: PLC0415  (drawing is optional)
    except ImportError as error:
        log.warning("no picture of the robot: %s", error)
        return None
    spec = robot.spec.copy()
    add_floor(spec).rgba = [0.8, 0.82, 0.85, 1]
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    mujoco.mj_forward(model, data)
    return render(model, data, path, camera, size)
