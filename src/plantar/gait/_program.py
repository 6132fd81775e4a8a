"""A stride as a sparse nonlinear program: Hermite-Simpson collocation with every derivative assembled by hand.

All that is nonlinear happens at single points or at the ends of phases, so that the Jacobian and the Hessian are
small exact blocks, mapped over the points and put in their place; collocation itself is bilinear in durations and
rates. IPOPT gets both matrices as they are, without colouring or differences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from plantar.gait._boundary import Boundary, boundary
from plantar.gait._casadi import casadi
from plantar.gait._layout import Phase
from plantar.gait._points import PointFunctions, point_functions
from plantar.gait.legged import LeggedRobot
from plantar.gait.request import Request


@dataclass
class Block:
    """A phase's place among the unknowns and constraints."""

    functions: PointFunctions
    """What holds at its points."""
    mesh: np.ndarray
    """Length of each interval as a fraction of the phase."""
    start: int
    """First unknown; points follow one another, then the duration and the loss up to the end of each interval."""
    row: int
    """First constraint: points, then midpoint and end defects, then the losses."""

    @property
    def points(self) -> int:
        """Nodes and midpoints."""
        return 2 * len(self.mesh) + 1

    @property
    def size(self) -> int:
        """Rows of a point."""
        return self.functions.layout.size

    @property
    def unknowns(self) -> int:
        """All of its unknowns."""
        return self.size * self.points + 1 + len(self.mesh)

    @property
    def duration(self) -> int:
        """Index of the duration."""
        return self.start + self.size * self.points

    @property
    def rows(self) -> int:
        """All of its constraints."""
        defects = 2 * self.functions.layout.states + 1
        return len(self.functions.names) * self.points + defects * len(self.mesh)

    @property
    def defect_row(self) -> int:
        """First of the defects."""
        return self.row + len(self.functions.names) * self.points

    @property
    def loss_row(self) -> int:
        """First of the losses."""
        return self.row + self.rows - len(self.mesh)

    @property
    def mean_loss(self) -> int:
        """Index of the loss up to the phase's end, over its duration."""
        return self.start + self.unknowns - 1

    def column(self, point: int) -> int:
        """First unknown of a point."""
        return self.start + self.size * (point % self.points)


