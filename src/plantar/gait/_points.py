"""What must hold at every point of a phase, with exact sparse derivatives."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar.gait._casadi import casadi
from plantar.gait._cushion import softness
from plantar.gait._layout import Layout, Phase
from plantar.gait._mechanics import mechanics
from plantar.gait.cost import powers
from plantar.gait.legged import LeggedRobot

DEEPEST = 0.9
"""How far a soft foot may sink, in foot radii; beyond it the law means nothing."""


@dataclass(frozen=True)
class PointFunctions:
    """Functions of one point, ready to be mapped over all of a phase."""

    layout: Layout
    """Rows of a point."""
    names: tuple[str, ...]
    """Name of each constraint, for display."""
    low: np.ndarray
    """Lower bounds of the constraints."""
    high: np.ndarray
    """Upper bounds."""
    value: Any
    """w -> constraints, loss."""
    slope: Any
    """w -> nonzeros of the constraints' Jacobian, gradient of the loss."""
    slope_at: tuple[np.ndarray, np.ndarray]
    """Rows and columns of those nonzeros."""
    curve: Any
    """w, multipliers of constraints and loss -> nonzeros of the Hessian's upper triangle."""
    curve_at: tuple[np.ndarray, np.ndarray]
    """Rows and columns of those nonzeros."""


@functools.lru_cache(maxsize=32)
def point_functions(robot: LeggedRobot, phase: Phase, cost: str) -> PointFunctions:
    """Build the functions of a phase's points."""
    ca = casadi()
    model, layout = mechanics(robot), Layout.of(robot, phase, cost)
    w = ca.SX.sym("w", layout.size)
    at = _substitution(ca, model, layout, phase, w)
    kind = _soft(robot, model) if phase.contact == "soft" else _rigid(robot, model, phase)
    rows = [*_equations(robot, model), *kind, *_limits(robot, model)]
    names, low, high = _labels(rows)
    g = ca.vertcat(*[at(expression) for _, expression, _, _ in rows])
    if layout.feet:
        g = ca.vertcat(g, w[layout.rate] - at(model.soft_rate))
        none = np.zeros(layout.feet)
        names, low, high = (*names, *["deflection rate"] * layout.feet), np.r_[low, none], np.r_[high, none]
    loss = at(ca.dot(model.factor, model.torque**2))
    if layout.slacks:
        # an unknown above a power and above 0, made as small as can be, is its positive part without a corner
        power = at(powers(cost, model.torque, model.speed, model.factor, ca.sum1))
        g, loss, more = ca.vertcat(g, w[layout.drawn] - power), ca.sum1(w[layout.drawn]), np.zeros(layout.slacks)
        names, low, high = (*names, *["power"] * layout.slacks), np.r_[low, more], np.r_[high, more + np.inf]
    weight = ca.SX.sym("weight", g.shape[0] + 1)
    slope = ca.jacobian(g, w)
    hessian = ca.triu(ca.hessian(ca.dot(weight[:-1], g) + weight[-1] * loss, w)[0])
    return PointFunctions(
        layout=layout,
        names=names,
        low=low,
        high=high,
        value=ca.Function("value", [w], [ca.densify(g), loss]),
        slope=ca.Function("slope", [w], [_nonzeros(ca, slope), ca.densify(ca.gradient(loss, w))]),
        slope_at=_triplet(slope),
        curve=ca.Function("curve", [w, weight], [_nonzeros(ca, hessian)]),
        curve_at=_triplet(hessian),
    )


def _substitution(ca: Any, model: Any, layout: Layout, phase: Phase, w: Any) -> Any:
    """A function that puts a point's numbers into the model's expressions."""
    force = ca.SX.zeros(model.force.shape[0])
    if phase.contact == "soft":
        force = ca.substitute(model.soft, ca.vertcat(model.q, model.v, model.deflection), w[: layout.states])
    for i, foot in enumerate(phase.stance):
        force[2 * foot : 2 * foot + 2] = w[layout.force][2 * i : 2 * i + 2]
    deflection = w[layout.deflection] if layout.feet else ca.SX.zeros(model.deflection.shape[0])
    symbols = ca.vertcat(model.q, model.v, model.a, model.deflection, model.force)
    values = ca.vertcat(w[layout.q], w[layout.v], w[layout.a], deflection, force)
    return lambda expression: ca.substitute(expression, symbols, values)


def _labels(rows: list) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names and bounds of all rows."""
    names = tuple(name for labels, _, _, _ in rows for name in labels)
    low = np.concatenate([np.broadcast_to(np.asarray(lo, float), len(n)) for n, _, lo, _ in rows])
    high = np.concatenate([np.broadcast_to(np.asarray(hi, float), len(n)) for n, _, _, hi in rows])
    return names, low, high


def _equations(robot: LeggedRobot, model: Any) -> list:
    names = [f"motion of {name}" for name in robot.coordinates[: model.bodies]]
    return [(names, model.residual, 0.0, 0.0)]


def _limits(robot: LeggedRobot, model: Any) -> list:
    motors = [m.force_limit for _ in range(robot.legs) for m in (robot.hip_motor, robot.leg_motor)]
    names = [f"torque limit of {name}" for name in robot.coordinates[model.bodies :]]
    return [(names, model.torque, -np.array(motors), np.array(motors))]


def _soft(robot: LeggedRobot, model: Any) -> list:
    deepest = -DEEPEST * softness(robot) * robot.foot_radius
    return [([f"depth of foot {i}"], model.place[2 * i + 1], deepest, np.inf) for i in range(robot.legs)]


def _rigid(robot: LeggedRobot, model: Any, phase: Phase) -> list:
    rows = []
    moving = model.jacobian @ model.a[: model.bodies] + model.drift
    for i in range(robot.legs):
        if i in phase.stance:
            along, across = model.force[2 * i], model.force[2 * i + 1]
            rows.append((["foot stays", "foot stays"], moving[2 * i : 2 * i + 2], 0.0, 0.0))
            for side in (-1, 1):
                rows.append((["friction limit"], robot.contact.friction * across + side * along, 0.0, np.inf))
        else:
            rows.append((["ground clearance"], model.place[2 * i + 1], 0.0, np.inf))
    return rows


def _nonzeros(ca: Any, matrix: Any) -> Any:
    return ca.vertcat(*matrix.nonzeros())


def _triplet(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = matrix.sparsity().get_triplet()
    return np.array(rows, dtype=int), np.array(columns, dtype=int)
