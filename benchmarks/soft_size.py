"""Time and memory of a step from 1 k to 300 k unknowns: a bar on a floor, pulled by a cable.

    python benchmarks/soft_size.py                        # all sizes, each in a process of its own
    python benchmarks/soft_size.py --friction 0.6         # with one coefficient on the floor alone
    python benchmarks/soft_size.py --skfem                # beside scikit-fem's solvers on the same matrix (and PyAMG)

Times are those of the process on one thread: run with OMP_NUM_THREADS=1. A step is the median of five after the bar has
come to lie on the floor. The power is that of a line through the sizes from 10 k on.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from soft_speed import SPLU_THERE, calibrate

from plantar.soft import Cable, Contact, Corotational, Plane, Scene, SoftBody, shapes

CELLS = (5, 8, 11, 15, 19, 25, 30, 36)
"""Cells across the bar: 1 k to 300 k unknowns."""


FRICTION = (0.0, 0.6)
"""Coefficients of the floor."""


def scene(cells: int, friction: float, backend: str = "auto") -> Scene:
    """A bar of 0.2 x 0.1 x 0.1 m fixed at one end, just above a floor, with a cable along its top."""
    mesh = shapes.box((0.2, 0.1, 0.1), (2 * cells, cells, cells))
    low = mesh.nodes.min(axis=0)
    fixed = np.flatnonzero(mesh.nodes[:, 0] < low[0] + 1e-9)
    material = Corotational(young=1e5, poisson=0.45)
    bar = SoftBody(name="bar", mesh=mesh, material=material, density=1000, fixed=fixed, check=False)
    cable = Cable(name="c", body="bar", points=[low + (x, 0.05, 0.09) for x in (0.01, 0.1, 0.195)])
    floor = Contact(name="floor", body="bar", against=Plane(point=(0, 0, low[2] - 5e-4)), friction=friction)
    return Scene([bar], [cable], contacts=[floor], dt=0.01, backend=backend)  # type: ignore[arg-type]


def measure(cells: int, friction: float) -> dict[str, float]:
    start = time.process_time()
    bar = scene(cells, friction)
    build = time.process_time() - start
    times, rounds, failed = [], [], 0
    result = None
    for k in range(14):
        start = time.process_time()
        result = bar.step({"c": 2e-4 * k})
        times.append(time.process_time() - start)
        rounds.append(result.rounds)
        failed += not result.converged
    return {
        "friction": friction,
        "dofs": bar.dofs,
        "build_s": build,
        "first_s": times[0],
        "landing_s": max(times[1:9]),
        "step_s": float(np.median(times[9:])),
        "worst_s": max(times[9:]),
        "rounds": float(np.median(rounds[9:])),
        "landing_rounds": max(rounds[1:9]),
        "first_rounds": rounds[0],
        "failed": failed,
        "contacts": result.active if result else 0,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def beside_skfem(cells: int) -> dict[str, float]:
    """Solve one right side with the matrix of the bar: ours, and what scikit-fem offers."""
    from skfem.utils import build_pc_diag, build_pc_ilu, solver_direct_scipy, solver_iter_pcg  # noqa: PLC0415

    from plantar.soft.solve.state import Commands, Method  # noqa: PLC0415

    bar = scene(cells, 0.0, "multigrid")
    bare = Scene(list(bar.bodies.values()), dt=0.01, backend="multigrid")
    bare.step()
    from plantar.soft.solve.large import linearise_large  # noqa: PLC0415

    problem = linearise_large(bare, bare.rest_state(), Commands({}), Method(h=0.01))
    A, b = problem.A.full().tocsr(), problem.b
    row: dict[str, float] = {"dofs": bar.dofs}
    start = time.process_time()
    problem.find()
    row["multigrid_s"] = time.process_time() - start
    # what prepares a solver is made anew for every matrix and counts, as that of the multigrid does
    solvers: dict[str, Callable[[], Any]] = {
        "pcg_diagonal_s": lambda: solver_iter_pcg(M=build_pc_diag(A), rtol=1e-6)(A, b),
    }
    if bar.dofs < 40_000:
        solvers["pcg_ilu_s"] = lambda: solver_iter_pcg(M=build_pc_ilu(A.tocsc()), rtol=1e-6)(A, b)
        solvers["superlu_s"] = lambda: solver_direct_scipy()(A, b)
    if importlib.util.find_spec("pyamg"):
        solvers["pcg_pyamg_s"] = lambda: solver_iter_pcg(M=_pyamg(A, bare), rtol=1e-6)(A, b)
    for name, solve in solvers.items():
        start = time.process_time()
        solve()
        row[name] = time.process_time() - start
    return row


def _pyamg(A: Any, bare: Scene) -> Any:
    """Smoothed aggregation that knows the six rigid motions, the preconditioner that scikit-fem's pages take."""
    pyamg: Any = importlib.import_module("pyamg")
    x = bare.system.x0[bare.system.free]
    turns = [np.cross(axis, x).ravel() for axis in np.eye(3)]
    rigid = np.stack([*(np.tile(axis, len(x)) for axis in np.eye(3)), *turns], axis=1)
    return pyamg.smoothed_aggregation_solver(A.tobsr((3, 3)), B=rigid, max_coarse=200).aspreconditioner()


def show(rows: list[dict[str, float]]) -> None:
    for friction in sorted({r["friction"] for r in rows}):
        some = [r for r in rows if r["friction"] == friction]
        large = [r for r in some if r["dofs"] >= 1e4]
        powers = {}
        for name in ("step_s", "gigabytes") if len(large) > 1 else ():
            slope = np.polyfit(np.log([r["dofs"] for r in large]), np.log([r[name] for r in large]), 1)[0]
            print(f"{name} grows with the unknowns to the power {slope:.2f} from 10 k on, friction {friction}")
            powers[name] = float(slope)
        told = {"rows": some, "powers": powers, "calibration": calibrate()[0], "calibration_there": SPLU_THERE}
        print(f"figure soft.size.friction_{round(100 * friction)} = {json.dumps(told)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, nargs="+", default=CELLS)
    parser.add_argument("--friction", type=float, nargs="+", default=FRICTION)
    parser.add_argument("--skfem", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help="where to write the rows as JSON")
    options = parser.parse_args()
    if options.one:
        row = beside_skfem(options.one) if options.skfem else measure(options.one, options.friction[0])
        print(json.dumps(row))
        return
    rows = []
    for friction in options.friction[:1] if options.skfem else options.friction:
        for cells in options.cells:
            command = [sys.executable, __file__, "--one", str(cells), "--friction", str(friction)]
            found = subprocess.run(
                [*command, *(["--skfem"] * options.skfem)], capture_output=True, text=True, check=False
            )
            if found.returncode:
                print(f"{cells} cells: {found.stderr.strip().splitlines()[-1]}", flush=True)
                continue
            rows.append(json.loads(found.stdout.splitlines()[-1]))
            print("  ".join(f"{k} {v:.4g}" for k, v in rows[-1].items()), flush=True)
    if options.skfem:
        print(f"figure soft.size.solvers = {json.dumps(rows)}")
    else:
        show(rows)
    if options.out:
        options.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