@dataclass
class Triplets:
    """Entries of a sparse matrix as they come; entries at one place add up."""

    rows: list[np.ndarray] = field(default_factory=list)
    columns: list[np.ndarray] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, rows: Any, columns: Any, values: Any) -> None:
        """Add entries; `values` is a column of as many numbers, or an expression of one."""
        rows, columns = np.broadcast_arrays(np.asarray(rows, int), np.asarray(columns, int))
        self.rows.append(rows.ravel(order="F"))
        self.columns.append(columns.ravel(order="F"))
        self.values.append(values)

    def matrix(self, ca: Any, shape: tuple[int, int]) -> Any:
        """The matrix as an expression."""
        rows, columns = np.concatenate(self.rows), np.concatenate(self.columns)
        keys, place = np.unique(columns * shape[0] + rows, return_inverse=True)
        pattern = ca.Sparsity.triplet(*shape, (keys % shape[0]).tolist(), (keys // shape[0]).tolist())
        values = ca.vertcat(*self.values)
        if len(keys) < len(rows):
            adding = sparse.csc_matrix((np.ones(len(rows)), (place, np.arange(len(rows)))), (len(keys), len(rows)))
            values = ca.DM(adding) @ values
        else:
            values = values[np.argsort(place).tolist()]
        return ca.MX(pattern, values)


class Program:
    """The nonlinear program of a stride on given meshes.

    Args:
        robot: The robot.
        phases: Its phases, in order.
        request: The request.
        meshes: For each phase the shares of its intervals.
    """

    def __init__(
        self, robot: LeggedRobot, phases: tuple[Phase, ...], request: Request, meshes: list[np.ndarray]
    ) -> None:
        self.robot, self.phases, self.request = robot, phases, request
        self.blocks: list[Block] = []
        start = row = 0
        for phase, mesh in zip(phases, meshes, strict=True):
            self.blocks.append(Block(point_functions(robot, phase, request.cost), np.asarray(mesh, float), start, row))
            start, row = start + self.blocks[-1].unknowns, row + self.blocks[-1].rows
        self.ends: Boundary = boundary(robot, phases, request)
        self.unknowns, self.impulse = start + self.ends.impulses, start
        self.end_row, self.constraints = row, row + len(self.ends.names)

    def end_indices(self) -> np.ndarray:
        """Unknowns that the boundary is written in."""
        parts = []
        for block in self.blocks:
            first, last = block.column(0), block.column(-1)
            parts += [np.arange(first, first + block.size), np.arange(last, last + block.size)]
            parts.append([block.duration, block.mean_loss])
        return np.concatenate([*parts, np.arange(self.impulse, self.unknowns)]).astype(int)

    def names(self) -> list[str]:
        """Name of each constraint."""
        names: list[str] = []
        for block in self.blocks:
            names += list(block.functions.names) * block.points
            names += ["collocation"] * (block.row + block.rows - len(names))
        return names + self.ends.names

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of the constraints."""
        low, high = np.zeros(self.constraints), np.zeros(self.constraints)
        for block in self.blocks:
            low[block.row : block.defect_row] = np.tile(block.functions.low, block.points)
            high[block.row : block.defect_row] = np.tile(block.functions.high, block.points)
        low[self.end_row :], high[self.end_row :] = self.ends.low, self.ends.high
        return low, high

    def build(self, near: np.ndarray | None = None) -> dict[str, Any]:
        """Objective, constraints and their derivatives as CasADi functions by the names that `nlpsol` takes.

        Args:
            near: Unknowns to stay close to in coordinates and durations, with the objective as a small term.
        """
        ca = casadi()
        x, p = ca.MX.sym("x", self.unknowns), ca.MX.sym("p", 0)
        scale, weight = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", self.constraints)
        g, jacobian, hessian = [], Triplets(), Triplets()
        for block in self.blocks:
            g.append(_phase(ca, block, x, weight, jacobian, hessian))
        objective, gradient, tail = self._ends(ca, x, scale, weight, jacobian, hessian)
        if near is not None:
            objective, gradient = self._stay(ca, x, near, scale, (objective, gradient), hessian)
        g = ca.vertcat(*g, tail)
        shape = (self.constraints, self.unknowns)
        slope = jacobian.matrix(ca, shape)
        curve = hessian.matrix(ca, (self.unknowns, self.unknowns))
        return {
            "nlp": {"x": x, "f": objective, "g": g},
            "grad_f": ca.Function("grad_f", [x, p], [objective, gradient], ["x", "p"], ["f", "grad_f_x"]),
            "jac_g": ca.Function("jac_g", [x, p], [g, slope], ["x", "p"], ["g", "jac_g_x"]),
            "hess_lag": ca.Function(
                "hess_lag", [x, p, scale, weight], [curve], ["x", "p", "lam_f", "lam_g"], ["triu_hess_gamma_x_x"]
            ),
        }

    def _stay(self, ca: Any, x: Any, near: np.ndarray, scale: Any, cost: tuple, hessian: Triplets) -> tuple:
        """Mean square distance from `near`, with its gradient; the curvature goes into the matrix."""
        rows = [
            np.append(block.column(i) + np.arange(1, block.functions.layout.coordinates), block.duration)
            for block in self.blocks
            for i in range(block.points)
        ]
        weight = np.bincount(np.concatenate(rows), minlength=self.unknowns) / len(rows)
        every = np.arange(self.unknowns)
        hessian.add(every, every, 2 * scale * ca.DM(weight))
        away = x - ca.DM(near)
        objective, gradient = cost
        return objective + ca.dot(ca.DM(weight), away**2), gradient + 2 * ca.DM(weight) * away

    def _ends(self, ca: Any, x: Any, scale: Any, weight: Any, jacobian: Triplets, hessian: Triplets) -> tuple:
        """Objective, its gradient and the boundary's constraints; their derivatives go into the matrices."""
        s, places = self.ends.symbols, self.end_indices()
        multiplier = ca.SX.sym("m", len(self.ends.names) + 1)
        slope = ca.jacobian(self.ends.constraints, s)
        lagrangian = multiplier[0] * self.ends.objective + ca.dot(multiplier[1:], self.ends.constraints)
        curve = ca.triu(ca.hessian(lagrangian, s)[0])
        steep = ca.densify(ca.gradient(self.ends.objective, s))
        outputs = [self.ends.objective, steep, ca.densify(self.ends.constraints), ca.vertcat(*slope.nonzeros())]
        here = x[places.tolist()]
        f, steep, g, slopes = ca.Function("ends", [s], outputs)(here)
        curves = ca.Function("ends_curve", [s, multiplier], [ca.vertcat(*curve.nonzeros())])
        rows, columns = (np.array(i, int) for i in slope.sparsity().get_triplet())
        jacobian.add(self.end_row + rows, places[columns], slopes)
        rows, columns = (places[np.array(i, int)] for i in curve.sparsity().get_triplet())
        value = curves(here, ca.vertcat(scale, weight[self.end_row :]))
        hessian.add(np.minimum(rows, columns), np.maximum(rows, columns), value)
        spread = ca.DM(
            sparse.csc_matrix((np.ones(len(places)), (places, np.arange(len(places)))), (self.unknowns, len(places)))
        )
        return f, ca.densify(spread @ steep), g


def _phase(ca: Any, block: Block, x: Any, weight: Any, jacobian: Triplets, hessian: Triplets) -> Any:
    """Constraints of a phase; their derivatives go into the matrices."""
    functions, points, size = block.functions, block.points, block.size
    w = ca.reshape(x[block.start : block.duration], size, points)
    value, loss = functions.value.map(points)(w)
    slope, loss_slope = functions.slope.map(points)(w)
    lam = ca.reshape(weight[block.row : block.defect_row], len(functions.names), points)
    losses, lam_loss = _losses(ca, block, x, loss, loss_slope, weight, jacobian)
    curve = functions.curve.map(points)(w, ca.vertcat(lam, lam_loss))

    start = block.start + size * np.arange(points)
    rows, columns = functions.slope_at
    count = len(functions.names)
    jacobian.add(rows[:, None] + block.row + count * np.arange(points), columns[:, None] + start, ca.vec(slope))
    rows, columns = functions.curve_at
    hessian.add(rows[:, None] + start, columns[:, None] + start, ca.vec(curve))
    defects = _defects(ca, block, w, x[block.duration], weight, jacobian, hessian)
    return ca.vertcat(ca.vec(value), defects, losses)


def _losses(ca: Any, block: Block, x: Any, loss: Any, slope: Any, weight: Any, jacobian: Triplets) -> tuple[Any, Any]:
    """Losses summed up interval by interval, a chain and not one full row; and each point's multiplier."""
    intervals, size = len(block.mesh), block.size
    row = block.loss_row + np.arange(intervals)
    summed = block.duration + 1 + np.arange(intervals)
    lam = weight[block.loss_row : block.loss_row + intervals].T
    total, lam_points = x[summed.tolist()].T, ca.MX.zeros(1, block.points)
    jacobian.add(row, summed, ca.DM.ones(intervals, 1))
    if intervals > 1:
        jacobian.add(row[1:], summed[:-1], -ca.DM.ones(intervals - 1, 1))
        total = total - ca.horzcat(0, total[:-1])
    for offset, share in ((0, 1 / 6), (1, 4 / 6), (2, 1 / 6)):
        where, step = slice(offset, offset + 2 * intervals - 1, 2), share * ca.DM(block.mesh).T
        total = total - step * loss[where]
        lam_points[where] += -step * lam
        columns = np.arange(size)[:, None] + block.start + size * np.arange(block.points)[where]
        jacobian.add(row[None, :] + 0 * columns, columns, ca.vec(-ca.repmat(step, size, 1) * slope[:, where]))
    return total.T, lam_points


def _defects(ca: Any, block: Block, w: Any, duration: Any, weight: Any, jacobian: Triplets, hessian: Triplets) -> Any:
    """Hermite-Simpson: the midpoint on the cubic, and the end where Simpson's rule leads."""
    layout, mesh, size = block.functions.layout, block.mesh, block.size
    intervals, states = len(mesh), layout.states
    left, middle, right = (slice(k, k + 2 * intervals - 1, 2) for k in (0, 1, 2))
    columns = block.start + size * np.arange(block.points)
    state, rate = np.arange(states)[:, None], layout.derivative[:, None]
    rates, values = w[layout.derivative.tolist(), :], w[:states, :]
    lam = ca.reshape(weight[block.defect_row : block.loss_row], states, 2 * intervals)
    step = ca.repmat(ca.DM(mesh).T, states, 1)
    schemes = (
        (((left, -0.5), (middle, 1.0), (right, -0.5)), ((left, -1 / 8), (right, 1 / 8))),
        (((left, -1.0), (right, 1.0)), ((left, -1 / 6), (middle, -4 / 6), (right, -1 / 6))),
    )
    defects = []
    for k, (at_states, at_rates) in enumerate(schemes):
        row = block.defect_row + k * states * intervals + np.arange(states)[:, None] + states * np.arange(intervals)
        lam_k = lam[:, k * intervals : (k + 1) * intervals]
        total, slope = 0, 0
        for where, factor in at_states:
            total = total + factor * values[:, where]
            jacobian.add(row, state + columns[where], ca.DM.ones(row.size, 1) * factor)
        for where, factor in at_rates:
            slope = slope + factor * step * rates[:, where]
            jacobian.add(row, rate + columns[where], duration * ca.vec(factor * step))
            hessian.add(rate + columns[where], block.duration + 0 * row, ca.vec(factor * step * lam_k))
        jacobian.add(row, block.duration + 0 * row, ca.vec(slope))
        defects.append(ca.vec(total + duration * slope))
    return ca.vertcat(*defects)
