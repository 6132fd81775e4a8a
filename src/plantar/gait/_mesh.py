"""How far a collocated motion is from the equations between its nodes, and a finer mesh where it is too far."""

from __future__ import annotations

import math

import numpy as np

from plantar.gait._dynamics import Dynamics
from plantar.gait._layout import Layout
from plantar.gait.legged import LeggedRobot
from plantar.gait.result import Segment

GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(6)
MOST = 4
"""Into how many an interval may be cut at once."""


def defects(robot: LeggedRobot, segment: Segment) -> np.ndarray:
    """For each interval, the integral of |dx/dt - f(x, u)| of its worst state, over the size of that state.

    The collocation makes dx/dt equal to f at both ends and in the middle; in between the difference is of third order
    in the interval's length and its integral of fourth.
    """
    layout, model = Layout.of(robot, segment.phase), Dynamics(robot)
    count, shares = len(segment.mesh), (GAUSS + 1) / 2
    nodes, step = segment.nodes[:-1], segment.duration * segment.mesh
    times = segment.start + segment.duration * (nodes[:, None] + segment.mesh[:, None] * shares)
    points = segment.at(times.ravel(), layout)
    torque = _torque(model, segment, layout, times.ravel())
    q, v = points[:, layout.q], points[:, layout.v]
    if segment.phase.contact == "soft":
        a, rate, _ = model.soft(q, v, points[:, layout.deflection], torque)
        slope = np.hstack([v, a, rate])
    else:
        a, _ = model.rigid(q, v, torque, segment.phase.stance)
        slope = np.hstack([v, a])
    gap = np.abs(_slope(segment, layout, shares) - slope.reshape(count, len(shares), -1))
    size = 1.0 + np.abs(segment.points[:, : layout.states]).max(axis=0)
    return ((gap * WEIGHTS[:, None] / 2).sum(axis=1) * step[:, None] / size).max(axis=1)


def _slope(segment: Segment, layout: Layout, shares: np.ndarray) -> np.ndarray:
    """Time derivative of the cubics: parabolas through the rates (intervals, shares, states)."""
    rates, s = segment.points[:, layout.derivative], shares[None, :, None]
    f0, fm, f1 = (rates[k : k + 2 * len(segment.mesh) - 1 : 2][:, None] for k in (0, 1, 2))
    return f0 * (1 - s) * (1 - 2 * s) + fm * 4 * s * (1 - s) + f1 * s * (2 * s - 1)


def _torque(model: Dynamics, segment: Segment, layout: Layout, times: np.ndarray) -> np.ndarray:
    """Motor forces between points: parabolas through those at the points, as the integrator takes them too."""
    joint = model.terms(segment.points[:, layout.q], segment.points[:, layout.v])["joint"]
    at_points = joint + model.inertia * segment.points[:, layout.a][:, model.bodies :]
    return parabolas(segment, at_points, times)


def parabolas(segment: Segment, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Values given at the points, anywhere in between."""
    share = np.clip((times - segment.start) / segment.duration, 0, 1)
    k = np.clip(np.searchsorted(segment.nodes, share, side="right") - 1, 0, len(segment.mesh) - 1)
    s = ((share - segment.nodes[k]) / segment.mesh[k])[:, None]
    w0, wm, w1 = values[2 * k], values[2 * k + 1], values[2 * k + 2]
    return w0 * (1 - s) * (1 - 2 * s) + wm * 4 * s * (1 - s) + w1 * s * (2 * s - 1)


def finer(mesh: np.ndarray, defect: np.ndarray, tolerance: float) -> np.ndarray:
    """Cut each interval into as many as a scheme of fourth order needs."""
    parts = []
    for length, error in zip(mesh, defect, strict=True):
        cuts = 1 if error <= tolerance else min(MOST, max(2, math.ceil((2 * error / tolerance) ** 0.25)))
        parts += [length / cuts] * cuts
    return np.array(parts)
