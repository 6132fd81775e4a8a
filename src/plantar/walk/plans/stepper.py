"""Which foot stands, which one swings and where to: the plan of a walk over time."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from plantar.walk.control.swing import Swing, shared
from plantar.walk.plans.adaptation import Adaptation, limited_shift, wanted_shift
from plantar.walk.plans.choosing import StepChooser
from plantar.walk.plans.dcm import DcmPlan, step_knots
from plantar.walk.plans.footsteps import Foothold, carried_on, plan_footsteps, recovery_steps
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.polygons import outside, support_corners

SURE = 0.02
"""A DCM this near to the middle between the feet is inside of the support [m]."""
Phase = Literal["stand", "double", "single"]


class Stepper:
    """The plan of a walk: phases, footholds, reference of the DCM, swing of the feet.

    Args:
        omega: Natural frequency of the pendulum [1/s].
        gait: Timing and lengths, already those of the robot.
        extents: Back, front, right and left ends of each sole from its middle [m].
        width: Distance of the feet when standing [m].
        scale: Length of the legs over 0.7 m.
        adaptation: How steps respond to a push.
    """

    def __init__(
        self,
        omega: float,
        gait: Gait,
        extents: Sequence[tuple[float, float, float, float]],
        width: float,
        scale: float,
        adaptation: Adaptation,
    ):
        self.omega, self.gait, self.extents, self.width, self.scale = omega, gait, extents, width, scale
        self.adaptation = adaptation
        self.holds: list[Foothold] = []
        self.queue: deque[Foothold] = deque()
        self.phase: Phase = "stand"
        self.start = self.end = 0.0
        self.swinging: int | None = None
        self.swing: Swing | None = None
        self.landed = False
        self.shift = np.zeros(2)
        self.taken = self.recoveries = 0
        self.recovering = self.settled = False
        self.landing = np.zeros(2)  # where the plan has the DCM at the next touch-down [m]
        self._from = np.zeros(2)
        self.chooser: StepChooser | None = None
        """Foothold chooser; None: none, and the ground ahead is assumed to be as high as the stance foot."""
        self.plan = DcmPlan(omega, [0.0, 1.0], np.zeros((2, 2)))

    def reset(self, holds: Sequence[Foothold], time: float) -> None:
        """Stand on the given footholds, and walk from there after the time of settling."""
        self.holds = list(holds)
        self.phase, self.start, self.end = "stand", time, time + self.gait.settle
        self.queue = deque(plan_footsteps(holds, self.gait))
        self.swinging, self.swing, self.landed = None, None, False
        self.taken = self.recoveries = 0
        self.recovering = self.settled = False
        self._from = self.middle
        if self.chooser is not None:
            self.chooser.begin(self.queue)
        self._choose(time)
        self._replan(time)

    def _choose(self, time: float) -> None:
        """Choose the footholds of the next steps."""
        if self.chooser is not None and not self.recovering:
            self.queue = deque(self.chooser.along(self.queue, self.holds, self.taken, time))

    @property
    def middle(self) -> np.ndarray:
        """Between the feet on the ground [m]."""
        return (self.holds[0].xy + self.holds[1].xy) / 2

    @property
    def done(self) -> bool:
        """Whether all steps are taken and the robot stands; with no steps, once it has settled."""
        return self.phase == "stand" and not self.queue and self.settled

    @property
    def supports(self) -> tuple[float, float]:
        """Times on one foot and on both of the steps to come [s]."""
        if self.recovering:
            return tuple(math.sqrt(self.scale) * t for t in self.adaptation.recovery)  # type: ignore[return-value]
        return self.gait.single_support, self.gait.double_support

    @property
    def stance(self) -> int:
        """The foot that stands, or is about to."""
        return 1 - self.queue[0].side if self.queue else 0

    def update(self, time: float, dt: float, dcm: np.ndarray, touching: Sequence[bool], holds: Sequence[Foothold]):
        """Advance to `time`.

        Args:
            time: Now [s].
            dt: Time since the last call [s].
            dcm: The DCM as it is [m].
            touching: Which soles sense the ground.
            holds: Where the soles are.
        """
        self.settled = self.settled or time >= self.end
        if self.phase == "stand":
            self._stand(time, dcm, holds)
        elif self.phase == "double":
            # only the next step can catch a DCM that leaves both feet, so take it now
            rush = self.adaptation.enabled and self.queue and time - self.start > 0.05 and self._falling(dcm)
            if time >= self.end or rush:
                self._lift(time, holds)
        else:
            self._swing(time, dt, dcm, touching, holds)

    def _stand(self, time: float, dcm: np.ndarray, holds: Sequence[Foothold]) -> None:
        if self.queue and time >= self.end:
            self.holds = list(holds)
            self._from = self.middle
            self._shift_weight(time, self.gait.start)
        elif self.adaptation.enabled and not self.queue and self._falling(dcm):
            self._recover(time, dcm, holds)

    def _shift_weight(self, time: float, duration: float) -> None:
        self.phase, self.start, self.end = "double", time, time + duration
        self._replan(time)

    def _lift(self, time: float, holds: Sequence[Foothold]) -> None:
        """The weight is on one foot: swing the other one, or stand if no step is left."""
        if not self.queue:
            self.phase, self.start, self.end, self.recovering = "stand", time, math.inf, False
            self._from = self.plan.points[-1].copy()
            self._replan(time)
            return
        step = self.queue[0]
        duration = self.supports[0]
        self.phase, self.start, self.end = "single", time, time + duration
        self.swinging, self.landed = step.side, False
        self.shift = np.zeros(2)
        foot = holds[step.side]
        begin, yaw = np.array([*foot.position, foot.yaw]), foot.yaw + math.remainder(step.yaw - foot.yaw, 2 * math.pi)
        z = step.position[2] if self.chooser is not None else holds[1 - step.side].position[2]
        top = max(begin[2], z) + self.gait.apex
        self.swing = Swing(begin, np.array([*step.xy, z, yaw]), shared(duration), top)
        self._from = self.holds[self.stance].xy
        self._replan(time)
        self.landing = self.plan.at(self.end)[0]

    def _swing(self, time: float, dt: float, dcm: np.ndarray, touching: Sequence[bool], holds: Sequence[Foothold]):
        assert self.swing is not None and self.swinging is not None
        if touching[self.swinging] and time - self.start > 0.6 * (self.end - self.start):
            self.landed = True
        if not self.landed and self.adaptation.enabled:
            self._adapt(time, dcm)
        if not self.landed or self.swing.left > 0:
            self.swing.advance(dt)
        if time >= self.end and (self.landed or time - self.end > 0.25 * self.supports[0]):
            self._touch_down(time, holds)

    def _adapt(self, time: float, dcm: np.ndarray) -> None:
        """Move the foothold to where the DCM will be, and step faster if that brings it into reach."""
        assert self.swing is not None and self.swinging is not None
        left = self.end - time
        if left < 0.06:
            return
        shift, off = self._shift(left, dcm)
        quickest = max(self.adaptation.quickest * math.sqrt(self.scale) - (time - self.start), 0.12)
        if off > 0.01 and left > quickest + 0.02:
            times = np.linspace(quickest, left, 5)[:-1]
            best = min(times, key=lambda t: self._shift(float(t), dcm)[1])
            quicker, its_off = self._shift(float(best), dcm)
            if its_off < off - 0.005:
                self._hurry(left - float(best))
                shift = quicker
        self.shift = shift
        self.swing.target[:2] = self.queue[0].xy + self.shift

    def _hurry(self, gain: float) -> None:
        assert self.swing is not None
        self.end -= gain
        self.swing.retime(shared(self.swing.timing.duration - gain), max(self.swing.left - gain, 0.05))

    def _shift(self, left: float, dcm: np.ndarray) -> tuple[np.ndarray, float]:
        """How far to move the foothold if it is taken in the time `left`, and how far that is from the ideal."""
        stance, foot = self.holds[self.stance], self.extents[self.stance]
        wanted = wanted_shift(dcm, self.landing, stance, foot, self.adaptation.grip, self.omega, left)
        limited = self._limited(wanted)
        return limited, float(np.linalg.norm(wanted - limited))

    def _limited(self, wanted: np.ndarray) -> np.ndarray:
        """The part of a shift of the next foothold that the legs can do."""
        reach = tuple(self.scale * r for r in self.adaptation.reach)
        apart = 0.5 * sum(end[3] - end[2] for end in self.extents) + 0.015  # soles keep clear of each other
        stance = self.holds[self.stance]
        return limited_shift(wanted, self.queue[0], stance, reach, self.width, apart)  # type: ignore[arg-type]

    def _touch_down(self, time: float, holds: Sequence[Foothold]) -> None:
        step, self.taken, self.holds = self.queue.popleft(), self.taken + 1, list(holds)
        self.holds[step.side] = replace(holds[step.side], yaw=step.yaw)
        moved = self.holds[step.side].xy - step.xy
        if self.chooser is None or self.recovering:
            self.queue = deque(carried_on(self.queue, moved, 1.0 if self.recovering else 0.5))
        self.swinging, self.swing = None, None
        self._from = self.holds[1 - step.side].xy
        self._choose(time)
        self._shift_weight(time, self.supports[1] if self.queue else self.gait.start)

    def _falling(self, dcm: np.ndarray) -> bool:
        """Whether the DCM has left the support, or is about to."""
        if np.abs(dcm - self.middle).max() < SURE:
            return False
        return outside(dcm, support_corners(self.holds, self.extents), self.adaptation.edge * self.scale) > 0

    def _recover(self, time: float, dcm: np.ndarray, holds: Sequence[Foothold]) -> None:
        """Take a step out of a stand, and close the feet with the next one."""
        self.holds = list(holds)
        self.recoveries += 1
        self.queue = deque(recovery_steps(self.holds, dcm, self.width))
        side = self.queue[0].side
        self.recovering = True
        self._from = self.holds[1 - side].xy
        self._lift(time, holds)

    def _replan(self, time: float) -> None:
        """Centres of pressure from now to three steps ahead, and the DCM that goes with them."""
        if self.phase == "stand" and not self.queue:
            self.plan = DcmPlan(self.omega, [time, time + 0.1], [self._from, self.middle])
            return
        times, points, now = [self.start], [self._from], self.end
        if self.phase == "stand":
            times, points = [self.start, self.end], [self._from, self.middle]
            now = self.end + self.gait.start
        stance = self.holds[self.stance].xy
        if self.phase != "single":
            times.append(now)
            points.append(stance if self.queue else self.middle)
            now += self.supports[0]
        more = step_knots(now, stance, [step.xy for step in self.queue], (*self.supports, self.gait.start))
        self.plan = DcmPlan(self.omega, [*times, *more[0]], [*points, *more[1]])
