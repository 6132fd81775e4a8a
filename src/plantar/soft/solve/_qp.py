"""Small quadratic programs by any back end of qpsolvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import qpsolvers

from plantar.errors import InvalidInput


class Infeasible(Exception):
    """No efforts fulfil the constraints."""


def solve_qp(problem: qpsolvers.Problem, solver: str) -> np.ndarray:
    """Solve in numbers near 1: efforts in mN or kPa would otherwise meet the absolute tolerances of solvers."""
    if solver not in qpsolvers.available_solvers:
        raise InvalidInput(f"solver {solver!r} is not there: installed are {', '.join(qpsolvers.available_solvers)}")
    P, q = np.asarray(problem.P), np.asarray(problem.q)
    scale = 1 / np.sqrt(np.maximum(np.diag(P), 1e-300))
    # P_ii = 1 after scaling; dividing by |q| makes the solution of order one as well
    size = float(np.abs(scale * q).max()) or 1.0
    lb, ub = np.asarray(problem.lb) / scale / size, np.asarray(problem.ub) / scale / size
    G, h = problem.G, problem.h
    if G is not None:
        G, h = np.asarray(G) * scale, np.asarray(h) / size
        row = np.maximum(np.abs(G).max(axis=1), 1e-300)
        G, h = G / row[:, None], h / row
    scaled = qpsolvers.Problem(P * np.outer(scale, scale), scale * q / size, G, h, lb=lb, ub=ub)
    options: dict[str, Any] = {"primal_tol": 1e-11, "dual_tol": 1e-11} if solver == "daqp" else {}
    solution = qpsolvers.solve_problem(scaled, solver=solver, **options)
    if solution.x is None or not np.isfinite(solution.x).all():
        raise Infeasible
    return np.clip(solution.x * scale * size, problem.lb, problem.ub)
