"""The world of a quadruped: its force sensors are in its feet."""

from __future__ import annotations

import mujoco

from plantar.walk.sim.scene import OURS, Scene


class FootScene(Scene):
    """A scene in which only what pushes a foot counts as its load, not what hits the shank above it."""

    def _add_sensors(self, spec: mujoco.MjSpec) -> None:
        super()._add_sensors(spec)
        for place in self.robot.places:
            names = [body.name for body in spec.bodies if place.prefix and body.name.startswith(place.prefix)]
            if names:
                spec.sensor(OURS + place.name).refname = names[0]  # parents come before their children
