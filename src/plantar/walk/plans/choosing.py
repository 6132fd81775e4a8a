"""Footholds of a biped by a chooser: its question, and what legs can do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from plantar.errors import InvalidInput
from plantar.walk.footholds import Chooser, Limits, Question, Step
from plantar.walk.plans.adaptation import Adaptation
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.robot.legged import Legged

LOOK_AHEAD = 3
"""Steps ahead whose footholds are chosen."""
CELLS = 70
"""Cells per side of the map that a chooser sees."""
AHEAD, ASIDE = 0.25, 0.15
"""How far ahead or back and sideways of its nominal place a foothold may be chosen, for legs of 0.7 m [m]."""
CLIMB = 0.15
"""How far up or down a step goes, for legs of 0.7 m [m]."""
GAP = 0.015
"""Least distance of the two soles [m]."""


class StepChooser:
    """Asks a chooser where each step of a biped goes.

    Args:
        legged: The robot.
        ground: The ground as it knows it, with a map.
        chooser: The chooser.
        adaptation: How far steps reach.
        scale: Length of the legs over 0.7 m.
        friction: Assumed friction.
    """

    def __init__(
        self,
        legged: Legged,
        ground: KnownGround | None,
        chooser: Chooser,
        adaptation: Adaptation,
        scale: float,
        friction: float,
    ):
        if ground is None or ground.elevation is None:
            raise InvalidInput("choose is not allowed without a map: give a terrain that is not yielding, or a map")
        self.legged, self.ground, self.elevation, self.chooser = legged, ground, ground.elevation, chooser
        self.scale, self.friction = scale, friction
        self.reach = scale * adaptation.reach[0]
        self.planned, self.chosen = list[Foothold](), dict[int, Step]()
        self.apart = 0.5 * sum(sole.extent[3] - sole.extent[2] for sole in legged.soles) + GAP

    def begin(self, steps: Iterable[Foothold]) -> None:
        """Record the footholds of a walk as planned."""
        self.planned, self.chosen = list(steps), dict[int, Step]()

    def along(self, queue: Iterable[Foothold], holds: Sequence[Foothold], taken: int, time: float) -> list[Foothold]:
        """The steps to come, of which the next ones are chosen, each from the one before.

        Args:
            queue: The steps to come as they are.
            holds: Where the feet are.
            taken: How many of the planned steps have been taken.
            time: Now [s].
        """
        steps = list(queue)
        planned = self.planned[len(self.planned) - len(steps) :]
        for k, step in enumerate(planned[:LOOK_AHEAD]):
            stance = steps[k - 1] if k else holds[1 - step.side]
            steps[k], self.chosen[taken + k] = self.choose(step, stance, time)
        return steps

    def choose(self, step: Foothold, stance: Foothold, time: float) -> tuple[Foothold, Step]:
        """Where a step goes that is planned at `step`, from the foot that stands; and that for the record."""
        wanted = (float(step.position[0]), float(step.position[1]))
        elevation = self.elevation.crop(wanted, (CELLS, CELLS))
        x, y = np.meshgrid(elevation.x, elevation.y)
        near = self._near(x, y, step, stance)
        near &= np.abs(elevation.heights - stance.position[2]) <= CLIMB * self.scale
        sole = self.legged.soles[step.side]
        question = Question(
            elevation=elevation,
            leg=sole.name,
            nominal=wanted,
            limits=Limits(
                near=near,
                short=near,
                room=np.where(near, 1.0, -1.0),
                slope=self.ground.slope(x, y),
                steepest=self.friction,
            ),
            foot=self.legged.places[step.side].foot,
            outline=sole.outline,
            yaw=step.yaw,
        )
        choice = self.chooser(question)
        place = wanted if choice is None else (float(choice.x), float(choice.y))
        target = (*place, self.ground.top(*place))
        record = Step(leg=sole.name, time=time, nominal=wanted, target=target, choice=choice)
        return replace(step, position=target), record

    def _near(self, x: np.ndarray, y: np.ndarray, step: Foothold, stance: Foothold) -> np.ndarray:
        """Cells that the leg can take: near the nominal place, in reach of the foot that stands and clear of it."""
        c, s = math.cos(step.yaw), math.sin(step.yaw)
        side = 1.0 if step.side == 0 else -1.0

        def local(of: Foothold) -> tuple[np.ndarray, np.ndarray]:
            dx, dy = x - of.position[0], y - of.position[1]
            return c * dx + s * dy, side * (-s * dx + c * dy)

        (ahead, aside), (beyond, gap) = local(step), local(stance)
        close = (np.abs(ahead) <= AHEAD * self.scale) & (np.abs(aside) <= ASIDE * self.scale)
        return close & (np.abs(beyond) <= self.reach) & (gap >= self.apart)
