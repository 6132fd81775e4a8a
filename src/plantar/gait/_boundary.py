"""What ties the phases of a stride together: start, touch-down, lift-off, period and speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar.gait._casadi import casadi
from plantar.gait._layout import Layout, Phase
from plantar.gait._mechanics import Mechanics, mechanics
from plantar.gait.legged import LeggedRobot
from plantar.gait.request import Request


@dataclass
class Boundary:
    """Constraints and objective in the phases' first and last points, durations, mean losses and impulses."""

    symbols: Any
    """All of them in one column: for each phase first point, last point, duration, mean loss; then impulses."""
    constraints: Any
    """Column of constraints."""
    objective: Any
    """What is minimised."""
    names: list[str]
    """Name of each constraint."""
    low: np.ndarray
    """Lower bounds."""
    high: np.ndarray
    """Upper bounds."""
    impulses: int
    """Numbers of impulses at touch-downs."""


class _Rows:
    """Constraints as they come."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.rows: list[Any] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def add(self, name: str, expression: Any, low: float = 0.0, high: float | None = None) -> None:
        for i in range(expression.shape[0]):
            self.names.append(name)
            self.rows.append(expression[i])
            self.low.append(low)
            self.high.append(low if high is None else high)


def boundary(robot: LeggedRobot, phases: tuple[Phase, ...], request: Request) -> Boundary:
    """Write the boundary of a stride."""
    ca = casadi()
    model = mechanics(robot)
    layouts = [Layout.of(robot, phase, request.cost) for phase in phases]
    first = [ca.SX.sym(f"first{i}", layout.size) for i, layout in enumerate(layouts)]
    last = [ca.SX.sym(f"last{i}", layout.size) for i, layout in enumerate(layouts)]
    duration = [ca.SX.sym(f"duration{i}") for i in range(len(phases))]
    loss = [ca.SX.sym(f"loss{i}") for i in range(len(phases))]
    rows, impulses = _Rows(), []
    for i in range(len(phases) - 1):
        impulse = _transition(ca, model, rows, phases[i : i + 2], layouts[i : i + 2], last[i], first[i + 1])
        impulses.append(impulse)
    _period(ca, robot, rows, request, (layouts[0], layouts[-1]), first[0], last[-1], sum(duration[1:], duration[0]))
    _start(ca, model, rows, request, phases[0], layouts[0], first[0])
    total = sum(duration[1:], duration[0])
    rows.add("stride time", total, *request.stride_time)
    spent = sum((d * e for d, e in zip(duration, loss, strict=True)), ca.SX(0))
    if request.objective == "transport":
        spent = spent / (robot.mass * request.speed * total)
    if request.as_near_as_possible:
        miss = (last[-1][0] - first[0][0]) / total - request.speed
        high = 0 if request.apex is None else first[0][1] - request.apex
        # a trace of the losses keeps what the misses leave open from drifting
        spent = miss**2 + high**2 + 1e-4 * spent
    parts = [part for group in zip(first, last, duration, loss, strict=True) for part in group]
    return Boundary(
        symbols=ca.vertcat(*parts, *impulses),
        constraints=ca.vertcat(*rows.rows),
        objective=spent,
        names=rows.names,
        low=np.array(rows.low),
        high=np.array(rows.high),
        impulses=sum(i.shape[0] for i in impulses),
    )


def _transition(ca: Any, model: Mechanics, rows: _Rows, phases: Any, layouts: Any, before: Any, after: Any) -> Any:
    """The state goes over unchanged, or through a plastic impact of the feet that come down."""
    old, new = phases
    q, v = before[layouts[0].q], before[layouts[0].v]
    rows.add("phases join", after[layouts[1].q] - q)
    landing = [foot for foot in new.stance if foot not in old.stance]
    leaving = [foot for foot in old.stance if foot not in new.stance]
    for foot in leaving:
        across = before[layouts[0].force][2 * old.stance.index(foot) + 1]
        rows.add("foot unloaded at lift-off", across)
    if not landing:
        rows.add("phases join", after[layouts[1].v] - v)
        return ca.SX(0, 1)
    impulse = ca.SX.sym("impulse", 2 * len(new.stance))
    at = ca.Function("at", [model.q], [model.mass, model.jacobian, model.place])
    mass, jacobian, place = at(q)
    pairs = [2 * foot + k for foot in new.stance for k in (0, 1)]
    after_v, bodies = after[layouts[1].v], model.bodies
    rows.add("phases join", after_v[bodies:] - v[bodies:])
    rows.add("impact", mass @ (after_v[:bodies] - v[:bodies]) - jacobian[pairs, :].T @ impulse)
    rows.add("impact", jacobian[pairs, :] @ after_v[:bodies])
    rows.add("touch-down", place[[2 * foot + 1 for foot in landing]])
    for i in range(len(new.stance)):
        rows.add("impact pushes", impulse[2 * i + 1], 0.0, np.inf)
    return impulse


def _period(
    ca: Any, robot: LeggedRobot, rows: _Rows, request: Request, layouts: Any, first: Any, last: Any, total: Any
) -> None:
    """The end is the start moved forward, with the legs swapped if half a stride was requested."""
    start, end = layouts
    place = mirrored_rows(robot) if request.symmetric else list(range(start.coordinates))
    q0, q1 = first[start.q], last[end.q]
    if not request.as_near_as_possible:
        rows.add("average speed", q1[0] - q0[0] - request.speed * total)
    rows.add("period", ca.vertcat(*[q1[i] - q0[place[i]] for i in range(1, start.coordinates)]))
    v0, v1 = first[start.v], last[end.v]
    rows.add("period", ca.vertcat(*[v1[i] - v0[place[i]] for i in range(start.coordinates)]))
    if start.feet:
        legs = robot.mirror if request.symmetric else range(robot.legs)
        d0, d1 = first[start.deflection], last[end.deflection]
        rows.add("period", ca.vertcat(*[d1[i] - d0[leg] for i, leg in enumerate(legs)]))


def _start(ca: Any, model: Mechanics, rows: _Rows, request: Request, phase: Phase, layout: Layout, first: Any) -> None:
    """Time and place have to start somewhere: at x = 0, at the top of the torso's path."""
    q, v = first[layout.q], first[layout.v]
    rows.add("start place", q[0])
    rows.add("apex", v[1])
    if not any(model.robot.hips):
        # legs at the torso's own centre feel only its sum with their angle: the mean pitch would be left open
        rows.add("start pitch", q[2])
    if request.apex is not None:
        if not request.as_near_as_possible:
            rows.add("apex height", q[1] - request.apex)
        if phase.contact == "soft":
            gaps = ca.Function("gap", [model.q], [model.place[1::2]])(q)
            rows.add("apex in flight", gaps, 0.0, np.inf)
    else:
        rows.add("apex", first[layout.a][1], -np.inf, 0.0)


def mirrored_rows(robot: LeggedRobot) -> list[int]:
    """For each coordinate the one that takes its place when the legs change places."""
    legs = robot.legs
    rows = list(range(3 + 4 * legs))
    for start in (3, 3 + 2 * legs):
        for i, other in enumerate(robot.mirror):
            rows[start + 2 * i], rows[start + 2 * i + 1] = start + 2 * other, start + 2 * other + 1
    return rows
