"""A program solved with IPOPT, and its result."""

from __future__ import annotations

import contextlib
import io
from typing import Any, Literal

import numpy as np

from plantar._signals import passing_on
from plantar.gait._casadi import casadi
from plantar.gait._program import Program
from plantar.gait.result import Segment

OBJECTIVE_SCALE = 300.0
"""Losses are a few hundredths; IPOPT's regularisation would swamp their curvature."""
FEASIBLE = 1e-6
"""Largest violation of a usable gait."""

Start = Literal["cold", "near", "warm"]
"""How good `x0` is: a guess, the solution of a neighbouring program, or one of the same on another mesh."""
STARTS: dict[str, dict[str, Any]] = {
    "cold": {"mu_strategy": "adaptive"},
    "near": {"mu_init": 1e-3, "bound_push": 1e-4, "bound_frac": 1e-4},
    # a restoration takes long, and a larger barrier parameter is the better cure
    "warm": {"mu_init": 1e-5, "bound_push": 1e-6, "bound_frac": 1e-6, "max_resto_iter": 10},
}
LOOSE = {"tol": 1e-2, "constr_viol_tol": 1e-3, "dual_inf_tol": 10.0, "compl_inf_tol": 1e-2, "acceptable_iter": 0}
"""Enough for a program whose solution is only a start for the next."""


def run_ipopt(
    program: Program,
    x0: np.ndarray,
    iterations: int,
    seconds: float,
    *,
    start: Start,
    loose: bool = False,
    stay: bool = False,
) -> tuple[np.ndarray, Any]:
    """Solve a program from `x0`, or for the motion nearest to `x0`; return the unknowns and IPOPT's statistics."""
    built = program.build(x0 if stay else None)
    ipopt = {
        "print_level": 0,
        "sb": "yes",
        "max_iter": iterations,
        "max_cpu_time": max(seconds, 0.1),
        "tol": 1e-8,
        "constr_viol_tol": 1e-8,
        "acceptable_tol": 1e-6,
        "acceptable_constr_viol_tol": 1e-8,
        "acceptable_iter": 8,
        "obj_scaling_factor": OBJECTIVE_SCALE,
        # the program is scaled by its units already; MUMPS's own scaling costs half of its time
        "mumps_scaling": 0,
        "mumps_permuting_scaling": 0,
        "mumps_pivot_order": 6,
    }
    ipopt |= STARTS[start] | (LOOSE if loose else {})
    options = {name: built[name] for name in ("grad_f", "jac_g", "hess_lag")}
    solver = casadi().nlpsol(
        "gait", "ipopt", built["nlp"], {**options, "ipopt": ipopt, "print_time": False, "error_on_fail": False}
    )
    low, high = limits(program)
    glow, ghigh = program.bounds()
    # IPOPT ends at Ctrl-C with whatever it has, which is not a solution; CasADi also warns about it
    with passing_on(), contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        found = solver(x0=np.clip(x0, low, high), lbx=low, ubx=high, lbg=glow, ubg=ghigh)
    return np.asarray(found["x"]).ravel(), solver.stats()


def limits(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of the unknowns: joint ranges, motor travel and speed, forces that push."""
    robot, request = program.robot, program.request
    low, high = np.full(program.unknowns, -np.inf), np.full(program.unknowns, np.inf)
    bodies = 3 + 2 * robot.legs
    for block in program.blocks:
        layout = block.functions.layout
        lo, hi = np.full(block.size, -np.inf), np.full(block.size, np.inf)
        for i in range(robot.legs):
            for row, (least, most) in ((3 + 2 * i, robot.hip_range), (4 + 2 * i, robot.leg_range)):
                lo[row], hi[row] = least, most
            motor = bodies + 2 * i + 1
            lo[motor], hi[motor] = -robot.motor_range, robot.motor_range
            for row, kind in ((motor - 1, robot.hip_motor), (motor, robot.leg_motor)):
                lo[layout.v.start + row], hi[layout.v.start + row] = -kind.speed_limit, kind.speed_limit
        lo[1], hi[1] = robot.foot_radius, 3.0
        lo[2], hi[2] = -np.pi / 2, np.pi / 2
        lo[layout.force.start + 1 : layout.force.stop : 2] = 0.0
        lo[layout.drawn] = 0.0
        low[block.start : block.duration] = np.tile(lo, block.points)
        high[block.start : block.duration] = np.tile(hi, block.points)
        low[block.duration], high[block.duration] = 0.02, request.stride_time[1]
    return low, high


def unpack(program: Program, x: np.ndarray) -> tuple[tuple[Segment, ...], float]:
    """Phases on their meshes, and the losses of the stride."""
    segments, start, cost = [], 0.0, 0.0
    for block, phase in zip(program.blocks, program.phases, strict=True):
        duration = float(x[block.duration])
        points = x[block.start : block.duration].reshape(block.points, block.size)
        moved = points[:, : block.functions.layout.drawn.start].copy()
        segments.append(Segment(phase, start, duration, block.mesh, moved))
        cost += duration * float(x[block.mean_loss])
        start += duration
    return tuple(segments), cost


def violations(program: Program, x: np.ndarray) -> tuple[float, list[str]]:
    """The largest violation, and every kind of constraint that is violated, the worst first."""
    ca = casadi()
    nlp = program.build()["nlp"]
    g = np.asarray(ca.Function("g", [nlp["x"]], [nlp["g"]])(x)).ravel()
    low, high = program.bounds()
    miss = np.maximum(np.maximum(low - g, g - high), 0.0)
    xlow, xhigh = limits(program)
    outside = float(np.maximum(np.maximum(xlow - x, x - xhigh), 0.0).max())
    if not np.isfinite(miss).all():
        return np.inf, ["numbers that are not finite"]
    worst: dict[str, float] = {}
    for name, value in zip(program.names(), miss, strict=True):
        worst[name] = max(worst.get(name, 0.0), float(value))
    bad = sorted(((v, n) for n, v in worst.items() if v > FEASIBLE), reverse=True)
    return max(float(miss.max()), outside), [f"{name} by {value:.3g}" for value, name in bad]
