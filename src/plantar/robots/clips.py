"""Robots as clips."""

from __future__ import annotations

import mujoco

from plantar.robots.robot import Robot
from plantar.show.clip import Clip
from plantar.show.recorder import ClipRecorder
from plantar.show.view import View


def robot_clip(robot: Robot) -> Clip:
    """A robot as it stands."""
    model = robot.spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    mujoco.mj_forward(model, data)
    recorder = ClipRecorder(model, overlays=False)
    recorder.take(0.0, data)
    worn = {place.foot.title or place.foot.name for place in robot.places if place.foot}
    title = f"{robot.name} on {' and '.join(sorted(worn))}" if worn else robot.name
    notes = (f"{float(model.body_mass.sum()):.3g} kg, {model.nu} motors, {len(robot.places)} feet",)
    return recorder.clip(title, view=View(azimuth=140, elevation=-12), data=data, notes=notes)
