r"""The divergent component of motion, its plan and the required centre of pressure.

With :math:`\omega = \sqrt{g / h}` the point :math:`\xi = x + \dot x / \omega` moves away from the centre of
pressure, :math:`\dot\xi = \omega (\xi - p)` (Englsberger et al., IEEE T-RO 31, 2015). A plan of :math:`p` that
ends at rest fixes :math:`\xi` backwards in time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


class DcmPlan:
    """Reference of the DCM for a centre of pressure that goes straight from knot to knot, then stays.

    Args:
        omega: Natural frequency of the pendulum [1/s].
        times: Times of the knots, rising [s].
        points: Centres of pressure there (n, 2) [m].
    """

    def __init__(self, omega: float, times: Sequence[float], points: Sequence[np.ndarray] | np.ndarray):
        self.omega = omega
        self.times = np.asarray(times, float)
        self.points = np.asarray(points, float)
        spans = np.maximum(np.diff(self.times), 1e-9)
        self.speeds = np.diff(self.points, axis=0) / spans[:, None]
        self.knots = np.empty_like(self.points)
        self.knots[-1] = self.points[-1]
        for k in range(len(spans) - 1, -1, -1):
            ahead = self.speeds[k] / omega
            rest = self.knots[k + 1] - self.points[k + 1] - ahead
            self.knots[k] = self.points[k] + ahead + rest * math.exp(-omega * spans[k])

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """DCM and centre of pressure at `time` [m]; before the first knot and after the last one it rests."""
        k = int(np.searchsorted(self.times, time, side="right")) - 1
        if k < 0:
            return self.knots[0], self.points[0]
        if k >= len(self.speeds):
            return self.knots[-1], self.points[-1]
        v = self.speeds[k]
        p = self.points[k] + v * (time - self.times[k])
        end = self.knots[k + 1] - self.points[k + 1] - v / self.omega
        return p + v / self.omega + end * math.exp(self.omega * (time - self.times[k + 1])), p


def step_knots(
    now: float, stance: np.ndarray, places: Sequence[np.ndarray], spans: tuple[float, float, float], ahead: int = 3
) -> tuple[list[float], list[np.ndarray]]:
    """Times and places of the centre of pressure of the next steps: over the foot that stands, then on to the next.

    Args:
        now: When the first step comes down [s].
        stance: The stance foot until then (2,) [m].
        places: Steps to come, each (2,) [m].
        spans: Times on one foot, on both, and of the shift after the last step [s].
        ahead: How many steps to look ahead.
    """
    times, points = list[float](), list[np.ndarray]()
    for k, place in enumerate(places[:ahead]):
        last = k == len(places) - 1
        over = now + (spans[2] if last else spans[1])
        times += [now, over]
        points += [stance, (place + stance) / 2 if last else place]
        stance, now = place, over + spans[0]
    return times, points


def desired_pressure(plan_dcm: np.ndarray, plan_point: np.ndarray, dcm: np.ndarray, omega: float, gain: float):
    """Centre of pressure that brings the DCM back to its plan at a rate `gain` [1/s]."""
    return plan_point + (1 + gain / omega) * (dcm - plan_dcm)


def missed_capture(dcm: float, goal: float, reach: tuple[float, float], omega: float, left: float) -> float:
    """How far beyond its goal the DCM will be, if the centre of pressure stays where it helps most until then.

    Args:
        dcm: Where it is now, along one direction [m].
        goal: Where it has to be [m].
        reach: Lowest and highest place that the centre of pressure can stay at [m].
        omega: Natural frequency [1/s].
        left: Time that is left [s].
    """
    growth = math.exp(omega * left)
    if growth < 1 + 1e-9:
        return dcm - goal
    point = min(max((dcm * growth - goal) / (growth - 1), reach[0]), reach[1])
    return point + (dcm - point) * growth - goal
