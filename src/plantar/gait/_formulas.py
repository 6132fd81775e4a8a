"""The rubber foot's formulas, written once for NumPy, CasADi and compiled loops: `m` has the functions of either.

Depth and speed count positive into the ground; slip is the velocity of the lowest point of the foot along the
ground; deflection is how far that point is from its anchor. Branches are written with `fmin` and `fmax`, so that the
same lines are arithmetic for one and a smooth graph for the other.
"""

from __future__ import annotations

from typing import Any

EDGE = 1e-6
"""Rounding of the friction limit's corner at zero force, as a fraction of `stiffness * smoothing_depth ** 2`."""


def ramp(depth: Any, full: float, m: Any) -> Any:
    """Raff and Remy's transition s: 0 out of contact, 1 from the depth `full` on, with level ends."""
    x = m.fmin(m.fmax(depth, 0.0) / full, 1.0)
    return x * x * (3.0 - 2.0 * x)


def ramp_slope(depth: Any, full: float, m: Any) -> Any:
    """Derivative of `ramp` by depth."""
    x = m.fmin(m.fmax(depth, 0.0) / full, 1.0)
    return 6.0 * x * (1.0 - x) / full


def normal(law: Any, depth: Any, speed: Any, m: Any) -> Any:
    """Normal force, Raff and Remy eq. 1; its damper is the hyperbolic tangent in another spelling."""
    deep = m.fmax(depth, 0.0)
    damper = law.damping * m.tanh(speed / (2.0 * law.damping_speed))
    return law.stiffness * deep * deep + damper * ramp(depth, law.transition_depth, m)


def gate(depth: Any, alpha: float, m: Any) -> Any:
    """Fraction of the depth that carries tangential force, Neunert et al.: a parabola, then a line."""
    deep = m.fmax(depth, 0.0)
    low = m.fmin(deep, alpha)
    return low * low / (2.0 * alpha) + (deep - low)


def capped(stick: Any, limit: Any, edge: float, m: Any) -> Any:
    """`stick` held below `limit` in size, with a rounded corner; C-infinity, and odd in `stick`."""
    return stick * limit / m.sqrt(m.sqrt(limit**4 + stick**4 + edge**4))


def stick_force(law: Any, depth: Any, slip: Any, deflection: Any, m: Any) -> Any:
    """Tangential spring and damper without friction limit, Neunert et al. eq. 10."""
    pull = law.tangential_stiffness * deflection + law.tangential_damping * slip
    return gate(depth, law.smoothing_depth, m) * pull


def tangential(law: Any, depth: Any, speed: Any, slip: Any, deflection: Any, m: Any) -> Any:
    """Force along the ground; it opposes slip and deflection and stays below friction times normal force."""
    stick = stick_force(law, depth, slip, deflection, m)
    return -capped(stick, law.friction * normal(law, depth, speed, m), law.edge, m)


def release(law: Any, depth: Any, speed: Any, slip: Any, deflection: Any, m: Any) -> Any:
    """How fast the anchor catches up with the foot: at once in the air, not in stance, again when it slides."""
    x = m.fmin(m.fmax(depth, 0.0) / law.smoothing_depth, 1.0)
    held = x * (2.0 - x)
    stick = stick_force(law, depth, slip, deflection, m) ** 8
    limit = (law.friction * normal(law, depth, speed, m)) ** 8
    sliding = stick / (limit + stick + law.edge**8)
    return law.release_rate * (1.0 - held + held * sliding)


def deflection_rate(law: Any, depth: Any, speed: Any, slip: Any, deflection: Any, m: Any) -> Any:
    """Time derivative of the deflection."""
    return slip - release(law, depth, speed, slip, deflection, m) * deflection
