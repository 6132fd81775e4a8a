"""Predictive walking: the centroidal plan is solved repeatedly, and the whole body follows its beginning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plantar.errors import PlantarError
from plantar.walk.control.contacts import ContactModel
from plantar.walk.control.program import Targets
from plantar.walk.control.tuning import Tuning, Weights
from plantar.walk.footholds import Chooser
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.plans.pendulum import PendulumPlan
from plantar.walk.plans.predictive.horizon import Horizon, Phase, Stance, horizon
from plantar.walk.plans.predictive.problem import Aim, build
from plantar.walk.plans.predictive.solve import Forecast, solve
from plantar.walk.plans.stepper import Stepper
from plantar.walk.robot.dynamics import Dynamics
from plantar.walk.robot.legged import Legged

MOMENTUM = 0.02
"""Weight of the angular momentum in the whole-body program, which here has a plan to follow."""
LAST = 0.06
"""Time before touch-down after which a step stays where it is [s]."""
FOREVER = 60.0
"""How long a robot without further steps is assumed to stand [s]."""


class PredictiveStepper(Stepper):
    """The plan of a walk whose steps are moved by a prediction."""

    wished = np.zeros(2)
    """How far the prediction moves the current step [m]."""

    def _adapt(self, time: float, dcm: np.ndarray) -> None:
        end = self.end
        super()._adapt(time, dcm)
        # a quickened step is not the predicted one; one about to land is not moved
        if self.swing is not None and self.end == end and end - time >= LAST:
            self.shift = self._limited(self.wished)
            self.swing.target[:2] = self.queue[0].xy + self.shift


class PredictivePlan(PendulumPlan):
    """Walks by model predictive control of forces, centre of mass, angular momentum and footholds.

    Every `config.period` seconds a quadratic program plans the contact forces of the next `config.seconds`, the
    centroidal motion that they cause and how far to move the steps. The whole-body program then gives the
    joints the torques for the beginning of that plan.

    Args:
        legged: The robot.
        gait: The walk.
        tuning: Weights, gains and all else; `tuning.predictive` sets its horizon and objectives.
    """

    stepper_class = PredictiveStepper
    stepper: PredictiveStepper

    def __init__(
        self,
        legged: Legged,
        gait: Gait,
        tuning: Tuning,
        ground: KnownGround | None = None,
        chooser: Chooser | None = None,
    ):
        if tuning.weights.momentum == Weights().momentum:
            tuning = replace(tuning, weights=replace(tuning.weights, momentum=MOMENTUM))
        super().__init__(legged, gait, tuning, ground, chooser)
        self.config = tuning.predictive
        margin = tuning.contact.margin
        self.corners = [ContactModel(s, self.config.friction, margin, 1.0).corners.T for s in legged.soles]
        self.forecast: Forecast | None = None
        self.failures = 0
        """Plans that had no solution; the last one was followed on."""
        self._planned, self._key = -math.inf, (0, "", 0.0)

    def reset(self, dyn: Dynamics, time: float) -> None:
        """Stand where the robot is, then walk."""
        super().reset(dyn, time)
        self.failures = 0
        self.forecast, self._planned, self._key = None, -math.inf, (0, "", 0.0)

    def _targets(self, dyn: Dynamics, time: float) -> Targets:
        targets = super()._targets(dyn, time)
        key = (self.stepper.taken, self.stepper.phase, self.stepper.end)
        if time - self._planned >= self.config.period - 1e-9 or key != self._key:
            self._plan(dyn, time)
            self._planned, self._key = time, key
        assert self.forecast is not None
        targets.com_acceleration = self.forecast.acceleration()
        targets.momentum_rate = self.legged.mass * self.forecast.momentum_rate()
        return targets

    def _plan(self, dyn: Dynamics, time: float) -> None:
        """Solve the program of the time ahead."""
        momentum = dyn.momentum()[0] @ dyn.qvel / self.legged.mass
        state = np.concatenate([dyn.com, dyn.com_velocity, momentum])
        ahead = horizon(self._phases(time), time, self.config.seconds, self.config.longest)
        guess = self.forecast.guess(ahead, self.stepper.taken - self._key[0]) if self.forecast else None
        try:
            self.forecast = solve(build(ahead, state, self._aim(ahead), self.config, guess))
        except PlantarError:
            if self.forecast is None:
                raise
            self.failures += 1  # a robot that falls beyond what forces can do goes on by its last plan
            return
        moved = self.forecast.moved
        self.stepper.wished = moved[0] if len(moved) else np.zeros(2)

    def _aim(self, ahead: Horizon) -> Aim:
        ends = ahead.times[1:]
        return Aim(
            divergent=np.array([self.stepper.plan.at(float(t))[0] for t in ends]),
            height=np.full(len(ends), self.ground + self.stance.com_height),
            omega=self.omega,
            gravity=self.legged.gravity,
        )

    def _phases(self, time: float) -> list[Phase]:
        """The phases from now on, as the stepper will go through them."""
        s = self.stepper
        stands = {h.side: self._stance(h, -1) for h in s.holds}
        phases: list[Phase] = []
        steps = list(s.queue)

        def add(duration: float, feet: Sequence[int]) -> None:
            start = phases[-1].end if phases else time
            phases.append(Phase(start=start, end=start + duration, stances=tuple(stands[f] for f in feet)))

        if s.phase == "single":
            # a foot that is late may touch down at any moment
            up = [f for f in stands if f != s.swinging or s.landed]
            add(max(s.end - time, self.dt), up)
        else:
            add(max(s.end - time, self.dt) if math.isfinite(s.end) else FOREVER, (0, 1))
            if s.phase == "stand" and steps:
                add(s.gait.start, (0, 1))
        for k, step in enumerate(steps):
            if k or s.phase != "single":
                add(s.supports[0], (1 - step.side,))
            stands[step.side] = self._stance(replace(step, position=(*step.position[:2], self.ground)), k)
            add(s.supports[1] if k + 1 < len(steps) else s.gait.start, (0, 1))
            if phases[-1].end > time + self.config.seconds:
                return phases
        add(FOREVER, (0, 1))
        return phases

    def _stance(self, hold: Foothold, step: int) -> Stance:
        """Corners of a sole on a foothold, inside by the margin of the whole-body program."""
        c, s = math.cos(hold.yaw), math.sin(hold.yaw)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        corners = np.asarray(hold.position) + self.corners[hold.side] @ turn.T
        return Stance(foot=hold.side, corners=corners, step=step)
