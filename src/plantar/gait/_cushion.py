"""Softer feet to solve through first: a stiff thin foot is approached from a thick soft one.

With a rubber foot that is felt only on touch, a guess whose legs hang in the air or stand deep in the ground tells the
optimiser little about where they should be. A cushion is the same foot, several times as thick and soft, that begins
to be felt before it touches; its solution starts the real one.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from plantar.gait._casadi import casadi
from plantar.gait.legged import LeggedRobot
from plantar.gait.rubber import GRAVITY, RubberContact


@dataclass(frozen=True, kw_only=True)
class Cushion(RubberContact):
    """A rubber foot with depths and speeds in contact scaled up, and a force that begins above the ground."""

    softness: float = 1.0
    """How many times as deep it sinks under the same force."""
    reach: float = 0.0
    """Over how many metres above the ground the force begins."""

    def normalised(self, *, mass: float, length: float, gravity: float = GRAVITY) -> Self:
        """The same foot in units of a robot's mass, length and gravity."""
        scaled = super().normalised(mass=mass, length=length, gravity=gravity)
        return dataclasses.replace(scaled, reach=self.reach / length)

    def symbolic(self, depth: Any, speed: Any, slip: Any, deflection: Any) -> tuple[Any, Any, Any]:
        """Normal force, tangential force and deflection rate as CasADi expressions."""
        near = (depth + casadi().sqrt(depth**2 + self.reach**2)) / 2
        return super().symbolic(near, speed, slip, deflection)


def cushioned(robot: LeggedRobot, softness: float) -> LeggedRobot:
    """The robot on feet that are `softness` times as thick and soft."""
    law = robot.contact
    soft = Cushion(
        stiffness=law.stiffness / softness**2,
        damping=law.damping,
        damping_speed=law.damping_speed * softness,
        tangential_stiffness=law.tangential_stiffness / softness**2,
        tangential_damping=law.tangential_damping / softness**2,
        smoothing_depth=law.smoothing_depth * softness,
        friction=law.friction,
        release_rate=law.release_rate / softness,
        softness=softness,
        reach=(softness - 1) * law.transition_depth,
    )
    return dataclasses.replace(robot, contact=soft)


def softness(robot: LeggedRobot) -> float:
    """How many times as soft a robot's feet are as the real ones."""
    return robot.contact.softness if isinstance(robot.contact, Cushion) else 1.0
